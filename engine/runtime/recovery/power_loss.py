"""Restores the files of an instance after a restart of the machine: empty, torn or missing ones.

What the store knows is written again; what only a file had is recorded as missing
(:mod:`engine.model.missing_files`). A file that is whole is left as it is, so this may be done any number of
times, also when the power fails meanwhile.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from engine.context import is_reference
from engine.execution.code import code
from engine.execution.directories import JobDirectory, Sources
from engine.execution.files import PRIVATE_FOLDER, replace
from engine.model.errors import SkerryError
from engine.model.expression import as_text
from engine.model.job import STAGES, Job
from engine.model.missing_files import RECORD, MissingFile, missing, moved, record
from engine.model.states import AttemptState, JobState
from engine.planning.shape import Plan
from engine.planning.uses import definition_of
from engine.plugins.registry import JobTypes
from engine.runtime.journal import json_line
from engine.runtime.recovery.log_entries import LogEntries, read_log_entries
from engine.runtime.runs.run import Run
from engine.runtime.runs.run_directory import what_runs
from engine.store.rows import AttemptRow, JobRow, in_workspace
from engine.store.sql_store import Store

_TAIL = 64 * 1024
_OPEN = (AttemptState.STARTING, AttemptState.RUNNING)


def mend(run: Run, store: Store, plan_of: Callable[[int], Plan]) -> dict[str, MissingFile]:
    """Make the directory good; gives what is missing in it, by path. OSError when the disk is full.

    ``plan_of`` gives the plan of an earlier run by its number.
    """
    plans = {run.facts.number: run.facts.plan}
    lines = list(store.lines(run.facts.id))
    folder = DamagedFolder(Path(run.files.folder.path))
    run.files.journal.create()
    _instance(run, folder, lines)
    log = read_log_entries(lines)
    for number in range(1, run.facts.number):
        _earlier_run(folder, number, log)
    for job in store.jobs(run.facts.id):
        if job.directory:
            plan = plans.get(job.run) or plans.setdefault(job.run, plan_of(job.run))
            _job(run, folder, job, store.attempts(job.id), log, plan)
    folder.finish(run.services.now())
    return folder.missing


class DamagedFolder:
    """The directory of one instance, and what is missing in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.missing = missing(root)
        self._before = dict(self.missing)

    def good(self, name: str, content: Callable[[], bytes | None], whole: Callable[[bytes], bool]) -> None:
        """Have a file whole; what has no ``content`` and is not whole is missing."""
        path = self.root / name
        with suppress(OSError):
            if whole(path.read_bytes()) and not _has_hole(path):
                return
        data = content()
        if data is not None:
            return self._replace(path, data)
        self.lack(name, None)
        if path.exists() and not path.stat().st_size:
            path.unlink()  # else it would be read as something
        return None

    def lack(self, name: str, had: int | None) -> None:
        """Record a file as missing, as far as it is."""
        left = _left(self.root / name)
        if had is None or left < had:
            self.missing[name] = MissingFile(had, left)

    def make_room(self, job: str, attempt: int) -> None:
        """For a job's attempt: what is of an earlier one was moved before, and a power cut put it back."""
        before = JobDirectory(str(self.root / job), Sources()).make_room(attempt)
        if before is not None:
            self.missing = moved(self.missing, job, before)

    def finish(self, time: str) -> None:
        """Write the record, to the disk: after the next cut nothing else tells that these files had more."""
        if self.missing != self._before:
            self._replace(self.root / RECORD, record(self.missing, time), durable=True)

    def _replace(self, path: Path, data: bytes, *, durable: bool = False) -> None:
        for each in reversed(path.relative_to(self.root).parents):
            with suppress(FileExistsError):
                os.mkdir(self.root / each, PRIVATE_FOLDER)
        replace(str(path), data, durable=durable)


def _has_hole(path: Path) -> bool:
    """Whether a part of the file was never written: it has its size, and reads as zeros."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        return size > 0 and os.lseek(file.fileno(), 0, os.SEEK_HOLE) < size


def _left(log: Path) -> int:
    """How many bytes of a text are there: a file system may give back the size, and zeros."""
    if not log.exists():
        return 0
    with open(log, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        first_hole = os.lseek(file.fileno(), 0, os.SEEK_HOLE) if size else 0
        start = max(0, first_hole - _TAIL)
        tail = os.pread(file.fileno(), first_hole - start, start)
    return start + len(tail.rstrip(b"\0"))


def _instance(run: Run, folder: DamagedFolder, lines: list[str]) -> None:
    log = "".join(f"{line}\n" for line in lines).encode()
    shown = run.context.values.canonical()
    definitions = json_line(what_runs(run.facts))
    params = run.context.tree["TASK"]["PARAMS"]
    folder.good("ctx.log", lambda: log, log.__eq__)
    folder.good("ctx.json", lambda: shown, shown.__eq__)
    folder.good("currJobs", lambda: b"", b"".__eq__)
    folder.good(".skerry/definitions.json", lambda: definitions, definitions.__eq__)
    folder.good("params.json", lambda: json_line(params), is_json)
    folder.good("environment.json", lambda: None, is_json)


def _earlier_run(folder: DamagedFolder, number: int, log: LogEntries) -> None:
    params = log.params.get(number, {})
    folder.good(f"runs/{number}/params.json", lambda: json_line(params), is_json)
    folder.good(f"runs/{number}/environment.json", lambda: None, is_json)


def _job(
    run: Run, folder: DamagedFolder, job: JobRow, attempts: list[AttemptRow], log: LogEntries, plan: Plan
) -> None:
    path = run.services.workspace.root / in_workspace(str(job.directory))
    if not path.is_relative_to(folder.root):
        return
    name = path.relative_to(folder.root).as_posix()
    definition, this_boot = definition_of(plan, job.node), run.services.clock.boot()
    if attempts and attempts[-1].status != AttemptState.STARTING:
        folder.make_room(name, attempts[-1].attempt)
    for attempt in attempts:
        entry = log.entries.get((job.id, attempt.attempt), {})
        if entry.get("DIRECTORY") is None:
            continue
        if attempt.status not in _OPEN:
            _ended(run, folder, _place(folder, name, attempt, attempts[-1]), attempt, log, definition)
        elif attempt.boot_id != this_boot and (attempt.attempt == 1 or attempt.status != _OPEN[0]):
            _under_way(folder, name, waits=job.status == JobState.WAITING)


def _place(folder: DamagedFolder, name: str, attempt: AttemptRow, last: AttemptRow) -> str:
    """Where the files of an attempt are: those of the one before make room when the last one is prepared."""
    aside = f"{name}/attempts/{attempt.attempt}"
    still_here = (
        last.status in _OPEN and last.attempt == attempt.attempt + 1 and not (folder.root / aside).exists()
    )
    return name if attempt is last or still_here else aside


def _ended(
    run: Run, folder: DamagedFolder, where: str, attempt: AttemptRow, log: LogEntries, definition: Job | None
) -> None:
    _copies(folder, where, attempt, log)
    _sources(folder, where, definition)
    entry = log.entries[attempt.job_instance, attempt.attempt]
    _results(folder, where, entry.get("RESULT") or {}, _file_results(run.services.job_types, definition))
    _output(folder, where, attempt)


def _under_way(folder: DamagedFolder, name: str, *, waits: bool) -> None:
    """An attempt that was under way: its end will be written here. What it printed cannot be known."""
    os.makedirs(folder.root / name, PRIVATE_FOLDER, exist_ok=True)
    log, errors = folder.root / name / "job.log", folder.root / name / "job-error.log"
    if waits:  # for jobs that are its ready or end stage
        return
    if not _left(log):
        folder.lack(f"{name}/job.log", None)
    if not errors.exists():
        folder.lack(f"{name}/job-error.log", None)


def _file_results(types: JobTypes, job: Job | None) -> set[str]:
    """The results that a job defines and that are files: not those that its type gives."""
    if job is None:
        return set()
    return job.results.keys() - {each.name for each in types[job.type].results}


def _copies(folder: DamagedFolder, name: str, attempt: AttemptRow, log: LogEntries) -> None:
    """What the store has as well."""
    key = attempt.job_instance, attempt.attempt
    entry, lines = log.entries[key], "".join(f"{each}\n" for each in log.lines[key]).encode()
    shown = json_line(entry)
    status = b"1\n" if attempt.status == AttemptState.SUCCEEDED else b"0\n"
    folder.good(f"{name}/status", lambda: status, status.__eq__)
    folder.good(f"{name}/ctx.log", lambda: lines, _is_lines)
    folder.good(f"{name}/ctx.json", lambda: shown, shown.__eq__)  # an older one may be whole
    folder.good(f"{name}/inputs/params.json", lambda: json_line(entry.get("PARAMS", {})), is_json)


def _sources(folder: DamagedFolder, name: str, job: Job | None) -> None:
    """The texts of the stages: those that a definition has; one that was fetched is only there."""
    for stage in STAGES:
        spec = getattr(job, stage, None)
        path = f"{name}/executeCode/{stage}"
        if spec is not None and spec.kind == "text":
            folder.good(path, partial(_source, spec.value), _written_to)
        elif (folder.root / path).exists() or (spec is not None and spec.kind in ("file", "link")):
            folder.good(path, lambda: None, _written_to)


def _source(text: str) -> bytes:
    return code(text).data


def _results(folder: DamagedFolder, name: str, results: dict[str, Any], written: Collection[str]) -> None:
    for id, value in results.items():
        path = f"{name}/outputs/{id}"
        if is_reference(value):
            _big(folder, value)
        elif value == str(folder.root / path):  # a file or document: the value only names it
            folder.good(path, lambda: None, _written_to)
        elif id in written or (folder.root / path).exists():
            folder.good(path, partial(_text, value), _written_to if _text(value) else _anything)


def _big(folder: DamagedFolder, value: dict[str, Any]) -> None:
    """A big value was synced before anything referred to it; so this finds nothing, unless the disk lied."""
    file = folder.root / value["$file"]
    if not file.exists() or file.stat().st_size < value["size"]:
        folder.lack(value["$file"], value["size"])


def _output(folder: DamagedFolder, name: str, attempt: AttemptRow) -> None:
    """Output is in no other place; how long it was is in the store."""
    for log, had in (("job.log", attempt.log_size), ("job-error.log", attempt.error_log_size)):
        file = folder.root / name / log
        if had == 0:
            folder.good(f"{name}/{log}", lambda: b"", _anything)
        elif had is not None or not file.exists() or _left(file) < file.stat().st_size:
            folder.lack(f"{name}/{log}", had)
    samples = folder.root / name / "monitor.csv"
    if samples.exists() and not samples.stat().st_size:
        folder.lack(f"{name}/monitor.csv", None)


def _text(value: Any) -> bytes:
    try:
        return as_text(value).encode("utf-8", "replace")
    except SkerryError:  # null
        return b""


def _anything(data: bytes) -> bool:
    return True


def _written_to(data: bytes) -> bool:
    return data.count(0) < len(data)


def is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except ValueError:
        return False
    return True


def _is_lines(data: bytes) -> bool:
    return data.endswith(b"\n") and is_json(data.rstrip(b"\n").rpartition(b"\n")[2])
