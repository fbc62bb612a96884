"""Stages and processes that are calls by class, in some lives: nodes beside those that tasks have anyway."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from random import Random
from typing import Any

from tests.simulation.workload.draft import Job
from tests.simulation.workload.random_streams import chance

CALL = "file_exists"  # the type that does them
_SHARE = 0.12  # of all lives
_BY_CLASS = {"class": CALL}
_BY_JOBS = {"group": [{"type": "shell", "process": "work"}]}
_TAKES = 0.0, 0.5, 10.0, 60.0, 600.0  # seconds


def is_calling(seed: int) -> bool:
    """Whether it is such a life."""
    return chance(seed, "calling").random() < _SHARE


def calling(seed: int, definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """The definitions with such nodes; from streams of their own."""
    if not is_calling(seed):
        return definitions
    found = copy.deepcopy(dict(definitions))
    for task, tree in found["tasks"].items():
        dice = chance(seed, "calls", task)
        for number in range(dice.choice((1, 2, 3))):
            tree["nodes"][f"call{number}"] = _node(dice, number)
    return found


def seconds_of_call(seed: int, number: int) -> float:
    """How long the call of that number takes."""
    return chance(seed, "call takes", number).choice(_TAKES)


def _node(dice: Random, number: int) -> Job:
    job: Job = {"type": "shell", "params": {"path": dice.choice(("$.TASK.WORKSPACE", "/nothing"))}}
    job |= dice.choice((_checked, _checked, _checked, _waited_for, _itself, _around))(dice, number)
    for stage, program in (("ready", "look around"), ("end", "clean up")):
        job |= dice.choice(({}, {}, {stage: program}, {stage: _BY_CLASS}, {stage: _BY_JOBS}))
    if dice.random() < 0.4:
        job["retry"] = {"times": dice.choice((1, 2)), "interval": dice.choice(("0s", "10s"))}
    if dice.random() < 0.2:
        job["recovery"] = {"strategy": "retry", "after": "10s"}
    if dice.random() < 0.2:
        job["timeout"] = dice.choice(("10s", "10m"))
    if dice.random() < 0.25:
        job["on"] = {"exclusive": True}
    return job | ({"after": [f"call{number - 1}"]} if number and dice.random() < 0.5 else {})


def _waited_for(dice: Random, number: int) -> Job:
    return {"process": _BY_CLASS}


def _itself(dice: Random, number: int) -> Job:
    return {"type": CALL}


def _around(dice: Random, number: int) -> Job:
    return {"process": "work"}


def _checked(dice: Random, number: int) -> Job:
    holds = {"resource": "shore"}, {"resource": "boat"}, f"$.JOB['call{number}'].RESULT['exists']"
    check = {
        "after": dice.choice(("0s", "1s", "1m")),
        "every": dice.choice(("1s", "10s", "10m")),
        "times": dice.choice((1, 3, 20)),
        "success": dice.choice(holds),
    }
    return {"process": _BY_CLASS, "mode": "async", "check": check}
