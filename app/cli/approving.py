"""``skerry approve``: the answer to a job that asks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import ask, change
from app.cli.shell import CliCommand, key_option
from app.cli.terminal_text import clock_time, columns, visible
from app.cli.value_types import INSTANCE, LARGEST, NAME, Number

_HEADS = ("instance", "task", "node", "index", "question", "choices", "until")


@click.command(cls=CliCommand)
@click.argument("instance", type=INSTANCE, required=False)
@click.argument("node", type=NAME, required=False)
@click.argument("choice", required=False)
@click.option(
    "--index", type=Number(0, LARGEST), metavar="N", help="Which member of a batch or for_each, from 0."
)
@click.option("--note", metavar="TEXT", help="A note; it stays with the answer.")
@click.option("--value", metavar="V", help="The value that is asked for.")
@key_option
@click.pass_obj
def approve(
    cli: CliContext,
    instance: int | None,
    node: str | None,
    choice: str | None,
    index: int | None,
    note: str | None,
    value: str | None,
) -> None:
    """Answer the question that NODE of INSTANCE asks with one of its choices.

    Without arguments it lists the questions that are open. With no engine at work the answer is kept, and
    the next one follows it.
    """
    if instance is None:
        return _list(cli)
    if node is None or choice is None:
        raise click.UsageError("give NODE and CHOICE too; without arguments the open questions are listed")
    folder = os.getcwd()
    done = change(cli, lambda service: service.approve(instance, node, choice, index, note, value, folder))
    facts = {"node": visible(node), "n": instance, "choice": visible(done["choice"])}
    cli.answer(done, [cli.tell("{node} of instance {n} is answered: {choice}", **facts)])


def _list(cli: CliContext) -> None:
    found = ask(cli, lambda service: service.questions())
    lines = columns(cli.heads(_HEADS), map(_row, found)) if found else [cli.tell("no question is open")]
    cli.answer({"questions": found}, lines)


def _row(asked: Mapping[str, Any]) -> tuple[object, ...]:
    index = "" if asked["index"] is None else asked["index"]
    where = asked["instance"], visible(asked["task"] or ""), visible(asked["node"]), index
    what = visible(asked["question"]), visible(", ".join(asked["choices"]))
    return (*where, *what, clock_time(asked["until"]))
