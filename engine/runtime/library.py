"""The definitions of the workspace as a run needs them: one task and everything it refers to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from engine.definitions.reader import read_raw
from engine.model.codes.runtime import NO_SUCH_TASK
from engine.model.definitions import Definitions
from engine.model.errors import ErrorCode, Invalid, Refused
from engine.model.names import SECTIONS
from engine.planning.known_plans import KnownPlans
from engine.planning.plan import plan
from engine.planning.schedules.condition_reads import resources_read
from engine.planning.shape import Plan
from engine.plugins.registry import JobTypes, ResourceTypes

if TYPE_CHECKING:
    from engine.runtime.submission import Submission
    from engine.store.sql_store import Store


class Types(Protocol):
    """Whoever knows the types that are installed."""

    @property
    def job_types(self) -> JobTypes: ...

    @property
    def resource_types(self) -> ResourceTypes: ...

    @property
    def plans(self) -> KnownPlans: ...


def closure(store: Store, task: str, types: Types) -> Definitions:
    """Everything that ``task`` refers to, from the workspace; Invalid when it is not there."""
    raw = tree_of(store, "task", task)
    if task not in raw["tasks"]:
        if store.history("task", task):
            raise Refused.at(NO_SUCH_TASK, "task {where!r} is deleted", task)
        raise Invalid.at(NO_SUCH_TASK, "there is no task {where!r}", task)
    return read_raw(raw, types.job_types, types.resource_types)


def tree_of(store: Store, kind: str, id: str) -> dict[str, dict[str, Any]]:
    """The trees of a definition and of everything it refers to, by section, as far as they are there."""
    return referred(store.content, kind, id)


def referred(
    find: Callable[[str, str], Any], kind: str, id: str, *, upstreams: bool = False
) -> dict[str, dict[str, Any]]:
    """The same of any definitions: ``find(kind, id)`` gives a tree, or None where there is none.

    ``upstreams``: also the tasks that tasks wait for, over any number of steps; no run needs them.
    """
    return gathered(find, [(kind, id)], names_in if upstreams else references)


def gathered(
    find: Callable[[str, str], Any],
    wanted: list[tuple[str, str]],
    followed: Callable[[str, Any], Iterator[tuple[str, str]]],
) -> dict[str, dict[str, Any]]:
    """The trees of all that is wanted, and of what is ``followed`` from there, by section."""
    raw: dict[str, dict[str, Any]] = {"resources": {}, "jobs": {}, "tasks": {}}
    while wanted:
        kind, id = wanted.pop()
        tree = None if id in raw.get(SECTIONS[kind], ()) else find(kind, id)
        if tree is None:
            continue  # the planner says what is missing, and where
        raw.setdefault(SECTIONS[kind], {})[id] = tree
        wanted.extend(followed(kind, tree))
    return raw


def finder(raw: Mapping[str, Any]) -> Callable[[str, str], Any]:
    """For ``referred``: looks in a tree of definitions."""
    return lambda kind, id: (raw.get(SECTIONS[kind]) or {}).get(id)


def references(kind: str, content: Any) -> Iterator[tuple[str, str]]:
    """The ids that a definition needs: jobs, resources, sub-tasks, calendars; not the tasks it waits for."""
    if kind in ("resource", "calendar") or not isinstance(content, Mapping):
        return
    for key, value in content.items():
        if key == "depends_on" and kind == "task":
            continue
        if key == "job" and isinstance(value, (str, int)):
            yield "job", str(value)
        elif key == "task" and isinstance(value, (str, int)):
            yield "task", str(value)
        elif key == "schedule" and isinstance(value, Mapping):
            yield from _calendar(value.get("calendar"))
            yield from (("resource", id) for id in sorted(resources_read(value.get("condition"))))
        elif key == "resource" and isinstance(value, (str, int)):
            yield "resource", str(value)
        elif key in ("resources", "changes") and isinstance(value, list):
            yield from (("resource", str(each)) for each in value)
        elif key == "job_params" and kind == "task" and isinstance(value, Mapping):
            yield from (("job", str(each)) for each in value)
        else:
            yield from _nested(value)


def names_in(kind: str, content: Any) -> Iterator[tuple[str, str]]:
    """The same with the tasks that a task waits for."""
    yield from references(kind, content)
    if kind == "task":
        yield from (("task", each) for each in upstreams_of(content))


def upstreams_of(content: Any) -> Iterator[str]:
    """The other tasks that a task's tree says it waits for."""
    entries = content.get("depends_on") if isinstance(content, Mapping) else None
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, Mapping) and isinstance(entry.get("task"), (str, int)):
            yield str(entry["task"])


def _calendar(value: Any) -> Iterator[tuple[str, str]]:
    id = value.get("id") if isinstance(value, Mapping) else value
    if isinstance(id, (str, int)):
        yield "calendar", str(id)


def _nested(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        yield from references("job", value)
    elif isinstance(value, list):
        for each in value:
            yield from _nested(each)


def planned(task: str, definitions: Definitions, job_types: JobTypes) -> Plan:
    """The plan of a task; Invalid with every finding when there is none."""
    planning = plan(task, definitions, job_types)
    errors = [finding for finding in planning.findings if finding.severity == "error"]
    if planning.plan is None or errors:
        first = errors[0]
        entry = ErrorCode(first.code, NO_SUCH_TASK.en, NO_SUCH_TASK.zh, retryable=False)
        message = "; ".join(finding.message for finding in errors)
        raise Invalid(entry, message, where="/".join(map(str, first.path)))
    return planning.plan


def revision(store: Store, request: Submission, task: str) -> int | None:
    """The revision of the task that runs; None when it runs from a file."""
    if request.definitions is not None:
        return None
    row = store.definition("task", task)
    return row.revision if row is not None else None
