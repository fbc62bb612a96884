"""The definitions of one life: a few tasks that use, over many seeds, everything that runs without servers."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tests.simulation.workload.draft import Draft, Job
from tests.simulation.workload.features import OF_ENDS, PIECES, PROGRAMS, Place, places
from tests.simulation.workload.fragments import MAKERS, step
from tests.simulation.workload.losses import tried_again
from tests.simulation.workload.newer_pieces import ask, handlers, try_again
from tests.simulation.workload.node_options import EXIT_STATUS, retry
from tests.simulation.workload.random_streams import chance, one_of

TASKS = ("tide", "cargo", "fleet", "crew")


def settings(seed: int) -> dict[str, Any]:
    """``workspace.yaml`` of a life."""
    dice = chance(seed, "settings")
    return {
        "places": dice.choice((1, 2, 2, 3, 4)),
        "timezone": dice.choice(("UTC", "UTC", "Asia/Shanghai", "America/St_Johns")),
        "durability": dice.choice(("full", "full", "normal")),
        "grace": dice.choice((0, 1, 10, 10)),
        "monitor": False,
        **dice.choice(({},) * 5 + ({"retention": {"count": 1, "failed": True}},)),
    }


@lru_cache(maxsize=8)
def definitions(seed: int) -> dict[str, Any]:
    """The sections of a definition file; not to be changed by whoever gets them."""
    dice = chance(seed, "definitions")
    names = TASKS[: dice.choice((2, 3, 3, 4))]
    tree: Job = {"resources": dict(_RESOURCES), "jobs": {}, "tasks": {name: {} for name in names}}
    tree["jobs"] = {id: _reusable(seed, id) for id in ("count", "sort")}
    for number in reversed(range(len(names))):
        later = names[number + 1 :]
        draft = Draft(tree, names[number], later, chance(seed, "task", names[number]))
        tree["tasks"][names[number]] = _task(
            seed, draft, size=draft.dice.randint(7, 13) if number == 0 else draft.dice.randint(2, 7)
        )
    return tree | _of_life(Draft(tree, names[0], names[1:], chance(seed, "life")))


_RESOURCES: Job = {
    "shore": {"type": "file", "uri": "$.TASK.WORKSPACE", "check": {"exists": True}},
    "boat": {"type": "file", "uri": "{$.TASK.WORKSPACE}/boat", "check": {"exists": True, "min_size": 1}},
}


def _reusable(seed: int, id: str) -> Job:
    draft = Draft({"jobs": {}, "tasks": {}}, "", (), chance(seed, "job", id))
    job: Job = {
        "type": "shell",
        "name": f"The job {id}",
        "params": {
            "amount": {"kind": "number", "required": True},
            "level": {"value": "info", "choices": ["info", "warning"]},
            "raw": {"value": "$.x stays as it is", "dynamic": False},
            "x": draft.pick(({}, {}, {"kind": "text", "value": "deep"})),
            "limit": {},  # of the task, where that has one
        },
        "process": "work",
        "results": {"n": {"kind": "number"}, **draft.results()},
    }
    if draft.has("retry"):
        job["retry"] = retry(draft)
    return job


def _task(seed: int, draft: Draft, size: int) -> Job:
    keys: Job = {}
    draft.tree["tasks"][draft.task] = keys
    if draft.has("task params"):
        keys["params"] = {"limit": {"kind": "number", "value": draft.pick((0, 3, 10))}, "day": "monday"}
        if draft.dice.random() < 0.5:
            keys["params"]["items"] = {"kind": "list", "value": draft.pick(([], [1, 2], ["a", "b", "c"]))}
    while len(draft.nodes) < size:
        piece = one_of(draft.dice, PIECES) if draft.nodes or draft.dice.random() < 0.5 else "step"
        MAKERS[piece](draft)
    keys["nodes"] = draft.nodes
    _limit(draft, keys)
    _judge(draft, keys)
    _connect(draft, keys)
    ask(seed, draft, OF_ENDS["approve"])
    try_again(seed, draft)
    return tried_again(seed, keys | handlers(seed, draft, OF_ENDS["on_end"]))


def _limit(draft: Draft, keys: Job) -> None:
    if draft.has("task timeout"):
        keys["timeout"] = draft.pick(("10s", "5m", "1h", "1d"))
    if draft.has("task retry"):
        keys["retry"] = {"times": draft.pick((1, 1, 2)), "interval": draft.pick(("0s", "10s", "5m"))}
    if draft.has("task priority"):
        keys["priority"] = draft.pick((-1, 3, 10))
    if draft.has("parallel"):
        keys["limits"] = {"parallel": draft.pick((1, 2, 3))}
    if draft.has("on_failure stop"):
        keys["on_failure"] = "stop"
    if draft.has("job_params"):
        keys["job_params"] = {draft.pick(draft.tree["jobs"]): {"level": "warning"}}


def _judge(draft: Draft, keys: Job) -> None:
    numbers = [
        each
        for each in draft.nodes
        if "n" in draft.sources[each].results and draft.sources[each].members is None
    ]
    if not numbers:
        step_results = draft.nodes[step(draft)].setdefault("results", {})
        step_results["n"] = {"kind": "number"}
        numbers = [list(draft.nodes)[-1]]
    value = f"$.JOB['{draft.pick(numbers)}'].RESULT['n']"
    if draft.has("task results"):
        keys["results"] = {
            "n": {"kind": "number", "value": value},
            "day": {"value": "on {$.TASK.SCHEDULED_TIME}"},
        }
    if draft.has("task success"):
        keys["success"] = f"{value} >= 0"


def _connect(draft: Draft, keys: Job) -> None:
    if draft.has("online"):
        keys |= {"schedule": "manual", "state": "online"}
    elif draft.has("manual"):
        keys["schedule"] = "manual"
    if draft.has("depends_on") and draft.later:
        waits = {"task": draft.pick(draft.later), "on_failure": draft.pick(("fail", "wait"))}
        if keys.get("state") != "online":  # others would have to be as well, or the definitions are refused
            keys["depends_on"] = [waits]
    if draft.has("depends_on self"):
        keys["depends_on"] = [*keys.get("depends_on", ()), {"self": True}]


def _of_life(draft: Draft) -> Job:
    """What is said once for all tasks."""
    found: Job = {"rules": list(_rules(draft))}
    if not found["rules"]:
        del found["rules"]
    if draft.has("project"):
        found["project"] = "harbour"
    if draft.has("own errors"):
        found["errors"] = {
            str(EXIT_STATUS - 3): {"title": {"en": "The quay is taken"}, "remedy": {"en": "Wait."}}
        }
    return found


def _rules(draft: Draft) -> list[Job]:
    candidates = [place for place in places(draft.tree) if place.job["type"] in PROGRAMS]
    found = []
    for number, word in enumerate(("retry", "skip", "succeed", "set", "run", "pause", "alert")):
        if draft.has(f"rule {word}"):
            rule: Job = {"id": f"{word}-{number}", "match": _match(draft, draft.pick(candidates), word)}
            found.append(rule | {"action": _rule_action(draft, word), "priority": draft.pick((0, 0, 10))})
            if draft.has("rule off"):
                found[-1]["enabled"] = False
    return found


def _match(draft: Draft, place: Place, word: str) -> Job:
    """Which failures a rule is for; a remedy is for those of the first task, which nothing starts."""
    matches: tuple[Job, ...] = (
        {"task": place.task, "node": place.node},
        {"task": place.task},
        {"node": place.node, "code": EXIT_STATUS},
        {"domain": 10, "trigger": ["manual"]},
        {"code": [EXIT_STATUS - 1, EXIT_STATUS - 3], "message": "exit status"},
        {"job": "count"},
    )
    return {"task": draft.task} if word == "run" else dict(draft.pick(matches))


def _rule_action(draft: Draft, word: str) -> Any:
    match word:
        case "retry":
            return {"retry": {"after": draft.pick(("0s", "10s", "5m")), "times": draft.pick((1, 2))}}
        case "set":
            path = draft.pick(("$.TASK.PARAMS['limit']", "$.JOB['a'].RESULT['n']"))
            return {"set": {"path": path, "value": 9, "times": draft.pick((1, 2))}}
        case "run":
            return {"run": {"task": draft.later[-1], "times": draft.pick((1, 2))}}
        case "alert":
            return {"alert": {"level": draft.pick(("info", "warning", "error")), "text": "look at it"}}
    return word
