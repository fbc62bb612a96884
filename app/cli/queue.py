"""``skerry queue …``: the jobs that wait for a slot, how many slots there are, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from app.cli import input_files
from app.cli.cli_context import CliContext
from app.cli.engine_access import ask, change, detached, existing
from app.cli.shell import CliGroup, key_option
from app.cli.terminal_text import clock_time, columns, visible
from app.cli.value_types import INSTANCE, NAME, Amount, Number
from engine.api.documents import Document
from engine.api.waiting_reason import elsewhere, on_other_workers
from engine.model.names import RECORD
from engine.model.worker import LOCAL
from engine.planning.places import AUTO, Size

_HEADS = ("job instance", "instance", "task", "node", "status", "priority", "since")
_MOST = 10_000  # slots
_HIGHEST = 2**31 - 1  # of a priority
_NAMED = 3  # workers of a line


class _Size(click.ParamType[Any]):
    """``4``, ``auto`` or ``default``."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A number, or one of the words."""
        if value in (AUTO, "default"):
            return value
        return Number(1, _MOST).convert(value, param, ctx)


queue = CliGroup("queue", default="list", help="See and change the queue of jobs")


@queue.command("list")
@click.pass_obj
def show(cli: CliContext) -> None:
    """List the jobs that wait for a slot, the next one first, and those that have one."""
    found, about = ask(cli, lambda service: (service.queue(), service.about()))
    cli.answer(found, _lines(cli, found))
    waits = found["waiting"] or found["running"]
    if about["pid"] is None and waits and not existing(cli).is_case:
        cli.note(cli.tell("no engine runs: nothing goes on until one does (skerry serve)"))


@queue.command()
@click.argument("n", type=_Size(), metavar="N|auto|default")
@click.pass_obj
def size(cli: CliContext, n: int | str) -> None:
    """How many jobs run at once: N, by the machine's load (auto), or as workspace.yaml says (default).

    It holds until it is changed again, also for later engines.
    """
    places: Size = None if n == "default" else n  # type: ignore[assignment]
    found = change(cli, lambda service: service.queue_size(places))
    cli.answer(found, [_size(cli, found)])


@queue.command()
@click.pass_obj
def pause(cli: CliContext) -> None:
    """Start nothing more; what runs goes on. It holds until `resume`, also for later engines."""
    found = change(cli, lambda service: service.queue_pause(True))
    cli.answer(found, [cli.tell("the queue is paused")])


@queue.command()
@click.pass_obj
def resume(cli: CliContext) -> None:
    """Start what waits again."""
    found = change(cli, lambda service: service.queue_pause(False))
    cli.answer(found, [cli.tell("the queue goes on")])


@queue.command()
@click.pass_obj
def clear(cli: CliContext) -> None:
    """Take out everything that waits; these jobs fail with a code that their `retry` may act on."""
    found = ask(cli, lambda service: service.queue_clear())
    cli.answer(found, [_counted(cli, found["removed"], "{n} {what} removed from the queue")])


@queue.command()
@click.argument("minutes", type=Amount(0, 1e9))
@click.pass_obj
def clean(cli: CliContext, minutes: float) -> None:
    """End the jobs that have been running for longer than MINUTES; returns when they are gone."""
    found = ask(cli, lambda service: service.queue_clean(minutes))
    cli.answer(found, [_counted(cli, found["ended"], "{n} {what} ended")])


@queue.command()
@click.argument("job_instance", type=INSTANCE)
@click.pass_obj
def remove(cli: CliContext, job_instance: int) -> None:
    """Take one waiting JOB_INSTANCE out."""
    found = ask(cli, lambda service: service.queue_remove(job_instance))
    cli.answer(found, [cli.tell("job instance {n} is removed from the queue", n=job_instance)])


@queue.command()
@click.argument("job", type=NAME)
@click.option("texts", "-p", metavar="NAME=VALUE", multiple=True, help="A value for one of its parameters.")
@click.option("params", "--params", metavar="FILE", help="A YAML or JSON file with a map of values.")
@key_option
@click.pass_obj
def add(cli: CliContext, job: str, texts: tuple[str, ...], params: str | None) -> None:
    """Queue a JOB by hand, as an instance of a task that has nothing else."""
    given = input_files.params(params) if params else {}
    found = detached(cli).queue_add(job, given, input_files.assignments(texts))
    cli.answer(found, [f"{cli.tell('instance')} {found['instance']}"])


@queue.command(context_settings={"ignore_unknown_options": True})
@click.argument("job_instance", type=INSTANCE)
@click.argument("n", type=Number(-_HIGHEST, _HIGHEST))
@click.pass_obj
def priority(cli: CliContext, job_instance: int, n: int) -> None:
    """Give a waiting JOB_INSTANCE the priority N; the highest comes first."""
    found = ask(cli, lambda service: service.queue_priority(job_instance, n))
    cli.answer(found, [cli.tell("job instance {n} has priority {priority}", n=job_instance, priority=n)])


@queue.command()
@click.argument("job_instance", type=INSTANCE)
@click.option("--reason", metavar="TEXT", default="", help="Why it is held; everyone sees it.")
@click.pass_obj
def hold(cli: CliContext, job_instance: int, reason: str) -> None:
    """Let a waiting JOB_INSTANCE begin only when it is released, also after a restart of the engine."""
    found = ask(cli, lambda service: service.queue_hold(job_instance, True, reason))
    cli.answer(found, [cli.tell("job instance {n} is held", n=job_instance)])


@queue.command()
@click.argument("job_instance", type=INSTANCE)
@click.pass_obj
def release(cli: CliContext, job_instance: int) -> None:
    """Let a held JOB_INSTANCE wait for its slot again."""
    found = ask(cli, lambda service: service.queue_hold(job_instance, False))
    cli.answer(found, [cli.tell("job instance {n} waits for its slot again", n=job_instance)])


def _lines(cli: CliContext, found: Document) -> Iterator[str]:
    there = on_other_workers(found)
    yield "".join((
        _size(cli, found),
        cli.tell("; {n} on other workers", n=there) if there else "",
        cli.tell("; paused") if found["paused"] else "",
    ))  # fmt: skip
    if held := found.get("held"):
        yield cli.tell(
            "paused instances, whose jobs are not in the queue: {which}", which=", ".join(map(str, held))
        )
    for name, head in (("running", "running:"), ("waiting", "waiting:"), ("held_jobs", "held:")):
        if found.get(name):
            yield cli.tell(head)
            yield from columns(cli.heads(_HEADS), (_row(cli, each) for each in found[name]), indent="  ")


def _size(cli: CliContext, found: Mapping[str, Any]) -> str:
    how = {AUTO: " (by load)", None: ""}.get(found["size"], " (by command)")
    taken = cli.tell("{n} of {places} slots taken", n=found["taken"], places=found["places"])
    return taken + (cli.tell(how) if how else "")


def _row(cli: CliContext, entry: Mapping[str, Any]) -> tuple[Any, ...]:
    node = entry["node"] if entry["index"] is None else f"{entry['node']}[{entry['index']}]"
    status = cli.state(entry["status"]) + (cli.tell(" (exclusive)") if entry["exclusive"] else "")
    if (worker := entry.get("worker")) not in (None, LOCAL):
        status += f" {RECORD}{visible(worker)}"
    elif others := elsewhere(entry):
        status += f" {RECORD}{visible(','.join(others[:_NAMED]))}{'…' if len(others) > _NAMED else ''}"
    since = clock_time(entry["since"])
    return entry["job_instance"], entry["instance"], entry["task"], node, status, entry["priority"], since


def _counted(cli: CliContext, found: list[int], done: str) -> str:
    which = f": {', '.join(map(str, found))}" if found else ""
    what = cli.tell("job" if len(found) == 1 else "jobs")
    return visible(cli.tell(done, n=len(found), what=what) + which)
