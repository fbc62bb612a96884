"""``skerry fix``: repairs that a supporter makes and a site looks at, applies and can take back."""

from __future__ import annotations

import click

from app.cli.fix_applying import apply_fix, list_fixes, show_preview, undo
from app.cli.fix_building import build, show_receipt
from app.cli.shell import Group


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def fix(context: click.Context) -> None:
    """Make, look at, apply and take back fixes; without a word after it: list."""
    if context.invoked_subcommand is None:
        context.invoke(list_fixes)


for each in (build, show_receipt, show_preview, apply_fix, undo, list_fixes):
    fix.add_command(each)
