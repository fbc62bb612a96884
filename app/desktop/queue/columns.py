"""The columns of the queue's tables, and the queue's state in words; no widgets."""

from __future__ import annotations

from datetime import UTC, datetime

from app.desktop.kernel.language import tr, trn
from app.desktop.kernel.reasons import in_words
from app.desktop.kernel.times import length_text, when
from app.desktop.run.node_states import member_name
from app.desktop.widgets.table import Row, TableColumn
from app.durations import seconds_between
from engine.api.waiting_reason import elsewhere
from engine.model.reason import Kind, Reason


def node_text(row: Row) -> str:
    """``load`` or ``load[3]``.

    >>> node_text({"node": "load", "index": 3})
    'load[3]'
    """
    return member_name(str(row["node"]), row["index"])


def place_words(queue: Row) -> str:
    """How many places there are, how they were decided, whether the queue starts anything."""
    if not queue:
        return ""
    how = {"auto": tr("by the load of the machine"), None: tr("as the settings say")}
    decided = how.get(queue["size"], tr("a fixed number"))
    counts = {"taken": queue["taken"], "places": queue["places"]}
    words = tr("On this machine {taken} of {places} slots taken, {how}.", how=decided, **counts)
    if queue["paused"]:
        words += " " + tr("The queue is paused: nothing new starts.")
    if held := queue.get("held"):
        words += " " + trn(
            len(held),
            "{n} paused instance: its jobs are not in the queue.",
            "{n} paused instances: their jobs are not in the queue.",
        )
    return words


def _so_far(since: str | None) -> str:
    """How long it has been so, in whole seconds; as it is when the queue is read again."""
    passed = seconds_between(since, datetime.now(UTC).isoformat())
    return length_text(None if passed is None else float(int(passed)))


def _status(row: Row) -> str:
    """What is held is not in line."""
    return "paused" if row.get("held") else str(row["status"])


def _why(row: Row) -> str:
    """Why it is held, or what else than a slot of this machine it waits for."""
    reason = Reason.read(row.get("why"), row.get("reason"))
    if reason is None or reason.kind is Kind.SLOT:
        others = elsewhere(row)
        return in_words(Reason.of(Kind.SLOT, on=others)) if others else ""
    return in_words(reason)


_COMMON = (
    TableColumn(
        "Job instance", lambda row: str(row["job_instance"]), 96, lambda row: row["job_instance"], wise=True
    ),
    TableColumn("Status", lambda row: str(row["status"]), 110, status=lambda row: _status(row)),
    TableColumn("Task", lambda row: str(row["task"] or ""), 150),
    TableColumn("Instance", lambda row: f"#{row['instance']}", 76, lambda row: row["instance"]),
    TableColumn("Node", node_text, 130),
    TableColumn("Job", lambda row: str(row["job"]), 0),
)
WAITING = (
    *_COMMON[:-1],
    TableColumn("Job", lambda row: str(row["job"]), 120),
    TableColumn("Priority", lambda row: str(row["priority"]), 80, lambda row: row["priority"], wise=True),
    TableColumn("Waits since", lambda row: when(row["since"]), 120, lambda row: row["since"] or ""),
    TableColumn("How long", lambda row: _so_far(row["since"]), 90, lambda row: row["since"] or "", wise=True),
    TableColumn("Why", _why, 0),
)
RUNNING = (
    *_COMMON,
    TableColumn("Worker", lambda row: row.get("worker") or "", 110),
    TableColumn("Exclusive", lambda row: tr("yes") if row["exclusive"] else "", 80),
    TableColumn("Runs since", lambda row: when(row["since"]), 150, lambda row: row["since"] or ""),
    TableColumn("How long", lambda row: _so_far(row["since"]), 90, lambda row: row["since"] or "", wise=True),
)
