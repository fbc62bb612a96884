"""What a job is known to have before anything ran: its results and its parameters, with their kinds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.desktop.design.forms.definition_scope import DefinitionScope
from app.desktop.design.forms.labels import Words, as_written
from app.desktop.design.tree import Tree
from engine.model.quantities import Kind, kind_of


def results_of(scope: DefinitionScope, job: Tree) -> Iterator[tuple[str, Kind | None, Words]]:
    """The results a job is known to have: name, kind, help; defined ones first."""
    seen: set[str] = set()
    for name, kind, words in _all_results(scope, job, 0):
        if name not in seen:
            seen.add(name)
            yield name, kind, words


def _all_results(scope: DefinitionScope, job: Tree, depth: int) -> Iterator[tuple[str, Kind | None, Words]]:
    yield from _defined(job.get("results"))
    found = scope.type_of(job)
    for field in found.results if found else ():
        yield field.name, field.kind, (field.en, field.zh)
    members = job.get("jobs")
    if isinstance(members, list) and members and isinstance(members[-1], Mapping) and depth < 8:
        yield from _all_results(scope, scope.job_of(members[-1]), depth + 1)
    if job.get("type") == "task" and job.get("task") is not None:
        started = scope.section("tasks").get(str(job["task"]), {})
        yield from _defined(started.get("results") if isinstance(started, Mapping) else None)


def _defined(table: Any) -> Iterator[tuple[str, Kind | None, Words]]:
    for name, spec in table.items() if isinstance(table, Mapping) else ():
        kind = spec.get("kind") if isinstance(spec, Mapping) else None
        yield str(name), kind, help_of(spec)


def param_kinds(scope: DefinitionScope, raw: Tree) -> dict[str, Kind | None]:
    """The parameters that the job of a node or member has, with their kinds."""
    job = scope.job_of(raw)
    found = scope.type_of(job)
    made: dict[str, Kind | None] = {
        name: spec.literal_kind for name, spec in (found.params if found else {}).items()
    }
    own = raw.get("params")
    sets = own if isinstance(own, list) else [own]
    for each in (job.get("params"), *sets):
        for name, value in each.items() if isinstance(each, Mapping) else ():
            made.setdefault(str(name), spec_kind(value))
    return made


def spec_kind(value: Any) -> Kind | None:
    if isinstance(value, Mapping) and ("kind" in value or "value" in value or "required" in value):
        return value.get("kind") or _literal(value.get("value"))
    return _literal(value)


def _literal(value: Any) -> Kind | None:
    return None if isinstance(value, str) and "$." in value else kind_of(value)


def help_of(spec: Any) -> Words:
    """The help that a specification gives, in the words of whoever wrote it."""
    return as_written(str(spec.get("help") or "")) if isinstance(spec, Mapping) else ""
