"""Several people change one ended instance at the same moment: every change has its line, and its number."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from engine.model.errors import Refused
from engine.model.states import JobState
from engine.runtime.interventions.amendment import Amendment, Base, NewValue
from engine.runtime.reruns.rerun_request import RerunRequest
from tests.effort import effort
from tests.runtime.site import Seen, Site, shell, task

ROUNDS = effort(6, all=15)
NUMBER = "$.TASK.PARAMS['n']"


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """What each call gave, or how it was refused; all of them begin together."""
    barrier = threading.Barrier(len(calls))
    given: list[Any] = [None] * len(calls)

    def made(place: int) -> None:
        barrier.wait()
        try:
            given[place] = calls[place]()
        except Refused as refused:
            given[place] = refused

    threads = [threading.Thread(target=made, args=(place,)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return given


def ended(site: Site) -> Seen:
    """An instance that has come to its end, with a parameter and two nodes."""
    nodes = {"a": shell("true"), "b": shell("true", after=["a"])}
    return site.run(task(nodes, params={"n": 0}))


def amendment(site: Site, seen: Seen, name: str) -> Amendment:
    """A value that comes from outside, by the present log."""
    lines = site.see(seen.id).lines
    base = Base(seen.id, "t", lines[-1]["seq"], lines[-1]["time"])
    return Amendment(name, "fix", base=base, values=(NewValue(NUMBER, -1, "from outside"),))


def test_changes_of_an_ended_instance_that_come_at_once_follow_each_other(site: Site) -> None:
    seen, engine = ended(site), site.engine

    for round in range(ROUNDS):
        wanted = amendment(site, seen, f"f{round}")
        at_once(
            [
                *(lambda n=n: engine.set_value(seen.id, NUMBER, n, "why") for n in range(4)),
                lambda: engine.force(seen.id, "b", JobState.SUCCEEDED, "said so"),
                partial(engine.amend, wanted, "me"),
            ]
        )

    after = site.see(seen.id)
    assert [line["seq"] for line in after.lines] == list(range(1, len(after.lines) + 1))
    assert len([line for line in after.lines if line.get("why") == "why"]) == 4 * ROUNDS
    after.assert_replays()


def test_only_one_of_several_reruns_begins_and_no_change_beside_it_is_lost(site: Site) -> None:
    seen, engine = ended(site), site.engine
    begun = 0

    for round in range(ROUNDS):
        again = RerunRequest(seen.id, "only", ("b",), edits=[(NUMBER, round)], reason="again")
        answer = at_once(
            [
                *(partial(engine.rerun, [again]) for _ in range(3)),
                *(lambda n=n: engine.set_value(seen.id, NUMBER, n, "why") for n in range(3)),
            ]
        )
        begun += sum(isinstance(each, list) for each in answer)
        site.end(seen.id)

    after = site.see(seen.id)
    assert begun == after.row.run - 1
    assert len([line for line in after.lines if line.get("why") == "why"]) == 3 * ROUNDS
    after.assert_replays()
