"""The directory of an instance as a run of it begins: its files, what runs, with which parameters, where."""

from __future__ import annotations

from typing import Any

from engine.runtime.instance_files import InstanceFiles
from engine.runtime.run_state.run_facts import RunFacts
from engine.runtime.runs.run import Run
from engine.store.encoding import content_hash, json_text


def prepare_directory(run: Run) -> None:
    """The directory of an instance with what it runs; also after a full disk has broken it off."""
    make_directory(run.files, run.facts.number)
    run.files.has_directory = True
    describe(run)
    run.files.write_lines()


def make_directory(files: InstanceFiles, number: int) -> None:
    """Room for the files of this run; those of the one before it are moved aside."""
    files.journal.create()
    if number > 1:
        files.folder.keep_run(number - 1)


def describe(run: Run) -> None:
    """What runs, with which parameters, where."""
    clock = run.services.clock
    environment = run.services.environment.describe(clock.now(), clock.monotonic())
    run.files.journal.describe(what_runs(run.facts), run.context.tree["TASK"]["PARAMS"], environment)


def what_runs(facts: RunFacts) -> dict[str, Any]:
    """What ``.skerry/definitions.json`` says: enough to rebuild the database, with the hash of it."""
    raw = facts.plan.definitions.raw
    hash = content_hash(json_text(raw))
    return {"task": facts.plan.task.id, "definition": facts.revision, "hash": hash, "raw": raw}
