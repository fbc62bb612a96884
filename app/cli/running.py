"""``skerry run``: a task from the workspace or from a file, until its end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial

import click

from app.cli import input_files
from app.cli.catalogue_reader import finder
from app.cli.checking import show_warnings
from app.cli.cli_context import CliContext
from app.cli.engine_access import detached, working
from app.cli.engine_delays import watching
from app.cli.following_runs import Display, ended, follow_through, well
from app.cli.interrupts import Interrupts, interruptible
from app.cli.run_progress import ProgressLines
from app.cli.shell import BAD, OK, CliCommand, key_option
from app.cli.show_text import end_lines, instance_lines
from app.cli.value_types import NAME
from app.cli.whole_values import whole
from engine.api.documents import RunDocument, RunRequest
from engine.api.service import Service
from engine.model.codes.commands import NO_ANSWER, WRONG_USE
from engine.model.errors import Invalid, Refused, SkerryError
from engine.model.request_key import with_key


@click.command(cls=CliCommand)
@click.argument("what", metavar="TASK|FILE")
@click.option("--task", type=NAME, metavar="ID", help="Which task of a FILE that has several.")
@click.option("texts", "-p", metavar="NAME=VALUE", multiple=True, help="A parameter; may be repeated.")
@click.option("given", "--params", metavar="FILE", help="Parameters from a YAML or JSON map.")
@click.option("--detach", is_flag=True, help="Start it and return; an engine in the background goes on.")
@key_option
@click.pass_obj
def run(
    cli: CliContext, what: str, task: str | None, texts: tuple[str, ...], given: str | None, detach: bool
) -> int:
    """Run a task and show its progress until the end.

    A FILE (with a slash, or ending in .yaml, .yml or .json) runs as it is and changes nothing
    in the workspace. Values are taken as they are and never evaluated. Ctrl-C cancels.
    """
    request = _request(what, task, texts, given)
    if detach:
        return _start(cli, request)
    with working(cli) as service:
        with cancelled_by_interrupts(cli) as interrupts:
            number = service.run(request)
            say_what_does_not_fire(cli, service)
            warn = partial(_warn, cli, service, request)
            document = see_through(cli, service, number, interrupts, first=warn)
        cli.answer(whole(document), end_text(cli, service, document))
    return OK if well(document) else BAD


def say_what_does_not_fire(cli: CliContext, service: Service) -> None:
    """Tasks that are online do not start by themselves in an engine that ends with its run."""
    about = service.about()
    if about.get("online") and not about.get("fires"):
        one = "1 task is online, but schedules do not fire in this engine"
        many = "{n} tasks are online, but schedules do not fire in this engine"
        cli.note(cli.tell(one if about["online"] == 1 else many, n=about["online"]))


def end_text(cli: CliContext, service: Service, document: RunDocument) -> Iterator[str]:
    """All of it after an animated display; only the end after lines that showed the rest."""
    lines = instance_lines if cli.terminal else end_lines
    yield from lines(cli, document, finder(service))


def _request(what: str, task: str | None, texts: tuple[str, ...], given: str | None) -> RunRequest:
    params = input_files.params(given) if given else {}
    texts_by_name = input_files.assignments(texts)
    typed = {name: value for name, value in params.items() if name not in texts_by_name}
    if input_files.is_file(what):
        return RunRequest(task, [input_files.source(what)], typed, texts_by_name, os.getcwd())
    if task not in (None, what):
        message = "--task chooses a task of a FILE; {name!r} is a task of the workspace"
        raise Invalid(WRONG_USE, message, name=what)
    return RunRequest(NAME.convert(what, None, None), None, typed, texts_by_name, os.getcwd())


def _start(cli: CliContext, request: RunRequest) -> int:
    client = detached(cli)
    with watching(cli, client):
        number = client.run(request)
    say_what_does_not_fire(cli, client)
    _warn(cli, client, request)
    cli.answer(client.instance(number), [cli.tell("instance {n} is started: skerry show {n}", n=number)])
    return OK


def _warn(cli: CliContext, service: Service, request: RunRequest) -> None:
    if request.sources is not None:
        show_warnings(cli, service, request.sources)


def cancelled_by_interrupts(cli: CliContext) -> AbstractContextManager[Interrupts]:
    """While this lasts, Ctrl-C cancels what :func:`see_through` follows."""
    still = cli.tell("still cancelling…")
    starting = cli.tell(
        "still starting, and cancelled as soon as it has; a third Ctrl-C leaves it to run, if it starts"
    )
    return interruptible(lambda: cli.note(still), lambda: cli.note(starting))


def _display(cli: CliContext) -> Display:
    """What suits standard output."""
    if not cli.terminal:
        return Display() if cli.json else ProgressLines(cli)
    from app.cli.progress_picture import ProgressPicture

    return ProgressPicture(cli)


def see_through(
    cli: CliContext,
    service: Service,
    instance: int,
    interrupts: Interrupts,
    also: Sequence[int] = (),
    first: Callable[[], None] = lambda: None,
) -> RunDocument:
    """Until the end, ``first`` before that; one Ctrl-C cancels it (and those ``also``) and waits for that.

    Further ones change nothing: to leave now would leave it half stopped.
    """
    display = _display(cli)
    try:
        interrupts.follow()
        first()
        return follow_through(cli, service, instance, display)
    except KeyboardInterrupt:
        interrupts.answered()
        numbers = ", ".join(map(str, (instance, *also)))
        message = "cancelling instances {numbers}…" if also else "cancelling instance {numbers}…"
        with with_key(None):  # the key was that of the start
            cli.note(cli.tell(message, numbers=numbers))
            for other in also:
                _cancelled(cli, service, other)
            document = _cancelled(cli, service, instance)
            if ended(document):
                return document
            return follow_through(cli, service, instance, display)  # its handlers are at work
    finally:
        display.close()


def _cancelled(cli: CliContext, service: Service, instance: int) -> RunDocument:
    try:
        service.cancel(instance)
    except Refused:  # it ended by itself meanwhile
        return service.instance(instance)
    except SkerryError as error:
        if error.entry is not NO_ANSWER:
            raise
        with working(cli) as another:
            another.cancel(instance)
            return another.instance(instance)
    return service.instance(instance)
