"""The state of every node of a run, and what each change of it lets happen; bookkeeping only."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from enum import Enum

from engine.model.control import ConditionKeys
from engine.planning.outline import Key
from engine.planning.rules import Outcome
from engine.planning.shape import Plan, PlanNode


class Status(Enum):
    """Of one node in its latest round."""

    PENDING = "pending"
    RUNNING = "running"
    SETTLED = "settled"


class Cell:
    """One node. ``held`` conditions have been decided, but only the branch they took may go on."""

    __slots__ = (
        "children", "choice", "frozen", "held", "id", "keys", "loops", "outcome", "plan", "ran", "round",
        "status", "waiting",
    )  # fmt: skip

    def __init__(self, plan: PlanNode) -> None:
        self.id = plan.id
        self.plan = plan
        self.keys = plan.job.settings if isinstance(plan.job.settings, ConditionKeys) else None
        self.children: list[Cell] = []
        self.status = Status.PENDING
        self.outcome = Outcome.SKIPPED
        self.round = 0
        self.waiting = 0  # arrows from parents that do not let it go on yet
        self.held = False
        self.choice: str | None = None  # the branch that a condition took
        self.loops = 0  # how often its loop has gone round
        self.ran: Outcome | None = None  # of the latest round that really ran
        self.frozen = False  # never runs again: kept from an earlier run

    @property
    def pending(self) -> bool:
        """Whether its turn has not come."""
        return self.status is Status.PENDING

    @property
    def settled(self) -> bool:
        return self.status is Status.SETTLED

    @property
    def closed(self) -> bool:
        """Whether it is settled for all that waits for it."""
        return self.status is Status.SETTLED and not self.held

    def lets(self, child: Cell) -> bool:
        """Whether the arrow to ``child`` is free."""
        return self.settled and (not self.held or child.plan.branch == (self.id, self.choice))


class NodeStates:
    """All cells; after each ``set`` the queues name what has to be looked at.

    ``ready``: pending nodes whose arrows are all free; ``left``: conditions that have just been closed;
    ``over``: held branches of which nothing is open any more.
    """

    def __init__(self, plan: Plan) -> None:
        self.cells = {id: Cell(node) for id, node in plan.nodes.items()}
        for cell in self.cells.values():
            cell.children = [self.cells[id] for id in cell.plan.children]
        self.pending = set(self.cells)
        self.running: set[str] = set()
        self.ready: deque[Cell] = deque()
        self.left: deque[Cell] = deque()
        self.over: deque[Key] = deque()
        self._watched: dict[str, list[Key]] = {}
        self._open: dict[Key, int] = {}

    def watch(self, branches: Mapping[Key, Iterable[str]]) -> None:
        """Count the open nodes of these held branches from now on."""
        for key, members in branches.items():
            self._open[key] = 0
            for id in members:
                self._watched.setdefault(id, []).append(key)
                self._open[key] += not self.cells[id].closed

    def count_arrows(self) -> None:
        """Begin: count what each node waits for, and queue what waits for nothing."""
        for cell in self.cells.values():
            cell.waiting = sum(not self.cells[id].lets(cell) for id in cell.plan.parents)
            if cell.pending and not cell.waiting:
                self.ready.append(cell)

    def is_over(self, key: Key) -> bool:
        """Whether this branch is held and everything in it has ended."""
        cell = self.cells[key[0]]
        return cell.settled and cell.held and cell.choice == key[1] and not self._open[key]

    def set(self, cell: Cell, status: Status, *, held: bool = False, choice: str | None = None) -> None:
        """Move one cell, and what depends on that: arrows, open counts, queues. O(children)."""
        free_before = [cell.lets(child) for child in cell.children]
        was_closed = cell.closed
        self._move(cell, status)
        cell.held, cell.choice = held, choice
        for child, was in zip(cell.children, free_before, strict=True):
            self._arrow(child, was, cell.lets(child))
        if cell.closed != was_closed:
            self._count(cell, 1 if was_closed else -1)
        if cell.closed and not was_closed and cell.keys is not None:
            self.left.append(cell)
        if status is Status.PENDING:
            self.ready.append(cell)
        elif held:
            self._look_at((cell.id, choice or ""))

    def _move(self, cell: Cell, status: Status) -> None:
        for group, of in ((self.pending, Status.PENDING), (self.running, Status.RUNNING)):
            (group.add if status is of else group.discard)(cell.id)
        cell.status = status

    def _arrow(self, child: Cell, was: bool, now: bool) -> None:
        child.waiting += was - now
        if now and not was and not child.waiting and child.pending:
            self.ready.append(child)

    def _count(self, cell: Cell, change: int) -> None:
        for key in self._watched.get(cell.id, ()):
            self._open[key] += change
            self._look_at(key)

    def _look_at(self, key: Key) -> None:
        if self.is_over(key):
            self.over.append(key)

    def clear(self) -> None:
        """Forget what was queued: nothing new starts."""
        self.ready.clear()
        self.left.clear()
        self.over.clear()
