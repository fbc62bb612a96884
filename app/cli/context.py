"""``skerry context``: the values of an instance."""

from __future__ import annotations

import json

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import ask
from app.cli.shell import INSTANCE, LARGEST, Command, Number
from app.cli.terminal_text import visible


@click.command(cls=Command)
@click.argument("instance", type=INSTANCE)
@click.option("--at", type=Number(0, LARGEST), metavar="SEQ", help="As it was after this line of its log.")
@click.pass_obj
def context(cli: CliContext, instance: int, at: int | None) -> None:
    """Show the context of an instance as a tree."""
    tree = ask(cli, lambda service: service.context(instance, at))
    text = json.dumps(tree, ensure_ascii=False, indent=2)
    cli.answer(tree, (visible(line) for line in text.splitlines()))
