"""What a context log says of an instance: its runs, its jobs and their attempts, each as it was last.

The log is replayed as the live context was made; an entry that makes room for a later one (another run,
another round, another attempt) stays here as it was.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from engine.context.fields import ON_EDIT, ORDERED, UNVERIFIED, WAITED
from engine.context.line import ENGINE, is_whole, json_text, read_line
from engine.context.tree import MISSING, at_path, drop, put
from engine.model.errors import SkerryError
from engine.model.expression import Path, parse_path
from engine.model.plain_words import wording
from engine.model.states import INSTANCE_ENDED, InstanceState
from engine.planning.names import is_within

_IDENTITY = ("INSTANCE", "ATTEMPT", "RUN")
Entry = dict[str, Any]


@dataclass(slots=True)
class SeenRun:
    """One run: the ``$.TASK`` entry as it was last, and the time of its first line.

    ``status`` is how it ended; the entry's may be another one, which a job that was settled later made of
    the instance: then ``settled`` says why.
    """

    number: int
    began: str
    status: str = InstanceState.RUNNING
    settled: str | None = None
    why: str | None = None  # it began
    entry: Entry = field(default_factory=dict)


@dataclass(slots=True)
class SeenJob:
    """One JobInstance: its ``$.JOB`` entry as it was last, and those of its attempts by number."""

    id: int
    node: str
    index: int | None
    run: int
    round: int
    began: str
    reason: str | None
    based_on_edit: bool = False
    unverified: str | None = None  # why it may live on although it was stopped
    entry: Entry = field(default_factory=dict)
    attempts: dict[int, Entry] = field(default_factory=dict)


@dataclass(slots=True)
class SeenUpstream:
    """What an instance has waited for of one task: ``began`` is when its first run had read that."""

    began: str
    entries: list[Entry]


@dataclass(slots=True)
class History:
    """What was read; ``lines`` are (seq, text) of the good ones, ``problems`` describe the others."""

    runs: dict[int, SeenRun] = field(default_factory=dict)
    jobs: dict[int, SeenJob] = field(default_factory=dict)
    upstream: dict[str, SeenUpstream] = field(default_factory=dict)  # by task
    edited: set[str] = field(default_factory=set)
    originals: dict[str, Any] = field(default_factory=dict)  # what was there before people changed it
    lines: list[tuple[int, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read_history(lines: Iterable[bytes]) -> History:
    """Replay a log, best effort: a line that is damaged is reported and left out."""
    history, tree, last = History(), {}, 0  # type: tuple[History, Entry, int]
    for line in lines:
        text = line.rstrip(b"\r\n")
        if not is_whole(text):
            history.problems.append(f"the line after line {last} is torn")
            continue
        try:
            record = read_line(text)
            if record["seq"] <= last:
                raise ValueError(f"line {record['seq']} comes after line {last}")
            _replay(history, tree, record)
        except (SkerryError, ValueError, KeyError) as error:
            history.problems.append(wording(error, f"the line after line {last} is not one of a log"))
            continue
        if record["seq"] != last + 1:
            history.problems.append(f"line {last + 1} is missing")
        last = record["seq"]
        history.lines.append((last, text.decode()))
    return history


def _replay(history: History, tree: Entry, record: Entry) -> None:
    path = parse_path(record["path"])
    _keep_what_ends(history, tree, path, record)
    if "new" in record:
        _note_edit(history, tree, path, record)
        put(tree, path, record["new"])
    elif "old" in record:
        drop(tree, path)
        _forget_edits(history, path)
    if path[0] == "TASK":
        _see_run(history, tree, record)
    elif path[0] == "JOB" and len(path) > 1:
        _see_job(history, tree, path, record)
    elif path[0] == "UPSTREAM" and len(path) == 2:
        _see_upstream(history, str(path[1]), record)


def _keep_what_ends(history: History, tree: Entry, path: Path, record: Entry) -> None:
    """An entry that is about to become another one's: what was seen of it so far must not change."""
    entry_path = _entry_path(path)
    new_run = path[0] == "TASK" and record["run"] not in history.runs
    if entry_path is None or not (new_run or (path[len(entry_path) :] and path[-1] in _IDENTITY)):
        return
    entry = at_path(tree, entry_path)
    if isinstance(entry, dict):
        put(tree, entry_path, copy.deepcopy(entry))


def _note_edit(history: History, tree: Entry, path: Path, record: Entry) -> None:
    """An edit counts until it is taken back, or until a run begins with the parameters of the beginning."""
    where, new = record["path"], record["new"]
    is_value = any(step in ORDERED for step in path)  # else a state that people settled
    if record["actor"] != ENGINE and is_value:
        original = history.originals.setdefault(where, record.get("old", MISSING))
        back = where in history.edited and original is not MISSING and json_text(original) == json_text(new)
        (history.edited.discard if back else history.edited.add)(where)
    elif len(path) > 1 and path[-2] in ORDERED:
        history.originals[where] = new
    elif path == ("TASK",) and not new.get("PARAMS") and (at_path(tree, ("TASK", "PARAMS")) or {}):
        history.edited.clear()


def _forget_edits(history: History, gone: Path) -> None:
    """What was edited of a job is its own again when it runs again."""
    if gone[0] == "JOB" and len(gone) == 2:
        steps = {where: parse_path(where) for where in history.edited}
        node = {str(gone[1])}
        history.edited -= {
            at for at, path in steps.items() if path[0] == "JOB" and is_within(str(path[1]), node)
        }


def _see_run(history: History, tree: Entry, record: Entry) -> None:
    number = record["run"]
    why = record.get("why") if record["path"] == "$.TASK" else None
    run = history.runs.setdefault(number, SeenRun(number, record["time"], why=why))
    entry = tree.get("TASK")
    run.entry = entry if isinstance(entry, dict) else {}
    if record["path"] == "$.TASK.STATUS" and {record.get("old"), record.get("new")} <= INSTANCE_ENDED:
        run.settled = str(record.get("why"))
    elif run.settled is None:
        run.status = str(run.entry.get("STATUS", run.status))
        if run.status in INSTANCE_ENDED and "END_TIME" not in run.entry:
            run.status = "running"  # its handlers are at work


def _see_upstream(history: History, task: str, record: Entry) -> None:
    given = record.get("new")
    entries = given if isinstance(given, list) else [given]
    known = history.upstream.setdefault(task, SeenUpstream(record["time"], []))
    known.entries = [each for each in entries if isinstance(each, dict)]


def _see_job(history: History, tree: Entry, path: Path, record: Entry) -> None:
    entry_path = _entry_path(path)
    entry = at_path(tree, entry_path) if entry_path else None
    if not entry_path or not isinstance(entry, dict) or not isinstance(entry.get("INSTANCE"), int):
        return
    job = history.jobs.get(entry["INSTANCE"])
    if job is None:
        job = _new_job(tree, entry_path, record, entry["INSTANCE"])
        history.jobs[job.id] = job
    job.entry = entry
    why = record.get("why") or ""
    if path[-1] == "STATUS":
        job.based_on_edit = why == ON_EDIT
    if why.startswith(UNVERIFIED):
        job.unverified = why.removeprefix(UNVERIFIED)
    if isinstance(entry.get("ATTEMPT"), int):
        job.attempts[entry["ATTEMPT"]] = entry


def _new_job(tree: Entry, entry_path: Path, record: Entry, id: int) -> SeenJob:
    node, step = str(entry_path[1]), entry_path[2] if len(entry_path) > 2 else None
    index = step if isinstance(step, int) else None
    earlier = at_path(tree, ("ROUNDS", node))
    rounds = len(earlier) if isinstance(earlier, list) else 0
    why = record.get("why")
    made = why.removeprefix(WAITED) if why and why.startswith(WAITED) else record["time"]
    return SeenJob(id, node, index, record["run"], rounds + 1, made, why)


def _entry_path(path: Path) -> Path | None:
    """The place of the entry that a line writes to: the task's, a job's or a member's."""
    if path[0] == "TASK":
        return path[:1]
    if path[0] != "JOB" or len(path) < 2:
        return None
    return path[:3] if len(path) > 2 and isinstance(path[2], int) else path[:2]
