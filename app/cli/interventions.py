"""``skerry set``, ``force``, ``pause``, ``resume``, ``release``: what an operator changes by hand."""

from __future__ import annotations

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import change
from app.cli.shell import CliCommand, key_option
from app.cli.terminal_text import in_words, visible
from app.cli.value_types import INSTANCE, NAME, OneOf

_REASON = click.option("--reason", default="", metavar="TEXT", help="Why; it stays in the log.")


@click.command("set", cls=CliCommand, context_settings={"ignore_unknown_options": True})
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
    done = change(cli, lambda service: service.set_value(instance, path, value, reason), resume=True)
    cli.answer(done, [cli.tell("instance {n}: {path} is changed", n=instance, path=visible(path))])


@click.command(cls=CliCommand)
@click.argument("instance", type=INSTANCE)
@click.argument("node", type=NAME)
@click.argument("state", type=OneOf(["succeeded", "failed"]), metavar="succeeded|failed")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stays with the job.")
@key_option
@click.pass_obj
def force(cli: CliContext, instance: int, node: str, state: str, reason: str) -> None:
    """Settle NODE of INSTANCE by hand.

    What it does at the moment is stopped. Of an ended instance the outcome counts for reruns, and the
    instance itself has succeeded when nothing in it failed any more.
    """
    done = change(cli, lambda service: service.force(instance, node, state, reason), resume=True)
    facts = {"node": visible(node), "n": instance, "state": cli.state(state)}
    message = "{node} of instance {n} is {state}; the instance is {status}"
    cli.answer(done, [cli.tell(message, status=cli.state(done["instance_status"]), **facts)])


@click.command(cls=CliCommand)
@click.argument("instance", type=INSTANCE)
@_REASON
@click.pass_obj
def pause(cli: CliContext, instance: int, reason: str) -> None:
    """Start no further attempt of INSTANCE's jobs, nor of its sub-tasks'; what runs goes on.

    It holds until `skerry resume`, also for later engines. Timeouts go on counting.
    """
    done = change(cli, lambda service: service.pause(instance, reason), resume=True)
    cli.answer(done, [cli.tell("instance {n} is paused", n=instance)])


@click.command(cls=CliCommand)
@click.argument("instance", type=INSTANCE)
@_REASON
@click.pass_obj
def resume(cli: CliContext, instance: int, reason: str) -> None:
    """Let a paused INSTANCE go on, and the sub-tasks that were paused with it."""
    done = change(cli, lambda service: service.resume(instance, reason), resume=True)
    paused = done["status"] == "paused"
    message = "instance {n} does not go on yet: {why}" if paused else "instance {n} goes on"
    cli.answer(done, [cli.tell(message, n=instance, why=in_words(done, cli.language))])


@click.command(cls=CliCommand)
@click.argument("instance", type=INSTANCE)
@click.argument("tasks", type=NAME, nargs=-1, metavar="[TASK…]")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stays with the instance.")
@key_option
@click.pass_obj
def release(cli: CliContext, instance: int, tasks: tuple[str, ...], reason: str) -> None:
    """Let a waiting INSTANCE go on without what it waits for of each TASK, or at all.

    One that waits for an earlier instance of its own task begins without waiting for its end.
    """
    done = change(cli, lambda service: service.release(instance, list(tasks), reason))
    names = ", ".join(map(visible, done["released"]))
    cli.answer(done, [cli.tell("instance {n} no longer waits for {tasks}", n=instance, tasks=names)])
