"""``skerry context`` and ``skerry set``: the values of an instance, and a value changed by hand."""

from __future__ import annotations

import json

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import reading, working
from app.cli.shell import INSTANCE, LARGEST, Command, Number, key_option
from app.cli.terminal_text import visible


@click.command(cls=Command)
@click.argument("instance", type=INSTANCE)
@click.option("--at", type=Number(0, LARGEST), metavar="SEQ", help="As it was after this line of its log.")
@click.pass_obj
def context(cli: CliContext, instance: int, at: int | None) -> None:
    """Show the context of an instance as a tree."""
    with reading(cli) as service:
        tree = service.context(instance, at)
    text = json.dumps(tree, ensure_ascii=False, indent=2)
    cli.answer(tree, (visible(line) for line in text.splitlines()))


@click.command("set", cls=Command, context_settings={"ignore_unknown_options": True})
@click.argument("instance", type=INSTANCE)
@click.argument("path")
@click.argument("value")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stays in the context's log.")
@key_option
@click.pass_obj
def set_value(cli: CliContext, instance: int, path: str, value: str, reason: str) -> None:
    """Change the value at PATH, such as "$.TASK.PARAMS['limit']".

    VALUE is not evaluated; it is read as the kind of the value that it replaces.
    """
    with working(cli) as service:
        done = service.set_value(instance, path, value, reason)
    cli.answer(done, [cli.tell("instance {n}: {path} is changed", n=instance, path=visible(path))])
