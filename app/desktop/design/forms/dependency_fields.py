"""The fields of what a task waits for; the tasks and windows to choose from, and why others cannot be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from app.desktop.design.forms.definition_scope import DefinitionScope
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.fields import FieldKind as K
from app.desktop.design.forms.key_words import key
from app.desktop.design.forms.labels import as_written, both
from app.desktop.design.tree import REMOVE, get
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import failure_fact
from engine.definitions.schedules import with_level
from engine.model.schedule import Dependency
from engine.planning.dag import way_to, ways_from
from engine.planning.outline import map_of
from engine.planning.schedules.pairing import WRITTEN, Paired, pairing

WINDOW_WORDS: Final[Mapping[str, str]] = {  # by window, and of all_in_period by period
    "latest": "the newest one up to its own time",
    "same_period": "the one of the same period",
    "previous_period": "the one of the period before",
    "same_hour": "all of the same hour",
    "previous_hour": "all of the hour before",
    "same_day": "all of the same day",
    "previous_day": "all of the day before",
    "same_week": "all of the same week",
    "previous_week": "all of the week before",
    "same_month": "all of the same month",
    "previous_month": "all of the month before",
    "same_year": "all of the same year",
    "previous_year": "all of the year before",
}
OF_SELF: Final = "the time before its own"
UPSTREAM: Final = key((), K.UPSTREAM, "Waits for {task}", "", "upstream")
ITSELF: Final = "itself"
KEYS: Final = (
    key(
        ("on_failure",), K.CHOICE, "When that one fails", "Or is cancelled, lost or timed out.", "upstream",
        "fail", (("fail", "this one fails at once"), ("wait", "this one waits for a rerun")),
    ),
    key(("timeout",), K.DURATION, "Waits at most", "Then this one is timed out.", "upstream"),
)  # fmt: skip
ADDING: Final = key(
    ("depends_on",), K.UPSTREAMS, "One more",
    "It begins only when the matching instance of the other task has succeeded.", "upstream",
)  # fmt: skip


class UpstreamOffer(NamedTuple):
    """A task (None: the task itself) or a window; with ``reason`` it cannot be chosen."""

    value: str | None
    reason: str = ""


def dependency_fields(scope: DefinitionScope) -> Iterator[Field]:
    """Of the task of a scope: for each of its dependencies, and to add one."""
    place = ("tasks", scope.task, "depends_on")
    raw = scope.raw_task.get("depends_on", REMOVE)
    for index, spec in enumerate(raw if isinstance(raw, list) else ()):
        task = map_of(spec).get("task")
        name = as_written(str(task)) if task else both(ITSELF)
        yield replace(UPSTREAM, path=(*place, index), label=both(str(UPSTREAM.label), task=name), value=spec)
        for each in KEYS:
            yield replace(each, path=(*place, index, *each.path), value=get(spec, each.path, REMOVE))
    yield replace(ADDING, path=place, value=raw)


def window_offers(scope: DefinitionScope, spec: Mapping[str, Any]) -> list[UpstreamOffer]:
    """Every window that there is, the possible ones first."""
    made = []
    for written in WRITTEN:
        found = pairing(_dependency(spec, written), *_levels(scope, spec))
        made.append(
            UpstreamOffer(written, "" if isinstance(found, Paired) else failure_fact(None, found.message))
        )
    return sorted(made, key=lambda each: bool(each.reason))


def chosen_window(scope: DefinitionScope, spec: Mapping[str, Any]) -> str:
    """The window of a dependency with the period that it has; as it is written where it is not possible."""
    window, period = spec.get("window") or "latest", spec.get("period")
    written = f"{window} {period}" if period else str(window)
    try:
        found = pairing(_dependency(spec, written), *_levels(scope, spec))
    except ValueError:  # what is no window
        return written
    return found.written if isinstance(found, Paired) else written


def task_offers(scope: DefinitionScope) -> list[UpstreamOffer]:
    """Every task that is not waited for yet, and the task itself; the possible ones first."""
    tasks = {**scope.section("tasks"), scope.task: scope.raw_task}
    waited = set(_waits_for(scope.raw_task))
    came = ways_from(scope.task, _dependants(tasks))
    ids = [id for id in sorted(tasks) if id not in waited and id != scope.task]
    made = [UpstreamOffer(id, _reason_against(scope, id, came)) for id in ids]
    itself = any(map_of(each).get("self") for each in scope.raw_task.get("depends_on") or ())
    own = [] if itself else [UpstreamOffer(None, _unpaired(scope, {"self": True}))]
    return sorted([*own, *made], key=lambda each: bool(each.reason))


def _reason_against(scope: DefinitionScope, id: str, came: Mapping[str, str]) -> str:
    if way := way_to(id, came):
        return tr("Not possible, this would be a circle: {way}", way=" → ".join((*way, scope.task)))
    return _unpaired(scope, {"task": id})


def _unpaired(scope: DefinitionScope, spec: Mapping[str, Any], written: str = "latest") -> str:
    """Why a window is not possible; where ``latest`` is not, none is."""
    found = pairing(_dependency(spec, written), *_levels(scope, spec))
    return "" if isinstance(found, Paired) else failure_fact(None, found.message)


def _dependants(tasks: Mapping[str, Any]) -> dict[str, list[str]]:
    """The tasks that wait for each task."""
    found: dict[str, list[str]] = {}
    for id, tree in tasks.items():
        for upstream in _waits_for(map_of(tree)):
            found.setdefault(upstream, []).append(id)
    return found


def _waits_for(tree: Mapping[str, Any]) -> list[str]:
    listed = tree.get("depends_on")
    named = [map_of(each).get("task") for each in listed] if isinstance(listed, list) else []
    return [str(each) for each in named if each is not None]


def _dependency(spec: Mapping[str, Any], written: str) -> Dependency:
    window, _, period = written.partition(" ")
    return Dependency.model_validate(
        {"self": bool(spec.get("self")), "window": window, "period": period or None}
    )


def _levels(scope: DefinitionScope, spec: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Of the task and of what it waits for."""
    own = _level(scope.raw_task)
    if spec.get("self"):
        return own, own
    return own, _level(map_of(scope.section("tasks").get(str(spec.get("task")))))


def _level(tree: Mapping[str, Any]) -> str | None:
    raw = tree.get("schedule")
    found = with_level(raw).get("level") if isinstance(raw, Mapping) else raw
    return found if isinstance(found, str) else None
