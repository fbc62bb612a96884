"""``skerry bundle``: what came in a bundle."""

from __future__ import annotations

from app.cli.shell import CliProgram

COMMANDS = {
    "inspect": ("app.cli.bundle_reading:inspect", "Show who signed a bundle and what is in it."),
    "verify": ("app.cli.bundle_reading:verify", "Find out whether every byte is what was written."),
    "import": ("app.cli.bundle_importing:import_", "Make a case of a diagnostic bundle, to look at it."),
    "replay": ("app.cli.replaying:replay", "Compute every recorded expression again."),
    "try": ("app.cli.stand_in_runs:try_", "Run a task with recorded outcomes in the place of its jobs."),
    "findings": ("app.cli.case_questions:findings", "Say what stands out in a run."),
    "diff": ("app.cli.case_questions:diff", "Compare two runs."),
    "search": ("app.cli.case_questions:search", "Look for a text in all that a case holds."),
    "note": ("app.cli.case_questions:note", "Write a note into a case, or show its notes."),
    "cases": ("app.cli.bundle_importing:cases", "List the cases."),
    "translate": ("app.cli.bundle_importing:translate", "Put the real names back into a supporter's answer."),
}

bundle = CliProgram(COMMANDS, name="bundle", help="Look at bundles, verify and import them.")
