"""Brings the files of an instance up to the store after an engine was interrupted.

The store is written first, the files follow; so what is missing is at the end, and all of it is known.
"""

from __future__ import annotations

import json
import logging
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from engine.context.line import is_sound
from engine.execution.directories import JobDirectory, Sources
from engine.execution.files import replace
from engine.model.disk import may_pass, read_plain
from engine.model.states import AttemptState, JobState
from engine.runtime.instance_files import InstanceFiles
from engine.runtime.jobs.attempt_files import make_room
from engine.runtime.journal import json_line, set_aside
from engine.runtime.recovery.log_entries import read_log_entries
from engine.runtime.recovery.power_loss import is_json
from engine.runtime.run_state.run_facts import RunFacts
from engine.runtime.runs.run import Run
from engine.runtime.runs.run_directory import describe, make_directory, what_runs
from engine.store.rows import JobRow, in_workspace
from engine.store.sql_store import Store

_OF_INSTANCE = (
    "ctx.log",
    "ctx.json",
    "currJobs",
    "params.json",
    "environment.json",
    ".skerry/definitions.json",
)
_OF_JOB = ("ctx.log", "ctx.json", "status", ".skerry/progress", "monitor.csv")


def files(run: Run, store: Store, jobs: Iterable[JobRow]) -> None:
    """Make the instance's directory current, that of its ended jobs too; may be tried many times.

    OSError when the disk is full.
    """
    _clear_the_way(run, run.files.folder.path, _OF_INSTANCE)
    if not _is_described(run.files, run.facts):
        make_directory(run.files, run.facts.number)
        describe(run)
    upto = store.last_seq(run.facts.id)
    _report(run, run.files.journal.catch_up(store.lines(run.facts.id, upto=upto)))
    run.files.caught_up(upto)
    entries = {entry.get("INSTANCE"): entry for entry in _entries(run.context.tree)}
    log = cache(lambda: read_log_entries(store.lines(run.facts.id)))
    for job in jobs:
        if not job.directory:
            continue
        folder = str(run.services.workspace.root / in_workspace(job.directory))
        _clear_the_way(run, folder, _OF_JOB)
        if job.attempt > 1 and os.path.isdir(folder):
            instance = Path(run.files.folder.path)
            make_room(JobDirectory(folder, Sources()), instance, job.attempt, run.services.now())
        if job.id in entries and _attempt_ended(store, job):
            lines = log().lines.get((job.id, job.attempt), [])
            _job_files(run, store, job, entries[job.id], lines)


def _is_described(files: InstanceFiles, facts: RunFacts) -> bool:
    """Whether what is there is of this run, and that of the one before it was moved aside."""
    path, before = files.folder.path, facts.number - 1
    definitions, params = (
        read_plain(f"{path}/{each}") for each in (".skerry/definitions.json", "params.json")
    )
    is_moved = not before or os.path.lexists(f"{path}/runs/{before}/params.json")
    return is_moved and definitions == json_line(what_runs(facts)) and is_json(params or b"")


def _attempt_ended(store: Store, job: JobRow) -> bool:
    """Whether its latest attempt did, as it may have where its job is tried again or asks a person.

    What runs on each of several workers has none: the record of each worker has.
    """
    if job.status not in (JobState.WAITING, JobState.RETRYING):
        return JobState(job.status).ended and job.attempt > 0
    attempts = store.attempts(job.id)
    return bool(attempts) and attempts[-1].status not in (AttemptState.STARTING, AttemptState.RUNNING)


def _clear_the_way(run: Run, folder: str, names: Iterable[str]) -> None:
    """What is where one of the engine's files should be and is no file (a folder, a pipe) is set aside."""
    for name in names:
        path = f"{folder}/{name}"
        with suppress(OSError):
            if not stat.S_ISREG(os.lstat(path).st_mode):
                _report(run, set_aside(path))
    for part in (".skerry", "jobs") if names is _OF_INSTANCE else ():
        if os.path.lexists(f"{folder}/{part}") and not os.path.isdir(f"{folder}/{part}"):
            _report(run, set_aside(f"{folder}/{part}"))


def _report(run: Run, aside: str | None) -> None:
    if aside is not None:
        what = aside.rpartition(".damaged-")[0]
        text = f"instance {run.facts.id}: {what} was not what had been written; it is kept as {aside}"
        run.services.say(text, logging.WARNING)


def _entries(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every job's entry in the context, of every member and round."""
    waiting: list[Any] = [*tree.get("JOB", {}).values(), *tree.get("ROUNDS", {}).values()]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            yield each


def _job_files(run: Run, store: Store, job: JobRow, entry: dict[str, Any], lines: list[str]) -> None:
    folder = str(run.services.workspace.root / in_workspace(str(job.directory)))
    wanted = json_line(entry)
    with _unless_gone():
        if read_plain(f"{folder}/ctx.json") != wanted:
            _lines(run, folder, lines)
            replace(f"{folder}/ctx.json", wanted)
        status = Path(folder, "status")  # while a person is asked what to do the context stays as it was
        if not status.exists() or not status.stat().st_size:
            last = store.attempts(job.id)[-1]  # of what was settled by hand the attempt was stopped
            replace(f"{folder}/status", b"1\n" if last.status == AttemptState.SUCCEEDED else b"0\n")


@contextmanager
def _unless_gone() -> Iterator[None]:
    """Its directory was never made, or was removed; a disk that has no room or fails is tried again."""
    try:
        yield
    except OSError as error:
        if may_pass(error):
            raise


def _lines(run: Run, folder: str, wanted: list[str]) -> None:
    """The lines of its latest attempt after the last one that its own log has."""
    log, last, whole = f"{folder}/ctx.log", 0, 0
    data = read_plain(log) or b""
    for line in data.splitlines(keepends=True):
        if not line.endswith(b"\n") or not is_sound(line[:-1]):
            break
        last, whole = int(json.loads(line)["seq"]), whole + len(line)
    if whole < len(data):
        _report(run, set_aside(log))
    missing = [line for line in wanted if int(json.loads(line)["seq"]) > last]
    replace(log, data[:whole] + "".join(f"{line}\n" for line in missing).encode())
