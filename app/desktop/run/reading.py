"""What the run mode reads of an instance and of a job, from the service and the instance's files.

Called on worker threads; nothing here knows the window.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from app.desktop.canvas.graph import CanvasGraph
from app.desktop.canvas.layout import Layout, arrange
from app.desktop.canvas.task_picture import graph_of, with_handlers
from engine.api.documents import Document, ExceptionQuery, JobDocument, RunDocument
from engine.api.service import Service
from engine.api.waiting_reason import with_queue
from engine.context.line import ENGINE
from engine.model.errors import SkerryError
from engine.model.expression import parse_path
from engine.model.names import HANDLER, RECORD, is_handler
from engine.model.states import INSTANCE_UNFINISHED
from engine.planning.outline import Outline, outline_of

_MOST: Final = 8 << 20  # bytes of a small file that are read at most


@dataclass(frozen=True)
class RunLook:
    """One instance as it is now: its document, what it runs by, and what may hold it up."""

    run: RunDocument
    raw: Mapping[str, Any] = field(default_factory=dict)
    outline: Outline = field(default_factory=Outline)
    graph: CanvasGraph = field(default_factory=CanvasGraph)
    layout: Layout = field(default_factory=lambda: Layout({}))
    queue: Document = field(default_factory=dict)
    exceptions: Sequence[Document] = ()

    @property
    def unfinished(self) -> bool:
        """Whether something may still happen by itself."""
        return self.run["status"] in (*INSTANCE_UNFINISHED, "planned")

    def jobs_of(self, node: str) -> list[JobDocument]:
        """The jobs of a node, all rounds and members."""
        return [job for job in self.run["jobs"] if job["node"] == node]

    def job(self, node: str, round: int | None = None, index: int | None = None) -> JobDocument | None:
        """One of them: the latest round and, of a batch, the first member when nothing is said."""
        own = self.jobs_of(node)
        last = round if round is not None else max((job["round"] for job in own), default=1)
        found = [job for job in own if job["round"] == last and (index is None or job["index"] == index)]
        return found[0] if found else None

    def keys(self, node: str) -> Mapping[str, Any]:
        """The definition of a node's job: the node's own keys over those of the job that it uses."""
        tree = self.tree(node)
        job = (self.raw.get("jobs") or {}).get(str(tree.get("job"))) or {}
        return {**job, **tree}

    def tree(self, node: str) -> Mapping[str, Any]:
        """The part of the definition for a node or a handler of the end."""
        task = (self.raw.get("tasks") or {}).get(self.run["task"], {})
        node = node.partition(RECORD)[0]
        own = task.get("on_end") if is_handler(node) else task.get("nodes")
        found: Mapping[str, Any] = (own or {}).get(node.removeprefix(HANDLER)) or {}
        return found


def look(service: Service, instance: int, known: RunLook | None = None) -> RunLook:
    """Read one instance; what cannot have changed since ``known`` is taken from there."""
    run = service.instance(instance)
    definition = known if known is not None and _same(known, run) else _defined(service, run)
    unfinished = run["status"] in INSTANCE_UNFINISHED
    queue = service.queue() if unfinished else {}
    status = "open" if unfinished else None  # of an ended one those that were handled tell of its errors too
    exceptions = service.exceptions(ExceptionQuery(instance=instance, status=status, limit=500))
    return replace(definition, run=with_queue(run, queue), queue=queue, exceptions=exceptions)


def _same(known: RunLook, run: RunDocument) -> bool:
    one = known.run
    return bool(known.raw) and (one["instance"], one["run"]) == (run["instance"], run["run"])


def _defined(service: Service, run: RunDocument) -> RunLook:
    raw = captured(service, run)
    task, jobs = (raw.get("tasks") or {}).get(run["task"]) or {}, raw.get("jobs") or {}
    graph = replace(with_handlers(graph_of(task, jobs), task, jobs), name=run["task"])
    return RunLook(run, raw, outline_of(task, jobs), graph, arrange(graph, graph.positions()))


def captured(service: Service, run: RunDocument) -> Mapping[str, Any]:
    """The definitions that the run went by; those of the workspace when its own are gone."""
    if kept := service.captured(run["instance"], run["run"]):
        return kept
    if run["directory"] is not None:
        found = read_json(Path(run["directory"], ".skerry", "definitions.json"))
        if isinstance(found, dict) and isinstance(found.get("raw"), dict):
            return dict(found["raw"])
    try:
        task = service.definition("task", run["task"], run["definition"])["definition"] or {}
    except SkerryError:  # it was run from a file, or was deleted
        return {}
    return {"tasks": {run["task"]: task}, "jobs": dict(_jobs(service, task))}


def _jobs(service: Service, task: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for node in (*(task.get("nodes") or {}).values(), *(task.get("on_end") or {}).values()):
        if isinstance(node.get("job"), str):
            try:
                yield node["job"], service.definition("job", node["job"])["definition"]
            except SkerryError:
                continue


def read_json(file: Path) -> Any:
    """A small JSON file; None when it is not there, too big or not whole."""
    try:
        with file.open("rb") as stream:
            data = stream.read(_MOST + 1)
        return json.loads(data) if len(data) <= _MOST else None
    except (OSError, ValueError, RecursionError):  # what a bundle brought may be made to do harm
        return None


# -- one job ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AttemptInput:
    """A parameter as it was given to an attempt.

    ``expression`` and ``sources`` (paths that were read) where it was computed; ``actor`` and ``why``
    where a person changed it.
    """

    name: str
    value: Any
    expression: str | None = None
    sources: tuple[str, ...] = ()
    actor: str | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class AttemptLook:
    """One attempt: its entry in the context, and the folder with its logs."""

    number: int
    entry: Mapping[str, Any]
    directory: Path


@dataclass(frozen=True)
class JobLook:
    job: JobDocument
    inputs: tuple[AttemptInput, ...] = ()
    attempts: tuple[AttemptLook, ...] = ()


def look_at_job(job: JobDocument, attempt: int | None = None) -> JobLook:
    """Read the directory of a job; ``attempt`` None: the latest."""
    if job["directory"] is None:
        return JobLook(job, tuple(AttemptInput(name, value) for name, value in job["params"].items()))
    attempts = tuple(_attempts(job))
    wanted = next((each for each in attempts if each.number == attempt), attempts[-1] if attempts else None)
    return JobLook(job, tuple(_inputs(job, wanted)), attempts)


def _attempts(job: JobDocument) -> Iterator[AttemptLook]:
    folder = Path(job["directory"] or "")
    for number in range(1, job["attempt"] + 1):
        own = folder if number == job["attempt"] else folder / "attempts" / str(number)
        entry = read_json(own / "ctx.json")
        yield AttemptLook(number, entry if isinstance(entry, dict) else {}, own)


def _inputs(job: JobDocument, attempt: AttemptLook | None) -> Iterator[AttemptInput]:
    lines = _lines(attempt.directory / "ctx.log") if attempt else {}
    values = dict(attempt.entry.get("PARAMS") or {}) if attempt else {}
    for name, value in (values or job["params"]).items():
        line = lines.get(name, {})
        actor = line.get("actor")
        yield AttemptInput(
            name,
            value,
            line.get("expression"),
            tuple(line.get("inputs") or ()),
            actor if actor != ENGINE else None,
            line.get("why"),
        )


def _lines(file: Path) -> dict[str, Mapping[str, Any]]:
    """The last line of a job's own log that set each parameter."""
    found: dict[str, Mapping[str, Any]] = {}
    try:
        with file.open("rb") as stream:
            lines = stream.read(_MOST).splitlines()
    except OSError:
        return found
    for text in lines:
        try:
            line = json.loads(text)
            steps = parse_path(line["path"])
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, SkerryError):
            # torn, cut at the end, or made to do harm
            continue
        if len(steps) >= 2 and steps[-2] == "PARAMS":
            found[str(steps[-1])] = line
    return found


def result_file(job: JobDocument, name: str, value: Any) -> Path | None:
    """The file that holds a result whole; None where the value itself is all there is."""
    if isinstance(value, str) and value.startswith("/") and Path(value).is_file():
        return Path(value)
    own = Path(job["directory"] or "/nowhere", "outputs", name)
    return own if own.is_file() else None
