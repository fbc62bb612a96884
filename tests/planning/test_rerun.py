"""What a rerun runs again, and that it runs."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.codes.planning import RERUN_NODE, RERUN_NOTHING
from engine.model.errors import Invalid, SkerryError
from engine.planning.progress import Progress
from engine.planning.rerun import never_ran, resumed, select
from engine.planning.rules import Outcome, Start
from tests.effort import effort
from tests.planning import test_progress_properties as randomly
from tests.planning.helpers import Played, condition, planned, shell
from tests.planning.test_progress import LOOP

OK, BAD, SKIPPED, BLOCKED = Outcome.OK, Outcome.BAD, Outcome.SKIPPED, Outcome.BLOCKED
NIGHTLY = (
    shell("extract"), shell("audit"), shell("load", "extract"), shell("index", "load"),
    shell("publish", "index audit"),
)  # fmt: skip
FAILED = {"extract": OK, "audit": OK, "load": BAD, "index": BLOCKED, "publish": BLOCKED}


def test_failed_runs_the_failed_jobs_and_what_depends_on_them():
    chosen = select(planned(*NIGHTLY), FAILED, mode="failed")

    assert chosen.run == ("load", "index", "publish")
    assert chosen.keep == ("extract", "audit")
    assert chosen.skip == ()


def test_failed_includes_what_on_failure_stop_never_started():
    chosen = select(planned(*NIGHTLY, on_failure="stop"), {**FAILED, "audit": BLOCKED}, mode="failed")

    assert chosen.run == ("audit", "load", "index", "publish")


def test_from_runs_the_node_and_what_depends_on_it():
    chosen = select(planned(*NIGHTLY), dict.fromkeys(FAILED, OK), mode="from", nodes=["load", "audit"])

    assert chosen.run == ("audit", "load", "index", "publish")
    assert chosen.keep == ("extract",)


def test_with_upstream_runs_also_what_the_node_depends_on():
    chosen = select(planned(*NIGHTLY), FAILED, mode="from", nodes=["load"], with_upstream=True)

    assert chosen.run == ("extract", "load", "index", "publish")
    assert chosen.keep == ("audit",)


def test_only_runs_just_the_node():
    chosen = select(planned(*NIGHTLY), FAILED, mode="only", nodes=["load"])

    assert chosen.run == ("load",)
    assert chosen.keep == ("extract", "audit")
    assert chosen.skip == ("index", "publish")


def test_all_runs_everything():
    assert len(select(planned(*NIGHTLY), FAILED, mode="all").run) == 5


def test_a_wrong_node_and_an_empty_selection_are_refused():
    plan = planned(*NIGHTLY)
    with pytest.raises(Invalid) as unknown:
        select(plan, FAILED, mode="from", nodes=["laod"])
    with pytest.raises(Invalid) as nothing:
        select(plan, dict.fromkeys(FAILED, OK), mode="failed")

    assert unknown.value.entry is RERUN_NODE
    assert "did you mean 'load'?" in unknown.value.message
    assert nothing.value.entry is RERUN_NOTHING


def rerun(plan, outcomes, mode, *nodes, branches=None, rounds=None, with_upstream=False) -> Played:
    chosen = select(plan, outcomes, mode=mode, nodes=nodes, with_upstream=with_upstream)
    return Played(resumed(plan, chosen, outcomes, branches=branches, rounds=rounds))


def test_the_rerun_begins_with_the_failed_job():
    run = rerun(planned(*NIGHTLY), FAILED, "failed")

    assert run.log == ["load#1"]
    assert run.end("load", "index", "publish") == ["index#1", "publish#1"]
    assert run.progress.finished
    assert not run.progress.failed


def test_a_kept_failure_fails_the_rerun_too():
    run = rerun(planned(*NIGHTLY), FAILED, "only", "audit")
    run.end("audit")

    assert run.progress.finished
    assert run.progress.failed


def test_a_node_chosen_by_hand_starts_whatever_came_before_it():
    plan = planned(shell("a"), shell("b", "a"), condition("c", "a", one="x", two="y"), shell("x"), shell("y"))
    outcomes = {"a": BAD, "b": BLOCKED, "c": OK, "x": OK, "y": SKIPPED}

    assert rerun(plan, outcomes, "from", "b").log == ["b#1"]
    assert rerun(plan, outcomes, "only", "y", branches={"c": "one"}).log == ["y#1"]


def test_a_kept_condition_keeps_its_branch():
    plan = planned(condition("c", one="x", two="y"), shell("x"), shell("y"), shell("z", "x y"))
    outcomes = {"c": OK, "x": BAD, "y": SKIPPED, "z": BLOCKED}

    run = rerun(plan, outcomes, "failed", branches={"c": "one"})

    assert run.log == ["x#1"]
    assert run.end("x") == ["z#1"]


def test_a_rerun_within_a_loop_goes_on_with_the_loop():
    outcomes = {"begin": OK, "look": OK, "reached": OK, "step": BAD, "publish": BLOCKED}
    plan = planned(*LOOP)

    chosen = select(plan, outcomes, mode="failed")
    run = Played(
        resumed(
            plan, chosen, outcomes, branches={"reached": "false"}, rounds={"look": 2, "reached": 2, "step": 1}
        )
    )

    assert chosen.run == ("look", "reached", "step", "publish")
    assert chosen.keep == ("begin",)
    assert run.log == ["step#2"]
    assert run.end("step") == ["look#3"]
    run.end("look")
    assert run.take("reached", "false") == ["step#3"]
    run.end("step", "look")
    assert run.take("reached", "true") == ["publish#1"]


def test_a_rerun_from_before_a_loop_runs_all_of_it():
    plan = planned(*LOOP)

    run = rerun(plan, dict.fromkeys(plan.nodes, OK), "from", "look", branches={"reached": "true"})

    assert run.log == ["look#1"]
    run.end("look")
    assert run.take("reached", "false") == ["step#1"]
    assert run.end("step") == ["look#2"]


def test_upstream_of_what_follows_a_loop_is_the_whole_loop():
    plan = planned(*LOOP)

    chosen = select(plan, dict.fromkeys(plan.nodes, OK), mode="from", nodes=["publish"], with_upstream=True)

    assert set(chosen.run) == set(plan.nodes)


def test_only_the_condition_of_a_loop_does_not_send_the_rest_round():
    plan = planned(*LOOP)

    run = rerun(plan, dict.fromkeys(plan.nodes, OK), "only", "reached", branches={"reached": "true"})

    assert run.log == ["reached#1"]
    assert run.take("reached", "false") == []
    assert run.progress.finished


def test_what_runs_again_may_come_after_a_node_that_never_ran():
    """A definition that changed since: ``extract`` was called something else when it ran."""
    plan = planned(*NIGHTLY)
    known = {id: come for id, come in FAILED.items() if id != "extract"}

    def missed(mode, *nodes, **more):
        chosen = select(plan, known, mode=mode, nodes=nodes, **more)
        return never_ran(plan, chosen, known, {})

    assert missed("from", "load") == missed("from", "index") == missed("only", "load") == ("extract",)
    assert missed("from", "load", with_upstream=True) == missed("from", "extract") == ()
    assert missed("failed") == missed("all") == missed("only", "extract", "load") == ()
    assert missed("from", "audit") == ("extract",)  # publish comes after both
    assert missed("only", "audit") == ()


def test_what_never_ran_since_its_branch_was_not_taken_is_not_missed():
    plan = planned(
        condition("c", yes="a", no="new"), shell("a"), shell("new"), shell("newer", "new"),
        shell("off", enabled=False), shell("end", "a newer off", run_if="all_done"),
    )  # fmt: skip
    outcomes = {"c": OK, "a": OK, "end": BAD}
    chosen = select(plan, outcomes, mode="from", nodes=["end"])

    assert never_ran(plan, chosen, outcomes, {"c": "yes"}) == ()
    assert never_ran(plan, chosen, outcomes, {"c": "no"}) == ("new", "newer")


@settings(max_examples=effort(50, all=800))
@given(seed=st.integers(0, 2**40), size=st.integers(1, 10))
def test_any_rerun_of_any_run_selects_consistently_and_comes_to_an_end(seed, size):
    random = Random(seed)
    plan = randomly.planned(random, size)
    if plan is None:
        return
    first, branches = finish(plan, Progress(plan), random)
    outcomes = {node: first.outcome(node) for node in plan.nodes}
    rounds = {node: first.round(node) for node in plan.nodes}
    mode = random.choice(["all", "from", "failed", "only"])
    nodes = random.sample(list(plan.nodes), k=random.randint(1, min(2, size)))
    if mode == "failed" and not any(each.failed for each in outcomes.values()):
        return

    upstream = random.random() < 0.3
    chosen = select(plan, outcomes, mode=mode, nodes=nodes, with_upstream=upstream)
    again = resumed(plan, chosen, outcomes, branches=branches, rounds=rounds)

    assert sorted(chosen.run + chosen.keep + chosen.skip) == sorted(plan.nodes)
    if mode in ("from", "failed") and not upstream:
        followed = {*chosen.run, *chosen.entered}
        for node in set(chosen.run) - set(chosen.entered):
            assert set(plan.nodes[node].children) <= followed
    second, _ = finish(plan, again, random)
    assert second.finished
    for node in (*chosen.keep, *chosen.skip):
        if node not in chosen.entered:
            assert second.round(node) == first.round(node)
            assert second.outcome(node) == (outcomes[node] or SKIPPED)
    if mode in ("from", "only") and len(nodes) == 1:
        assert second.round(nodes[0]) > first.round(nodes[0])


def finish(plan, progress, random):
    steps, branches = progress.begin(), {}
    running = [step.node for step in steps if isinstance(step, Start)]
    while running:
        node = running.pop(random.randrange(len(running)))
        outcome, branch = randomly.random_end(random, plan, node)
        try:
            steps = progress.ended(node, outcome, branch)
        except SkerryError:
            branch, steps = None, progress.ended(node, BAD)
        branches.pop(node, None)
        branches.update({node: branch} if branch else {})
        running.extend(step.node for step in steps if isinstance(step, Start))
    return progress, branches
