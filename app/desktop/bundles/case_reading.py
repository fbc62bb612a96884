"""What the fix editor begins with, read from a case; and what it says of changes and programs. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.desktop.kernel.language import tr
from app.desktop.run.rerun_model import EditableValue, editable
from engine.model.expression import format_path
from engine.planning.outline import map_of
from export_import.desk.evidence import Evidence

if TYPE_CHECKING:
    from app.desktop.bundles.case_document import CaseDocument
    from engine.plugins.registry import JobTypes

_BAD = ("failed", "timed_out", "lost")
_LINE = 120  # characters of a program
_SAID = ("process", "code", "sql", "url", "command", "path", "class")  # keys that tell what a job does


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """``definitions`` as they ran, ``failed`` the first job that ended badly, ``values`` that may be changed.

    ``read`` are the paths of those that the failed job has read.
    """

    task: str
    definitions: Mapping[str, Any]
    failed: str | None
    values: tuple[EditableValue, ...]
    read: frozenset[str]


def read_case(folder: Path, instance: int) -> CaseFacts:
    """The facts of one instance; SkerryError where the case cannot be read."""
    with Evidence.open(folder) as evidence:
        timeline = evidence.timeline(instance)
        bad = (job.node for job in evidence.latest_jobs(instance) if job.status in _BAD)
        failed = next(bad, None)
        own = format_path(("JOB", failed)) if failed else "-"
        read = (path for cause in timeline.causes() if cause.path.startswith(own) for path in cause.inputs)
        known = frozenset(read)
        values = sorted(
            editable(timeline.at(timeline.last).tree, ()), key=lambda each: each.path not in known
        )
        task, definitions = evidence.instance(instance).task, evidence.definitions(instance)
        return CaseFacts(task, definitions, failed, tuple(values), known)


def suggested_title(changes: Mapping[str, Any], recorded: Mapping[str, Any], texts: Mapping[str, str]) -> str:
    """What a fix changes, in a line.

    >>> suggested_title({"tasks": {"t": {"nodes": {"load": 1}}}}, {}, {"$.TASK.PARAMS['limit']": "30"})
    "load changed, $.TASK.PARAMS['limit'] = 30"
    """
    names = list(dict.fromkeys(_changed(changes, recorded)))
    words = [tr("{names} changed", names=", ".join(names))] if names else []
    return ", ".join([*words, *(f"{path} = {text}" for path, text in texts.items())])


def _changed(changes: Mapping[str, Any], recorded: Mapping[str, Any]) -> Iterator[str]:
    """The nodes that differ, else the definitions."""
    for section, found in changes.items():
        for id, tree in map_of(found).items():
            old = map_of(map_of(recorded.get(section)).get(id))
            now, before = map_of(map_of(tree).get("nodes")), map_of(old.get("nodes"))
            nodes = [node for node in {**before, **now} if now.get(node) != before.get(node)]
            yield from nodes or [id]


def really_runs(document: CaseDocument, node: str, job_types: JobTypes, chinese: bool) -> str:
    """A job that would run here: its node, its type, and the first line of what it does."""
    job = document.job(node) or document.job(node.partition(".")[0])
    kind = str(job.get("type", ""))
    label = job_types[kind].label[chinese] if kind in job_types else kind
    return f"{node}  ({label})  {_first_line(job)}".rstrip()


def _first_line(job: Mapping[str, Any]) -> str:
    """The first line of its program, or its address; empty where it has neither."""
    for text in _texts(job):
        line = next((each.strip() for each in text.splitlines() if each.strip()), "")
        if line:
            return line if len(line) <= _LINE else f"{line[:_LINE]}…"
    return ""


def _texts(job: Mapping[str, Any]) -> Iterable[str]:
    inner = map_of(job.get("process"))
    return [str(each[key]) for each in (job, inner) for key in _SAID if isinstance(each.get(key), str)]
