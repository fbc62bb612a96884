"""``skerry online``, ``offline`` and ``delete``: the life-cycle of a task."""

from __future__ import annotations

import click

from app.cli.connect import working
from app.cli.desk import Desk
from app.cli.shell import NAME, Command


def _command(name: str, state: str, told: str) -> click.Command:
    @click.command(name, cls=Command, help=told)
    @click.argument("task", type=NAME)
    @click.pass_obj
    def change(desk: Desk, task: str) -> None:
        with working(desk, resume=False) as service:
            done = service.set_state(task, state)
        desk.answer(done, [desk.tell("task {task} is {state}", task=task, state=desk.tell(done["state"]))])

    return change


online = _command(
    "online", "online", "Let TASK start by its schedule; schedule and dependencies are then fixed."
)
offline = _command("offline", "offline", "Keep TASK from starting by its schedule.")
delete = _command("delete", "deleted", "Delete TASK; what ran stays in the history.")
