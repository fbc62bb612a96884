"""The pieces that tasks are put together from: one node or a few that belong together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from tests.simulation.workload import control_flow, node_options
from tests.simulation.workload.draft import LITERALS, Draft, Job, Source
from tests.simulation.workload.timetable import BEGIN


def step(draft: Draft) -> str:
    """A shell job."""
    return _program(draft, {"type": "shell", "process": "work"})


def _program(draft: Draft, job: Job, *, most: int = 3) -> str:
    parents = draft.parents()
    job |= draft.given(parents, most)
    if results := draft.results():
        job["results"] = results
    node_options.of_program(draft, job, draft.name())
    source = Source(
        draft.name(), tuple(job.get("results", ())), tuple(job.get("params", ())), program=True
    )  # fmt: skip
    return draft.add(job | node_options.of_node(draft, parents), parents, source=source)


def _command(draft: Draft) -> None:
    _program(draft, {"type": "command", "argv": ["work", "--day", draft.pick(("1", 2, "$.TASK.RUN"))]})


def _python(draft: Draft) -> None:
    _program(draft, {"type": "python", "process": "work()"})


def _reusable(draft: Draft) -> None:
    """A job of the section ``jobs``, with values for the parameters of its table."""
    parents, id = draft.parents(), draft.pick(draft.tree["jobs"])
    above = [draft.sources[each] for each in draft.upstream(parents)]
    params = {
        "amount": draft.pick((1, 5, 12)),
        **({"x": draft.value(above)} if draft.dice.random() < 0.5 else {}),
    }
    if draft.tree["jobs"][id]["params"]["x"]:  # of a kind
        params["x"] = draft.pick(("spring", "$.TASK.ID"))
    results = tuple(draft.tree["jobs"][id]["results"])
    source = Source(draft.name(), results, ("amount",), program=True)
    draft.add({"job": id, "params": params, **node_options.of_node(draft, parents)}, parents, source=source)


def _batch(draft: Draft) -> None:
    parents, many = draft.parents(), draft.dice.choices((0, 1, 2, 3, 5), (1, 2, 5, 4, 2))[0]
    job = {
        "type": "shell",
        "process": "work",
        "params": [{"x": each, "y": draft.pick(LITERALS)} for each in range(many)],
    }
    _several(draft, job, parents, many)


def _several(draft: Draft, job: Job, parents: list[str], many: int) -> None:
    job["results"] = {"n": {"kind": "number"}}
    node_options.of_program(draft, job, draft.name(), alone=False)
    source = Source(draft.name(), ("n",), members=many, program=True)
    draft.add(job | node_options.of_node(draft, parents), parents, source=source)


def _for_each(draft: Draft) -> None:
    parents = draft.parents()
    lists = [each for each in draft.upstream(parents) if "items" in draft.sources[each].results]
    single = [each for each in lists if draft.sources[each].members is None]
    items: Any = (
        f"$.JOB['{draft.pick(single)}'].RESULT['items']" if single else draft.pick(([1, 2], ["a", "b", "c"]))
    )
    if not single and "items" in draft.params:
        items = "$.TASK.PARAMS['items']"
    job = {"type": "shell", "process": "work", "for_each": items, "params": {"x": "$.ITEM", "at": "$.INDEX"}}
    _several(draft, job, parents, 1)


def _call(draft: Draft) -> None:
    """A job that a thread of the engine does."""
    parents = draft.parents()
    path = draft.pick(("{$.TASK.WORKSPACE}/workspace.yaml", "{$.TASK.DIRECTORY}/nothing", "$.TASK.DIRECTORY"))
    source = Source(draft.name(), ("exists", "size"), ("path",))
    draft.add(
        {"type": "file_exists", "params": {"path": path}, **node_options.of_node(draft, parents)},
        parents,
        source=source,
    )


# -- waiting, groups, other tasks ----------------------------------------------------------------


def _wait(draft: Draft, keys: Job) -> None:
    parents = draft.parents()
    job: Job = {"type": "wait", **keys} | node_options.of_steering(draft)
    draft.add(job | node_options.of_node(draft, parents), parents, source=Source(draft.name(), ("waited",)))


def _wait_for(draft: Draft) -> None:
    _wait(draft, {"for": draft.pick(("0s", "10ms", "1s", "30s", "5m", "2h"))})


def _wait_until(draft: Draft) -> None:
    moment = BEGIN + timedelta(minutes=draft.pick((-60, 0, 1, 7, 45)))
    _wait(draft, {"until": moment.isoformat()})


def _wait_until_true(draft: Draft) -> None:
    holds = draft.pick(({"resource": "shore"}, "$.TASK.RUN > 0", {"resource": "shore"}, {"resource": "boat"}))
    _wait(draft, {"until_true": holds, "every": draft.pick(("5s", "30s", "2m"))} | {"timeout": "10m"})


def _group(draft: Draft) -> None:
    _grouped(
        draft, [node_options.member(draft, draft.name(), index) for index in range(draft.pick((1, 2, 2, 3)))]
    )


def _nested_group(draft: Draft) -> None:
    inner = [node_options.member(draft, f"{draft.name()}.0", index) for index in range(draft.pick((1, 2)))]
    _grouped(
        draft,
        [
            {"type": "group", "jobs": inner} | node_options.of_steering(draft),
            node_options.member(draft, draft.name(), 1),
        ],
    )


def _grouped(draft: Draft, members: list[Job]) -> None:
    parents = draft.parents()
    job: Job = {"type": "group", "jobs": members} | draft.given(parents, 1) | node_options.of_steering(draft)
    draft.add(job | node_options.of_node(draft, parents), parents)


def _sub_task(draft: Draft, *, wait: bool = True) -> None:
    parents = draft.parents()
    if not draft.later:
        return _group(draft)
    task = draft.pick(draft.later)
    known = draft.tree["tasks"][task].get("params", {})
    above = [draft.sources[each] for each in draft.upstream(parents)]
    params = (
        {"limit": draft.value([each for each in above if each.results])}
        if "limit" in known and draft.dice.random() < 0.3
        else {}
    )
    job: Job = (
        {"type": "task", "task": task}
        | ({} if wait else {"wait": False})
        | ({"params": params} if params else {})
    )
    draft.add(
        job | node_options.of_steering(draft) | node_options.of_node(draft, parents),
        parents,
        source=Source(draft.name(), ("instance",)),
    )


def _beside(draft: Draft) -> None:
    _sub_task(draft, wait=False)


def _asynchronous(draft: Draft) -> None:
    """Its check holds once the process has left its result, or printed that it is done."""
    parents, name = draft.parents(), draft.name()
    id = f"done.{draft.task}.{name}"
    draft.tree["resources"][id] = {"type": "file", "uri": f"{{$.JOB['{name}'].DIRECTORY}}/outputs/word"}
    holds = draft.pick(({"resource": id}, {"resource": id}, f"$.JOB['{name}'].OUTPUT # 'done'"))
    check = {
        "after": draft.pick(("0s", "1s", "1m")),
        "every": draft.pick(("1s", "10s")),
        "times": draft.pick((1, 5, 60)),
        "success": holds,
    }
    job: Job = {
        "type": "shell",
        "process": "work",
        "mode": "async",
        "check": check,
        "results": {"word": {"kind": "text"}},
    }
    node_options.of_program(draft, job, name, alone=False)
    if check["times"] == 5:  # its process may live while it is cleaned up behind it
        members = {"group": [{"type": "shell", "process": "work"}]}
        job.setdefault("end", members if check["every"] == "1s" else "clean up")
    draft.add(job | node_options.of_node(draft, parents), parents, source=Source(name, ("word",)))


def _unchecked(draft: Draft) -> None:
    parents = draft.parents()
    draft.add(
        {"type": "shell", "process": "work", "mode": "async"} | node_options.of_node(draft, parents), parents
    )


MAKERS: Mapping[str, Callable[[Draft], Any]] = {
    "step": step, "reusable job": _reusable, "batch": _batch, "for_each": _for_each, "branches": control_flow.branches,
    "many branches": control_flow.many_branches, "resource branches": control_flow.resource_branches, "loop": control_flow.loop,
    "loop of one": control_flow.loop_of_one, "nested loop": control_flow.nested_loop, "wait for": _wait_for, "wait until": _wait_until,
    "wait until true": _wait_until_true, "group": _group, "nested group": _nested_group, "sub-task": _sub_task,
    "sub-task beside": _beside, "asynchronous": _asynchronous, "asynchronous unchecked": _unchecked,
    "call": _call, "command": _command, "python": _python,
}  # fmt: skip
