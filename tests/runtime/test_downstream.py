"""A rerun with downstream: what depends on the instance runs again after it, in order, whatever becomes of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.recovery import CIRCLE, NEIGHBOUR_AT_WORK
from engine.model.codes.runtime import STILL_RUNNING
from engine.model.errors import Refused
from engine.model.states import JobState
from engine.runtime.reruns.rerun_request import RerunRequest, Spoken
from engine.runtime.submission import Submission
from tests.runtime.site import TESTED, Gate, Site, shell
from tests.waiting import until

WAITS = f"while {TESTED} && [ ! -e {{0}}/go ]; do sleep 0.02; done"
GATED = f"test ! -e {{0}}/stop.{{1}} || {WAITS}; test ! -e {{0}}/fail.{{1}}"


class Tasks:
    """Tasks that depend on each other; each writes its name down, waits and fails where the test says."""

    def __init__(self, site: Site, gate: Gate, journal: Path) -> None:
        self.site, self.gate, self.journal = site, gate, journal
        self.trees: dict[str, Any] = {}

    def add(self, name: str, *upstream: str, **keys: Any) -> None:
        """One of them."""
        process = f"echo {name} >> {self.journal}; {GATED.format(self.gate.folder, name)}"
        depends = [{"self": True} if each == name else {"task": each} for each in upstream]
        tree = {"nodes": {"a": shell(process)}, "schedule": "manual", **keys}
        self.trees[name] = {**tree, "depends_on": depends} if depends else tree
        self.site.engine.store.save_definitions({"tasks": self.trees})

    def run(self, name: str) -> int:
        """One instance to its end."""
        instance = self.site.engine.submit(Submission(name))
        self.site.end(instance)
        return instance

    def tell(self, what: str, name: str) -> None:
        """``stop`` or ``fail``: from now on."""
        (self.gate.folder / f"{what}.{name}").touch()

    def go(self) -> None:
        """Whoever was stopped goes on."""
        (self.gate.folder / "go").touch()

    def again(self, *instances: int, **more: Any) -> list[tuple[int, int, tuple[int, ...]]]:
        """Rerun with downstream."""
        self.journal.write_text("")
        wanted = [RerunRequest(each, more.pop("mode", "all"), downstream=True, **more) for each in instances]
        begun = self.site.engine.rerun_chain(wanted)
        return [(each["instance"], each["run"], tuple(each.get("after", ()))) for each in begun]

    @property
    def ran(self) -> list[str]:
        """Who ran since, in order."""
        return self.journal.read_text().split()


@pytest.fixture
def tasks(site: Site, gate: Gate, tmp_path: Path) -> Tasks:
    journal = tmp_path / "journal"
    journal.touch()
    return Tasks(site, gate, journal)


@pytest.fixture
def diamond(tasks: Tasks) -> tuple[int, ...]:
    """a; b and c depend on it; d on both; e beside them on nothing."""
    tasks.add("a")
    tasks.add("b", "a")
    tasks.add("c", "a")
    tasks.add("d", "b", "c")
    tasks.add("e")
    return tuple(tasks.run(name) for name in "abcde")


def test_everything_that_depends_on_it_runs_again_after_it_and_in_order(
    site: Site, tasks: Tasks, diamond: tuple[int, ...]
) -> None:
    a, b, c, d, _ = diamond

    answer = tasks.again(a, reason="other rates")

    assert answer == [(a, 2, ()), (b, 2, (a,)), (c, 2, (a,)), (d, 2, (b, c))]
    assert [site.end(each).status for each in (d, b, c, a)] == ["succeeded"] * 4
    assert (tasks.ran[0], sorted(tasks.ran[1:3]), tasks.ran[3:]) == ("a", ["b", "c"], ["d"])
    assert [site.see(each).row.run for each in diamond] == [2, 2, 2, 2, 1]
    assert site.see(d).row.reason == f"run again after instance {b}, {c}"
    run = site.engine.store.run(d, 2)
    assert run is not None
    assert (run.trigger, run.reason, run.actor) == ("manual", "other rates", "operator")
    site.see(d).assert_replays()


def test_what_waits_says_so_and_nothing_else_may_be_done_with_it(
    site: Site, tasks: Tasks, diamond: tuple[int, ...]
) -> None:
    a, b, c, d, _ = diamond
    tasks.tell("stop", "a")
    tasks.again(a)
    engine = site.engine

    assert (site.see(d).status, site.see(d).row.reason) == ("waiting", f"runs again after instance {b}, {c}")
    assert not engine.idle()
    for call in (
        lambda: engine.rerun([RerunRequest(d, "all")]),
        lambda: engine.force(d, "a", JobState.FAILED, "no"),
    ):
        with pytest.raises(Refused) as caught:
            call()
        assert caught.value.entry is STILL_RUNNING

    tasks.go()
    assert site.end(d).status == "succeeded"


def test_after_a_failure_the_others_stand_as_they_stood(
    site: Site, tasks: Tasks, diamond: tuple[int, ...]
) -> None:
    a, b, c, d, _ = diamond
    tasks.tell("fail", "b")

    tasks.again(a)

    assert [site.end(each).status for each in (a, b, c, d)] == [
        "succeeded",
        "failed",
        "succeeded",
        "succeeded",
    ]
    assert (site.see(d).row.run, site.see(d).row.reason) == (1, f"not run again: instance {b} failed")
    assert "d" not in tasks.ran
    assert site.engine.idle()


def test_after_a_failure_who_waited_for_it_and_for_another_that_did_stands_as_it_stood(
    site: Site, tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks.add("a")
    tasks.add("b", "a")
    tasks.add("c", "a", "b")
    a, b, c = (tasks.run(name) for name in "abc")
    unforeseen: list[Exception] = []
    monkeypatch.setattr(site.engine.services.loop, "on_error", unforeseen.append)
    tasks.tell("fail", "a")

    tasks.again(a)

    assert [site.end(each).status for each in (a, b, c)] == ["failed", "succeeded", "succeeded"]
    assert (site.see(b).row.run, site.see(c).row.run) == (1, 1)
    assert site.engine.idle()
    assert unforeseen == []


@pytest.mark.parametrize("which", [0, 3])
def test_a_cancel_of_the_first_or_of_one_that_waits(
    site: Site, tasks: Tasks, diamond: tuple[int, ...], which: int
) -> None:
    a, b, c, d, _ = diamond
    tasks.tell("stop", "a")
    tasks.again(a)
    site.until_state(a, "a", "running")

    site.engine.cancel(diamond[which], actor="me")
    tasks.go()

    assert site.end(d).status == "succeeded"
    assert site.see(d).row.run == 1
    assert [site.end(each).status for each in (b, c)] == ["succeeded"] * 2
    assert site.see(b).row.run == (1 if which == 0 else 2)
    message = f"instance {b} was not" if which == 0 else "cancelled by me"
    assert site.see(d).row.reason == f"not run again: {message}"


@pytest.mark.parametrize("moment", ["before", "between"])
def test_the_next_engine_goes_on_with_the_chain(
    site: Site, tasks: Tasks, diamond: tuple[int, ...], moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends while the first one runs; or just when that has come to its end and the next has not begun."""
    a, b, c, d, _ = diamond
    tasks.tell("stop", "a")
    tasks.again(a)
    site.until_state(a, "a", "running")
    if moment == "between":
        monkeypatch.setattr(site.engine.pending_reruns, "ended", lambda *_: None)
        tasks.go()
        site.end(a)

    site.again()
    tasks.go()

    assert [site.end(each).row.run for each in (a, b, c, d)] == [2, 2, 2, 2]
    assert (tasks.ran[0], sorted(tasks.ran[1:3]), tasks.ran[3:]) == ("a", ["b", "c"], ["d"])


def test_a_failure_that_no_engine_saw_ends_the_chain(
    site: Site, tasks: Tasks, diamond: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, _, d, _ = diamond
    tasks.tell("fail", "a")
    monkeypatch.setattr(site.engine.pending_reruns, "ended", lambda *_: None)
    tasks.again(a)
    site.end(a)

    site.again()

    said = [f"not run again: instance {a} failed", f"not run again: instance {b} was not"]
    until(lambda: [site.see(each).row.reason for each in (b, d)] == said, "both are given up")
    assert until(site.engine.idle)


def test_a_preview_lists_all_of_it(site: Site, tasks: Tasks, diamond: tuple[int, ...]) -> None:
    a, b, c, d, _ = diamond

    answer = site.engine.preview(RerunRequest(a, "all", downstream=True))

    nodes = {"run": ["a"], "keep": [], "skip": []}
    assert answer == {
        **nodes,
        "downstream": [
            {"instance": b, "task": "b", "after": [a], **nodes},
            {"instance": c, "task": "c", "after": [a], **nodes},
            {"instance": d, "task": "d", "after": [b, c], **nodes},
        ],
    }
    assert [site.see(each).row.run for each in diamond] == [1] * 5


def test_the_definition_as_it_is_now_is_that_of_all(site: Site, tasks: Tasks) -> None:
    tasks.add("a")
    tasks.add("b", "a")
    a, b = tasks.run("a"), tasks.run("b")
    tasks.add("b", "a", nodes={"new": shell(f"echo new >> {tasks.journal}")})

    answer = site.engine.preview(RerunRequest(a, "all", downstream=True, current=True))
    tasks.again(a, current=True)
    site.end(b)

    assert any("new" in line for line in answer["downstream"][0]["diff"])
    assert tasks.ran == ["a", "new"]


def test_edits_of_those_that_follow_stay(site: Site, tasks: Tasks) -> None:
    tasks.add("a")
    tasks.add("b", "a", params={"n": 1})
    a, b = tasks.run("a"), tasks.run("b")
    site.engine.set_value(b, "$.TASK.PARAMS['n']", 5, "as agreed")

    tasks.again(a)

    assert site.end(b).context["TASK"]["PARAMS"]["n"] == 5
    assert site.see(b).row.edited == ["$.TASK.PARAMS['n']"]


def test_in_a_batch_who_depends_on_another_waits_for_it_with_its_own_choice(
    site: Site, tasks: Tasks, diamond: tuple[int, ...]
) -> None:
    a, b, c, d, e = diamond

    answer = tasks.again(d, a, e)

    assert answer == [(a, 2, ()), (e, 2, ()), (d, 2, (b, c)), (b, 2, (a,)), (c, 2, (a,))]
    assert site.end(d).row.run == 2
    assert (tasks.ran.index("d"), len(tasks.ran)) == (4, 5)


def test_what_was_asked_of_one_that_waits_outlives_the_engine(site: Site, tasks: Tasks) -> None:
    tasks.add("a")
    tasks.add("b", "a", params={"n": 1})
    a, b = tasks.run("a"), tasks.run("b")
    tasks.tell("stop", "a")
    edits = [("$.TASK.PARAMS['n']", Spoken("5"))]
    first = RerunRequest(a, "all", downstream=True)
    site.engine.rerun([first, RerunRequest(b, "from", ("a",), edits=edits, reason="agreed")])
    site.until_state(a, "a", "running")

    site.again()
    tasks.go()

    assert site.end(b).context["TASK"]["PARAMS"]["n"] == 5
    run = site.engine.store.run(b, 2)
    assert run is not None
    assert run.reason == "agreed"


def test_while_one_of_them_runs_nothing_begins(site: Site, tasks: Tasks, diamond: tuple[int, ...]) -> None:
    a, _, _, d, _ = diamond
    tasks.tell("stop", "d")
    site.engine.rerun([RerunRequest(d, "all")])
    site.until_state(d, "a", "running")

    with pytest.raises(Refused) as caught:
        tasks.again(a)

    assert caught.value.entry in (STILL_RUNNING, NEIGHBOUR_AT_WORK)
    assert site.see(a).row.run == 1
    tasks.go()
    site.end(d)


def test_what_was_begun_beside_it_meanwhile_comes_first(site: Site, tasks: Tasks) -> None:
    """A new instance that depends on the one whose turn has come: that one would read what is being made again."""
    tasks.add("a")
    tasks.add("b", "a")
    tasks.add("c", "b")
    a, b = tasks.run("a"), tasks.run("b")
    tasks.tell("stop", "a")
    tasks.again(a)
    site.until_state(a, "a", "running")
    tasks.tell("stop", "c")
    c = site.engine.submit(Submission("c"))
    site.until_state(c, "a", "running")
    (tasks.gate.folder / "stop.a").unlink()
    site.engine.force(a, "a", JobState.SUCCEEDED, "enough")
    site.end(a)

    assert site.see(b).status == "waiting"
    tasks.go()
    site.end(c)

    assert site.end(b).row.run == 2


def test_a_task_that_depends_on_its_own_last_instance(site: Site, tasks: Tasks) -> None:
    tasks.add("s", "s")
    first, second, third = (tasks.run("s") for _ in range(3))

    answer = tasks.again(second)

    assert answer == [(second, 2, ()), (third, 2, (second,))]
    assert site.end(third).row.run == 2
    assert site.see(first).row.run == 1


# -- sub-tasks ---------------------------------------------------------------------------------------


def sub_tasks(tasks: Tasks, path: str = "$.JOB['s'].RESULT['n']", **node: Any) -> tuple[int, int]:
    """``outer`` whose node ``s`` runs ``inner``, which fails; gives both instances."""
    tasks.add("inner", results={"n": {"value": 7}})
    after = shell(f"echo after $n >> {tasks.journal}", after=["s"], params={"n": path})
    first = shell(f"echo first >> {tasks.journal}")
    nodes = {"p": first, "s": {"type": "task", "task": "inner", "after": ["p"], **node}, "after": after}
    tasks.add("outer", nodes=nodes)
    tasks.tell("fail", "inner")
    outer = tasks.run("outer")
    (tasks.gate.folder / "fail.inner").unlink()
    inner = min(row.id for row in tasks.site.engine.store.instances() if row.task == "inner")
    return outer, inner


def test_who_waited_for_a_sub_task_goes_on_with_what_it_gives_now(site: Site, tasks: Tasks) -> None:
    outer, inner = sub_tasks(tasks)
    assert site.see(outer).status == "failed"

    answer = tasks.again(inner, mode="failed")

    assert answer == [(inner, 2, ()), (outer, 2, (inner,))]
    seen = site.end(outer)
    assert (seen.status, tasks.ran) == ("succeeded", ["inner", "after", "7"])
    assert seen["s"].results == {"n": 7, "instance": inner}
    assert len([row for row in site.engine.store.instances() if row.task == "inner"]) == 1
    seen.assert_replays()
    assert [each[0] for each in tasks.again(inner)] == [inner, outer]  # it is still the one that is used
    site.end(outer)


def test_a_sub_task_that_has_a_later_one_is_used_by_nobody(site: Site, tasks: Tasks) -> None:
    outer, inner = sub_tasks(tasks)
    site.engine.rerun([RerunRequest(outer, "all")])
    site.end(outer)

    assert tasks.again(inner) == [(inner, 2, ())]
    site.end(inner)


def test_who_did_not_wait_for_a_sub_task_does_not_depend_on_it(site: Site, tasks: Tasks) -> None:
    tasks.add("inner")
    tasks.add("outer", nodes={"s": {"type": "task", "task": "inner", "wait": False}})
    outer = tasks.run("outer")
    [inner] = [row.id for row in site.engine.store.instances() if row.task == "inner"]
    site.end(inner)

    assert tasks.again(inner) == [(inner, 2, ())]
    site.end(inner)
    assert site.see(outer).row.run == 1


def test_members_of_a_batch_keep_the_sub_tasks_that_they_have(site: Site, tasks: Tasks) -> None:
    outer, _ = sub_tasks(tasks, "$.JOB['s'][1].RESULT['n']", params=[{}, {}])
    inner = sorted(row.id for row in site.engine.store.instances() if row.task == "inner")

    tasks.again(inner[0], mode="failed")
    first = site.end(outer)
    tasks.again(inner[1], mode="failed")
    second = site.end(outer)

    assert [str(each.status) for each in first.all("s")] == ["succeeded", "failed"]
    assert [str(each.status) for each in second.all("s")] == ["succeeded", "succeeded"]
    assert sorted(row.id for row in site.engine.store.instances() if row.task == "inner") == inner


def test_a_circle_is_refused(site: Site, tasks: Tasks, diamond: tuple[int, ...], monkeypatch: Any) -> None:
    a, b, *_ = diamond
    from engine.runtime.reruns.neighbourhood import Neighbourhood

    rows = {a: site.engine.store.instance(b), b: site.engine.store.instance(a)}
    monkeypatch.setattr(Neighbourhood, "dependants", lambda self, row: [rows[row.id]])

    with pytest.raises(Refused) as caught:
        tasks.again(a)

    assert caught.value.entry is CIRCLE
