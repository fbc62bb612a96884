"""The files of an instance brought up to what the store knows, after an engine ended in the middle.

The store is written first, the files follow; so what is missing is at the end, and all of it is known.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.context.line import json_text
from engine.execution.files import replace
from engine.model.disk import no_room
from engine.model.states import JobState
from engine.runtime.journal import append
from engine.runtime.starting import prepare_directory

if TYPE_CHECKING:
    from engine.runtime.run import Run
    from engine.store.port import Store
    from engine.store.rows import JobRow


def files(run: Run, store: Store, jobs: Iterable[JobRow]) -> None:
    """Make the instance's directory current, that of its ended jobs too; may be tried many times.

    OSError when the disk is full.
    """
    if not Path(run.folder.path, ".skerry", "definitions.json").exists():
        prepare_directory(run)
    upto = store.last_seq(run.facts.id)
    run.journal.catch_up(store.lines(run.facts.id, after=run.journal.last_seq(), upto=upto))
    run.filed = upto
    run.has_directory = True
    run.write_files()
    entries = {entry.get("INSTANCE"): entry for entry in _entries(run.context.tree)}
    for job in jobs:
        if job.directory and JobState(job.status).ended and job.id in entries:
            _job_files(run, store, job, entries[job.id])


def _entries(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every job's entry in the context, of every member and round."""
    waiting: list[Any] = [*tree.get("JOB", {}).values(), *tree.get("ROUNDS", {}).values()]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            yield each


def _job_files(run: Run, store: Store, job: JobRow, entry: dict[str, Any]) -> None:
    folder = str(run.house.workspace.root / str(job.directory))
    wanted = f"{json_text(entry)}\n".encode()
    with _unless_gone():
        if Path(folder, "ctx.json").read_bytes() == wanted:
            return
        _lines(run, store, folder, job)
        replace(f"{folder}/ctx.json", wanted)
        status = Path(folder, "status")
        if not status.exists() or not status.stat().st_size:
            replace(f"{folder}/status", b"1\n" if job.status == JobState.SUCCEEDED else b"0\n")


@contextmanager
def _unless_gone() -> Iterator[None]:
    """Its directory was never made, or somebody took it away; for room it is tried again."""
    try:
        yield
    except OSError as error:
        if no_room(error):
            raise


def _lines(run: Run, store: Store, folder: str, job: JobRow) -> None:
    """The lines of this job after the last one that its own log has."""
    log = Path(folder, "ctx.log")
    data = log.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    os.truncate(log, len(whole))
    if not whole:
        return
    last = int(json.loads(whole.splitlines()[-1])["seq"])
    place = run.place(job.node, job.index)
    missing = [line for line in store.lines(run.facts.id, after=last) if _belongs(line, place)]
    append(f"{folder}/ctx.log", "".join(f"{line}\n" for line in missing).encode())


def _belongs(line: str, place: str) -> bool:
    path: str = json.loads(line)["path"]
    return path == place or path.startswith((f"{place}.", f"{place}["))
