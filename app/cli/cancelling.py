"""``skerry cancel``: stop an instance or one of its nodes."""

from __future__ import annotations

import click

from app.cli.connect import working
from app.cli.desk import Desk
from app.cli.shell import INSTANCE, Command
from app.cli.text import visible


@click.command(cls=Command)
@click.argument("instance", type=INSTANCE)
@click.argument("node", required=False)
@click.pass_obj
def cancel(desk: Desk, instance: int, node: str | None) -> None:
    """Stop an instance, or one NODE of it, and everything it started.

    Returns when it is verified that all of it is gone.
    """
    with working(desk) as service:
        done = service.cancel(instance, node)
    what = f"instance {instance}" if node is None else f"{visible(node)} of instance {instance}"
    desk.answer(done, [f"{what} is cancelled"])
