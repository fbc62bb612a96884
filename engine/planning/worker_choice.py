"""Which worker runs a job: whom its ``on`` means, who of them can, and who of those is the best; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from engine.model.reason import Kind, Reason
from engine.model.states import WorkerState
from engine.model.worker import LOCAL, Worker

Choice = TypeVar("Choice")


class Where(NamedTuple):
    """Where a job may run, its expressions evaluated; without workers, group and labels on this machine.

    ``movable``: it is a program, which can run on SSH hosts. ``secret``: it was given one. ``avoid``: the
    worker of the attempt before, where that failed; ``prefer``: where it was lost, and may be back.
    ``within``: where an attempt that it is a part of is under way, which goes on when nothing more begins.
    A tuple, since the queue looks it up several times for each job.
    """

    workers: tuple[str, ...] = ()
    group: str | None = None
    labels: tuple[tuple[str, str], ...] = ()
    random: bool = False
    movable: bool = True
    secret: bool = False
    avoid: str | None = None
    prefer: str | None = None
    within: tuple[str, ...] = ()

    @property
    def names_some(self) -> bool:
        """Whether it says anything about workers."""
        return bool(self.workers) or self.group is not None or bool(self.labels)


HERE = Where()


class Room(NamedTuple):
    """What counts when one of several workers is chosen."""

    name: str
    slots: int
    taken: int
    load: float | None = None  # for each core

    @property
    def free(self) -> float:
        """The free slots in proportion."""
        return (self.slots - self.taken) / self.slots if self.slots > 0 else 0.0


def is_meant(where: Where, worker: Worker) -> bool:
    """Whether the list, the group or the labels name this worker."""
    if not where.names_some:
        return worker.name == LOCAL
    if where.workers and worker.name not in where.workers:
        return False
    if where.group is not None and where.group not in worker.groups:
        return False
    return all(worker.labels.get(key) == value for key, value in where.labels)


def wanted_of(where: Where) -> str | None:
    """The group and the labels that a worker must have, as options name them; None without any.

    >>> wanted_of(Where(group="big", labels=(("os", "linux"),)))
    'group=big, os=linux'
    """
    group = () if where.group is None else (("group", where.group),)
    return ", ".join(f"{key}={value}" for key, value in (*group, *where.labels)) or None


def obstacle(where: Where, worker: Worker, state: str, why: Reason | None) -> Reason | None:
    """Why a worker that is meant cannot run it, whatever slots it has; None: it can.

    ``why`` says it of its ``state``, and of one that is online but whose clock is off.
    """
    if why is not None or state != WorkerState.ONLINE:
        return why or Reason.of(Kind.WORKER_STATE, state=str(state))
    if worker.kind == "local":
        return None
    if not where.movable:
        return Reason(Kind.NOT_MOVED)
    return Reason(Kind.SECRET_REFUSED) if where.secret and worker.secrets == "refuse" else None


def best(where: Where, rooms: Iterable[Room], pick: Callable[[Sequence[str]], str]) -> str | None:
    """The worker of those that can run it and have a free slot; None without any.

    The one with the most free slots in proportion, then the lowest load, then the first name; with
    ``choose: random`` what ``pick`` takes. That of the attempt before first where it was lost, else last.
    """
    free = [room for room in rooms if room.taken < room.slots]
    if any(room.name == where.prefer for room in free):
        return where.prefer
    others = [room for room in free if room.name != where.avoid] or free
    if not others:
        return None
    if len(others) == 1:
        return others[0].name
    if where.random:
        return pick(sorted(room.name for room in others))
    return min(others, key=_rank).name


def _rank(room: Room) -> tuple[float, float, str]:
    return -room.free, float("inf") if room.load is None else room.load, room.name
