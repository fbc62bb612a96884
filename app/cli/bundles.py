"""``skerry bundle``: what came in a bundle."""

from __future__ import annotations

import click

from app.cli.shell import Program

COMMANDS = {
    "inspect": ("app.cli.bundle_reading:inspect", "Show who signed a bundle and what is in it."),
    "verify": ("app.cli.bundle_reading:verify", "Find out whether every byte is what was written."),
    "import": ("app.cli.bundle_importing:import_", "Make a case of a diagnostic bundle, to look at it."),
    "replay": ("app.cli.replaying:replay", "Compute every recorded expression again."),
    "cases": ("app.cli.bundle_importing:cases", "List the cases."),
    "translate": ("app.cli.bundle_importing:translate", "Put the real names back into a supporter's answer."),
}


@click.group(cls=Program, table=COMMANDS, name="bundle")
def bundle() -> None:
    """Look at bundles, verify and import them."""
