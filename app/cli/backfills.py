"""``skerry backfills``: past times that are run; pause, resume and cancel them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from app.cli.backfilling import decision_lines, end_lines
from app.cli.cli_context import CliContext
from app.cli.engine_access import ask, change, detached
from app.cli.engine_delays import watching
from app.cli.shell import CliGroup, limit_option
from app.cli.terminal_text import clock_time, columns, pairs, visible
from app.cli.value_types import INSTANCE

_HEADS = ("id", "task", "first time", "last time", "status", "progress", "by", "reason")
_ORDERS = {"oldest": "oldest first", "newest": "newest first"}
_REPROCESSED = {"missing": "what never ran", "failed": "also what ended badly", "all": "everything"}

backfills = CliGroup("backfills", default="list", help="See and steer backfills")


@backfills.command("list")
@limit_option
@click.pass_obj
def show_list(cli: CliContext, limit: int) -> None:
    """List backfills, the newest first."""
    found = ask(cli, lambda service: service.backfills(limit))
    cli.answer({"backfills": found}, columns(cli.heads(_HEADS), (_row(cli, each) for each in found)))


def _row(cli: CliContext, found: Mapping[str, Any]) -> tuple[object, ...]:
    since, until = clock_time(found["from"]), clock_time(found["to"])
    about = (found["backfill"], visible(found["task"]), since, until, cli.tell(found["status"]))
    return (*about, _progress(found["counts"]), found["by"], visible(found["reason"] or ""))


def _progress(counts: Mapping[str, int]) -> str:
    """``3/31``: those that have come to an end, of all; empty without any."""
    total = sum(counts.values())
    return "" if not total else f"{total - counts['pending'] - counts['under_way']}/{total}"


@backfills.command()
@click.argument("id", type=INSTANCE)
@click.pass_obj
def show(cli: CliContext, id: int) -> None:
    """Show a backfill with each of its times."""
    found = ask(cli, lambda service: service.backfill(id))
    cli.answer(found, _lines(cli, found))


def _lines(cli: CliContext, found: Mapping[str, Any]) -> Iterator[str]:
    yield from end_lines(cli, dict(found))
    facts = [
        ("task", visible(found["task"])),
        ("first time", clock_time(found["from"])),
        ("last time", clock_time(found["to"])),
        ("order", cli.tell(_ORDERS[found["order"]])),
        ("at once", found["parallel"]),
        ("what runs", cli.tell(_REPROCESSED[found["reprocess"]])),
        ("by", found["by"]),
        ("paused by", found["paused_by"]),
        ("reason", visible(found["reason"] or "")),
    ]
    yield from pairs(cli.facts(facts))
    yield from decision_lines(cli, found["instances"])


@backfills.command()
@click.argument("id", type=INSTANCE)
@click.pass_obj
def pause(cli: CliContext, id: int) -> None:
    """Begin nothing more of a backfill; what runs goes on."""
    done = change(cli, lambda service: service.pause_backfill(id))
    cli.answer(done, [cli.tell("backfill {n} is paused", n=id)])


@backfills.command()
@click.argument("id", type=INSTANCE)
@click.pass_obj
def resume(cli: CliContext, id: int) -> None:
    """Let a paused backfill go on; where no engine works, one in the background does."""
    client = detached(cli)
    with watching(cli, client):
        done = client.resume_backfill(id)
    cli.answer(done, [cli.tell("backfill {n} goes on", n=id)])


@backfills.command()
@click.argument("id", type=INSTANCE)
@click.pass_obj
def cancel(cli: CliContext, id: int) -> None:
    """Drop what has not begun; what runs goes on."""
    done = change(cli, lambda service: service.cancel_backfill(id))
    cli.answer(done, [cli.tell("backfill {n} is cancelled", n=id)])
