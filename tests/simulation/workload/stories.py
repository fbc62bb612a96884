"""A whole life from one seed: its definitions, what happens in it and when, and how a person tells it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from tests.simulation.workload.action import Action
from tests.simulation.workload.actions import actions
from tests.simulation.workload.calls import calling
from tests.simulation.workload.definitions import definitions, settings
from tests.simulation.workload.faults import ALL
from tests.simulation.workload.features import used
from tests.simulation.workload.fleet import Fleet, fleet, is_regrouped, moved
from tests.simulation.workload.generations import NEWEST, Generation
from tests.simulation.workload.timetable import Timetable, life_timetable


@dataclass(frozen=True)
class Story:
    """A life: ``settings`` of its workspace, ``definitions`` by section, actions in the order of time."""

    seed: int
    settings: Mapping[str, Any]
    definitions: Mapping[str, Any]
    actions: tuple[Action, ...]
    timetable: Timetable = field(default_factory=Timetable)
    fleet: Fleet = field(default_factory=Fleet)

    @property
    def features(self) -> frozenset[str]:
        """What its definitions use; see ``features.FEATURES``."""
        return used(self.definitions)


def story(seed: int, faults: Collection[str] = ALL, generation: Generation = NEWEST) -> Story:
    """The life of a seed with faults of these kinds."""
    found = life_timetable(seed, generation)
    workers = fleet(seed) if generation >= Generation.BACKFILLS else Fleet()
    happens = actions(seed, faults, generation)
    tree = _definitions(seed, generation, tuple(workers.slots))
    return Story(seed, {**settings(seed), **found.settings}, tree, happens, found, workers)


def _definitions(seed: int, generation: Generation, workers: tuple[str, ...]) -> Mapping[str, Any]:
    """What that life runs, and where."""
    regrouped = generation >= Generation.INTERPLAY and is_regrouped(seed)
    place = partial(moved, seed, names=workers, regrouped=regrouped)
    if generation >= Generation.CALLS_ELSEWHERE:
        return place(calling(seed, definitions(seed)))
    placed = place(definitions(seed))
    return calling(seed, placed) if generation >= Generation.CALLS else placed


def without(story: Story, indexes: Iterable[int]) -> Story:
    """The same life without some of its actions; the others stay as they are, to the moment."""
    left_out = frozenset(indexes)
    kept = tuple(each for index, each in enumerate(story.actions) if index not in left_out)
    return replace(story, actions=kept)


def lines(story: Story) -> list[str]:
    """A sentence for each action: ``at 12.5 s anna cancels node b of instance 2``."""
    return [line(each) for each in story.actions]


def line(action: Action) -> str:
    """What happens, in words; instances are counted from 0, the oldest first."""
    return (
        f"at {action.at:.6f}".rstrip("0").rstrip(".")
        + f" s {action.actor} {_WORDS[action.what](action.facts)}"
    )


Facts = Mapping[str, Any]


def _run(facts: Facts) -> str:
    given = {**facts["params"], **{name: repr(text) for name, text in facts["texts"].items()}}
    values = ", ".join(f"{name} = {value}" for name, value in given.items())
    priority = f" with priority {facts['priority']}" if "priority" in facts else ""
    source = " from a file" if facts["file"] else ""
    return f"runs {facts['task']}{source}{priority}{' with ' + values if values else ''} ({facts['key']})"


def _cancel(facts: Facts) -> str:
    return (
        f"cancels node {facts['node']} of instance {facts['instance']}"
        if facts["node"]
        else f"cancels instance {facts['instance']}"
    )


def _rerun(facts: Facts) -> str:
    what = {"all": "all", "failed": "what failed"}.get(
        facts["mode"]
    ) or f"{facts['mode']} {', '.join(facts['nodes'])}"
    extras = [
        "with what comes before" * facts["with_upstream"],
        "and what depends on it" * facts["downstream"],
        "by the current definition" * facts["current"],
        *(f"with {path} = {value!r}" for path, value in facts["edits"]),
    ]
    return " ".join([f"reruns {what} of instance {facts['instance']}", *filter(None, extras)])


def _answer(facts: Facts) -> str:
    word = f"answers {facts['word']} to" if facts["word"] else "closes"
    return f"{word} open exception {facts['exception']}"


def _backfill(facts: Facts) -> str:
    times = f"the times of {facts['task']} from {facts['since']:g} s to {facts['until']:g} s"
    extras = (
        f"the {facts['order']} first",
        f"{facts['parallel']} at once",
        "with what depends on them" * facts["downstream"],
        "without their dependencies" * facts["ignore_dependencies"],
    )
    return f"backfills {times} ({facts['reprocess']}), {', '.join(filter(None, extras))} ({facts['key']})"


_MOMENTS = {
    "now": "",
    "file": "file operation from now",
    "before commit": "commit from now, before it is durable",
    "after commit": "commit from now, once it is durable",
    "start": "start of a process from now",
    "again": "start of a second attempt from now",
    "begun": "process from now, once that has begun",
    "ended": "process from now, once that has ended",
    "left": "process from now that leaves results, once it has",
    "handlers": "run from now whose handlers begin, once they do",
}


def _blow(verb: str, whose: str) -> Callable[[Facts], str]:
    def words(facts: Facts) -> str:
        moment = _MOMENTS[facts["when"]]
        number = f" {whose} {_nth(facts['after'])} {moment}" if moment else ""
        return f"{verb}{number}; it is back after {facts['down']:g} s"

    return words


def _unknown(facts: Facts) -> str:
    return f"of {'a job that will begin' if facts['next'] else 'job ' + str(facts['job'])}{', alone,' * facts['alone']}"


def _nth(number: int) -> str:
    return f"{number}{'th' if number > 3 else ('st', 'nd', 'rd')[number - 1]}"


_WORDS: Mapping[str, Callable[[Facts], str]] = {
    "run": _run,
    "cancel": _cancel,
    "pause": lambda facts: f"pauses instance {facts['instance']}",
    "resume": lambda facts: f"resumes instance {facts['instance']}",
    "rerun": _rerun,
    "set": lambda facts: f"sets {facts['path']} of instance {facts['instance']} to {facts['value']!r}",
    "force": lambda facts: f"settles node {facts['node']} of instance {facts['instance']} as {facts['outcome']}",
    "answer": _answer,
    "approve": lambda facts: f"says {facts['choice']} to open question {facts['question']}",
    "release": lambda facts: f"lets instance {facts['waiting']} of those that wait begin without {facts['only'] or 'anything'}",
    "backfill": _backfill,
    "backfill release": lambda facts: f"lets instance {facts['waiting']} of those that wait in a backfill begin",
    "backfill pause": lambda facts: "pauses " + ("the newest" if facts["backfill"] < 0 else f"backfill {facts['backfill']}") + " of those under way",
    "backfill resume": lambda facts: f"lets backfill {facts['backfill']} of those under way go on",
    "backfill cancel": lambda facts: f"cancels backfill {facts['backfill']} of those under way",
    "acknowledge": lambda facts: "acknowledges " + ("all alerts" if facts["alert"] is None else f"alert {facts['alert']}"),
    "queue pause": lambda _: "pauses the queue",
    "queue resume": lambda _: "lets the queue go on",
    "queue clear": lambda _: "clears the queue",
    "queue resize": lambda facts: f"gives the queue {facts['size'] or 'the usual number of'} slots",
    "queue add": lambda facts: f"runs the job {facts['job']} alone with {facts['params']} ({facts['key']})",
    "queue remove": lambda facts: f"takes waiting job {facts['waiting']} out of the queue",
    "queue priority": lambda facts: f"gives waiting job {facts['waiting']} the priority {facts['priority']}",
    "queue clean": lambda facts: f"ends what has been running for {facts['minutes']:g} minutes",
    "load": lambda facts: f"loads a revision ({facts['change']})",
    "amend": lambda facts: f"applies {facts['id']} ({facts['change']})",
    "take back": lambda facts: f"takes amendment {facts['amendment']} back",
    "boat": lambda facts: "puts the file boat into the workspace" if facts["there"] else "takes the file boat away",
    "remove": lambda facts: f"removes {facts['kind']} {facts['id']}",
    "state": lambda facts: f"puts {facts['task']} {facts['state']}",
    "worker pause": lambda facts: f"pauses worker {facts['worker']}",
    "worker drain": lambda facts: f"drains worker {facts['worker']}",
    "worker resume": lambda facts: f"lets worker {facts['worker']} go on",
    "worker gone": lambda facts: f"vouches that nothing lives on worker {facts['worker']}",
    "worker joins": lambda facts: f"puts worker {facts['worker']} into its group",
    "regroup": lambda facts: f"takes {facts['worker']} out of its group, once a job on all workers has begun there, and kills the engine",
    "worker clock": lambda facts: f"sets the clock of {facts['worker']} {facts['by']:g} s off for {facts['seconds']:g} s",
    "stranger": lambda facts: f"brings attempt {_unknown(facts)} to {facts['worker']}, which no engine knows, for {facts['seconds']:g} s",
    "slow link": lambda facts: f"takes {facts['delay']:g} s at most to {facts['worker']} and back, for {facts['seconds']:g} s",
    "silence and": lambda facts: f"does not reach {facts['worker']} for {facts['seconds']:g} s, once something begins there; meanwhile: {facts['what']}",
    "link cut": lambda facts: f"does not reach {facts['worker']} for {facts['seconds']:g} s",
    "silence": lambda facts: f"does not reach {facts['worker']} for {facts['seconds']:g} s, once something begins there",
    "link flaps": lambda facts: f"loses {facts['worker']} {facts['times']} times in {facts['seconds']:g} s",
    "worker reboots": lambda facts: f"reboots {facts['worker']}; it is back after {facts['seconds']:g} s",
    "kill": _blow("kills the engine", "at its"),
    "power": _blow("fails", "at the engine's"),
    "reboot": lambda facts: f"reboots the machine; it is back after {facts['down']:g} s",
    "restart": lambda facts: f"ends the engine; the next one begins after {facts['down']:g} s",
    "disk full": lambda facts: f"has {facts['left']} bytes left for {facts['seconds']:g} s" + ", but for the database" * (not facts.get("database", True)),
    "locked": lambda facts: f"is locked for {facts['seconds']:g} s",
    "commit fails": lambda facts: f"refuses {facts['times']} commits, the {_nth(facts['after'])} from now first",
    "clock": lambda facts: f"is set {'forward' if facts['by'] > 0 else 'back'} by {abs(facts['by']):g} s",
    "slow disk": lambda facts: f"takes {facts['delay']:g} s for each operation for {facts['seconds']:g} s",
    "io error": lambda facts: f"fails {facts['times']} times to {facts['operation']}, the {_nth(facts['after'])} from now first",
}  # fmt: skip
