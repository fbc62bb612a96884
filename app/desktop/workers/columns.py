"""The columns of the tables of workers and of what runs on one; no widgets."""

from __future__ import annotations

from app.desktop.kernel.times import when
from app.desktop.queue.columns import node_text
from app.desktop.widgets.table import TableColumn
from app.desktop.workers.words import load_text, look, size_text, skew_text, slots_text, why_text

WORKERS = (
    TableColumn("Worker", lambda row: str(row["name"]), 110),
    TableColumn("State", lambda row: str(row["state"]), 115, status=look),
    TableColumn("Why it takes no jobs", why_text, 0),
    TableColumn("Slots", slots_text, 70, lambda row: row["running"], wise=True),
    TableColumn("Load", load_text, 60, lambda row: row["load"] or 0.0, wise=True),
    TableColumn(
        "Memory", lambda row: size_text(row["memory"]), 85, lambda row: row["memory"] or 0, wise=True
    ),
    TableColumn("Disk", lambda row: size_text(row["disk"]), 85, lambda row: row["disk"] or 0, wise=True),
    TableColumn("Clock", skew_text, 70, lambda row: row["skew"] or 0.0, wise=True),
)
THERE = (
    TableColumn("Runs there", lambda row: f"{row['task']} #{row['instance']}", 150),
    TableColumn("Node", node_text, 0),
    TableColumn("Attempt", lambda row: str(row["attempt"]), 70, lambda row: row["attempt"], wise=True),
    TableColumn("Since", lambda row: when(row["started_at"]), 120, lambda row: row["started_at"] or ""),
)
