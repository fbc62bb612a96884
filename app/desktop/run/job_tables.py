"""What the four tables of the job pane show: details, inputs, results, attempts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import failure_line, in_words, message_then, reason_of
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.times import exact_text, time_text, took_text
from app.desktop.kernel.visible_text import visible
from app.desktop.run.context_rows import brief, kind_of
from app.desktop.run.reading import AttemptInput, AttemptLook, RunLook
from app.desktop.run.where_ran import records_of, worker_meant
from app.desktop.run.why import why_job
from app.desktop.run.why_line import said
from app.desktop.widgets.pane_widgets import row
from app.desktop.widgets.tree_items import tops
from engine.api.documents import JobDocument
from engine.model.message import message_in
from engine.model.names import RECORD


def show_details(
    table: QTreeWidget, job: JobDocument, look: RunLook, type_label: Callable[[str], str] = str
) -> None:
    """Fill the table of details; what is not known has no row. ``type_label`` gives the name of a type."""
    keys = look.keys(job["node"])
    rows = (
        (tr("Type"), type_label(str(keys.get("type") or ""))),
        (tr("Job"), job["job"] if job["job"] != job["node"] else None),
        (tr("Attempt"), job["attempt"] or None),
        (tr("Exit status"), job["exit_code"]),
        (tr("Worker"), _worker(job, look)),
        (tr("Process"), job["pid"]),
        (tr("Created"), exact_text(job["created_at"])),
        (tr("Began"), exact_text(job["started_at"])),
        (tr("Ended"), exact_text(job["ended_at"])),
        (tr("Took"), took_text(job["started_at"], job["ended_at"])),
        (tr("Branch taken"), job["results"].get("branch") if keys.get("type") == "condition" else None),
        (tr("Runs on edited values"), tr("yes") if job["based_on_edit"] else None),
        (tr("Reason"), _reason(job, look)),
        (tr("Stopped, but not verified"), failure_line(None, message_in(job, "unverified"))),
        (tr("Run"), job["run"]),
        (tr("Job instance"), job["instance"]),
        (tr("Folder"), job["directory"]),
    )
    _fill(table, [row((name, str(value))) for name, value in rows if value not in (None, "")])


def _worker(job: JobDocument, look: RunLook) -> str | None:
    """Who ran it; of one with a record for each of its workers all of these."""
    records = records_of(job["node"], look.run["jobs"], job["round"], job["index"])
    if records and RECORD not in job["node"]:
        return ", ".join(map(worker_meant, records))
    return job["worker"]


def _reason(job: JobDocument, look: RunLook) -> str | None:
    """Why it waits or was skipped, in the window's language; what people said stays as it is."""
    why = why_job(job, look) if job["reason"] else None
    return said(why) if why is not None else visible(in_words(reason_of(job)))


def show_inputs(table: QTreeWidget, given: Iterable[AttemptInput]) -> None:
    """Fill the table of inputs; a row's data are the paths that it was read from."""
    _fill(table, [row((each.name, brief(each.value), origin(each)), each.sources) for each in given])


def origin(given: AttemptInput) -> str:
    """Where an input came from, in words."""
    if given.actor:
        return tr("changed by {actor}: {why}", actor=given.actor, why=given.why or "")
    if given.expression:
        return given.expression
    return tr("from the definition")


def show_results(table: QTreeWidget, job: JobDocument) -> None:
    """Fill the table of results; a row's data is the name of the result."""
    results = job["results"].items()
    _fill(table, [row((name, brief(value), tr(kind_of(value))), name) for name, value in results])


def show_attempts(table: QTreeWidget, known: Sequence[AttemptLook], job: JobDocument) -> None:
    """Fill the table of attempts, the latest first; a row's data is its number."""
    items = []
    for attempt in reversed([each for each in known if each.number <= job["attempt"]]):
        entry = attempt.entry
        status = job["status"] if attempt.number == job["attempt"] else str(entry.get("STATUS") or "failed")
        if status == "retrying":
            status = "failed"
        texts = (
            str(attempt.number),
            tr(look_of(status).word),
            time_text(entry.get("START_TIME"), day=False),
            took_text(entry.get("START_TIME"), entry.get("END_TIME")),
            _text(entry.get("EXIT_CODE")),
            failure_line(entry.get("ERROR_CODE"), message_then(job, entry)),
        )
        items.append(row(texts, attempt.number))
    _fill(table, items)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _fill(table: QTreeWidget, items: list[QTreeWidgetItem]) -> None:
    """Other rows, unless they say the same: who reads them is not disturbed."""
    if _said(items) == _said(tops(table)):
        return
    current = table.currentItem()
    name = current.text(0) if current is not None else None
    table.clear()
    table.addTopLevelItems(items)
    again = next((item for item in items if item.text(0) == name), items[0] if items else None)
    if again is not None:
        table.setCurrentItem(again)
    for at in range(table.columnCount()):
        table.resizeColumnToContents(at)


def _said(items: list[QTreeWidgetItem]) -> list[tuple[str, ...]]:
    return [tuple(item.text(at) for at in range(item.columnCount())) for item in items]
