"""What must hold when a life has come to its end: one small function for each promise of docs/nothing-is-lost.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from engine.context import TaskContext
from engine.model.states import InstanceState, JobState
from tests.runtime.site import Seen

if TYPE_CHECKING:
    from tests.simulation.life import Life

Promise = Callable[["Life"], Iterator[str]]


def broken(life: Life) -> list[str]:
    """Every promise that was not kept."""
    return [f"{promise.__name__}: {each}" for promise in PROMISES for each in promise(life)]


def nothing_starts_twice(life: Life) -> Iterator[str]:
    """Each stage of an attempt is started once."""
    started = Counter((each.mark, each.record) for each in life.machine.started)
    yield from (f"{mark} {record}" for (mark, record), count in started.items() if count > 1)


def every_instance_ends_with_its_jobs(life: Life) -> Iterator[str]:
    """No job or attempt is open in what has ended."""
    for instance in life.instances():
        seen = Seen(life.engine, instance)
        if not InstanceState(seen.status).ended:
            yield f"instance {instance} is {seen.status}"
        for row in seen.rows:
            if not JobState(row.status).ended:
                yield f"{instance} {row.node}: {row.status} in an ended instance"
            for each in row.attempts:
                if each.status in ("starting", "running"):
                    yield f"{instance} {row.node}: attempt {each.attempt} is {each.status}"


def every_log_replays_to_its_context(life: Life) -> Iterator[str]:
    """``ctx.log`` is what the store has, and gives ``ctx.json``."""
    for instance in life.instances():
        seen = Seen(life.engine, instance)
        filed = (seen.folder / "ctx.log").read_bytes()
        stored = "".join(f"{line}\n" for line in life.engine.store.lines(instance)).encode()
        if filed != stored:
            yield f"instance {instance}: ctx.log is not what the store has"
        elif (
            TaskContext.replay(filed.splitlines(), life.clock).canonical()
            != (seen.folder / "ctx.json").read_bytes()
        ):
            yield f"instance {instance}: ctx.json is not what ctx.log gives"


def no_slot_is_leaked(life: Life) -> Iterator[str]:
    """When nothing runs, no slot is taken and nobody waits for one."""
    queue = life.engine.queue.document()
    if queue["taken"] or queue["waiting"] or queue["running"]:
        yield str(queue)


PROMISES: tuple[Promise, ...] = (
    nothing_starts_twice,
    every_instance_ends_with_its_jobs,
    every_log_replays_to_its_context,
    no_slot_is_leaked,
)
