"""The workers of a life besides this machine: which there are, which jobs may run there, and what happens to them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

from tests.simulation.workload.random_streams import between, chance

NAMES = "reef", "shoal"
GROUP = "far"
EVERYWHERE = "everywhere"  # the node of a job on all workers of that group
FAULTS = frozenset({"link cut", "link flaps", "worker reboots", "silence", "regroup"})
_SHARE = 0.15  # of the lives
_OF_PROGRAMS = ("shell", "command")
_SILENCES = 4  # of each worker with a fence
_OF_ITS_GROUP = {"type": "shell", "process": "work", "on": {"group": GROUP, "strategy": "all"}}
_SHARE_REGROUPED = 0.4  # of the lives with two workers
_FENCES = None, None, "10s", "20s", "60s"
_WISHES = ("pause", "drain", "resume", "resume", "gone")
Facts = Mapping[str, Any]
Happening = tuple[float, str | None, str, Facts]


@dataclass(frozen=True)
class Fleet:
    """Workers by name, each with its slots; none in most lives."""

    slots: Mapping[str, int] = field(default_factory=dict)
    fences: Mapping[str, str] = field(
        default_factory=dict
    )  # of those that end what they run when nobody is heard

    @property
    def features(self) -> frozenset[str]:
        """For ``--with``."""
        return frozenset(({"workers"} if self.slots else set()) | ({"fences"} if self.fences else set()))


def fleet(seed: int) -> Fleet:
    """That of a life."""
    dice = chance(seed, "fleet")
    names = NAMES[: dice.choice((1, 2, 2))] if dice.random() < _SHARE else ()
    slots = {name: dice.choice((1, 1, 2, 4)) for name in names}
    wishes = {name: chance(seed, "fence", name).choice(_FENCES) for name in names}
    return Fleet(slots, {name: fence for name, fence in wishes.items() if fence})


def is_regrouped(seed: int) -> bool:
    """Whether a job on all workers means those of a group, which one of them leaves meanwhile."""
    return len(fleet(seed).slots) > 1 and chance(seed, "regrouped").random() < _SHARE_REGROUPED


def moved(
    seed: int, definitions: Mapping[str, Any], names: tuple[str, ...], *, regrouped: bool = False
) -> Mapping[str, Any]:
    """The definitions with nodes that run on those workers; ``regrouped``: see ``is_regrouped``."""
    if not names:
        return definitions
    found = copy.deepcopy(dict(definitions))
    for task, tree in found["tasks"].items():
        for node, keys in tree["nodes"].items():
            dice = chance(seed, "on", f"{task}.{node}")
            if keys.get("type") in _OF_PROGRAMS and dice.random() < 0.5:
                keys["on"] = {**keys.get("on", {}), **_on(dice, names, keys)}
    if regrouped:
        found["tasks"][next(iter(found["tasks"]))]["nodes"][EVERYWHERE] = dict(_OF_ITS_GROUP)
    return found


def _on(dice: Random, names: tuple[str, ...], keys: Mapping[str, Any]) -> dict[str, Any]:
    on: dict[str, Any] = dict(
        dice.choice(
            (
                {"workers": [dice.choice(names)]},
                {"workers": list(names)},
                {"workers": ["local", *names]},
                {"group": GROUP},
                {"group": GROUP, "choose": "random"},
            )
        )
    )
    if "for_each" not in keys and not isinstance(keys.get("params"), list) and dice.random() < 0.25:
        on |= {"workers": list(names), "strategy": "all", "success": dice.choice(("all", "single"))}
        on.pop("group", None)
        on.pop("choose", None)
    if dice.random() < 0.2:
        on["exclusive"] = True
    return on


def silences(seed: int, fences: Mapping[str, str]) -> Iterator[Happening]:
    """Links that are cut just after something began there that takes long, mostly until its fence has ended it."""
    for name, number in product(fences, range(_SILENCES)):
        dice = chance(seed, "silence", f"{name}.{number}")
        seconds, takes = (float(fences[name].rstrip("s")) * between(dice, 0.5, 8.0) for _ in range(2))
        facts = {"seconds": round(seconds, 3), "after": round(between(dice, 0.01, 20.0), 3)}
        at = round(between(dice, 0.05, 900.0), 3)
        yield at, "the network", "silence", {"worker": name, "takes": round(takes, 3), **facts}


def regroupings(seed: int) -> Iterator[Sequence[Happening]]:
    """A worker leaves its group while a job has a record of it, and the engine ends; it comes back later."""
    dice = chance(seed, "regroupings")
    for number in range(3 if is_regrouped(seed) else 0):  # the first one while the first run begins
        at, worker = round(between(dice, 0.05, 900.0) if number else 0.001, 3), dice.choice(NAMES)
        facts = {name: round(between(dice, 0.1, 60.0), 3) for name in ("after", "down")}
        takes = round(between(dice, 60.0, 600.0), 3)
        leaves = at, "the system", "regroup", {"worker": worker, "takes": takes, **facts}
        joins = round(at + between(dice, 60.0, 3000.0), 3), None, "worker joins", {"worker": worker}
        yield leaves, joins


def happenings(seed: int, names: tuple[str, ...]) -> Iterator[Happening]:
    """What people do with the workers (then there is no actor yet), and what happens to them."""
    for number in range(chance(seed, "happenings").randint(1, 6) if names else 0):
        dice = chance(seed, "happening", number)
        at, worker = round(between(dice, 0.05, 3000.0), 3), dice.choice(names)
        if dice.random() < 0.4:
            yield at, None, f"worker {dice.choice(_WISHES)}", {"worker": worker}
            continue
        what = dice.choice(("link cut", "link cut", "link flaps", "worker reboots"))
        facts = {"worker": worker, "seconds": round(between(dice, 0.5, 900.0), 3)}
        times = {"times": dice.choice((3, 8, 20))} if what == "link flaps" else {}
        yield at, "the network" if what != "worker reboots" else "the system", what, {**facts, **times}
