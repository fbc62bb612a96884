"""The last runs of a task as columns, its nodes as rows: read from the service; pure but for that; no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from app.desktop.run.node_states import by_node, statuses_by_job
from app.durations import seconds_between
from engine.api.documents import InstanceQuery, RunDocument
from engine.api.service import Service
from engine.model.states import INSTANCE_UNFINISHED

COLUMNS = 40  # runs


@dataclass(frozen=True, slots=True)
class GridRun:
    """One column: an instance in its latest run, ``cells`` the state of each node; seconds so far."""

    instance: int
    run: int
    status: str
    time: str | None
    seconds: float | None = None
    cells: Mapping[str, str] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        return self.status not in INSTANCE_UNFINISHED


@dataclass(frozen=True, slots=True)
class RunGrid:
    """``runs`` from the oldest to the newest, ``nodes`` in the order of the newest."""

    task: str = ""
    runs: tuple[GridRun, ...] = ()
    nodes: tuple[str, ...] = ()

    def status(self, row: int, column: int) -> str | None:
        """Of a cell; None where that run did not have the node."""
        return self.runs[column].cells.get(self.nodes[row])


def read_grid(service: Service, task: str, now: datetime, known: Mapping[int, GridRun]) -> RunGrid:
    """The last runs of a task; of those in ``known`` what has ended is not read again. On a worker thread."""
    rows = service.instances(InstanceQuery(task=task, limit=COLUMNS))
    runs = []
    for row in reversed(rows):
        have = known.get(row["instance"])
        same = have is not None and (have.run, have.status) == (row["run"], row["status"])
        if have is not None and same and have.over:
            runs.append(have)
        else:
            runs.append(_column(service.instance(row["instance"]), now))
    return RunGrid(task, tuple(runs), tuple(_nodes(runs)))


def _column(run: RunDocument, now: datetime) -> GridRun:
    ended = run["ended_at"] or now.isoformat()
    states = by_node(statuses_by_job(run["jobs"]))
    return GridRun(
        run["instance"], run["run"], run["status"], run["scheduled_time"],
        seconds_between(run["started_at"], ended), {node: state.status for node, state in states.items()},
    )  # fmt: skip


def _nodes(runs: Sequence[GridRun]) -> Iterable[str]:
    """Those of the newest run first, then those that only earlier ones had."""
    return dict.fromkeys(node for run in reversed(runs) for node in run.cells)


def by_instance(grid: RunGrid, cells: Iterable[tuple[int, int]]) -> dict[int, tuple[str, ...]]:
    """The nodes that are chosen, by instance, the oldest first; ``cells`` as (row, column).

    >>> runs = GridRun(4, 1, "failed", None, 2.0, {"a": "failed"}), GridRun(5, 1, "failed", None)
    >>> by_instance(RunGrid("t", runs, ("a",)), [(0, 1), (0, 0)])
    {4: ('a',)}
    """
    found: dict[int, list[str]] = {}
    for row, column in sorted(cells, key=lambda cell: (cell[1], cell[0])):
        if grid.status(row, column) is not None:
            found.setdefault(grid.runs[column].instance, []).append(grid.nodes[row])
    return {instance: tuple(nodes) for instance, nodes in found.items()}
