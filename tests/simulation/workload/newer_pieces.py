"""What is drawn from streams of its own, so that lives without it stay as they are.

Handlers of the end, questions to people, what needs a second attempt.
"""

from __future__ import annotations

from typing import Any

from tests.simulation.workload.beginnings import is_struck
from tests.simulation.workload.draft import Draft, Job, Source
from tests.simulation.workload.random_streams import chance

HANDLERS = ("succeeded", "failed", "cancelled", "always")
CHOICES = ("approve", "reject", "later")


def handlers(seed: int, draft: Draft, often: float) -> Job:
    """The key ``on_end`` of a task, or nothing."""
    dice = chance(seed, "handlers", draft.task)
    if dice.random() >= often:
        return {}
    names = [each for each in HANDLERS if dice.random() < 0.6] or ["always"]
    return {"on_end": {each: _handler(dice.choice, dice.random) for each in names}}


def _handler(pick: Any, share: Any) -> Job:
    told = {"params": {"x": "$.TASK.STATUS", "y": "$.TASK.ERROR.CODE"}}
    job: Job = dict(
        pick(
            (
                {"type": "shell", "process": "work", **told},
                {"type": "shell", "process": "work", "end": "clean up", **told},
                {"type": "wait", "for": pick(("1s", "30s", "10m"))},  # longer than it may last, too
                {"type": "file_exists", "params": {"path": "$.TASK.DIRECTORY"}},
            )
        )
    )
    if job["type"] == "shell" and share() < 0.3:
        job["retry"] = {"times": 1, "interval": pick(("0s", "30s"))}
    if job["type"] == "shell" and share() < 0.2:
        job["recovery"] = {"strategy": "retry", "after": "10s"}
    if share() < 0.3:
        job["timeout"] = pick(("10s", "1h"))
    return job


def ask(seed: int, draft: Draft, often: float) -> None:
    """A node that asks people, and mostly one after it."""
    before, draft.dice = draft.dice, chance(seed, "questions", draft.task)
    if draft.dice.random() < often:
        parents = draft.parents()
        keys: Job = {"type": "approve", "question": "Go on with {$.TASK.ID}?", "choices": list(CHOICES)}
        keys["fails_on"] = draft.pick((["reject"], ["reject"], []))
        keys["note"] = draft.pick(("optional", "optional", "required", "none"))
        if draft.dice.random() < 0.2:
            keys["value"] = "number"
        if draft.dice.random() < 0.6:
            keys["deadline"] = draft.pick(("10s", "10m", "2h"))
            keys |= draft.pick(({}, {"otherwise": "later"}, {"otherwise": "reject"}))
        if draft.dice.random() < 0.2:
            keys["retry"] = {"times": 1, "interval": "10s"}
        asks = draft.add(keys, parents, source=Source(draft.name(), ("choice",)))
        if draft.dice.random() < 0.7:
            draft.add({"type": "shell", "process": "work"}, [asks])
    draft.dice = before


def try_again(seed: int, draft: Draft) -> None:
    """A node that succeeds when it is tried again, with an end stage of jobs that each of its attempts has."""
    if not is_struck(seed):
        return
    before, draft.dice = draft.dice, chance(seed, "second attempts", draft.task)
    name = draft.name()
    keys: Job = {"type": "shell", "process": "work", "success": f"$.JOB['{name}'].ATTEMPT > 1"}
    keys["retry"] = {"times": 3, "interval": draft.pick(("0s", "1s", "30s"))}
    keys["end"] = {"group": [{"type": "shell", "process": "work"}]}
    draft.add(keys, draft.parents(), source=Source(name))
    draft.dice = before
