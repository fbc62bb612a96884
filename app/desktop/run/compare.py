"""Two runs side by side: definition, parameters, context, results, durations, environment; pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from app.desktop.run.value_text import seconds
from engine.api.documents import RunDocument
from engine.context.tree import MISSING
from engine.model.expression import compact_json, format_path
from engine.model.line_diff import line_diff

_ALWAYS_OTHER: Final = frozenset(
    {"INSTANCE", "RUN", "SCHEDULED_TIME", "START_TIME", "END_TIME", "DIRECTORY",
     "instance", "time", "pid", "uptime", "used", "free"}
)  # fmt: skip
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


@dataclass(frozen=True, slots=True)
class Duration:
    """How long a node took in each run, in seconds; None where it did not run."""

    node: str
    left: float | None
    right: float | None

    @property
    def ratio(self) -> float | None:
        """How many times as long the right one took."""
        if self.left is None or self.right is None or self.left < 0.001:
            return None
        return self.right / self.left


@dataclass(frozen=True)
class Comparison:
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
            return sum(each.ratio is not None and not 0.5 <= each.ratio <= 2 for each in self.durations)
        return sum(pair.differs and not pair.expected for pair in getattr(self, section))


def compare(left: Side, right: Side) -> Comparison:
    """What differs between two runs, of one instance or of two."""
    return Comparison(
        definition=tuple(_definitions(left, right)),
        status=tuple(pairs(_status(left.run), _status(right.run))),
        params=tuple(pairs(left.run["params"], right.run["params"])),
        results=tuple(pairs(_results(left.run), _results(right.run))),
        context=tuple(pairs(left.context, right.context, root="$")),
        durations=tuple(_durations(left.run, right.run)),
        environment=tuple(pairs(left.environment, right.environment)),
    )


def pairs(left: Mapping[str, Any], right: Mapping[str, Any], root: str = "") -> Iterator[Pair]:
    """The plain values of two trees by their path, in the order of the left one, then the right one's."""
    ours, theirs = dict(_flat(left)), dict(_flat(right))
    for steps in dict.fromkeys((*ours, *theirs)):
        name = format_path(steps) if root else ".".join(map(str, steps))
        expected = not _ALWAYS_OTHER.isdisjoint(str(step) for step in steps)
        yield Pair(name, _text(ours.get(steps, MISSING)), _text(theirs.get(steps, MISSING)), expected)


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
    if value is MISSING:
        return None
    return value if isinstance(value, str) else compact_json(value)


def _status(run: RunDocument) -> dict[str, Any]:
    names = ("status", "trigger", "error_code", "error_message")
    payload: Mapping[str, object] = run
    return {name: payload[name] for name in names} | {
        "jobs": {_name(job): job["status"] for job in run["jobs"]}
    }


def _results(run: RunDocument) -> dict[str, Any]:
    return {"task": run["results"]} | {_name(job): job["results"] for job in run["jobs"]}


def _name(job: Mapping[str, Any]) -> str:
    member = "" if job["index"] is None else f"[{job['index']}]"
    return f"{job['node']}{member}" + ("" if job["round"] == 1 else f" #{job['round']}")


def _definitions(left: Side, right: Side) -> Iterator[str]:
    from engine.definitions.writer import dump

    texts = [dump(dict(side.definition)).splitlines() if side.definition else [] for side in (left, right)]
    names = [f"#{side.run['instance']} ({side.run['run']})" for side in (left, right)]
    return line_diff(texts[0], texts[1], names[0], names[1])


def _durations(left: RunDocument, right: RunDocument) -> Iterator[Duration]:
    ours, theirs = _taken(left), _taken(right)
    for node in dict.fromkeys((*ours, *theirs)):
        yield Duration(node, ours.get(node), theirs.get(node))


def _taken(run: RunDocument) -> dict[str, float]:
    found = {"": _between(run["started_at"], run["ended_at"])}
    found |= {_name(job): _between(job["started_at"], job["ended_at"]) for job in run["jobs"]}
    return {name: took for name, took in found.items() if took is not None}


def _between(begin: str | None, end: str | None) -> float | None:
    return None if begin is None or end is None else seconds(end) - seconds(begin)
