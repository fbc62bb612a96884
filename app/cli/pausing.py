"""``skerry pause`` and ``resume``: hold one instance, and let it go on."""

from __future__ import annotations

import click

from app.cli.connect import working
from app.cli.desk import Desk
from app.cli.shell import INSTANCE, Command
from app.cli.text import in_words
from engine.api.documents import Document

_REASON = click.option("--reason", default="", metavar="TEXT", help="Why; it stays in the log.")


@click.command(cls=Command)
@click.argument("instance", type=INSTANCE)
@_REASON
@click.pass_obj
def pause(desk: Desk, instance: int, reason: str) -> None:
    """Start no further attempt of INSTANCE's jobs, nor of its sub-tasks'; what runs goes on.

    It holds until `skerry resume`, also for later engines. Timeouts go on counting.
    """
    with working(desk) as service:
        done = service.pause(instance, reason)
    desk.answer(done, [desk.tell("instance {n} is paused", n=instance)])


@click.command(cls=Command)
@click.argument("instance", type=INSTANCE)
@_REASON
@click.pass_obj
def resume(desk: Desk, instance: int, reason: str) -> None:
    """Let a paused INSTANCE go on, and the sub-tasks that were paused with it."""
    with working(desk) as service:
        done = service.resume(instance, reason)
    desk.answer(done, [_goes_on(desk, done)])


def _goes_on(desk: Desk, done: Document) -> str:
    if done["status"] != "paused":
        return desk.tell("instance {n} goes on", n=done["instance"])
    why = in_words(done["reason"], desk.language)
    return desk.tell("instance {n} does not go on yet: {why}", n=done["instance"], why=why)
