"""The columns of backfills and of their times, and what is asked for in words; no widgets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from app.desktop.kernel.language import tr, trn
from app.desktop.kernel.reasons import in_words
from app.desktop.kernel.times import local, when
from app.desktop.widgets.table import Row, TableColumn
from engine.model.reason import Reason

ORDERS = {"oldest": "The oldest first", "newest": "The newest first"}
REPROCESSED = {"missing": "What never ran", "failed": "Also what ended badly", "all": "Everything"}
_DECISIONS = {"make": "make", "run_again": "run again", "leave": "leave"}
_AS = {"left": "skipped", "dropped": "cancelled", "begun": "running"}  # looks of times without an instance


def progress_text(row: Row) -> str:
    """How many times have come to an end, of all, and how many of them badly.

    >>> progress_text({"counts": {"succeeded": 3, "failed": 1, "under_way": 2, "pending": 4, "left": 0}})
    '4 / 10, 1 failed'
    """
    counts = row["counts"]
    total = sum(counts.values())
    if not total:
        return tr("no times")
    text = f"{total - counts['pending'] - counts['under_way']} / {total}"
    return text + tr(", {n} failed", n=counts["failed"]) if counts["failed"] else text


def decision_text(row: Row) -> str:
    """``make``, ``run again`` or ``leave``, in the language that is on."""
    return tr(_DECISIONS[row["decision"]])


def why_text(row: Row) -> str:
    """Why it was decided so, or left after all."""
    return in_words(Reason.read(row["because"], row["why"]))


def summary(times: Sequence[Row]) -> str:
    """What a dry run comes to, in a sentence."""
    if not times:
        return tr("There is no scheduled time in that range.")
    counts = Counter(str(each["decision"]) for each in times)
    run = counts["make"] + counts["run_again"]
    text = trn(run, "1 time is run", "{n} times are run")
    return tr("{what}, {left} left as they are.", what=text, left=counts["leave"])


def _instance(row: Row) -> str:
    return "" if row["instance"] is None else f"#{row['instance']}"


def _status(row: Row) -> str:
    return _AS.get(str(row["status"]), str(row["status"]))


BACKFILLS = (
    TableColumn("Backfill", lambda row: f"#{row['backfill']}", 80, lambda row: row["backfill"], wise=True),
    TableColumn("Status", lambda row: str(row["status"]), 120, status=lambda row: str(row["status"])),
    TableColumn("Task", lambda row: str(row["task"]), 170),
    TableColumn("Progress", progress_text, 130),
    TableColumn("First time", lambda row: local(row["from"]), 150, lambda row: row["from"]),
    TableColumn("Last time", lambda row: local(row["to"]), 150, lambda row: row["to"]),
    TableColumn("Started", lambda row: when(row["created_at"]), 140, lambda row: row["created_at"]),
    TableColumn("By", lambda row: str(row["by"] or ""), 100),
    TableColumn("Reason", lambda row: str(row["reason"] or ""), 0),
)
DECISIONS = (
    TableColumn("Scheduled time", lambda row: local(row["time"]), 160, lambda row: row["time"]),
    TableColumn("Task", lambda row: str(row["task"]), 160),
    TableColumn("What becomes of it", decision_text, 150),
    TableColumn("Instance", _instance, 90, lambda row: row["instance"] or 0),
    TableColumn("Why", why_text, 0),
)
TIMES = (
    *DECISIONS[:2],
    TableColumn("Status", _status, 120, status=_status),
    *DECISIONS[2:],
)
