"""``skerry next``: when a task, or a cron expression, fires."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import click

from app.cli.cli_context import CliContext
from app.cli.engine_access import ask
from app.cli.shell import CliCommand
from app.cli.terminal_text import clock_time, columns
from app.cli.value_types import NAME, Number
from engine.api.documents import Document, FireQuery
from engine.model.fire_note import WORDS


@click.command("next", cls=CliCommand)
@click.argument("task", type=NAME, required=False)
@click.option("--cron", metavar="EXPR", help="An expression instead of a task: Quartz, or a Unix line.")
@click.option("--from", "since", metavar="TIME", help="Strictly after this time (default: now).")
@click.option("count", "-n", type=Number(1, 10_000), default=20, show_default=True, metavar="N")
@click.option("--timezone", metavar="ZONE", help="Another zone than the schedule's.")
@click.option("--dependencies", is_flag=True, help="With the upstream instances that each waits for.")
@click.pass_obj
def next_fires(
    cli: CliContext,
    task: str | None,
    cron: str | None,
    since: str | None,
    count: int,
    timezone: str | None,
    dependencies: bool,
) -> None:
    """Show when TASK, or an expression, fires next; clock changes and days off are noted."""
    query = FireQuery(task, cron, since, count, timezone, dependencies)
    found = ask(cli, lambda service: service.fire_times(query))
    heads = ("time", "note", "waits for") if dependencies else ("time", "note")
    rows = [_row(cli, each)[: len(heads)] for each in found["times"]]
    none = _WITHOUT_TIMES.get(str(found.get("level")), "it does not fire")
    about = _about(cli, found, found.pop("level", None), found.pop("interval", None))
    lines = columns(cli.heads(heads), rows) if rows else [cli.tell(none)]
    cli.answer(found, [about, *lines])


_WITHOUT_TIMES = {
    "condition": "no time is known ahead: it fires when its condition becomes true",
    "manual": "it has no fire times: it is started by hand, or as a sub-task",
    "none": "it has no schedule",
}


def _about(cli: CliContext, found: Document, level: str | None, interval: float | None) -> str:
    """What the times come from."""
    if interval is not None:
        return cli.tell("every {period}, in {zone}", period=_period(cli, interval), zone=found["zone"])
    others = {
        "once": "once",
        "condition": "when its condition becomes true",
        "manual": "by hand",
        "none": "never",
    }
    if level in others:
        return cli.tell("{when}, in {zone}", when=cli.tell(others[level]), zone=found["zone"])
    return cli.tell("{cron} in {zone}", cron=found["cron"] or cli.tell("no expression"), zone=found["zone"])


def _period(cli: CliContext, seconds: float) -> str:
    """As a definition writes it: 2h, 90s."""
    units = ((86400, "{n}d"), (3600, "{n}h"), (60, "{n}m"), (1, "{n}s"))
    size, text = next((unit for unit in units if seconds % unit[0] == 0), (1, "{n}s"))
    return cli.tell(text, n=f"{seconds / size:g}")


def _row(cli: CliContext, fire: Document) -> tuple[str, str, str]:
    waits = ", ".join(_waits(fire["upstream"] or ()))
    return clock_time(fire["time"]) or "-", _note(cli, fire["why"]), waits


def _waits(upstream: Iterable[Document]) -> Iterator[str]:
    """The task with the time of its instance; of several the first and the last."""
    for task, found in groupby(upstream, itemgetter("task")):
        times = [clock_time(each["time"]) for each in found]
        yield f"{task} {times[0]}" if len(times) == 1 else f"{task} {times[0]} … {times[-1]} ({len(times)})"


def _note(cli: CliContext, why: dict[str, Any] | None) -> str:
    return cli.tell(WORDS[why["kind"]], **why) if why else ""
