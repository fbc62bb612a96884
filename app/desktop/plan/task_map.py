"""The tasks as a graph of what waits for what, and as rows of a table; pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from app.desktop.canvas.graph import CanvasGraph, GraphLink, GraphNode
from app.desktop.kernel.language import tr
from app.desktop.kernel.times import local, soon
from app.desktop.widgets.table import Row, TableColumn

STATES = {"init": "never online", "online": "online", "offline": "offline", "deleted": "deleted"}


def map_of(tasks: Sequence[Row]) -> CanvasGraph:
    """A node for each task with the status of its latest run, an arrow from each task that it waits for."""
    known = {str(each["task"]) for each in tasks}
    return CanvasGraph(tuple(_node(each) for each in tasks), tuple(_links(tasks, known)))


def _node(row: Row) -> GraphNode:
    state, task = str(row["state"]), str(row["task"])
    below = tr("next {time}", time=soon(row["next"])) if row["next"] else tr(STATES.get(state, state))
    badges = (tr("self"),) if task in row["upstream"] else ()
    return GraphNode(task, str(row["name"] or task), "task", below, row["status"], badges,
                     faint=state != "online", brief=below)  # fmt: skip


def _links(tasks: Iterable[Row], known: set[str]) -> Iterator[GraphLink]:
    for row in tasks:
        for upstream in row["upstream"]:
            if upstream in known and upstream != row["task"]:
                yield GraphLink(upstream, str(row["task"]))


def _waits_for(row: Row) -> str:
    return ", ".join(tr("itself") if each == row["task"] else str(each) for each in row["upstream"])


COLUMNS = (
    TableColumn("Task", lambda row: str(row["task"]), 170),
    TableColumn("State", lambda row: tr(STATES.get(str(row["state"]), str(row["state"]))), 100),
    TableColumn("Latest run", lambda row: str(row["status"] or ""), 120,
                status=lambda row: str(row["status"] or "")),
    TableColumn("Its time", lambda row: local(row["scheduled_time"]), 150,
                lambda row: row["scheduled_time"] or ""),
    TableColumn("Next time", lambda row: local(row["next"]), 150, lambda row: row["next"] or ""),
    TableColumn("It waits for", _waits_for, 0),
)  # fmt: skip
