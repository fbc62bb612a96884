"""Which nodes start and which are skipped, rule by rule."""

from __future__ import annotations

import pytest

from engine.model.codes.planning import TOO_MANY_LOOPS
from engine.model.errors import SkerryError
from engine.model.reason import Kind, Reason
from engine.planning.progress import Progress
from engine.planning.rules import Outcome, Skip
from tests.planning.helpers import condition, planned, play, shell

LOOP = (
    shell("begin"),
    shell("look", "begin"),
    condition("reached", "look", max_loops=10, true="publish", false="again:look step"),
    shell("step"),
    shell("publish"),
)


def test_a_node_starts_when_all_of_its_parents_have_ended():
    run = play(shell("a"), shell("b"), shell("c", "a b"))

    assert run.log == ["a#1", "b#1"]
    assert run.end("a") == []
    assert run.end("b") == ["c#1"]
    assert run.end("c") == []
    assert run.progress.finished
    assert not run.progress.failed


def test_what_depends_on_a_failed_job_is_skipped_and_the_rest_goes_on():
    run = play(shell("a"), shell("b"), shell("c", "a"), shell("d", "c"), shell("e", "b"))

    assert run.bad("a") == ["c-parent_failed", "d-parent_failed"]
    assert run.end("b") == ["e#1"]
    run.end("e")
    assert run.progress.finished
    assert run.progress.failed


def test_on_failure_stop_starts_nothing_more_but_lets_running_jobs_end():
    run = play(shell("a"), shell("b"), shell("c", "b"), shell("d", "a", run_if="all_done"), on_failure="stop")

    assert run.bad("a") == ["c-stopped", "d-stopped"]
    assert not run.progress.finished
    assert run.end("b") == []
    assert run.progress.finished


@pytest.mark.parametrize(
    ("run_if", "a", "b", "expected"),
    [
        ("all_succeeded", Outcome.OK, Outcome.OK, "c#1"),
        ("all_succeeded", Outcome.OK, Outcome.BAD, "c-parent_failed"),
        ("all_succeeded", Outcome.OK, Outcome.SKIPPED, "c#1"),
        ("all_succeeded", Outcome.SKIPPED, Outcome.SKIPPED, "c-parents_skipped"),
        ("all_done", Outcome.BAD, Outcome.BAD, "c#1"),
        ("all_done", Outcome.SKIPPED, Outcome.SKIPPED, "c#1"),
        ("any_succeeded", Outcome.BAD, Outcome.OK, "c#1"),
        ("any_succeeded", Outcome.BAD, Outcome.BAD, "c-parent_failed"),
        ("any_succeeded", Outcome.SKIPPED, Outcome.BAD, "c-parent_failed"),
        ("any_succeeded", Outcome.SKIPPED, Outcome.SKIPPED, "c-parents_skipped"),
        ("any_failed", Outcome.OK, Outcome.BAD, "c#1"),
        ("any_failed", Outcome.OK, Outcome.OK, "c-none_failed"),
        ("any_failed", Outcome.OK, Outcome.SKIPPED, "c-none_failed"),
    ],
)
def test_run_if_decides_about_the_parents_that_count(run_if, a, b, expected):
    run = play(shell("a"), shell("b"), shell("c", "a b", run_if=run_if))

    run.end("a", outcome=a)

    assert run.end("b", outcome=b) == [expected]


def test_a_node_that_could_not_run_counts_as_failed_for_what_follows():
    run = play(
        shell("a"), shell("b", "a"), shell("c", "b", run_if="any_failed"), shell("d", "b", run_if="all_done")
    )

    assert run.bad("a") == ["b-parent_failed", "c#1", "d#1"]


def test_an_untriggered_failure_handler_is_looked_through():
    run = play(shell("a"), shell("handler", "a", run_if="any_failed"), shell("end", "a handler"))

    assert run.end("a") == ["handler-none_failed", "end#1"]


def test_a_disabled_node_passes_as_succeeded_and_a_failure_before_it_still_blocks():
    good = play(shell("a"), shell("b", "a", enabled=False), shell("c", "b"))
    bad = play(shell("a"), shell("b", "a", enabled=False), shell("c", "b"))

    assert good.end("a") == ["b-disabled", "c#1"]
    assert bad.bad("a") == ["b-parent_failed", "c-parent_failed"]


def test_a_started_node_whose_when_is_false_is_skipped_with_that_reason():
    progress = Progress(planned(shell("a"), shell("b", "a")))
    progress.begin()

    steps = progress.ended("a", Outcome.SKIPPED, skip=Reason(Kind.WHEN))

    assert steps == [
        Skip("a", 1, Reason(Kind.WHEN), Outcome.SKIPPED),
        Skip("b", 1, Reason(Kind.PARENTS_SKIPPED), Outcome.SKIPPED),
    ]


def test_a_condition_runs_its_branch_and_skips_the_others():
    run = play(
        condition("c", one="a", two="b", default="d"), shell("a"), shell("b"), shell("d"), shell("b2", "b"),
        shell("join", "a b2 d"),
    )  # fmt: skip

    assert sorted(run.take("c", "one")) == ["a#1", "b-branch", "b2-parents_skipped", "d-branch"]
    assert run.end("a") == ["join#1"]


def test_a_condition_without_a_match_takes_no_branch():
    run = play(condition("c", true="a"), shell("a"), shell("after", "c"))

    assert sorted(run.take("c", None)) == ["a-branch", "after#1"]


def test_a_branch_not_taken_is_skipped_at_once_whatever_else_its_nodes_wait_for():
    run = play(shell("slow"), condition("c", one="a", two="b"), shell("a"), shell("b", "slow"))

    assert sorted(run.take("c", "one")) == ["a#1", "b-branch"]


def test_an_all_done_node_behind_a_skipped_one_runs_unless_it_is_named_in_the_branch():
    run = play(
        condition("c", one="a", two="b b2"),
        shell("a"), shell("b"), shell("b2", run_if="all_done"), shell("clean", "b", run_if="all_done"),
    )  # fmt: skip

    assert sorted(run.take("c", "one")) == ["a#1", "b-branch", "b2-branch", "clean#1"]


def test_no_branch_runs_when_the_condition_failed_whatever_run_if_says():
    run = play(
        condition("c", one="a", two="b"),
        shell("a", run_if="all_done"),
        shell("b"),
        shell("d", "c", run_if="all_done"),
    )

    assert sorted(run.bad("c")) == ["a-parent_failed", "b-parent_failed", "d#1"]


def test_a_skipped_condition_takes_no_branch():
    run = play(shell("x"), condition("c", "x", one="a"), shell("other"), shell("a", "other"))

    assert sorted(run.end("x", outcome=Outcome.SKIPPED)) == ["a-branch", "c-parents_skipped"]


def test_a_loop_makes_new_rounds_until_its_condition_holds():
    run = play(*LOOP)

    run.end("begin", "look")
    run.take("reached", "false")
    run.end("step", "look")
    run.take("reached", "false")
    run.end("step", "look")
    run.take("reached", "true")
    run.end("publish")

    assert run.log == [
        "begin#1", "look#1", "reached#1", "step#1", "look#2", "reached#2", "step#2", "look#3", "reached#3",
        "publish#1",
    ]  # fmt: skip
    assert run.progress.finished
    assert not run.progress.failed


def test_a_branch_that_never_ran_is_skipped_when_the_condition_holds_at_once():
    run = play(*LOOP)

    run.end("begin", "look")

    assert sorted(run.take("reached", "true")) == ["publish#1", "step-branch"]


def test_what_waits_for_a_looping_condition_starts_when_it_leaves():
    run = play(*LOOP, shell("after", "reached"), shell("beside", "look"))

    assert run.end("begin", "look") == ["look#1", "reached#1", "beside#1"]
    assert run.take("reached", "false") == ["step#1"]
    assert run.end("step") == ["look#2"]
    run.end("look", "beside")
    assert sorted(run.take("reached", "true")) == ["after#1", "publish#1"]


def test_without_from_only_the_condition_is_evaluated_again():
    run = play(shell("a"), condition("c", "a", again="again s", done=""), shell("s"))

    run.end("a")
    assert run.take("c", "again") == ["s#1"]
    assert run.end("s") == ["c#2"]


def test_an_empty_branch_with_again_goes_round_at_once():
    run = play(shell("a"), condition("c", "a", no="again:a"))

    run.end("a")

    assert run.take("c", "no") == ["a#2"]


def test_a_loop_is_left_when_its_branch_failed_and_what_waits_for_it_counts_that():
    run = play(*LOOP, shell("after", "reached"), shell("alarm", "reached", run_if="any_failed"))

    run.end("begin", "look")
    run.take("reached", "false")

    assert sorted(run.bad("step")) == ["after-parent_failed", "alarm#1", "publish-parent_failed"]
    run.end("alarm")
    assert run.progress.finished
    assert run.progress.failed


def test_more_loops_than_max_loops_is_an_error_that_changes_nothing():
    run = play(condition("c", max_loops=2, no="again s", yes="done"), shell("s"), shell("done"))
    for _ in range(2):
        run.take("c", "no")
        run.end("s")

    with pytest.raises(SkerryError) as caught:
        run.take("c", "no")

    assert caught.value.entry is TOO_MANY_LOOPS
    assert run.bad("c") == ["done-parent_failed"]
    assert run.progress.finished


def test_an_inner_loop_counts_afresh_in_each_round_of_the_outer_one():
    run = play(
        shell("a"),
        condition("inner", "a", max_loops=1, no="again i", yes="go"),
        shell("i"),
        shell("go"),
        condition("outer", "go", max_loops=2, no="again:a o", yes="end"),
        shell("o"),
        shell("end"),
    )
    for _ in range(3):
        run.end("a")
        run.take("inner", "no")
        run.end("i")
        run.take("inner", "yes")
        run.end("go")
        if run.progress.round("outer") < 3:
            run.take("outer", "no")
            run.end("o")
    run.take("outer", "yes")
    run.end("end")

    assert run.progress.finished
    assert run.progress.round("i") == 3
    assert run.progress.round("inner") == 6


def test_an_outer_branch_counts_as_taken_when_the_condition_within_leaves_the_loop():
    nodes = (
        shell("look"),
        condition("kind", "look", bad="repair", good="publish"),
        shell("repair"),
        condition("sure", "repair", no="again:look", yes="report"),
        shell("report"),
        shell("publish"),
    )
    repaired, left = play(*nodes), play(*nodes)

    repaired.end("look")
    assert repaired.take("kind", "bad") == ["repair#1"]
    repaired.end("repair")
    assert repaired.take("sure", "no") == ["look#2"]
    repaired.end("look")
    assert sorted(repaired.take("kind", "good")) == ["publish#1", "report-branch"]
    repaired.end("publish")
    assert repaired.progress.finished

    left.end("look")
    left.take("kind", "bad")
    left.end("repair")
    assert sorted(left.take("sure", "yes")) == ["publish-branch", "report#1"]


def test_a_branch_on_the_way_of_a_loop_runs_in_every_round_that_takes_it():
    run = play(
        shell("look"), condition("odd", "look", yes="alarm"), shell("alarm"), shell("note", "alarm"),
        condition("more", "odd", yes="again:look"),
    )  # fmt: skip

    run.end("look")
    assert run.take("odd", "yes") == ["alarm#1", "more#1"]
    assert run.take("more", "yes") == []  # the alarm of this round has not ended
    assert run.end("alarm") == ["note#1"]
    assert run.end("note") == ["look#2"]
    run.end("look")
    assert run.take("odd", "yes") == ["alarm#2", "more#2"]
    run.end("alarm", "note")
    run.take("more", None)
    assert run.progress.finished


def test_a_node_that_ran_in_an_earlier_round_keeps_that_when_its_branch_is_not_taken():
    run = play(
        shell("look"), condition("kind", "look", one="a", two="b"), shell("a"), shell("b"),
        condition("more", "a b", yes="again:look", no="end"), shell("end"), shell("after", "a end"),
    )  # fmt: skip

    run.end("look")
    assert sorted(run.take("kind", "one")) == ["a#1", "b-branch"]
    run.end("a")
    assert run.take("more", "yes") == ["look#2"]
    run.end("look")
    assert run.take("kind", "two") == ["b#2"]
    run.end("b")
    assert run.take("more", "no") == ["end#1"]
    assert run.end("end") == ["after#1"]


def test_nothing_new_starts_after_a_stop():
    run = play(shell("a"), condition("c", "a", no="again s"), shell("s"), shell("b", "c"))
    run.end("a")

    assert [step.node for step in run.progress.stop()] == ["s", "b"]
    assert run.take("c", "no") == []
    assert run.progress.finished


def test_an_outcome_can_be_settled_by_hand_before_the_node_starts():
    run = play(shell("a"), shell("b", "a"), shell("c", "b"))

    assert run.progress.force("b", Outcome.OK) == [("c", 1)]
    with pytest.raises(ValueError, match="settled"):
        run.progress.force("b", Outcome.OK)


def test_an_end_that_cannot_be_is_refused():
    run = play(condition("c", one="a"), shell("a"))

    with pytest.raises(ValueError, match="pending"):
        run.end("a")
    with pytest.raises(ValueError, match="no branch"):
        run.take("c", "two")
