"""Definition files read and checked as a whole: the definitions, or every finding at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from engine.api.documents import Source
from engine.definitions import reader
from engine.definitions.online_tasks import changed_keys
from engine.model.codes.commands import TASK_NEEDED
from engine.model.codes.planning import UNKNOWN_TASK
from engine.model.codes.schedules import STATE_NOT_COUNTED
from engine.model.errors import Invalid
from engine.model.findings import Finding, Loc, warning
from engine.model.message import Message
from engine.model.names import SECTIONS
from engine.model.states import TaskState
from engine.model.worker import LOCAL, LOCAL_WORKER, Worker
from engine.planning.outline import map_of
from engine.planning.plan import check
from engine.planning.schedules.findings import TasksThere
from engine.planning.worker_findings import places_of, worker_findings
from engine.runtime.library import gathered, names_in

if TYPE_CHECKING:
    from engine.definitions.document import SourceDocument
    from engine.definitions.reader import ReadDefinitions
    from engine.model.clock import Clock
    from engine.model.definitions import Definitions
    from engine.plugins.registry import JobTypes, ResourceTypes
    from engine.runtime.library import Types
    from engine.store.sql_store import Store

Find = Callable[[str, str], Any]
FindWorkers = Callable[[], Sequence[Worker] | None]
_NO_STATES: Mapping[str, str] = {}


def examine(
    sources: Iterable[Source],
    job_types: JobTypes,
    resource_types: ResourceTypes,
    standing: Find | None = None,
    now: datetime | None = None,
    states: Mapping[str, str] = _NO_STATES,
    workers: FindWorkers = lambda: None,
) -> ReadDefinitions:
    """Read files together and plan every task of them.

    ``standing(kind, id)`` gives the tree of a definition that the files may refer to without having it.
    ``now``: schedules have to fire after it. ``states``: of the tasks that the workspace has. ``workers``
    gives those of the workspace, None where they are not known; only asked where a job names some.
    """
    given = (
        reader.SourceFile(each["name"], each["text"].encode("utf-8", "surrogateescape")) for each in sources
    )
    reading = reader.read(given, job_types, resource_types)
    whole = reading.definitions
    if standing is not None:
        known = reader.read_raw(_referred(whole.raw, standing), job_types, resource_types)
        whole = _joined(known, whole)
    there = TasksThere(frozenset(states), frozenset(_same_schedules(whole, standing, states)))
    found = [*_not_counted(whole, states), *check(_as_they_are(whole, states), job_types, now, there)]
    if any(not each.on.is_local for each in places_of(whole)):
        found += worker_findings(whole, job_types, workers())
    planned = reader.locate(reading, found)
    planned += tuple(_remedies(reading.documents, whole, standing))
    if standing is not None:
        planned = tuple(each for each in planned if each.file)  # the others are not of these files
    return reader.ReadDefinitions(reading.definitions, _in_order((*reading.findings, *planned)))


def _same_schedules(whole: Definitions, standing: Find | None, states: Mapping[str, str]) -> Iterator[str]:
    """The tasks of the files whose schedule means what it means in the workspace."""
    for id, tree in whole.raw.get("tasks", {}).items():
        present = standing("task", id) if standing is not None and id in states else None
        if present is not None and "schedule" not in changed_keys(map_of(present), map_of(tree)):
            yield id


def _not_counted(whole: Definitions, states: Mapping[str, str]) -> Iterator[Finding]:
    for id, tree in whole.raw.get("tasks", {}).items():
        given = map_of(tree).get("state")
        if given is not None and given != states.get(id, given):
            message = "task '{task}' is {state} in the workspace and stays so"
            facts = {"task": id, "state": Message.of(states[id])}
            yield warning(STATE_NOT_COUNTED, message, ("tasks", id, "state"), **facts)


def _as_they_are(whole: Definitions, states: Mapping[str, str]) -> Definitions:
    tasks = {
        id: task.model_copy(update={"state": TaskState(states[id])}) if id in states else task
        for id, task in whole.tasks.items()
    }
    return replace(whole, tasks=tasks)


class Examiner:
    """Examines files for one engine; what was examined last is not examined again for its warnings."""

    def __init__(self, types: Types, store: Store, clock: Clock) -> None:
        self._types = types
        self._store = store
        self._clock = clock
        self._latest: tuple[Sequence[Source], ReadDefinitions] | None = None

    def valid(self, sources: Sequence[Source], *, among_others: bool = False) -> Definitions:
        """What files define; Invalid with every finding. ``among_others``: to be stored beside what is."""
        types = self._types.job_types, self._types.resource_types
        found = self._among_others(sources) if among_others else examine(sources, *types)
        self._latest = sources, found
        return found.valid()

    def examined(self, sources: Sequence[Source]) -> ReadDefinitions:
        """The latest, if it was of these files; else they are examined among what is stored."""
        if self._latest is None or self._latest[0] != sources:
            self._latest = sources, self._among_others(sources)
        return self._latest[1]

    def _among_others(self, sources: Sequence[Source]) -> ReadDefinitions:
        types, states = self._types, {head.task: head.state for head in self._store.task_heads()}
        stored, now = self._store.content, self._clock.now()
        return examine(
            sources,
            types.job_types,
            types.resource_types,
            stored,
            now,
            states,
            partial(workers_of, self._store),
        )


def workers_of(store: Store) -> list[Worker]:
    """The workers of a workspace, this machine among them."""
    rows = {row.name: row.worker for row in store.workers()}
    return list({LOCAL: LOCAL_WORKER, **rows}.values())


def _referred(raw: Mapping[str, Any], standing: Find) -> dict[str, dict[str, Any]]:
    """The trees of what ``raw`` names and does not have, and of what those name, by section."""
    pending = [each for kind, section in SECTIONS.items() for each in _names(kind, raw.get(section, {}))]
    pending += [("task", task) for _, task in _remedy_tasks(raw)]

    def missing(kind: str, id: str) -> Any:
        return None if id in raw.get(SECTIONS[kind], {}) else standing(kind, id)

    return gathered(missing, pending, names_in)


def _names(kind: str, trees: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for tree in trees.values():
        yield from names_in(kind, tree)


def _remedies(
    documents: Iterable[SourceDocument], whole: Definitions, standing: Find | None
) -> Iterator[Finding]:
    """The tasks that handling rules name and nobody defines; files alone cannot know all of them."""
    severity: Literal["error", "warning"] = "warning" if standing is None else "error"
    for document in documents:
        for path, task in _remedy_tasks(document.value):
            if task not in whole.tasks:
                message = Message.of("the rule's task '{task}' is not defined here", task=task)
                found = Finding(severity, UNKNOWN_TASK.number, message, path)
                yield found.at(document.name, *document.position(path))


def _remedy_tasks(raw: Any) -> Iterator[tuple[Loc, str]]:
    """The tasks that rules run, each with its place in the file."""
    rules = raw.get("rules")
    for index, rule in enumerate(rules if isinstance(rules, list) else ()):
        action = rule.get("action") if isinstance(rule, Mapping) else None
        run = action.get("run") if isinstance(action, Mapping) else None
        if isinstance(run, Mapping) and isinstance(run.get("task"), (str, int)):
            yield ("rules", index, "action", "run", "task"), str(run["task"])


def _joined(known: Definitions, fresh: Definitions) -> Definitions:
    return replace(
        fresh,
        resources={**known.resources, **fresh.resources},
        jobs={**known.jobs, **fresh.jobs},
        tasks={**known.tasks, **fresh.tasks},
        calendars={**known.calendars, **fresh.calendars},
    )


def only_task(definitions: Definitions, asked: str | None) -> str:
    """The task that a file is run for: the one asked for, else the only one that no other one uses."""
    if asked is not None:
        return asked
    raw = definitions.raw.get("tasks", {})
    used = {id for kind, id in _names("task", raw) if kind == "task"}
    used |= {task for _, task in _remedy_tasks(definitions.raw)}
    free = [id for id in definitions.tasks if id not in used]
    if len(free) == 1:
        return free[0]
    message = "name the task with --task ID; there are several: {tasks}"
    message = message if free else "name the task with --task ID; there is none that no other one uses"
    raise Invalid(TASK_NEEDED, message, tasks=", ".join(free))


def _in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """By file as given, then by place; what two layers found alike is reported once."""
    files = list(dict.fromkeys(each.file for each in findings))
    once = dict.fromkeys(findings)
    return tuple(sorted(once, key=lambda each: (files.index(each.file), each.line, each.column)))
