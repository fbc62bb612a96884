"""From a task's part of the file to a Task: its nodes, schedule and dependencies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from engine.definitions.explain import names
from engine.definitions.fit import fit
from engine.definitions.jobs import NO_JOB, Bench, check_id, only_by_id, read_job
from engine.definitions.notes import Notes, did_you_mean, id_problem
from engine.definitions.params import check_table, check_values, warn_of_specifications
from engine.definitions.schedules import read_dependencies, read_schedule
from engine.model.codes import definitions as codes
from engine.model.findings import Loc
from engine.model.job import Job, ParamSpec
from engine.model.names import HANDLER, is_handler
from engine.model.task import HandlerName, Node, Task

NODE = names(Node) - {"id"}
_OF_THE_JOB = frozenset(
    {"job", "params", "on", "env", "working_dir"}
)  # of an inline job these are the job's own
_APART = ("nodes", "on_end", "schedule", "depends_on")
HANDLERS: tuple[HandlerName, ...] = get_args(HandlerName)
IN_NO_HANDLER = frozenset({"after", "run_if", "for_each", "parallel", "continue_on_failure"})
# In place of a part that cannot be read: it may be referred to, and nothing else complains about it.
_NO_NODE = Node(id="_", job=NO_JOB)
_NO_TASK = Task(id="_")


def read_task(
    name: str, raw: Any, path: Loc, bench: Bench, jobs: Mapping[str, Job], project: str | None
) -> Task:
    """The task ``name``; ``project`` is the one that the whole file belongs to."""
    notes = bench.notes
    if not isinstance(raw, dict):
        notes.wrong_type("expected a task (a map), found {found}", path, raw)
        return _NO_TASK.model_copy(update={"id": name})
    check_id(name, path, notes, raw)
    given = {key: value for key, value in raw.items() if key not in _APART}
    nodes = _nodes(raw.get("nodes", {}), (*path, "nodes"), bench)
    given["id"] = "_"
    given["schedule"] = read_schedule(raw.get("schedule"), (*path, "schedule"), notes)
    if "depends_on" in raw:
        where = (*path, "depends_on")
        given["depends_on"] = read_dependencies(raw["depends_on"], given["schedule"], where, notes)
    given.setdefault("project", project)
    apart = {"id": name, "nodes": nodes, "on_end": _handlers(raw.get("on_end", {}), (*path, "on_end"), bench)}
    task = (fit(Task, given, path, notes, _APART) or _NO_TASK).model_copy(update=apart)
    if isinstance(raw.get("params"), dict):
        check_table(task.params, raw["params"], (*path, "params"), notes)
    _check_values_given(task, jobs, path, notes)
    return task


def _nodes(raw: Any, path: Loc, bench: Bench) -> dict[str, Node]:
    if not isinstance(raw, dict):
        bench.notes.wrong_type("`nodes`: expected a map, found {found}", path, raw)
        return {}
    for name in filter(is_handler, map(str, raw)):
        text = "`{name}`: ids that begin with `on_end.` are those of handlers"
        bench.notes.error(codes.BAD_ID, text, (*path, name), key=True, name=name)
    return {name: _node(name, each, (*path, name), bench) for name, each in raw.items()}


def _handlers(raw: Any, path: Loc, bench: Bench) -> dict[str, Node]:
    """What runs when the outcome is known, by outcome; each is a node that has its place by that alone."""
    if not isinstance(raw, dict):
        bench.notes.wrong_type("`on_end`: expected a map, found {found}", path, raw)
        return {}
    for name in raw.keys() - set(HANDLERS):
        text, hint = "unknown key `{name}`{hint}", did_you_mean(name, HANDLERS, most=len(HANDLERS))
        bench.notes.error(codes.UNKNOWN_KEY, text, (*path, name), key=True, name=name, hint=hint)
    return {name: _handler(name, raw[name], (*path, name), bench) for name in HANDLERS if name in raw}


def _handler(name: str, raw: Any, path: Loc, bench: Bench) -> Node:
    if not isinstance(raw, dict):
        return _node(HANDLER + name, raw, path, bench)
    for key in IN_NO_HANDLER & raw.keys():
        text = "`{name}` is not for a handler: it runs once, when the outcome is known"
        bench.notes.error(codes.UNKNOWN_KEY, text, (*path, key), key=True, name=key)
    if isinstance(raw.get("params"), list):
        text = "a handler runs once: `params` is one map"
        bench.notes.error(codes.WRONG_TYPE, text, (*path, "params"), key=True)
        raw = {**raw, "params": {}}
    return _node(HANDLER + name, {key: raw[key] for key in raw if key not in IN_NO_HANDLER}, path, bench)


def _node(name: str, raw: Any, path: Loc, bench: Bench) -> Node:
    if not isinstance(raw, dict):
        bench.notes.wrong_type("expected a node (a map), found {found}", path, raw)
        return _NO_NODE.model_copy(update={"id": name})
    check_id(name, path, bench.notes)
    given = _by_id(raw, path, bench) if "job" in raw else _inline(name, raw, path, bench)
    if isinstance(raw.get("params"), list) and given.pop("for_each", None) is not None:
        message = "a list of `params` and `for_each` are two ways to repeat a node: keep one of the two"
        bench.notes.error(codes.CONFLICTING_KEYS, message, (*path, "for_each"), key=True)
    node = fit(Node, {**given, "id": "_"}, path, bench.notes) or _NO_NODE
    return node.model_copy(update={"id": name})


def _by_id(raw: Mapping[str, Any], path: Loc, bench: Bench) -> dict[str, Any]:
    given = only_by_id(raw, NODE, path, bench.notes)
    if "params" in given:
        given["params"] = _params(given["params"], (*path, "params"), bench.notes)
    return given


def _inline(name: str, raw: Mapping[str, Any], path: Loc, bench: Bench) -> dict[str, Any]:
    """The job's keys become a Job; a batch stays with the node, its names make the job's table."""
    own = {key: value for key, value in raw.items() if key not in NODE or key in _OF_THE_JOB}
    given = {key: value for key, value in raw.items() if key in NODE and key not in _OF_THE_JOB}
    if isinstance(raw.get("params"), list):
        given["params"] = _params(raw["params"], (*path, "params"), bench.notes)
        own["params"] = {key: None for each in given["params"] for key in each}
    job = read_job(name, own, path, bench, inline=True, also=NODE)
    if isinstance(raw.get("params"), list):
        job = job.model_copy(update={"params": _without_values(job.params, own["params"])})
    return {**given, "job": job}


def _without_values(table: Mapping[str, ParamSpec], batch: Mapping[str, Any]) -> dict[str, ParamSpec]:
    """The table of a batch: its members give the values."""
    kept = {key: spec.model_fields_set - {"value"} for key, spec in table.items() if key in batch}
    bare = {key: ParamSpec(**{name: getattr(table[key], name) for name in kept[key]}) for key in kept}
    return {**table, **bare}


def _params(raw: Any, path: Loc, notes: Notes) -> Any:
    """One map of values or several (a batch), without what is neither."""
    if isinstance(raw, list):
        return tuple(_param_map(each, (*path, i), notes) for i, each in enumerate(raw))
    return _param_map(raw, path, notes)


def _param_map(raw: Any, path: Loc, notes: Notes) -> dict[str, Any]:
    if not isinstance(raw, dict):
        message = "`params`: expected a map, or a list of maps (a batch), found {found}"
        notes.wrong_type(message, path, raw)
        return {}
    problems = {name: problem for name in raw if (problem := id_problem(name))}
    for name, problem in problems.items():
        notes.error(codes.BAD_ID, problem, (*path, name), key=True)
    warn_of_specifications(raw, path, notes)
    return {name: value for name, value in raw.items() if name not in problems}


def _check_values_given(task: Task, jobs: Mapping[str, Job], path: Loc, notes: Notes) -> None:
    """Values that nodes and job_params give, against the parameter tables of the jobs of these files."""
    places = {("nodes", name): node for name, node in task.nodes.items()}
    places |= {("on_end", name): node for name, node in task.on_end.items()}
    for place, node in places.items():
        job = jobs.get(node.job) if isinstance(node.job, str) else node.job
        table = job.params if job else {}
        for given, where in _given(node, (*path, *place, "params")):
            check_values(table, given, where, notes)
    for name, given in task.job_params.items():
        if name in jobs:
            check_values(jobs[name].params, given, (*path, "job_params", name), notes)


def _given(node: Node, path: Loc) -> Iterator[tuple[Mapping[str, Any], Loc]]:
    """Each set of values of a node, and where it is written."""
    if isinstance(node.params, tuple):
        yield from ((each, (*path, i)) for i, each in enumerate(node.params))
    else:
        yield node.params, path
