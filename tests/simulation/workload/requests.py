"""What people ask of an engine besides runs: how often each of it, and with which facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from tests.simulation.workload.definitions import definitions
from tests.simulation.workload.features import places
from tests.simulation.workload.newer_pieces import CHOICES
from tests.simulation.workload.revisions import amended, revised

Facts = Mapping[str, Any]


class Life:
    """What a person can name in it."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.tree = definitions(seed)
        self.tasks = tuple(self.tree["tasks"])
        self.nodes = tuple(dict.fromkeys(each.node for each in places(self.tree) if "." not in each.node))
        self.members = tuple(dict.fromkeys(each.node for each in places(self.tree) if "." in each.node))

    def instance(self, dice: Random) -> int:
        return dice.choice((0, 0, 0, 1, 1, 2, 3))

    def node(self, dice: Random) -> str:
        if dice.random() < 0.03:
            return "nobody"
        return dice.choice(self.members if self.members and dice.random() < 0.15 else self.nodes)


def _of_node(life: Life, dice: Random, number: int) -> Facts:
    node = life.node(dice) if dice.random() < 0.5 else None
    return {"instance": life.instance(dice), "node": node}


def _of_instance(life: Life, dice: Random, number: int) -> Facts:
    return {"instance": life.instance(dice)}


def _rerun(life: Life, dice: Random, number: int) -> Facts:
    mode = dice.choice(("all", "from", "from", "failed", "failed", "only"))
    many = dice.choice((1, 1, 2)) if mode in ("from", "only") else 0
    return {
        "instance": life.instance(dice),
        "mode": mode,
        "nodes": tuple(life.node(dice) for _ in range(many)),
        "with_upstream": dice.random() < 0.15,
        "downstream": dice.random() < 0.2,
        "current": dice.random() < 0.3,
        "edits": (_edit(life, dice),) if dice.random() < 0.3 else (),
    }


def _edit(life: Life, dice: Random) -> tuple[str, Any]:
    if dice.random() < 0.3:
        return "$.TASK.PARAMS['limit']", dice.choice((0, 7, 100))
    return f"$.JOB['{life.node(dice)}'].RESULT['n']", dice.choice((0, 5, 9, "x"))


def _set(life: Life, dice: Random, number: int) -> Facts:
    path, value = _edit(life, dice)
    return {"instance": life.instance(dice), "path": path, "value": value}


def _force(life: Life, dice: Random, number: int) -> Facts:
    return {
        "instance": life.instance(dice),
        "node": life.node(dice),
        "outcome": dice.choice(("succeeded", "succeeded", "failed")),
    }


def _answer(life: Life, dice: Random, number: int) -> Facts:
    word = dice.choice(("retry", "retry", "skip", "succeed", "fail", "discard", None))
    return {"exception": dice.choice((0, 0, 1, 2)), "word": word}


def _load(life: Life, dice: Random, number: int) -> Facts:
    tree, change = revised(life.tree, dice)
    return {"definitions": tree, "change": change}


def _amend(life: Life, dice: Random, number: int) -> Facts:
    return {"id": f"fix-{number}", **amended(life.tree, dice)}


def _add(life: Life, dice: Random, number: int) -> Facts:
    return {
        "job": dice.choice(tuple(life.tree["jobs"])),
        "params": {"amount": dice.choice((1, 2, None))},
        "key": f"add-{number}",
    }


def _remove(life: Life, dice: Random, number: int) -> Facts:
    kind = dice.choice(("task", "job", "rule"))
    known = {
        "task": life.tasks,
        "job": tuple(life.tree["jobs"]),
        "rule": tuple(each["id"] for each in life.tree.get("rules", ())),
    }
    return {"kind": kind, "id": dice.choice(known[kind] or ("nobody",))}


def _state(life: Life, dice: Random, number: int) -> Facts:
    return {"task": dice.choice(life.tasks), "state": dice.choice(("online", "offline"))}


def reply(life: Life, dice: Random) -> Facts:
    """What somebody says to one of the questions that are open then."""
    return {
        "question": dice.choice((0, 0, 1, 2)),
        "choice": dice.choice((*CHOICES, *CHOICES, *CHOICES, "perhaps")),
        "note": dice.choice(("fine", "fine", None)),
        "value": dice.choice((None, None, "3", "many")),
    }


Request = Callable[[Life, Random, int], Facts]
REQUESTS: Mapping[str, tuple[float, Request]] = {  # how often, and the facts
    "cancel": (12, _of_node),
    "pause": (8, _of_instance),
    "resume": (8, _of_instance),
    "rerun": (16, _rerun),
    "set": (6, _set),
    "force": (8, _force),
    "answer": (14, _answer),
    "acknowledge": (3, lambda life, dice, _: {"alert": dice.choice((None, 0, 1))}),
    "queue pause": (4, lambda *_: {}),
    "queue resume": (4, lambda *_: {}),
    "queue clear": (2, lambda *_: {}),
    "queue resize": (3, lambda life, dice, _: {"size": dice.choice((1, 2, 5, "auto", None))}),
    "queue add": (3, _add),
    "queue remove": (2, lambda life, dice, _: {"waiting": dice.choice((0, 1, 2))}),
    "queue priority": (2, lambda life, dice, _: {"waiting": dice.choice((0, 1)), "priority": dice.choice((-5, 99))}),
    "queue clean": (1, lambda life, dice, _: {"minutes": dice.choice((0.0, 1.0, 30.0))}),
    "load": (6, _load),
    "amend": (2, _amend),
    "take back": (1, lambda life, dice, _: {"amendment": dice.choice((0, 0, 1))}),
    "boat": (3, lambda life, dice, _: {"there": dice.random() < 0.7}),
    "remove": (1.5, _remove),
    "state": (1.5, _state),
}  # fmt: skip
