"""What a node or job may have besides its work: retries, limits, stages, recovery, conditions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.simulation.workload.draft import Draft, Job

EXIT_STATUS, BY_SIGNAL, TIMED_OUT = -11000001000, -11000002000, -11000003000


def of_node(draft: Draft, parents: list[str]) -> Job:
    """The node's own keys."""
    keys: Job = {}
    if draft.has("run_if"):
        keys["run_if"] = draft.pick(("all_done", "all_done", "any_succeeded", "any_failed"))
    if draft.has("when"):
        number = draft.number(parents)
        keys["when"] = f"{number} > {draft.dice.randint(0, 6)}" if number else draft.pick(("1 > 2", "2 > 1"))
    if draft.has("continue_on_failure"):
        keys["continue_on_failure"] = True
    if draft.has("disabled"):
        keys["enabled"] = False
    if draft.has("priority"):
        keys["priority"] = draft.pick((-5, 1, 5, 100))
    if draft.has("position"):
        keys["position"] = [draft.dice.randint(0, 900), 40.5]
    return keys


def of_program(draft: Draft, job: Job, name: str, *, alone: bool = True) -> None:
    """What comes to a job that has a process; ``alone`` when its node is just this job."""
    _judged(draft, job, name, alone)
    _limited(draft, job)
    _repeated(draft, job)
    _staged(draft, job, name)
    _placed(draft, job)
    if draft.has("binary") and job["type"] == "shell":
        job["process"] = {"binary": "/usr/bin/true"}


def _judged(draft: Draft, job: Job, name: str, alone: bool) -> None:
    results = job.setdefault("results", {})
    if draft.has("computed result"):
        results["shown"] = {"kind": "number", "value": f"{{$.JOB['{name}'].OUTPUT}}:REGEX:done (\\d+)"}
    if draft.has("condition result") and "n" in results and alone:
        results["high"] = {"kind": "boolean", "value": f"{{$.JOB['{name}'].RESULT['n']}} > 4"}
    if draft.has("resource result"):
        results["there"] = {"value": {"resource": "shore"}}
    if draft.has("success resource"):
        job["success"] = {"resource": draft.pick(("shore", "shore", "boat"))}
    elif draft.has("success") and job.get("mode") != "async":
        job["success"] = draft.pick(
            (f"$.JOB['{name}'].EXIT_CODE < 4", [f"$.JOB['{name}'].EXIT_CODE < 4", "1 > 0"])
        )
    if draft.has("resources"):
        job["resources"] = [draft.pick(("shore", "shore", "shore", "shore", "boat"))]
    if draft.has("changes"):
        job["changes"] = ["shore"]
    if not results:
        del job["results"]


def _limited(draft: Draft, job: Job) -> None:
    if draft.has("timeout"):
        job["timeout"] = draft.pick(("1s", "10s", "1m", "1h"))
    if draft.has("queue_timeout"):
        job["queue_timeout"] = draft.pick(("1s", "30s", "10m"))
    if draft.has("limits"):
        job["limits"] = draft.pick(
            ({"output": 2000}, {"output": "1MB", "files": 64}, {"cpu": "1m", "memory": "1GB"})
        )
    if draft.has("monitor"):
        job["monitor"] = False


def _repeated(draft: Draft, job: Job) -> None:
    if draft.has("retry"):
        job["retry"] = retry(draft)
    for strategy in ("retry", "ask", "discard"):
        if draft.has(f"recovery {strategy}"):
            job["recovery"] = recovery(draft, strategy)


def retry(draft: Draft) -> Job:
    """How often, and after which pauses, a failed attempt is made again."""
    found: Job = {"times": draft.pick((1, 1, 2, 3)), "interval": draft.pick(("0s", "1s", "30s", "1m", "10m"))}
    if draft.has("backoff"):
        found |= {"backoff": draft.pick((1.5, 2, 10)), "max_interval": draft.pick(("1m", "5m"))}
    if draft.has("retry on"):
        found["on"] = draft.pick(([EXIT_STATUS - 3], [EXIT_STATUS], [BY_SIGNAL, TIMED_OUT], [-11000000000]))
    return found


def recovery(draft: Draft, strategy: str) -> Job:
    """What becomes of a job whose outcome is lost, or whose retries are used up."""
    return {"strategy": strategy, "after": draft.pick(("0s", "10s", "2m")), "times": draft.pick((1, 2, 3))}


def _staged(draft: Draft, job: Job, name: str) -> None:
    if draft.has("ready"):
        job["ready"] = "look around"
    if draft.has("end"):
        job["end"] = "clean up"
    for stage in ("ready", "end"):
        if draft.has(f"{stage} group"):
            many = draft.pick((1, 1, 2))
            job[stage] = {
                "group": [member(draft, f"{name}.{stage}", index, plain=True) for index in range(many)]
            }
    if draft.has("ready task") and draft.later:
        job["ready"] = {"task": draft.pick(draft.later)}
    if draft.has("ready built-in") and isinstance(job.get("params", {}), Mapping):
        job["ready"] = {"class": "file_exists"}
        job["params"] = {**job.get("params", {}), "path": "$.TASK.WORKSPACE"}


def _placed(draft: Draft, job: Job) -> None:
    on: Job = {}
    if draft.has("exclusive"):
        on["exclusive"] = True
    if draft.has("worker"):
        on["workers"] = ["local"]
    if draft.has("worker elsewhere"):
        on["workers"] = ["far-away"]
    if on:
        job["on"] = on


def of_steering(draft: Draft) -> Job:
    """What comes to a wait, a group or a sub-task."""
    keys: Job = {}
    if draft.has("steering retry"):
        keys["retry"] = retry(draft)
    if draft.has("steering timeout"):
        keys["timeout"] = draft.pick(("1s", "30s", "10m", "1h"))
    if draft.has("steering ready"):
        keys["ready"] = "look around"
    if draft.has("steering end"):
        keys["end"] = draft.pick(("clean up", {"group": [{"type": "shell", "process": "work"}]}))
    if draft.has("steering recovery"):
        keys["recovery"] = recovery(draft, draft.pick(("retry", "ask", "discard")))
    return keys


def member(draft: Draft, outer: str, index: int, *, plain: bool = False) -> Job:
    """One job of a group, ``outer.index``; ``plain`` without stages of its own."""
    if draft.dice.random() < 0.15:
        return {"job": draft.pick(draft.tree["jobs"]), "params": {"amount": draft.pick((1, 5))}}
    job: dict[str, Any] = {"type": "shell", "process": "work", "results": draft.results()}
    if not job["results"]:
        del job["results"]
    if not plain:
        of_program(draft, job, f"{outer}.{index}")
    return job
