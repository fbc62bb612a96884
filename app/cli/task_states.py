"""``skerry online``, ``offline`` and ``delete``: the life-cycle of a task."""

from __future__ import annotations

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import change
from app.cli.shell import NAME, CliCommand


def _command(name: str, state: str, message: str) -> click.Command:
    @click.command(name, cls=CliCommand, help=message)
    @click.argument("task", type=NAME)
    @click.pass_obj
    def set_state(cli: CliContext, task: str) -> None:
        done = change(cli, lambda service: service.set_state(task, state))
        cli.answer(done, [cli.tell("task {task} is {state}", task=task, state=cli.tell(done["state"]))])

    return set_state


online = _command(
    "online", "online", "Let TASK start by its schedule; schedule and dependencies are then fixed."
)
offline = _command("offline", "offline", "Keep TASK from starting by its schedule.")
delete = _command("delete", "deleted", "Delete TASK; what ran stays in the history.")
