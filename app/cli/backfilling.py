"""``skerry backfill``: past times of a task, until their end; or what that would do."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from app import wiring
from app.cli import input_files
from app.cli.cli_context import CliContext
from app.cli.engine_access import detached, reading, working
from app.cli.engine_delays import watching
from app.cli.following_backfills import finished, follow_through
from app.cli.interrupts import Interrupts
from app.cli.running import cancelled_by_interrupts, say_what_does_not_fire
from app.cli.shell import BAD, OK, CliCommand, key_option
from app.cli.terminal_text import clock_time, columns, in_words, visible
from app.cli.value_types import NAME, Number, OneOf
from engine.model.codes.commands import NO_ANSWER
from engine.model.errors import Refused, SkerryError
from engine.model.request_key import with_key
from engine.model.states import BackfillState
from engine.runtime.timing.backfill_request import BackfillRequest

if TYPE_CHECKING:
    from engine.api.documents import Document
    from engine.api.service import Service

_HEADS = ("time", "task", "decision", "instance", "why")
_SHOWN_HEADS = ("time", "task", "decision", "instance", "status", "why")


@click.command(cls=CliCommand)
@click.argument("task", type=NAME)
@click.option("--from", "since", required=True, metavar="T", help="The first time; a date is the whole day.")
@click.option("--to", "until", required=True, metavar="T", help="The last time, included.")
@click.option("--order", type=OneOf(["oldest", "newest"]), default="oldest", show_default=True)
@click.option("--parallel", type=Number(1, 10_000), default=1, show_default=True, metavar="N")
@click.option(
    "--reprocess",
    type=OneOf(["missing", "failed", "all"]),
    default="missing",
    show_default=True,
    help="What never ran; also what ended badly; everything.",
)
@click.option("--downstream", is_flag=True, help="Then also the instances that depend on them.")
@click.option("--ignore-dependencies", is_flag=True, help="Wait for no other task.")
@click.option("texts", "-p", metavar="NAME=VALUE", multiple=True, help="A parameter; may be repeated.")
@click.option("--reason", default="", metavar="TEXT", help="Why; it stays with each run.")
@click.option("--dry-run", is_flag=True, help="Only show what would be run.")
@click.option("--detach", is_flag=True, help="Start it and return; an engine in the background goes on.")
@key_option
@click.pass_obj
def backfill(cli: CliContext, /, texts: tuple[str, ...], dry_run: bool, detach: bool, **asked: Any) -> int:
    """Run past times of TASK by its definition of now, each by the schedule that held then.

    Both ends are included. What is to come, and the next time of the schedule, stay as they are. Ctrl-C
    cancels.
    """
    request = BackfillRequest(texts=input_files.assignments(texts), folder=os.getcwd(), **asked)
    if dry_run:
        return _previewed(cli, request)
    if detach:
        return _started(cli, request)
    with working(cli) as service:
        with cancelled_by_interrupts(cli) as interrupts:
            number = service.start_backfill(request)
            say_what_does_not_fire(cli, service)
            document = _seen_through(cli, service, number, interrupts)
        cli.answer(document, end_lines(cli, document))
    return OK if document["status"] == BackfillState.SUCCEEDED else BAD


def _previewed(cli: CliContext, request: BackfillRequest) -> int:
    with reading(cli, types=wiring.installed_types) as service:
        times = service.preview_backfill(request)
    cli.answer(times, decision_lines(cli, times))
    return OK


def decision_lines(cli: CliContext, times: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What would become of each time; of those of a backfill also what became of it."""
    if not times:
        yield cli.tell("there is no scheduled time in that range")
        return
    heads = _SHOWN_HEADS if "status" in times[0] else _HEADS
    yield from columns(cli.heads(heads), (_decision(cli, each) for each in times))


def _decision(cli: CliContext, time: Mapping[str, Any]) -> tuple[object, ...]:
    why = in_words({"reason": time["why"], "why": time["because"]}, cli.language)
    what = cli.tell(_DECISIONS[time["decision"]])
    became = (cli.tell(time["status"]),) if "status" in time else ()
    return clock_time(time["time"]), visible(time["task"]), what, time["instance"], *became, why


_DECISIONS = {"make": "make", "run_again": "run again", "leave": "leave"}
_COUNTS = {
    "succeeded": "succeeded",
    "failed": "failed",
    "under_way": "under way",
    "pending": "pending",
    "left": "left as they are",
    "dropped": "dropped",
}


def _started(cli: CliContext, request: BackfillRequest) -> int:
    client = detached(cli)
    with watching(cli, client):
        document = client.backfill(client.start_backfill(request))
    say_what_does_not_fire(cli, client)
    n, times = document["backfill"], len(document["instances"])
    started = cli.tell(
        "backfill {n} of {times} times is started: skerry backfills show {n}", n=n, times=times
    )
    cli.answer(document, [started])
    return OK


def end_lines(cli: CliContext, document: Document) -> Iterator[str]:
    """How far a backfill has come, in a line."""
    parts = [f"{cli.tell(_COUNTS[name])} {count}" for name, count in document["counts"].items() if count]
    text, status = cli.tell("backfill {n}: {status}"), cli.tell(document["status"])
    if not document["instances"]:
        parts = [cli.tell("there is no scheduled time in that range")]
    yield text.format(n=document["backfill"], status=status) + (f" ({', '.join(parts)})" if parts else "")


def _seen_through(cli: CliContext, service: Service, number: int, interrupts: Interrupts) -> Document:
    """Until the end; Ctrl-C drops what has not begun, and cancels what runs."""
    try:
        interrupts.follow()
        return follow_through(cli, service, number)
    except KeyboardInterrupt:
        interrupts.answered()
        with with_key(None):  # the key was that of the start
            cli.note(cli.tell("cancelling backfill {n}…", n=number))
            try:
                return _cancelled(service, number)
            except SkerryError as error:
                if error.entry is not NO_ANSWER:
                    raise
            with working(cli) as another:
                return _cancelled(another, number)


def _cancelled(service: Service, number: int) -> Document:
    if not finished(service.backfill(number)):
        service.cancel_backfill(number)
    for each in service.backfill(number)["instances"]:
        if each["decision"] != "leave" and each["status"] in ("running", "paused", "waiting"):
            try:
                service.cancel(each["instance"])
            except Refused:  # it ended by itself meanwhile
                continue
    return service.backfill(number)
