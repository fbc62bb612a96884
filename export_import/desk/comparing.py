"""Two runs side by side, of one place or of two: versions, settings, definitions, environment, times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.context.line import json_text
from engine.definitions.writer import dump
from engine.model.codes.desk import NO_EVIDENCE
from engine.model.errors import Invalid
from engine.model.line_diff import line_diff
from engine.store.rows import InstanceRow, JobRow, seconds_between
from export_import.desk.evidence import Evidence

VOLATILE = frozenset({"time", "uptime", "pid", "boot_id", "used", "free"})  # differ from run to run
_SECTIONS = ("resources", "jobs", "tasks", "rules")
_SLOWER = 2.0  # times as long, and at least a second more: worth a look


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """One value that differs; None where it is not there."""

    name: str
    a: Any
    b: Any


@dataclass(frozen=True, slots=True)
class Duration:
    """How long a job (``node`` None: the whole) took, in seconds; None where it did not run or end."""

    node: str | None
    index: int | None
    a: float | None
    b: float | None

    @property
    def ratio(self) -> float | None:
        """How many times as long ``b`` took; None where that cannot be measured."""
        return None if self.a is None or self.b is None or self.a < 0.001 else self.b / self.a

    @property
    def notable(self) -> bool:
        """Whether one took much longer than the other."""
        if self.a is None or self.b is None:
            return False
        low, high = sorted((self.a, self.b))
        return high > low * _SLOWER and high - low >= 1.0


@dataclass(frozen=True, slots=True)
class InstanceComparison:
    """What differs between instance ``a`` and instance ``b``."""

    a: int
    b: int
    versions: tuple[ChangedValue, ...] = ()
    configuration: tuple[ChangedValue, ...] = ()
    definitions: tuple[str, ...] = ()  # lines of a unified difference
    environment: tuple[ChangedValue, ...] = ()
    params: tuple[ChangedValue, ...] = ()
    statuses: tuple[ChangedValue, ...] = ()
    results: tuple[ChangedValue, ...] = ()
    durations: tuple[Duration, ...] = ()

    @property
    def same(self) -> bool:
        """Whether nothing differs but the times."""
        kept = (self.versions, self.configuration, self.definitions, self.environment, self.params)
        return not any((*kept, self.statuses, self.results))


def compare(a: Evidence, of_a: int, b: Evidence, of_b: int) -> InstanceComparison:
    """Instance ``of_a`` of one place with instance ``of_b`` of another (or the same)."""
    row_a, row_b = a.instance(of_a), b.instance(of_b)
    env_a, env_b = a.environment(of_a), b.environment(of_b)
    jobs_a, jobs_b = _by_key(a.latest_jobs(of_a)), _by_key(b.latest_jobs(of_b))
    params = _given(a, row_a), _given(b, row_b)
    return InstanceComparison(
        of_a,
        of_b,
        tuple(changes(env_a.get("versions", {}), env_b.get("versions", {}))),
        tuple(changes(a.settings, b.settings)),
        tuple(definition_lines(a.definitions(of_a), b.definitions(of_b))),
        tuple(changes(_steady(env_a), _steady(env_b))),
        tuple(changes(*params)),
        tuple(_each(jobs_a, jobs_b, lambda job: job.status)) + _whole(row_a, row_b),
        tuple(_results(row_a, row_b, jobs_a, jobs_b)),
        tuple(_durations(row_a, row_b, jobs_a, jobs_b)),
    )


def pair(a: Evidence, b: Evidence, of_a: int | None = None, of_b: int | None = None) -> tuple[int, int]:
    """The instances to compare: those asked for, else the newest of a task that both have."""
    tasks = {row.task: row.id for row in reversed(list(b.instances()))}
    for row in a.instances():
        if of_a in (None, row.id) and (of_b is not None or row.task in tasks):
            return row.id, of_b if of_b is not None else tasks[row.task]
    message = "{first} and {second} have no task in common; name the instances"
    raise Invalid(NO_EVIDENCE, message, first=a.root, second=b.root)


def changes(a: Any, b: Any, name: str = "") -> Iterator[ChangedValue]:
    """Every leaf that differs, named by its path."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in {**a, **b}:
            below = f"{name}.{key}" if name else str(key)
            yield from changes(a.get(key), b.get(key), below)
    elif json_text(a) != json_text(b):
        yield ChangedValue(name, a, b)


def _steady(environment: Mapping[str, Any]) -> dict[str, Any]:
    """What is not a version and does not differ from run to run."""
    found = {}
    for part, values in environment.items():
        if isinstance(values, Mapping) and part != "versions":
            found[part] = {name: each for name, each in values.items() if name not in VOLATILE}
    return found


def _given(evidence: Evidence, row: InstanceRow) -> Mapping[str, Any]:
    """The parameters but for those with the instance's own directory, which differ from run to run."""
    timeline = evidence.timeline(row.id)
    values: Any = timeline.at(timeline.last).tree.get("TASK", {})
    own, params = str(values.get("DIRECTORY", "")), values.get("PARAMS", row.params)
    volatile = {name for name, each in params.items() if own and isinstance(each, str) and own in each}
    return {name: each for name, each in params.items() if name not in volatile}


def definition_lines(
    a: Mapping[str, Any], b: Mapping[str, Any], names: tuple[str, str] = ("a", "b")
) -> Iterator[str]:
    """The lines of a unified difference of two trees of definitions; none where they are the same."""
    trees = ({name: raw[name] for name in _SECTIONS if raw.get(name)} for raw in (a, b))
    old, new = (dump(tree).splitlines() if tree else [] for tree in trees)
    return line_diff(old, new, *names)


JobKey = tuple[str, int, int | None]


def _by_key(jobs: list[JobRow]) -> dict[JobKey, JobRow]:
    return {(job.node, job.round, job.index): job for job in jobs}


def _each(
    a: Mapping[JobKey, JobRow], b: Mapping[JobKey, JobRow], of: Callable[[JobRow], Any]
) -> Iterator[ChangedValue]:
    for key in {**a, **b}:
        node, round, index = key
        name = node if index is None else f"{node}[{index}]"
        name = name if round == 1 else f"{name} round {round}"
        old, new = (of(jobs[key]) if key in jobs else None for jobs in (a, b))
        yield from changes(old, new, name)


def _whole(a: InstanceRow, b: InstanceRow) -> tuple[ChangedValue, ...]:
    return () if a.status == b.status else (ChangedValue("the instance", a.status, b.status),)


def _results(
    row_a: InstanceRow, row_b: InstanceRow, a: Mapping[JobKey, JobRow], b: Mapping[JobKey, JobRow]
) -> Iterator[ChangedValue]:
    yield from changes(row_a.results, row_b.results)
    yield from _each(a, b, lambda job: job.results)


def _durations(
    row_a: InstanceRow, row_b: InstanceRow, a: Mapping[JobKey, JobRow], b: Mapping[JobKey, JobRow]
) -> Iterator[Duration]:
    yield Duration(None, None, seconds(row_a), seconds(row_b))
    for key in {**a, **b}:
        took = [seconds(jobs[key]) if key in jobs else None for jobs in (a, b)]
        yield Duration(key[0], key[2], *took)


def seconds(row: InstanceRow | JobRow) -> float | None:
    """How long it took; None when it did not begin or has not ended."""
    return seconds_between(row.started_at, row.ended_at)
