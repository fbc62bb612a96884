"""``skerry pause`` and ``resume``: hold one instance, and let it go on."""

from __future__ import annotations

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import working
from app.cli.shell import INSTANCE, Command
from app.cli.terminal_text import in_words
from engine.api.documents import Document

_REASON = click.option("--reason", default="", metavar="TEXT", help="Why; it stays in the log.")


@click.command(cls=Command)
@click.argument("instance", type=INSTANCE)
@_REASON
@click.pass_obj
def pause(cli: CliContext, instance: int, reason: str) -> None:
    """Start no further attempt of INSTANCE's jobs, nor of its sub-tasks'; what runs goes on.

    It holds until `skerry resume`, also for later engines. Timeouts go on counting.
    """
    with working(cli) as service:
        done = service.pause(instance, reason)
    cli.answer(done, [cli.tell("instance {n} is paused", n=instance)])


@click.command(cls=Command)
@click.argument("instance", type=INSTANCE)
@_REASON
@click.pass_obj
def resume(cli: CliContext, instance: int, reason: str) -> None:
    """Let a paused INSTANCE go on, and the sub-tasks that were paused with it."""
    with working(cli) as service:
        done = service.resume(instance, reason)
    cli.answer(done, [_goes_on(cli, done)])


def _goes_on(cli: CliContext, done: Document) -> str:
    if done["status"] != "paused":
        return cli.tell("instance {n} goes on", n=done["instance"])
    why = in_words(done, cli.language)
    return cli.tell("instance {n} does not go on yet: {why}", n=done["instance"], why=why)
