"""``skerry queue …``: who waits for a place, how many places there are, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from app.cli import files
from app.cli.connect import detached, reading, working
from app.cli.desk import Desk
from app.cli.shell import INSTANCE, NAME, Group, Number, key_option
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
    desk.answer(found, _lines(desk, found))


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
    desk.answer(found, [_size(desk, found)])


@queue.command()
@click.pass_obj
def pause(desk: Desk) -> None:
    """Start nothing more; what runs goes on. It holds until `resume`, also for later engines."""
    with working(desk, resume=False) as service:
        found = service.queue_pause(True)
    desk.answer(found, [desk.tell("the queue is paused")])


@queue.command()
@click.pass_obj
def resume(desk: Desk) -> None:
    """Start what waits again."""
    with working(desk, resume=False) as service:
        found = service.queue_pause(False)
    desk.answer(found, [desk.tell("the queue goes on")])


@queue.command()
@click.pass_obj
def clear(desk: Desk) -> None:
    """Take out everything that waits; these jobs fail with a code that their `retry` may act on."""
    with reading(desk) as service:
        found = service.queue_clear()
    desk.answer(found, [_counted(desk, found["removed"], "{n} {what} removed from the queue")])


@queue.command()
@click.argument("minutes", type=click.FloatRange(0, 1e9))
@click.pass_obj
def clean(desk: Desk, minutes: float) -> None:
    """End the jobs that have been running for longer than MINUTES; returns when they are gone."""
    with reading(desk) as service:
        found = service.queue_clean(minutes)
    desk.answer(found, [_counted(desk, found["ended"], "{n} {what} ended")])


@queue.command()
@click.argument("job_instance", type=INSTANCE)
@click.pass_obj
def remove(desk: Desk, job_instance: int) -> None:
    """Take one waiting JOB_INSTANCE out."""
    with reading(desk) as service:
        found = service.queue_remove(job_instance)
    desk.answer(found, [desk.tell("job instance {n} is removed from the queue", n=job_instance)])


@queue.command()
@click.argument("job", type=NAME)
@click.option("texts", "-p", metavar="NAME=VALUE", multiple=True, help="A value for one of its parameters.")
@click.option("params", "--params", metavar="FILE", help="A YAML or JSON file with a map of values.")
@key_option
@click.pass_obj
def add(desk: Desk, job: str, texts: tuple[str, ...], params: str | None) -> None:
    """Queue a JOB by hand, as an instance of a task that has nothing else."""
    given = files.params(params) if params else {}
    found = detached(desk).queue_add(job, given, files.assignments(texts))
    desk.answer(found, [f"{desk.tell('instance')} {found['instance']}"])


@queue.command(context_settings={"ignore_unknown_options": True})
@click.argument("job_instance", type=INSTANCE)
@click.argument("n", type=Number(-_HIGHEST, _HIGHEST))
@click.pass_obj
def priority(desk: Desk, job_instance: int, n: int) -> None:
    """Give a waiting JOB_INSTANCE the priority N; the highest comes first."""
    with reading(desk) as service:
        found = service.queue_priority(job_instance, n)
    desk.answer(found, [desk.tell("job instance {n} has priority {priority}", n=job_instance, priority=n)])


def _lines(desk: Desk, found: Document) -> Iterator[str]:
    yield _size(desk, found) + (desk.tell("; paused") if found["paused"] else "")
    if held := found.get("held"):
        yield desk.tell(
            "paused instances, whose jobs do not stand in line: {which}", which=", ".join(map(str, held))
        )
    for name in ("running", "waiting"):
        if found[name]:
            yield desk.tell(f"{name}:")
            yield from columns(desk.heads(_HEADS), (_row(desk, each) for each in found[name]), indent="  ")


def _size(desk: Desk, found: Mapping[str, Any]) -> str:
    how = {AUTO: " (by load)", None: ""}.get(found["size"], " (by command)")
    taken = desk.tell("{n} of {places} places taken", n=found["taken"], places=found["places"])
    return taken + (desk.tell(how) if how else "")


def _row(desk: Desk, entry: Mapping[str, Any]) -> tuple[Any, ...]:
    node = entry["node"] if entry["index"] is None else f"{entry['node']}[{entry['index']}]"
    status = desk.state(entry["status"]) + (desk.tell(" (exclusive)") if entry["exclusive"] else "")
    since = clock_time(entry["since"])
    return entry["job_instance"], entry["instance"], entry["task"], node, status, entry["priority"], since


def _counted(desk: Desk, found: list[int], done: str) -> str:
    which = f": {', '.join(map(str, found))}" if found else ""
    what = desk.tell("job" if len(found) == 1 else "jobs")
    return visible(desk.tell(done, n=len(found), what=what) + which)
