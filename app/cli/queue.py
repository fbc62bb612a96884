"""``skerry queue …``: who waits for a place, how many places there are, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from app.cli import files
from app.cli.connect import detached, reading, working
from app.cli.desk import Desk
from app.cli.shell import INSTANCE, NAME, Group, Number
from app.cli.text import clock_time, columns, visible
from engine.planning.places import AUTO, Size

if TYPE_CHECKING:
    from engine.api.documents import Document

_HEADS = ("job instance", "instance", "task", "node", "status", "priority", "since")
_MOST = 10_000  # places
_HIGHEST = 2**31 - 1  # of a priority


class _Size(click.ParamType[Any]):
    """``4``, ``auto`` or ``default``."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A number, or one of the words."""
        if value in (AUTO, "default"):
            return value
        return Number(1, _MOST).convert(value, param, ctx)


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def queue(context: click.Context) -> None:
    """See and change the queue of jobs; without a word after it: list."""
    if context.invoked_subcommand is None:
        context.invoke(show)


@queue.command("list")
@click.pass_obj
def show(desk: Desk) -> None:
    """Who waits for a place, the next one first, and who has one."""
    with reading(desk) as service:
        found = service.queue()
    desk.answer(found, _lines(found))


@queue.command()
@click.argument("n", type=_Size(), metavar="N|auto|default")
@click.pass_obj
def size(desk: Desk, n: int | str) -> None:
    """How many jobs run at once: N, by the machine's load (auto), or as workspace.yaml says (default).

    It holds until it is changed again, also for later engines.
    """
    wanted: Size = None if n == "default" else n  # type: ignore[assignment]
    with working(desk, resume=False) as service:
        found = service.queue_size(wanted)
    desk.answer(found, [_size(found)])


@queue.command()
@click.pass_obj
def pause(desk: Desk) -> None:
    """Start nothing more; what runs goes on. It holds until `resume`, also for later engines."""
    with working(desk, resume=False) as service:
        found = service.queue_pause(True)
    desk.answer(found, ["the queue is paused"])


@queue.command()
@click.pass_obj
def resume(desk: Desk) -> None:
    """Start what waits again."""
    with working(desk, resume=False) as service:
        found = service.queue_pause(False)
    desk.answer(found, ["the queue goes on"])


@queue.command()
@click.pass_obj
def clear(desk: Desk) -> None:
    """Take out everything that waits; these jobs fail with a code that their `retry` may act on."""
    with reading(desk) as service:
        found = service.queue_clear()
    desk.answer(found, [_counted(found["removed"], "removed from the queue")])


@queue.command()
@click.argument("minutes", type=click.FloatRange(0, 1e9))
@click.pass_obj
def clean(desk: Desk, minutes: float) -> None:
    """End the jobs that have been running for longer than MINUTES; returns when they are gone."""
    with reading(desk) as service:
        found = service.queue_clean(minutes)
    desk.answer(found, [_counted(found["ended"], "ended")])


@queue.command()
@click.argument("job_instance", type=INSTANCE)
@click.pass_obj
def remove(desk: Desk, job_instance: int) -> None:
    """Take one waiting JOB_INSTANCE out."""
    with reading(desk) as service:
        found = service.queue_remove(job_instance)
    desk.answer(found, [f"job instance {job_instance} is removed from the queue"])


@queue.command()
@click.argument("job", type=NAME)
@click.option("texts", "-p", metavar="NAME=VALUE", multiple=True, help="A value for one of its parameters.")
@click.option("params", "--params", metavar="FILE", help="A YAML or JSON file with a map of values.")
@click.pass_obj
def add(desk: Desk, job: str, texts: tuple[str, ...], params: str | None) -> None:
    """Queue a JOB by hand, as an instance of a task that has nothing else."""
    given = files.params(params) if params else {}
    found = detached(desk).queue_add(job, given, files.assignments(texts))
    desk.answer(found, [f"instance {found['instance']}"])


@queue.command(context_settings={"ignore_unknown_options": True})
@click.argument("job_instance", type=INSTANCE)
@click.argument("n", type=Number(-_HIGHEST, _HIGHEST))
@click.pass_obj
def priority(desk: Desk, job_instance: int, n: int) -> None:
    """Give a waiting JOB_INSTANCE the priority N; the highest comes first."""
    with reading(desk) as service:
        found = service.queue_priority(job_instance, n)
    desk.answer(found, [f"job instance {job_instance} has priority {n}"])


def _lines(found: Document) -> Iterator[str]:
    yield _size(found) + ("; paused" if found["paused"] else "")
    for name in ("running", "waiting"):
        if found[name]:
            yield f"{name}:"
            yield from columns(_HEADS, map(_row, found[name]), indent="  ")


def _size(found: Mapping[str, Any]) -> str:
    how = {AUTO: " (by load)", None: ""}.get(found["size"], " (by command)")
    return f"{found['taken']} of {found['places']} places taken{how}"


def _row(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    node = entry["node"] if entry["index"] is None else f"{entry['node']}[{entry['index']}]"
    status = f"{entry['status']} (exclusive)" if entry["exclusive"] else entry["status"]
    since = clock_time(entry["since"])
    return entry["job_instance"], entry["instance"], entry["task"], node, status, entry["priority"], since


def _counted(found: list[int], done: str) -> str:
    which = f": {', '.join(map(str, found))}" if found else ""
    return visible(f"{len(found)} {'job' if len(found) == 1 else 'jobs'} {done}{which}")
