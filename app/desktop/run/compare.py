"""Two runs side by side: definition, parameters, context, results, durations, environment.

What is compared are whole instances, or one of them as it was at the end of an earlier run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from app.desktop.kernel.reasons import message_then
from app.desktop.run.context_feed import ContextFeed
from app.desktop.run.context_rows import whole
from app.desktop.run.node_states import member_name
from app.desktop.run.reading import captured, read_json
from app.desktop.run.session import job_at
from engine.api.documents import RunDocument
from engine.api.service import Service
from engine.context.timeline import JobKey, Moment
from engine.context.tree import MISSING
from engine.model.expression import format_path
from engine.model.message import facts_of
from engine.store.rows import seconds_between
from export_import.desk.comparing import VOLATILE, Duration, definition_lines

Which = tuple[int, int | None]  # the instance, and the run of it (None: the latest)
_EXPECTED: Final = VOLATILE | {
    "INSTANCE", "RUN", "SCHEDULED_TIME", "START_TIME", "END_TIME", "DIRECTORY", "instance"
}  # fmt: skip
_DEEPEST = 40


@dataclass(frozen=True)
class Side:
    """One of the two runs with what belongs to it."""

    run: RunDocument
    definition: Mapping[str, Any] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pair:
    """One value of both runs; ``left`` or ``right`` None where a run does not have it.

    ``expected``: it differs between any two runs (times, numbers, folders).
    """

    name: str
    left: str | None
    right: str | None
    expected: bool = False

    @property
    def differs(self) -> bool:
        """Whether the two are not the same."""
        return self.left != self.right


@dataclass(frozen=True)
class RunComparison:
    """Everything by section; ``definition`` are the lines of a unified difference, empty when equal."""

    definition: tuple[str, ...]
    status: tuple[Pair, ...]
    params: tuple[Pair, ...]
    results: tuple[Pair, ...]
    context: tuple[Pair, ...]
    durations: tuple[Duration, ...]
    environment: tuple[Pair, ...]

    def differing(self, section: str) -> int:
        """How many values of a section differ unexpectedly."""
        if section == "definition":
            return sum(line[:1] in "+-" and line[:3] not in ("+++", "---") for line in self.definition)
        if section == "durations":
            return sum(each.notable for each in self.durations)
        return sum(pair.differs and not pair.expected for pair in getattr(self, section))


def compare(left: Side, right: Side) -> RunComparison:
    """What differs between two runs, of one instance or of two."""
    return RunComparison(
        definition=tuple(definition_lines(left.definition, right.definition, (_title(left), _title(right)))),
        status=tuple(pairs(_status(left.run), _status(right.run))),
        params=tuple(pairs(left.run["params"], right.run["params"])),
        results=tuple(pairs(_results(left.run), _results(right.run))),
        context=tuple(pairs(left.context, right.context, root="$")),
        durations=tuple(_durations(left.run, right.run)),
        environment=tuple(pairs(left.environment, right.environment)),
    )


def pairs(left: Mapping[str, Any], right: Mapping[str, Any], root: str = "") -> Iterator[Pair]:
    """The plain values of two trees by their path, in the order of the left one, then the right one's."""
    one, other = dict(_flat(left)), dict(_flat(right))
    for steps in dict.fromkeys((*one, *other)):
        name = format_path(steps) if root else ".".join(map(str, steps))
        expected = not _EXPECTED.isdisjoint(str(step) for step in steps)
        yield Pair(name, _text(one.get(steps, MISSING)), _text(other.get(steps, MISSING)), expected)


def _flat(tree: Any, steps: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    children: Iterable[tuple[str | int, Any]] = ()
    if len(steps) < _DEEPEST and isinstance(tree, Mapping):
        children = tree.items()
    elif len(steps) < _DEEPEST and isinstance(tree, (list, tuple)):
        children = enumerate(tree)
    if not children or not tree:
        if steps:
            yield steps, tree
        return
    for name, child in children:
        yield from _flat(child, (*steps, name))


def _text(value: Any) -> str | None:
    return None if value is MISSING else whole(value)


def _status(run: RunDocument) -> dict[str, Any]:
    names = ("status", "trigger", "error_code", "error_message")
    payload: Mapping[str, object] = run
    return {name: payload[name] for name in names} | {
        "jobs": {_name(job): job["status"] for job in run["jobs"]}
    }


def _results(run: RunDocument) -> dict[str, Any]:
    return {"task": run["results"]} | {_name(job): job["results"] for job in run["jobs"]}


def _title(side: Side) -> str:
    return f"#{side.run['instance']} ({side.run['run']})"


def _name(job: Mapping[str, Any]) -> str:
    return member_name(job["node"], job["index"]) + ("" if job["round"] == 1 else f" #{job['round']}")


def _durations(left: RunDocument, right: RunDocument) -> Iterator[Duration]:
    one, other = _taken(left), _taken(right)
    for name in dict.fromkeys((*one, *other)):
        yield Duration(name or None, None, one.get(name), other.get(name))


def _taken(run: RunDocument) -> dict[str, float]:
    found = {"": seconds_between(run["started_at"], run["ended_at"])}
    found |= {_name(job): seconds_between(job["started_at"], job["ended_at"]) for job in run["jobs"]}
    return {name: took for name, took in found.items() if took is not None}


# -- reading the sides, on worker threads ----------------------------------------------------------


def compared(service: Service, left: Which, right: Which) -> RunComparison:
    return compare(side(service, *left), side(service, *right))


def side(service: Service, instance: int, run: int | None = None) -> Side:
    """One side; SkerryError when there is no such instance."""
    document = service.instance(instance)
    folder = Path(document["directory"]) if document["directory"] else None
    if run is not None and run != document["run"] and folder is not None:
        return _earlier(service, document, folder, run)
    environment = read_json(folder / "environment.json") if folder else None
    return Side(document, captured(service, document), service.context(instance), environment or {})


def _earlier(service: Service, document: RunDocument, folder: Path, run: int) -> Side:
    """The instance as it was at the end of an earlier run."""
    feed = ContextFeed(folder / "ctx.log")
    feed.read()
    last = max((cause.seq for cause in feed.causes() if cause.run <= run), default=0)
    moment = feed.moment(last)
    environment = read_json(folder / "runs" / str(run) / "environment.json")
    then = run_at(document, moment, run)
    return Side(then, captured(service, then), moment.tree, environment or {})


def run_at(document: RunDocument, moment: Moment, run: int) -> RunDocument:
    """An instance's document as the context said at a moment."""
    task: dict[str, Any] = dict(moment.tree.get("TASK", {}))
    return cast(RunDocument, {
        **document,
        "run": run,
        "status": str(task.get("STATUS")),
        "error_code": task.get("ERROR_CODE"),
        "error_message": task.get("ERROR_MESSAGE"),
        "error_facts": facts_of(message_then(document, task)),
        "started_at": task.get("START_TIME"),
        "ended_at": task.get("END_TIME"),
        "params": task.get("PARAMS", {}),
        "results": task.get("RESULT", {}),
        "jobs": [
            job_at(job, moment.entry(JobKey(job["node"], job["round"], job["index"])))
            for job in document["jobs"]
        ],
    })  # fmt: skip
