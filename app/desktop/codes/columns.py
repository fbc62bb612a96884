"""The columns of the pages of codes, exceptions and rules; no widgets."""

from __future__ import annotations

from app.desktop.kernel.error_codes import DOMAINS, domain
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import failure_line
from app.desktop.kernel.times import when
from app.desktop.widgets.table import Row, TableColumn
from engine.model.message import message_in


def key_of(row: Row) -> object:
    """What tells a row from the others."""
    return row["id"]


def _state(row: Row) -> str:
    if row["asks"]:
        return tr("waits for an answer")
    return tr("open") if row["status"] == "open" else tr("handled")


def _where(row: Row) -> str:
    place = (
        f"{row['task'] or ''} #{row['instance']}" if row["instance"] is not None else str(row["task"] or "")
    )
    return f"{place} · {row['node']}" if row["node"] else place


DOES = {
    "retry": "Try the job again",
    "skip": "Skip the job",
    "succeed": "Count it as succeeded",
    "pause": "Wait for a person's answer",
    "alert": "Raise an alert",
    "set": "Change a value, then try again",
    "run": "Run another task, then try again",
}  # what a rule does

CODES = (
    TableColumn("Code", lambda row: str(row["id"]), 120, lambda row: -int(row["id"])),
    TableColumn("Title", lambda row: str(row["title"]), 320),
    TableColumn("Domain", lambda row: tr(DOMAINS.get(domain(int(row["id"])), "Internal")), 150),
    TableColumn("Unhandled", lambda row: str(row["open"] or ""), 0, lambda row: row["open"], wise=True),
)
EXCEPTIONS = (
    TableColumn("State", _state, 120),
    TableColumn("When", lambda row: when(row["created_at"]), 140, lambda row: row["created_at"]),
    TableColumn("Where", _where, 200),
    TableColumn("Code", lambda row: str(row["code"]), 120),
    TableColumn("Message", lambda row: failure_line(row["code"], message_in(row, "message")), 0),
)
MATCHED = EXCEPTIONS[1:]  # beside a rule
RULES = (
    TableColumn("Rule", lambda row: str(row["id"]), 170),
    TableColumn("Name", lambda row: str(row["name"] or ""), 0),
    TableColumn("Does", lambda row: tr(DOES.get(str(row["action"]), "")), 220),
    TableColumn("Priority", lambda row: str(row["priority"]), 80, lambda row: row["priority"], wise=True),
    TableColumn("On", lambda row: tr("yes") if row["enabled"] else tr("no"), 60),
)
