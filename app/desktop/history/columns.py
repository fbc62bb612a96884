"""The one table of columns of the history."""

from __future__ import annotations

from app.desktop.kernel.icons import Icons
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import failure_line, in_words
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.theme import Theme
from app.desktop.kernel.times import local, took_text
from app.desktop.widgets.paged_table import Column
from app.durations import seconds_between
from engine.store.rows import InstanceRow


def columns(theme: Theme, icons: Icons) -> tuple[Column[InstanceRow], ...]:
    return (
        Column(
            "status", "Status", 110, lambda row: tr(look_of(row.status).word), "status",
            icon=lambda row: icons.get(look_of(row.status).icon, theme.status_ink(row.status)),
        ),
        Column("instance", "Run", 76, lambda row: f"#{row.id}", "id"),
        Column("task", "Task", 150, lambda row: row.name or row.task, "task"),
        Column("scheduled", "Scheduled", 150, lambda row: local(row.scheduled_time), "scheduled_time"),
        Column(
            "duration", "Duration", 100, lambda row: took_text(row.started_at, row.ended_at), "duration",
            right=True,
        ),
        Column("code", "Code", 120, _code, "error_code"),
        Column("message", "Message", 320, _message, "error_message"),
        Column("trigger", "Started by", 100, lambda row: tr(row.trigger), "trigger"),
        Column("started", "Started", 150, lambda row: local(row.started_at), "started_at"),
    )  # fmt: skip


def csv_fields(row: InstanceRow) -> tuple[str, ...]:
    """The fields of one line of an export; times and numbers as machines read them."""
    seconds = seconds_between(row.started_at, row.ended_at)
    return (
        str(row.id),
        row.task,
        row.status,
        row.trigger,
        row.scheduled_time,
        row.started_at or "",
        row.ended_at or "",
        "" if seconds is None else f"{seconds:.3f}",
        _code(row),
        row.error_message or row.reason or "",
    )


CSV_HEADER = (
    "instance", "task", "status", "trigger", "scheduled_time", "started_at", "ended_at", "seconds",
    "error_code", "message",
)  # fmt: skip


def _code(row: InstanceRow) -> str:
    return "" if row.error_code is None else str(row.error_code)


def _message(row: InstanceRow) -> str:
    return failure_line(row.error_code, row.error) or in_words(row.because)
