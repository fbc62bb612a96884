"""What must hold in the end between the database and the directories: either tells what the other does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.execution.stage_file import read
from engine.model.job import STAGES
from engine.model.missing_files import missing_of
from engine.model.reason import Kind
from engine.model.states import AttemptState
from engine.runtime.recovery.file_repair import _entries
from engine.store.rows import AttemptRow, InstanceRow, JobRow
from engine.store.sql_store import Store
from tests.simulation.invariants.life import Life

Row = Mapping[str, Any]


def directories_equal_the_database(life: Life) -> Iterator[str]:
    """Each says of its instance and its jobs what the database says, unless the disk failed there."""
    for row, folder in _on_a_sound_disk(life):
        for each in (*_of_instance(life.engine.store, row, folder), *_of_jobs(life, row, folder)):
            yield f"instance {row.id}: {each}"


def what_a_power_cut_took_is_recorded(life: Life) -> Iterator[str]:
    """What a job printed is there, all of it, or the record of its instance says how much is missing."""
    store = life.engine.store
    for row, _ in _on_a_sound_disk(life):
        for job in (each for each in store.jobs(row.id) if each.directory):
            place, attempts = life.root / str(job.directory), store.attempts(job.id)
            for attempt in attempts:
                for each in _of_output(_kept(place, attempt, attempts), attempt):
                    yield f"instance {row.id}: {job.node} ({job.id}), attempt {attempt.attempt}: {each}"


def each_attempt_has_files_of_its_own(life: Life) -> Iterator[str]:
    """What lies in the directory of an attempt is that attempt's: its context, records, status and output."""
    store, begun = life.engine.store, {each.mark for each in life.machine.started}
    for row, _ in _on_a_sound_disk(life):
        for job in (each for each in store.jobs(row.id) if each.directory):
            place, attempts = life.root / str(job.directory), store.attempts(job.id)
            for attempt in attempts:
                kept, has_begun = _kept(place, attempt, attempts), attempt.mark in begun
                for each in (*_of_another(kept, attempt), *(() if has_begun else _of_programs(kept))):
                    yield f"instance {row.id}: {job.node} ({job.id}), attempt {attempt.attempt}: {each}"


def _kept(place: Path, attempt: AttemptRow, attempts: Sequence[AttemptRow]) -> Path:
    """Where the files of an attempt are: those of earlier ones have made room."""
    return place if attempt is attempts[-1] else place / "attempts" / str(attempt.attempt)


def _of_another(place: Path, attempt: AttemptRow) -> Iterator[str]:
    filed = _json(place / "ctx.json") if (place / "ctx.json").exists() else {}
    if filed.get("ATTEMPT", attempt.attempt) != attempt.attempt:
        yield f"its ctx.json is of attempt {filed['ATTEMPT']}"
    for stage in STAGES:
        record = read(f"{place}/.skerry/{stage}")
        if record is not None and not str(attempt.mark).startswith(record.mark):
            yield f"its record of {stage} is that of {record.mark}"
    judged = (place / "status").exists() and (place / "status").read_text() == "1\n"
    if judged and attempt.status not in (AttemptState.SUCCEEDED, AttemptState.LOST):
        yield f"its status is that of a success, and it {attempt.status}"


def _of_programs(place: Path) -> Iterator[str]:
    """What only programs leave, where none has begun."""
    for name in ("job.log", "job-error.log"):
        if (place / name).exists() and (place / name).stat().st_size:
            yield f"nothing of it has begun, and there is a {name}"


def _of_output(place: Path, attempt: AttemptRow) -> Iterator[str]:
    for name, had in (("job.log", attempt.log_size), ("job-error.log", attempt.error_log_size)):
        left = (place / name).stat().st_size if (place / name).exists() else 0
        if had is not None and left < had and missing_of(place / name) is None:
            yield f"{name} has {left} of {had} bytes, and nothing says so"


def _on_a_sound_disk(life: Life) -> Iterator[tuple[InstanceRow, Path]]:
    for id in life.instances():
        row = life.engine.store.instance(id)
        folder = life.root / ((row and row.directory) or "nowhere")
        failed = any(f"/{folder.name}/" in each for each in life.history.failed_files)
        if row is not None and folder.is_dir() and not failed:
            yield row, folder


def _of_instance(store: Store, row: InstanceRow, folder: Path) -> Iterator[str]:
    if running := (folder / "currJobs").read_text():
        yield f"currJobs has {running.split()} after its end"
    wanted = _json(folder / "ctx.json")["TASK"]["PARAMS"]
    if (params := _json(folder / "params.json")) != wanted and not row.edited:
        yield f"params.json has {params}, not {wanted}"
    if _json(folder / ".skerry" / "definitions.json")["raw"] != store.snapshot(row.id, row.run):
        yield f"definitions.json is not what run {row.run} follows"


def _of_jobs(life: Life, row: InstanceRow, folder: Path) -> Iterator[str]:
    store = life.engine.store
    attempts = {id: each for (id, _), each in sorted(life.starts.attempts.items())}  # the latest of each job
    entries = {entry.get("INSTANCE"): entry for entry in _entries(_json(folder / "ctx.json"))}
    jobs = {life.root / job.directory: job for job in store.jobs(row.id) if job.directory}
    found = set((folder / "jobs").iterdir()) if (folder / "jobs").is_dir() else set[Path]()
    yield from (f"{each.name} belongs to no job" for each in found - jobs.keys())
    for place, job in jobs.items():
        if place.is_dir() and job.id in attempts:  # what runs on each of its workers has none of its own
            for each in _of_job(job, attempts[job.id], place, entries.get(job.id)):
                yield f"{job.node} ({job.id}): {each}"


def _of_job(job: JobRow, last: Row, place: Path, entry: Row | None) -> Iterator[str]:
    """``status`` is that of its latest attempt; of one that is lost there may be nothing, and programs write it too."""
    status = (place / "status").read_text() if (place / "status").exists() else None
    wanted = "1\n" if last["status"] == AttemptState.SUCCEEDED else "0\n"
    if status in (None, "0\n", "1\n") and status != wanted and last["status"] != AttemptState.LOST:
        yield f"status is {status!r}, its attempt {last['attempt']} {last['status']}"
    filed = _json(place / "ctx.json") if (place / "ctx.json").exists() else None
    if entry is None or filed is None or (job.because and job.because.kind is Kind.BY_HAND):
        return
    for name in sorted({*filed, *entry} - {"RESULT"}):  # people may change results
        if filed.get(name) != entry.get(name):
            yield f"its ctx.json has {name} = {filed.get(name)!r}, not {entry.get(name)!r}"


def _json(path: Path) -> Any:
    return json.loads(path.read_bytes())
