"""The control flow of a task: conditions with their branches, and loops."""

from __future__ import annotations

from typing import Any

from tests.simulation.workload.draft import Draft, Job, Source


def branches(draft: Draft) -> None:
    """One way or the other, or none."""
    parents = draft.parents()
    value = draft.number(parents)
    condition = (
        f"{value} {draft.pick(('>', '<=', '!='))} {draft.dice.randint(0, 9)}"
        if value
        else draft.pick(("1 > 0", "1 > 2"))
    )
    _parted(draft, parents, condition, ("true", "false"))


def many_branches(draft: Draft) -> None:
    """A way for each value, and one for all others."""
    parents = draft.parents()
    _parted(draft, parents, draft.number(parents) or 2, ("2", "3", "default"))


def resource_branches(draft: Draft) -> None:
    """One way where a resource is as it should be, else the other."""
    _parted(draft, draft.parents(), {"resource": draft.pick(("shore", "boat"))}, ("true", "false"))


def _parted(draft: Draft, parents: list[str], value: Any, keys: tuple[str, ...]) -> None:
    branches: Job = {}
    condition = draft.add({"type": "condition", "value": value, "branches": branches}, parents)
    for key in keys if "default" in keys else draft.pick((keys, keys, keys[:1])):
        branches[key] = [_branch_step(draft, condition) for _ in range(draft.pick((1, 1, 2)))]


def _branch_step(draft: Draft, condition: str, *, open: bool = True) -> str:
    job: Job = {"type": "shell", "process": "work"} | draft.given([condition], 1)
    if draft.dice.random() < 0.2:
        job = {"type": "wait", "for": draft.pick(("1s", "30s", "5m"))}
    return draft.add(job, branch_of=condition, open=open)


def loop(draft: Draft) -> None:
    """Look, decide, repair, look again."""
    look = _look(draft, draft.parents())
    _back(draft, look, look)


def nested_loop(draft: Draft) -> None:
    """A loop within the way of another one."""
    outer = _look(draft, draft.parents())
    inner = _look(draft, [outer])
    _back(draft, _back(draft, inner, inner, bare=True), outer)


def loop_of_one(draft: Draft) -> None:
    """A condition that looks at the same again, until its rounds are used up or something was changed."""
    _back(draft, _look(draft, draft.parents()), None)


def _look(draft: Draft, parents: list[str]) -> str:
    job: Job = {"type": "shell", "process": "work", "results": {"n": {"kind": "number"}}}
    job |= draft.given(parents, 1)
    return draft.add(job, parents, source=Source(draft.name(), ("n",), rounds=True, program=True), open=False)


def _back(draft: Draft, after: str, start: str | None, *, bare: bool = False) -> str:
    """The condition of a loop; ``bare``: nothing lies in its branches."""
    look = start or after
    value = f"$.JOB['{look}'].RESULT['n'] > {draft.dice.randint(1, 4)}"
    again: Job = {"run": [], "again": True} | ({"from": start} if start else {})
    branches: Job = {"false": again}
    keys: Job = {
        "type": "condition",
        "value": value,
        "branches": branches,
        "max_loops": draft.pick((1, 3, 4, 6)),
    }
    condition = draft.add(keys, [after], open=not bare)
    if not bare:
        again["run"] = [_branch_step(draft, condition, open=False)]
        branches["true"] = [_branch_step(draft, condition)]
    return condition
