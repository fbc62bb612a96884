"""An instance for a tired operator: what it is, what each job did or waits for, what to do about failures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from app.cli.progress import name_of
from app.cli.text import clock_time, columns, in_words, pairs, took, visible
from engine.model.errors import ErrorCode, Text
from engine.model.states import JobState

_MOST_TROUBLES = 10  # failed jobs that are explained at length
_LONGEST_VALUE = 200  # characters of a value in the text; --json has all of it


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads it: where codes are looked up, in which language, on how wide a terminal (None: none)."""

    find: Callable[[int], ErrorCode | None]
    language: str = "en"
    room: int | None = None


def instance_lines(document: Mapping[str, Any], reader: Reader) -> Iterator[str]:
    """The whole picture."""
    yield (
        f"instance {document['instance']}: {visible(document['task'])} {document['status']}"
        f" ({document['trigger']}, run {document['run']})"
    )
    yield from pairs(_facts(document))
    if document["jobs"]:
        yield ""
        yield from columns(("node", "status", "attempt", "took", "remark"), map(_row, document["jobs"]), "  ")
    yield from trouble_lines(document, reader)


def end_lines(document: Mapping[str, Any], reader: Reader) -> Iterator[str]:
    """How it ended, after its progress was told line by line."""
    spent = _took(document)
    yield f"instance {document['instance']}: {document['status']}{f' in {spent}' if spent else ''}"
    yield from pairs([("results", _values(document["results"])), ("directory", document["directory"])])
    yield from trouble_lines(document, reader)


def job_lines(document: Mapping[str, Any], job: Mapping[str, Any], reader: Reader) -> Iterator[str]:
    """One job of it."""
    yield f"{name_of(job)} of instance {document['instance']}: {job['status']}"
    yield from pairs(_job_facts(job))
    if job["error_code"]:
        yield from _trouble(document["instance"], job, reader)


def trouble_lines(document: Mapping[str, Any], reader: Reader) -> Iterator[str]:
    """Every failed job with what its code means and what to do; or the instance's own failure."""
    bad = [job for job in document["jobs"] if job["error_code"] and JobState(job["status"]).bad]
    for job in bad[:_MOST_TROUBLES]:
        yield from _trouble(document["instance"], job, reader)
    if bad[_MOST_TROUBLES:]:
        yield f"\nand {len(bad) - _MOST_TROUBLES} more that failed"
    if not bad and document["error_code"]:
        yield ""
        yield from _explained(document, reader)


def _facts(document: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    yield "scheduled", clock_time(document["scheduled_time"])
    yield "started", clock_time(document["started_at"])
    yield "ended", clock_time(document["ended_at"])
    yield "took", _took(document)
    yield "params", _values(document["params"])
    yield "results", _values(document["results"])
    yield "definition", f"revision {document['definition']}" if document["definition"] else "from a file"
    yield "edited", ", ".join(document["edited"])
    yield "directory", document["directory"]


def _job_facts(job: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    yield "job", job["job"]
    yield "job instance", f"{job['instance']} (run {job['run']})"
    yield "attempt", job["attempt"] or ""
    yield "worker", job["worker"]
    yield "pid", job["pid"]
    yield "exit code", job["exit_code"]
    yield "started", clock_time(job["started_at"])
    yield "ended", clock_time(job["ended_at"])
    yield "took", _took(job)
    yield "params", _values(job["params"])
    yield "results", _values(job["results"])
    yield "based on edit", "yes" if job["based_on_edit"] else ""
    yield "reason", in_words(job["reason"])
    yield "directory", job["directory"]


def _row(job: Mapping[str, Any]) -> tuple[str, str, object, str, str]:
    return name_of(job), job["status"], job["attempt"] or "", _took(job), _remark(job)


def _remark(job: Mapping[str, Any]) -> str:
    edited = "ran on edited values" if job["based_on_edit"] else ""
    between = job["reason"] and not JobState(job["status"]).ended
    if job["error_code"] and not between:
        told = f"error {job['error_code']}: {job['error_message'] or ''}"
    else:
        told = in_words(job["reason"])
    return "; ".join(part for part in (told, edited) if part)


def _trouble(instance: int, job: Mapping[str, Any], reader: Reader) -> Iterator[str]:
    yield ""
    yield from _explained(job, reader, f"{name_of(job)}: ")
    if job["directory"]:
        yield f"  logs    skerry logs {instance} {visible(job['node'])}"


def _explained(job: Mapping[str, Any], reader: Reader, name: str = "") -> Iterator[str]:
    yield f"{name}error {job['error_code']}: {visible(job['error_message'] or '')}"
    entry = reader.find(job["error_code"])
    if entry:
        text: Text = entry.zh if reader.language == "zh" else entry.en
        facts = [("what", text.title), ("cause", text.cause), ("remedy", text.remedy)]
        yield from pairs(facts, room=reader.room)


def _values(values: Mapping[str, Any]) -> str:
    return "  ".join(f"{name}={_shortened(value)}" for name, value in values.items())


def _shortened(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}… ({len(text)} characters)"


def _took(document: Mapping[str, Any]) -> str:
    return took(document["started_at"], document["ended_at"], datetime.now(UTC))
