"""``skerry clock``: the wall clock against the time since boot, what is held and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import ask, change
from app.cli.shell import CliGroup
from app.cli.terminal_text import clock_time, pairs
from app.durations import duration
from app.failure_words import failure_words
from engine.model.message import Message

clock = CliGroup("clock", default="show", help="See the clock that schedules go by")


@clock.command()
@click.pass_obj
def show(cli: CliContext) -> None:
    """Show the wall clock against the time since boot, and whether schedules are held."""
    found = ask(cli, lambda service: service.clock())
    cli.answer(found, _lines(cli, found))


@clock.command()
@click.pass_obj
def accept(cli: CliContext) -> None:
    """Let schedules go on after a jump: what the clock shows now is right."""
    found = change(cli, lambda service: service.accept_clock())
    cli.answer(found, [cli.tell("the clock is accepted: schedules go on")])


def _lines(cli: CliContext, found: Mapping[str, Any]) -> Iterator[str]:
    ahead = found["ahead"]
    facts = [
        ("wall clock", clock_time(found["wall"])),
        ("time since boot", duration(found["uptime"], cli.language)),
        ("set ahead by", None if ahead is None else f"{ahead:g} s"),
        ("tasks online", found["online"]),
        ("next", clock_time(found["next"])),
    ]
    yield from pairs(cli.facts(facts))
    if found["held"]:
        since = clock_time(found["since"])
        why = failure_words(None, Message.read(found["reason_facts"], found["reason"]), cli.language)
        yield cli.tell("all schedules are held since {since}: {why}", since=since, why=why)
        yield cli.tell("set the clock right, or if it is right: skerry clock accept")
    elif not found["fires"] and found["online"]:
        yield cli.tell("no engine fires schedules right now: start skerry serve, or open the window")
