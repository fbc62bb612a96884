"""``skerry approve``: the answer to a job that asks."""

from __future__ import annotations

import os

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import change
from app.cli.shell import CliCommand, key_option
from app.cli.terminal_text import visible
from app.cli.value_types import INSTANCE, LARGEST, NAME, Number


@click.command(cls=CliCommand)
@click.argument("instance", type=INSTANCE)
@click.argument("node", type=NAME)
@click.argument("choice")
@click.option(
    "--index", type=Number(0, LARGEST), metavar="N", help="Which member of a batch or for_each, from 0."
)
@click.option("--note", metavar="TEXT", help="A note; it stays with the answer.")
@click.option("--value", metavar="V", help="The value that is asked for.")
@key_option
@click.pass_obj
def approve(
    cli: CliContext,
    instance: int,
    node: str,
    choice: str,
    index: int | None,
    note: str | None,
    value: str | None,
) -> None:
    """Answer the question that NODE of INSTANCE asks with one of its choices.

    With no engine at work the answer is kept, and the next one follows it.
    """
    folder = os.getcwd()
    done = change(cli, lambda service: service.approve(instance, node, choice, index, note, value, folder))
    facts = {"node": visible(node), "n": instance, "choice": visible(done["choice"])}
    cli.answer(done, [cli.tell("{node} of instance {n} is answered: {choice}", **facts)])
