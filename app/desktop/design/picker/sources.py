"""What a value can be taken from: results of nodes and of other tasks, parameters, built-in variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from app.desktop.design.forms.definition_scope import DefinitionScope
from app.desktop.design.forms.labels import Words, as_written, both
from app.desktop.design.picker.job_signature import help_of, param_kinds, results_of, spec_kind
from app.desktop.design.picker.source_group import SourceGroup, ValueSource
from app.desktop.design.picker.upstream_sources import upstream_groups
from app.desktop.design.tree import Tree, get
from engine.model.expression import format_path, read_path
from engine.model.quantities import Kind

_TASK_WORDS: Final[Mapping[str, tuple[str, Kind]]] = {
    "SCHEDULED_TIME": ("Scheduled time", "text"),
    "START_TIME": ("Start time of the run", "text"),
    "DIRECTORY": ("Folder of this run", "file"),
    "WORKSPACE": ("Folder of the workspace", "file"),
    "ID": ("Id of the task", "text"),
    "NAME": ("Name of the task", "text"),
    "INSTANCE": ("Number of the instance", "number"),
    "RUN": ("Number of the run", "number"),
    "TRIGGER": ("What started it", "text"),
    "STATUS": ("Status of the task", "text"),
}
_JOB_WORDS: Final[Mapping[str, tuple[str, Kind, str]]] = {
    "OUTPUT": ("What it printed", "text", "source-output"),
    "ERROR_OUTPUT": ("What it printed as errors", "text", "source-output"),
    "STATUS": ("Status", "text", "source-builtin"),
    "EXIT_CODE": ("Exit status", "number", "source-builtin"),
    "ERROR_CODE": ("Error code", "number", "source-builtin"),
    "ERROR_MESSAGE": ("Error message", "text", "source-builtin"),
    "START_TIME": ("Start time", "text", "source-builtin"),
    "END_TIME": ("End time", "text", "source-builtin"),
    "DIRECTORY": ("Folder of the job", "file", "source-builtin"),
    "ATTEMPT": ("Number of the attempt", "number", "source-builtin"),
}
FOR_PARAMS, FOR_KEYS, FOR_RESULTS, FOR_TASK = "params", "keys", "results", "task"
FOR_RESOURCE: Final = "resource"
_NEAR = 30  # so many nodes show all they have, those farther away only their results


def groups(
    scope: DefinitionScope, node: str | None, place: str = FOR_PARAMS, member: int | None = None
) -> tuple[SourceGroup, ...]:
    """Everything that a value of ``node`` may be taken from, the nearest first.

    ``place`` says what the value is for: a parameter, another key of the job, a result (which may use
    the job's own output), or the task itself (which may use every node). ``member`` is the position
    in a group, whose earlier members have results too.
    """
    made: list[SourceGroup] = []
    if node is not None and place in (FOR_KEYS, FOR_RESULTS):
        made.append(_own(scope, node, place, member))
    if node is not None and member is not None:
        made += [_of_member(scope, node, each) for each in reversed(range(member))]
    if node is not None and "for_each" in scope.node(node):
        made.append(_item())
    if node is None and scope.owner and place != FOR_PARAMS:
        made.append(_own_of_library(scope, place))
    others = _others(scope, node, place)
    made += [_of_node(scope, each, brief=count >= _NEAR) for count, each in enumerate(others)]
    if place != FOR_RESOURCE and not scope.owner:
        made += upstream_groups(scope)
    made += [_task_params(scope) if place != FOR_RESOURCE else _any_params(scope), _built_in()]
    return tuple(each for each in made if each.sources)


def near(scope: DefinitionScope, node: str | None, path: str) -> tuple[SourceGroup, ...]:
    """The groups that a path can belong to, without looking at all the others."""
    steps = read_path(path).steps
    if steps[0] == "UPSTREAM":
        return tuple(upstream_groups(scope))
    key = str(steps[1]) if steps[0] in ("JOB", "ROUNDS") and len(steps) > 1 else None
    if key is None:
        return (_item(), _task_params(scope), _any_params(scope), _built_in())
    if key in scope.nodes:
        return (_own(scope, key, FOR_RESULTS, None),) if key == node else (_of_node(scope, key),)
    owner, _, member = key.rpartition(".")
    if owner in scope.nodes and member.isdigit():
        return (_of_member(scope, owner, int(member)),)
    return (_own_of_library(scope, FOR_RESULTS),) if scope.owner else ()


def _others(scope: DefinitionScope, node: str | None, place: str) -> tuple[str, ...]:
    if node is not None:
        return scope.outline().upstream(node)
    return tuple(reversed(list(scope.nodes))) if place == FOR_TASK else ()


def fits(wanted: Kind | None, offered: Kind | None) -> bool:
    """Whether a value of one kind can be used where another is expected."""
    if wanted is None or offered is None or wanted == offered:
        return True
    if wanted == "text":
        return offered not in ("list", "map")
    return {wanted, offered} <= {"file", "document"} or (wanted == "file" and offered == "text")


def fitting(found: tuple[SourceGroup, ...], wanted: Kind | None) -> tuple[SourceGroup, ...]:
    kept = (
        SourceGroup(
            each.key, each.title, each.icon, tuple(one for one in each.sources if fits(wanted, one.kind))
        )
        for each in found
    )
    return tuple(each for each in kept if each.sources)


def find(found: tuple[SourceGroup, ...], path: str) -> tuple[SourceGroup, ValueSource] | None:
    """The source that a path begins with: the longest that fits."""
    best: tuple[SourceGroup, ValueSource] | None = None
    for group in found:
        for source in group.sources:
            longer = best is None or len(source.path) > len(best[1].path)
            if longer and (path == source.path or path.startswith((source.path + "[", source.path + "."))):
                best = (group, source)
    return best


def _of_node(scope: DefinitionScope, id: str, *, brief: bool = False) -> SourceGroup:
    """What a node gives; ``brief``: only its results and what it printed."""
    raw = scope.node(id)
    several = isinstance(raw.get("params"), list) or "for_each" in raw
    if several:
        return SourceGroup(id, as_written(id), "source-batch", tuple(_of_batch(scope, id, raw)))
    steps = ("JOB", id)
    results, fields = tuple(_results(scope, id, raw, steps)), tuple(_fields(id, steps))
    if brief:
        return SourceGroup(id, as_written(id), "source-job", (*results, fields[0]))
    return SourceGroup(id, as_written(id), "source-job", (*results, *fields, *_params(scope, id, raw, steps)))


def _of_batch(scope: DefinitionScope, id: str, raw: Tree) -> Iterator[ValueSource]:
    for source in _results(scope, id, raw, ("JOB", id)):
        tail = source.path[len(format_path(("JOB", id))) :]
        every = f"{format_path(('JOB', id))}[*]{tail}"
        label = both("{value} of all members", value=source.label)
        yield ValueSource(every, label, "list", "source-batch", source.help, id)
        first = f"{format_path(('JOB', id, 0))}{tail}"
        label = both("{value} of the first member", value=source.label)
        yield ValueSource(first, label, source.kind, source.icon, source.help, id)


def _results(scope: DefinitionScope, id: str, raw: Tree, steps: tuple[str, ...]) -> Iterator[ValueSource]:
    for name, kind, words in results_of(scope, scope.job_of(raw)):
        yield ValueSource(
            format_path((*steps, "RESULT", name)), as_written(name), kind, "source-result", words, id
        )


def _fields(id: str, steps: tuple[str, ...]) -> Iterator[ValueSource]:
    for name, (label, kind, icon) in _JOB_WORDS.items():
        yield ValueSource(format_path((*steps, name)), label, kind, icon, "", id)


def _params(scope: DefinitionScope, id: str, raw: Tree, steps: tuple[str, ...]) -> Iterator[ValueSource]:
    for name, kind in param_kinds(scope, raw).items():
        label = both("its parameter {name}", name=as_written(name))
        yield ValueSource(format_path((*steps, "PARAMS", name)), label, kind, "source-param", "", id)


def _of_member(scope: DefinitionScope, node: str, member: int) -> SourceGroup:
    name, raw = f"{node}.{member}", scope.member(node, member)
    steps = ("JOB", name)
    sources = (*_results(scope, node, raw, steps), *_fields(node, steps), *_params(scope, node, raw, steps))
    return SourceGroup(name, as_written(name), "source-job", sources)


def _own(scope: DefinitionScope, node: str, place: str, member: int | None) -> SourceGroup:
    raw = scope.node(node) if member is None else scope.member(node, member)
    name = node if member is None else f"{node}.{member}"
    title = both("{job} (this job)", job=as_written(name))
    return _of_itself(scope, node, name, raw, title, place)


def _own_of_library(scope: DefinitionScope, place: str) -> SourceGroup:
    """A job of the library names itself by its own id."""
    return _of_itself(scope, scope.owner, scope.owner, {"job": scope.owner}, "This job", place)


def _of_itself(
    scope: DefinitionScope, node: str, name: str, raw: Tree, title: Words, place: str
) -> SourceGroup:
    steps = ("JOB", name)
    sources = list(_params(scope, node, raw, steps))
    if place == FOR_RESULTS:
        printed = [each for each in _fields(node, steps) if each.path.endswith(("OUTPUT", "EXIT_CODE"))]
        sources = [*printed, *_results(scope, node, raw, steps), *sources]
    return SourceGroup(f"own:{name}", title, "source-job", tuple(sources))


def _any_params(scope: DefinitionScope) -> SourceGroup:
    """The parameters of all tasks: a resource belongs to none of them."""
    found: dict[str, ValueSource] = {}
    for name in (scope.task, *scope.section("tasks")):
        table = get(scope.section("tasks"), (name, "params"))
        for source in _of_table(table):
            found.setdefault(source.path, source)
    return SourceGroup("params", "Parameters of the task", "source-param", tuple(found.values()))


def _item() -> SourceGroup:
    sources = (
        ValueSource("$.ITEM", "The item of this round", None, "source-item"),
        ValueSource("$.INDEX", "Its number, from 0", "number", "source-item"),
    )
    return SourceGroup("item", "For each", "source-item", sources)


def _task_params(scope: DefinitionScope) -> SourceGroup:
    return SourceGroup(
        "params", "Parameters of the task", "source-param", tuple(_of_table(scope.raw_task.get("params")))
    )


def _of_table(table: Any) -> Iterator[ValueSource]:
    return (
        ValueSource(
            format_path(("TASK", "PARAMS", str(name))),
            as_written(str(name)),
            spec_kind(spec),
            "source-param",
            help_of(spec),
        )
        for name, spec in (table.items() if isinstance(table, Mapping) else ())
    )


def _built_in() -> SourceGroup:
    sources = (
        ValueSource(f"$.TASK.{name}", label, kind, "source-builtin")
        for name, (label, kind) in _TASK_WORDS.items()
    )
    return SourceGroup("builtin", "Of the run", "source-builtin", tuple(sources))
