"""The documents of exceptions and alerts: what happened, where, and the commands that help; pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import tzinfo
from pathlib import Path
from typing import NamedTuple

from engine.api.documents import ANSWERS, Document
from engine.api.views import local_time
from engine.model.handling import Handling
from engine.model.names import RECORD
from engine.model.reason_words import said
from engine.model.states import InstanceState, JobState
from engine.store.rows import AlertRow, ExceptionRow, InstanceRow, JobRow, in_workspace

_MOST_VALUES = 5  # of the task's parameters, and of the results before it, that are proposed for an edit
_PLAIN_PATH = re.compile(r"""\$\.[^"\\`$!]*""")


class FoundException(NamedTuple):
    """An exception with what is known around it; ``before`` are the jobs that the node comes after."""

    row: ExceptionRow
    job: JobRow | None
    instance: InstanceRow | None
    before: tuple[JobRow, ...] = ()


def exception_document(row: ExceptionRow, zone: tzinfo) -> Document:
    """One line of the list."""
    asks = row.status == "open" and bool(row.details.get("asks"))
    created, handled = local_time(row.created_at, zone), local_time(row.handled_at, zone)
    return asdict(row) | {"asks": asks, "created_at": created, "handled_at": handled}


def whole_exception(found: FoundException, pids: Iterable[int], zone: tzinfo, root: Path) -> Document:
    """The one entry point: the exception, the present state of its job, and what can be done about it."""
    row, job, instance = found.row, found.job, found.instance
    return {
        **exception_document(row, zone),
        "index": job.index if job else None,
        "round": job.round if job else None,
        "job_status": str(job.status) if job else None,
        "instance_status": str(instance.status) if instance else None,
        **said(job.because if job else None),
        "waits": _waits(found),
        "pids": list(pids),
        "context": context_path(found),
        "directory": str(root / in_workspace(job.directory)) if job and job.directory else None,
        "commands": {name: list(lines) for name, lines in commands(found)},
    }


def context_path(found: FoundException) -> str:
    """Its path in the context."""
    node, index = found.row.node, found.job.index if found.job else None
    if node is None:
        return "$.TASK"
    return _path(("JOB", node) if index is None else ("JOB", node, index))


def commands(found: FoundException) -> Iterator[tuple[str, Iterable[str]]]:
    """What to type, by purpose; nothing but VALUE, TEXT and N has to be filled in."""
    row = found.row
    if row.instance is not None:
        yield "look", _looks(row)
        yield "edit", _edits(found)
        yield "queue", _queue(found)
        if found.instance is None or InstanceState(found.instance.status).ended:
            yield from _reruns(row)
        if row.node is not None:
            yield "settle", [_line("force", row.instance, node_of(row.node), state, reason=True)
                             for state in ("succeeded", "failed")]  # fmt: skip
    if _waits(found):
        yield "answer", [_line("exceptions handle", row.id, word, reason=True) for word in ANSWERS]
    elif row.status == "open":
        yield "close", [_line("exceptions handle", row.id, reason=True)]


def _looks(row: ExceptionRow) -> Iterator[str]:
    yield _line("show", row.instance, row.node)
    if row.node is not None:
        yield _line("logs", row.instance, row.node)
        yield _line("logs", row.instance, row.node, "--stderr")
    yield _line("context", row.instance)
    yield _line("errors", row.code)


def _path(steps: tuple[str | int, ...]) -> str:
    from engine.model.expression import format_path  # lists of instances need no expressions

    return format_path(steps)


def _edits(found: FoundException) -> Iterator[str]:
    """The values that the job may have been based on: the task's parameters, the results before it."""
    names = list(found.instance.params if found.instance else ())[:_MOST_VALUES]
    paths = [_path(("TASK", "PARAMS", name)) for name in names]
    for job in found.before[:_MOST_VALUES]:
        at = ("JOB", job.node) if job.index is None else ("JOB", job.node, job.index)
        paths += [_path((*at, "RESULT", name)) for name in list(job.results)[:_MOST_VALUES]]
    for path in dict.fromkeys(paths):
        yield f"skerry set {found.row.instance} {_quoted(path)} VALUE --reason TEXT"


def _quoted(path: str) -> str:
    """A path for a shell, as people write it where that is safe: ``"$.TASK.PARAMS['limit']"``."""
    return f'"{path}"' if _PLAIN_PATH.fullmatch(path) else shlex.quote(path)


def _queue(found: FoundException) -> Iterator[str]:
    yield "skerry queue"
    job = found.job
    if job is not None and job.status in (JobState.QUEUED, JobState.BUSY):
        yield f"skerry queue priority {job.id} N"
        yield f"skerry queue remove {job.id}"


def _reruns(row: ExceptionRow) -> Iterator[tuple[str, list[str]]]:
    """The three of the specification: everything, this job with what it needs, what failed."""
    yield "rerun_full", [_line("rerun", row.instance, "--all")]
    if row.node is not None:
        manual = _line("rerun", row.instance, "--from", node_of(row.node), "--with-upstream")
        yield "rerun_manual", [manual]
    yield "rerun_smart", [_line("rerun", row.instance, "--failed")]


def _waits(found: FoundException) -> bool:
    """Whether its job waits for an answer to this very exception."""
    job = found.job
    if job is None or JobState(job.status).ended or found.row.status != "open":
        return False
    return Handling.from_json(job.handling).asks


def node_of(node: str) -> str:
    """The node that a group's member or a worker's record belongs to, else the node itself.

    >>> node_of("report.0"), node_of("load@build"), node_of("load")
    ('report', 'load', 'load')
    """
    node = node.partition(RECORD)[0]
    group, _, position = node.rpartition(".")
    return group if group and position.isdecimal() else node


def _line(command: str, *arguments: object, reason: bool = False) -> str:
    words = [shlex.quote(str(each)) for each in arguments if each is not None]
    return " ".join(["skerry", command, *words, *(["--reason TEXT"] if reason else [])])


def alert_document(row: AlertRow, zone: tzinfo) -> Document:
    """One line of the list of alerts."""
    created, acknowledged = local_time(row.created_at, zone), local_time(row.acknowledged_at, zone)
    return asdict(row) | {"created_at": created, "acknowledged_at": acknowledged}
