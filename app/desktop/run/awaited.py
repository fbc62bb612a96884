"""What an instance waits for before its first run, a row for each instance that is waited for; pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import reason_of
from app.desktop.kernel.times import local
from app.desktop.widgets.table import Row, TableColumn
from engine.api.documents import RunDocument, UpstreamDocument
from engine.model.reason import Kind

_GOOD = ("succeeded",)


def awaited_rows(run: RunDocument) -> list[Row]:
    """``{task, time, last, instance, status, remark, held}``; none of what does not wait to begin.

    ``held``: it still waits for that task, and may be let go without it; these come first.
    """
    if run["status"] != "waiting" or run["run"]:
        return []
    reason = reason_of(run)
    if reason is not None and reason.kind is Kind.EARLIER:
        return [_earlier(run, int(reason.facts["instance"]))]
    rows = [row for each in run["upstream"] for row in _rows(each)]
    return sorted(rows, key=lambda row: (not row["held"], row["time"] or ""))


def _earlier(run: RunDocument, before: int) -> Row:
    remark = tr("an earlier instance of the same task, which has not ended")
    return {"task": run["task"], "time": None, "last": None, "instance": before, "status": "running",
            "remark": remark, "held": True}  # fmt: skip


def _rows(upstream: UpstreamDocument) -> Iterator[Row]:
    good = upstream["count"] == upstream["succeeded"]
    base = {"task": upstream["task"], "time": upstream["first"], "last": upstream["last"], "instance": None,
            "status": "succeeded" if upstream["succeeded"] and good else "", "remark": _remark(upstream),
            "held": not good and not upstream["released"]}  # fmt: skip
    if not upstream["instances"]:
        yield base
    for each in upstream["instances"]:
        time = each["scheduled_time"]
        yield {**base, "time": time, "last": time, "instance": each["instance"], "status": each["status"],
               "held": base["held"] and each["status"] not in _GOOD}  # fmt: skip


def _remark(upstream: UpstreamDocument) -> str:
    if upstream["released"]:
        return tr("let go without it: {why}", why=upstream["released"])
    if not upstream["count"]:
        return tr("nothing to wait for")
    if upstream["count"] > 1:
        return tr("{good} of {count} succeeded", good=upstream["succeeded"], count=upstream["count"])
    return tr("no instance yet") if not upstream["instances"] and not upstream["succeeded"] else ""


def held_tasks(rows: Iterable[Row]) -> list[str]:
    """The tasks that are still waited for, each once."""
    return list(dict.fromkeys(str(row["task"]) for row in rows if row["held"]))


def _time(row: Row) -> str:
    first, last = local(row["time"]), local(row["last"])
    return first if first == last else f"{first} … {last}"


COLUMNS = (
    TableColumn("It waits for", lambda row: str(row["task"]), 180),
    TableColumn("Scheduled time", _time, 160, lambda row: row["time"] or ""),
    TableColumn("Instance", lambda row: "" if row["instance"] is None else f"#{row['instance']}", 80,
                lambda row: row["instance"] or 0, wise=True),
    TableColumn("Status", lambda row: str(row["status"]), 120, status=lambda row: str(row["status"])),
    TableColumn("Remark", lambda row: str(row["remark"]), 0),
)  # fmt: skip
