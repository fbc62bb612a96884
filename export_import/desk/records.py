"""What the jobs of an instance did at the site: one record for each attempt, with what it was given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.context.timeline import LineCause
from engine.model.expression import parse_path
from engine.store.history import SeenJob, read_history
from engine.store.rows import AttemptRow, InstanceRow
from export_import.desk.evidence import Evidence

Notes = Mapping[str, Any]  # "argv.1", "resource db: uri" -> the value that was noted


@dataclass(frozen=True)
class Recorded:
    """One attempt. ``folder`` has its logs and outputs, as far as they are here; None: it had none."""

    node: str
    index: int | None
    round: int
    run: int
    attempt: int
    status: str
    params: Mapping[str, Any] = field(default_factory=dict)
    results: Mapping[str, Any] = field(default_factory=dict)
    notes: Notes = field(default_factory=dict)
    exit_code: int | None = None
    signal: int | None = None
    error_code: int | None = None
    error_message: str | None = None
    folder: Path | None = None

    @property
    def succeeded(self) -> bool:
        return self.status == "succeeded"


def recorded_attempts(evidence: Evidence, instance: int) -> dict[tuple[str, int | None], list[Recorded]]:
    """By node and place in its batch: the attempts of the last run in which it ran, in their order."""
    row = evidence.instance(instance)
    history = read_history(line.encode() for line in evidence.store.lines(instance))
    notes = _notes(evidence.timeline(instance).causes())
    found: dict[tuple[str, int | None], list[Recorded]] = {}
    for job in sorted(history.jobs.values(), key=lambda job: (job.run, job.round, job.id)):
        group = found.setdefault((job.node, job.index), [])
        if group and group[-1].run != job.run:
            group.clear()
        group += _of_job(evidence, row, job, notes)
    return {key: group for key, group in found.items() if group}


def _of_job(
    evidence: Evidence, row: InstanceRow, job: SeenJob, notes: Mapping[tuple[int, int], Notes]
) -> Iterator[Recorded]:
    stored = evidence.store.job(job.id)
    folder = evidence.job_folder(row, stored) if stored is not None else None
    rows = {each.attempt: each for each in evidence.store.attempts(job.id)}
    last = max(job.attempts, default=0)
    for number, entry in sorted(job.attempts.items()):
        place = folder if folder is None or number == last else folder / "attempts" / str(number)
        yield Recorded(
            job.node,
            job.index,
            job.round,
            job.run,
            number,
            _status(entry, rows.get(number)),
            entry.get("PARAMS") or {},
            entry.get("RESULT") or {},
            notes.get((job.id, number), {}),
            entry.get("EXIT_CODE"),
            rows[number].signal if number in rows else None,
            entry.get("ERROR_CODE"),
            _message(entry, rows.get(number)),
            place if place is not None and place.is_dir() else None,
        )


def _message(entry: Mapping[str, Any], row: AttemptRow | None) -> str | None:
    """The log has the text; the row of the attempt, if it says the same, what it is made from."""
    text: str | None = entry.get("ERROR_MESSAGE")
    return row.error if row is not None and row.error == text else text


def _status(entry: Mapping[str, Any], row: AttemptRow | None) -> str:
    """The attempt's own state; the entry's says ``retrying`` where another attempt followed."""
    if row is not None:
        return str(row.status)
    state = str(entry.get("STATUS"))
    return "failed" if state == "retrying" else state


def resource_checks(causes: Iterable[LineCause], resources: Iterable[str]) -> Iterator[tuple[str, LineCause]]:
    """The lines that note the check of a resource after a job, each with the resource's id."""
    noted = {f"resource {id} checked after the job": id for id in resources}  # all that Skerry 0.1.0 wrote
    for cause in causes:
        is_check = isinstance(cause.value, Mapping) and "ok" in cause.value
        if is_check and (id := cause.value.get("resource") or noted.get(cause.why or "")):
            yield str(id), cause


def _notes(causes: Iterator[LineCause]) -> dict[tuple[int, int], dict[str, Any]]:
    """What was noted beside each attempt, by JobInstance and attempt."""
    current: dict[str, tuple[int, int]] = {}
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for cause in causes:
        if isinstance(cause.new, dict) and "ATTEMPT" in cause.new and parse_path(cause.path)[0] == "JOB":
            current[cause.path] = (cause.new["INSTANCE"], cause.new["ATTEMPT"])
        elif cause.why is not None and cause.path in current:
            found.setdefault(current[cause.path], {})[cause.why] = cause.value
    return found
