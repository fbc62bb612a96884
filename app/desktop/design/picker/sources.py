"""What a value can be taken from: earlier results, parameters, built-in variables; and what fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.desktop.design.forms.words import Words, as_written, both
from app.desktop.design.forms.world import World
from app.desktop.design.picker.known import help_of, param_kinds, results_of, spec_kind
from app.desktop.design.tree import Tree, get
from engine.model.expression import format_path, read_path
from engine.model.quantities import Kind


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to take a value from. ``kind`` None: anything; ``text`` is the label of the value alone."""

    path: str
    label: Words
    kind: Kind | None
    icon: str
    help: Words = ""
    node: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Sources that belong together: those of one node, the task's parameters, the built-in ones."""

    key: str
    title: Words
    icon: str
    sources: tuple[Source, ...]


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
    world: World, node: str | None, place: str = FOR_PARAMS, member: int | None = None
) -> tuple[Group, ...]:
    """Everything that a value of ``node`` may be taken from, the nearest first.

    ``place`` says what the value is for: a parameter, another key of the job, a result (which may use
    the job's own output), or the task itself (which may use every node). ``member`` is the position
    in a group, whose earlier members have results too.
    """
    made: list[Group] = []
    if node is not None and place in (FOR_KEYS, FOR_RESULTS):
        made.append(_own(world, node, place, member))
    if node is not None and member is not None:
        made += [_of_member(world, node, each) for each in reversed(range(member))]
    if node is not None and "for_each" in world.node(node):
        made.append(_item())
    if node is None and world.owner and place != FOR_PARAMS:
        made.append(_own_of_library(world, place))
    others = _others(world, node, place)
    made += [_of_node(world, each, brief=count >= _NEAR) for count, each in enumerate(others)]
    made += [_task_params(world) if place != FOR_RESOURCE else _any_params(world), _built_in()]
    return tuple(each for each in made if each.sources)


def near(world: World, node: str | None, path: str) -> tuple[Group, ...]:
    """The groups that a path can belong to, without looking at all the others."""
    steps = read_path(path).steps
    key = str(steps[1]) if steps[0] in ("JOB", "ROUNDS") and len(steps) > 1 else None
    if key is None:
        return (_item(), _task_params(world), _any_params(world), _built_in())
    if key in world.nodes:
        return (_own(world, key, FOR_RESULTS, None),) if key == node else (_of_node(world, key),)
    owner, _, member = key.rpartition(".")
    if owner in world.nodes and member.isdigit():
        return (_of_member(world, owner, int(member)),)
    return (_own_of_library(world, FOR_RESULTS),) if world.owner else ()


def _others(world: World, node: str | None, place: str) -> tuple[str, ...]:
    if node is not None:
        return world.outline().upstream(node)
    return tuple(reversed(list(world.nodes))) if place == FOR_TASK else ()


def fits(wanted: Kind | None, offered: Kind | None) -> bool:
    """Whether a value of a kind can stand where another is wanted."""
    if wanted is None or offered is None or wanted == offered:
        return True
    if wanted == "text":
        return offered not in ("list", "map")
    return {wanted, offered} <= {"file", "document"} or (wanted == "file" and offered == "text")


def fitting(found: tuple[Group, ...], wanted: Kind | None) -> tuple[Group, ...]:
    """The groups with only what fits."""
    kept = (
        Group(each.key, each.title, each.icon, tuple(one for one in each.sources if fits(wanted, one.kind)))
        for each in found
    )
    return tuple(each for each in kept if each.sources)


def find(found: tuple[Group, ...], path: str) -> tuple[Group, Source] | None:
    """The source that a path begins with: the longest that fits."""
    best: tuple[Group, Source] | None = None
    for group in found:
        for source in group.sources:
            longer = best is None or len(source.path) > len(best[1].path)
            if longer and (path == source.path or path.startswith((source.path + "[", source.path + "."))):
                best = (group, source)
    return best


# -- of a node ------------------------------------------------------------------------------------


def _of_node(world: World, id: str, *, brief: bool = False) -> Group:
    """What a node gives; ``brief``: only its results and what it printed."""
    raw = world.node(id)
    several = isinstance(raw.get("params"), list) or "for_each" in raw
    if several:
        return Group(id, as_written(id), "source-batch", tuple(_of_batch(world, id, raw)))
    steps = ("JOB", id)
    results, fields = tuple(_results(world, id, raw, steps)), tuple(_fields(id, steps))
    if brief:
        return Group(id, as_written(id), "source-job", (*results, fields[0]))
    return Group(id, as_written(id), "source-job", (*results, *fields, *_params(world, id, raw, steps)))


def _of_batch(world: World, id: str, raw: Tree) -> Iterator[Source]:
    for source in _results(world, id, raw, ("JOB", id)):
        tail = source.path[len(format_path(("JOB", id))) :]
        every = f"{format_path(('JOB', id))}[*]{tail}"
        yield Source(every, _all_of(source.label), "list", "source-batch", source.help, id)
        first = f"{format_path(('JOB', id, 0))}{tail}"
        yield Source(first, _first_of(source.label), source.kind, source.icon, source.help, id)


def _all_of(label: Words) -> Words:
    return both("{value} of all members", value=label)


def _first_of(label: Words) -> Words:
    return both("{value} of the first member", value=label)


def _results(world: World, id: str, raw: Tree, steps: tuple[str, ...]) -> Iterator[Source]:
    for name, kind, words in results_of(world, world.job_of(raw)):
        yield Source(
            format_path((*steps, "RESULT", name)), as_written(name), kind, "source-result", words, id
        )


def _fields(id: str, steps: tuple[str, ...]) -> Iterator[Source]:
    for name, (label, kind, icon) in _JOB_WORDS.items():
        yield Source(format_path((*steps, name)), label, kind, icon, "", id)


def _params(world: World, id: str, raw: Tree, steps: tuple[str, ...]) -> Iterator[Source]:
    for name, kind in param_kinds(world, raw).items():
        label = both("its parameter {name}", name=as_written(name))
        yield Source(format_path((*steps, "PARAMS", name)), label, kind, "source-param", "", id)


# -- of the job itself, the task, the run ---------------------------------------------------------


def _of_member(world: World, node: str, member: int) -> Group:
    name, raw = f"{node}.{member}", world.member(node, member)
    steps = ("JOB", name)
    sources = (*_results(world, node, raw, steps), *_fields(node, steps), *_params(world, node, raw, steps))
    return Group(name, as_written(name), "source-job", sources)


def _own(world: World, node: str, place: str, member: int | None) -> Group:
    raw = world.node(node) if member is None else world.member(node, member)
    steps = ("JOB", node if member is None else f"{node}.{member}")
    sources = list(_params(world, node, raw, steps))
    if place == FOR_RESULTS:
        printed = [each for each in _fields(node, steps) if each.path.endswith(("OUTPUT", "EXIT_CODE"))]
        sources = [*printed, *_results(world, node, raw, steps), *sources]
    title = both("{job} (this job)", job=as_written(steps[1]))
    return Group(f"own:{steps[1]}", title, "source-job", tuple(sources))


def _own_of_library(world: World, place: str) -> Group:
    """A job of the library names itself by its own id."""
    raw, steps = {"job": world.owner}, ("JOB", world.owner)
    sources = list(_params(world, world.owner, raw, steps))
    if place == FOR_RESULTS:
        printed = [
            each for each in _fields(world.owner, steps) if each.path.endswith(("OUTPUT", "EXIT_CODE"))
        ]
        sources = [*printed, *_results(world, world.owner, raw, steps), *sources]
    return Group(f"own:{world.owner}", "This job", "source-job", tuple(sources))


def _any_params(world: World) -> Group:
    """The parameters of all tasks: a resource belongs to none of them."""
    found: dict[str, Source] = {}
    for name in (world.task, *world.section("tasks")):
        table = get(world.section("tasks"), (name, "params"))
        for source in _of_table(table):
            found.setdefault(source.path, source)
    return Group("params", "Parameters of the task", "source-param", tuple(found.values()))


def _item() -> Group:
    sources = (
        Source("$.ITEM", "The item of this round", None, "source-item"),
        Source("$.INDEX", "Its number, from 0", "number", "source-item"),
    )
    return Group("item", "For each", "source-item", sources)


def _task_params(world: World) -> Group:
    return Group(
        "params", "Parameters of the task", "source-param", tuple(_of_table(world.raw_task.get("params")))
    )


def _of_table(table: Any) -> Iterator[Source]:
    return (
        Source(
            format_path(("TASK", "PARAMS", str(name))),
            as_written(str(name)),
            spec_kind(spec),
            "source-param",
            help_of(spec),
        )
        for name, spec in (table.items() if isinstance(table, Mapping) else ())
    )


def _built_in() -> Group:
    sources = (
        Source(f"$.TASK.{name}", label, kind, "source-builtin") for name, (label, kind) in _TASK_WORDS.items()
    )
    return Group("builtin", "Of the run", "source-builtin", tuple(sources))
