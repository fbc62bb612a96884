"""``skerry online``, ``offline`` and ``delete``: the life-cycle of tasks, several of them or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import change
from app.cli.shell import NOT_NOW, OK, CliCommand
from app.cli.value_types import NAME
from engine.model.message import Message


def _command(name: str, state: str, message: str) -> click.Command:
    @click.command(name, cls=CliCommand, help=message)
    @click.argument("tasks", type=NAME, nargs=-1, required=True, metavar="TASK…")
    @click.option("--dry-run", is_flag=True, help="Only tell what becomes of instances and dependants.")
    @click.pass_obj
    def set_states(cli: CliContext, tasks: tuple[str, ...], dry_run: bool) -> int:
        if dry_run:
            return _preview(cli, tasks, state)
        names, word = list(dict.fromkeys(tasks)), cli.tell(state)
        if len(names) == 1:
            done = change(cli, lambda service: service.set_state(names[0], state))
            line = cli.tell("task {task} is {state}", task=names[0], state=word)
        else:
            done = change(cli, lambda service: service.move_tasks(names, state))
            line = cli.tell("tasks {tasks} are {state}", tasks=", ".join(names), state=word)
        cli.answer(done, [line])
        return OK

    return set_states


def _preview(cli: CliContext, tasks: tuple[str, ...], state: str) -> int:
    payload = change(cli, lambda service: service.move_tasks(list(tasks), state, dry_run=True))
    lines = [line for each in payload["tasks"] for line in _lines(cli, each, each.pop("refused_facts", None))]
    cli.answer(payload, lines)
    return NOT_NOW if any(each["refused"] for each in payload["tasks"]) else OK


def _lines(cli: CliContext, payload: Mapping[str, Any], facts: Any) -> Iterator[str]:
    before, after = cli.tell(payload["from"]), cli.tell(payload["to"])
    if payload["refused"]:
        why = cli.failure(None, Message.read(facts, payload["refused"]))
        yield cli.tell("{task}: refused: {why}", task=payload["task"], why=why)
        return
    yield cli.tell("{task}: {before} -> {after}", task=payload["task"], before=before, after=after)
    if payload["instances"]:
        numbers = ", ".join(map(str, payload["instances"]))
        yield cli.tell("  instances that will not begin: {numbers}", numbers=numbers)
    if payload["dependants"]:
        yield cli.tell("  tasks that wait for it: {tasks}", tasks=", ".join(payload["dependants"]))


online = _command(
    "online", "online", "Let each TASK start by its schedule; schedule and dependencies are then fixed."
)
offline = _command("offline", "offline", "Keep each TASK from starting by its schedule.")
delete = _command("delete", "deleted", "Delete each TASK; what ran stays in the history.")
