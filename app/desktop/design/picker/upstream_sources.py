"""What the instances that a task waits for give: results, parameters and state, by its ``depends_on``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from app.desktop.design.forms.definition_scope import DefinitionScope
from app.desktop.design.forms.labels import Words, as_written, both
from app.desktop.design.picker.job_signature import help_of, spec_kind
from app.desktop.design.picker.source_group import SourceGroup, ValueSource
from engine.model.expression import format_path
from engine.model.quantities import Kind
from engine.planning.outline import map_of

_WORDS: Final[Mapping[str, tuple[str, Kind]]] = {
    "STATUS": ("Status", "text"),
    "SCHEDULED_TIME": ("Scheduled time", "text"),
    "INSTANCE": ("Number of the instance", "number"),
    "RUN": ("Number of the run", "number"),
}
_SEVERAL: Final = "all_in_period"  # the window whose instances are a list


def upstream_groups(scope: DefinitionScope) -> Iterator[SourceGroup]:
    """A group for each task that the task waits for; its earlier instance is one of them."""
    depends = scope.raw_task.get("depends_on")
    for each in depends if isinstance(depends, list) else ():
        spec = map_of(each)
        task = scope.task if spec.get("self") else str(spec.get("task") or "")
        if task:
            several = spec.get("window") == _SEVERAL
            sources = tuple(_several(scope, task) if several else _of_task(scope, task))
            title = both("{task} (waited for)", task=as_written(task))
            yield SourceGroup(f"upstream:{task}", title, "source-batch" if several else "link", sources)


def _several(scope: DefinitionScope, task: str) -> Iterator[ValueSource]:
    """Of each value those of all instances of the period, and that of the first one."""
    base = _path(task)
    for source in _of_task(scope, task):
        tail = source.path[len(base) :]
        every = both("{value} of all instances", value=source.label)
        yield ValueSource(f"{base}[*]{tail}", every, "list", "source-batch", source.help)
        first = both("{value} of the first instance", value=source.label)
        yield ValueSource(f"{base}[0]{tail}", first, source.kind, source.icon, source.help)


def _of_task(scope: DefinitionScope, task: str) -> Iterator[ValueSource]:
    raw = scope.raw_task if task == scope.task else map_of(scope.section("tasks").get(task))
    for name, kind, words in _table(raw.get("results")):
        path = _path(task, "RESULT", name)
        yield ValueSource(path, as_written(name), kind, "source-result", words)
    for name, (label, kind) in _WORDS.items():
        yield ValueSource(_path(task, name), label, kind, "source-builtin")
    for name, kind_of_param, words in _table(raw.get("params")):
        label_of_param = both("its parameter {name}", name=as_written(name))
        path = _path(task, "PARAMS", name)
        yield ValueSource(path, label_of_param, kind_of_param, "source-param", words)


def _path(task: str, *steps: str) -> str:
    """As an expression is written by hand: ``$.UPSTREAM['tides'].RESULT['height']``, dots like a job's."""
    return "$.UPSTREAM" + format_path(("JOB", task, *steps)).removeprefix("$.JOB")


def _table(table: Any) -> Iterator[tuple[str, Kind | None, Words]]:
    for name, spec in map_of(table).items():
        yield str(name), spec_kind(spec), help_of(spec)
