"""Random tasks, random ends: ``Progress`` does what the slow reference does, and never loses a node."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.codes.planning import LOOP_WAITS
from engine.model.control import ConditionKeys
from engine.model.errors import SkerryError
from engine.model.task import Task
from engine.planning.plan import Plan, plan
from engine.planning.progress import Progress
from engine.planning.rules import Outcome, Start
from tests.effort import effort
from tests.planning.helpers import TYPES, condition, definitions, shell, task
from tests.planning.reference import Reference

RULES = ["all_succeeded"] * 5 + ["all_done", "any_succeeded", "any_failed"]
MOST_ENDS = 3000


def random_task(random: Random, size: int) -> Task:
    """Nodes in a row, each after some earlier ones; many are conditions that name later ones."""
    ids = [f"n{i}" for i in range(size)]
    unnamed = ids[1:]
    above: dict[str, set[str]] = {}
    nodes = []
    gates: dict[str, str] = {}
    for index, id in enumerate(ids):
        after = random.sample(ids[:index], k=min(index, random.choice([0, 1, 1, 1, 2, 3])))
        parents = {*after, *([gates[id]] if id in gates else [])}
        above[id] = parents.union(*(above[parent] for parent in parents)) if parents else set()
        rule = random.choice(RULES)
        enabled = random.random() > 0.05
        if random.random() < 0.4 and index < size - 1:
            later = [each for each in ids[index + 1 :] if each in unnamed]
            branches = random_branches(random, later, sorted(above[id]))
            named = [word for text in branches.values() for word in text.split() if word in later]
            unnamed = [each for each in unnamed if each not in named]
            gates.update(dict.fromkeys(named, id))
            node = condition(id, " ".join(after), max_loops=random.choice([1, 1, 2]), **branches)
            nodes.append(node.model_copy(update={"run_if": rule, "enabled": enabled}))
        else:
            nodes.append(shell(id, " ".join(after), run_if=rule, enabled=enabled))
    on_failure = "stop" if random.random() < 0.1 else "finish_branches"
    return task(*nodes, on_failure=on_failure)


def random_branches(random: Random, later: list[str], above: list[str]) -> dict[str, str]:
    branches: dict[str, str] = {}
    for key in ("one", "two", "three")[: random.choice([1, 2, 2, 3])]:
        nodes = random.sample(later, k=min(len(later), random.choice([0, 1, 1, 2])))
        later = [each for each in later if each not in nodes]
        words = nodes
        if random.random() < 0.45:
            start = random.choice([*above, ""]) if above else ""
            words = [f"again:{start}" if start else "again", *nodes]
        branches[key] = " ".join(words)
    return branches


def planned(random: Random, size: int) -> Plan | None:
    """The plan of a random task; None where planning refuses it (a loop that waits for itself)."""
    planning = plan("t", definitions(random_task(random, size)), TYPES)
    errors = [each for each in planning.findings if each.severity == "error"]
    assert all(each.code == LOOP_WAITS.number for each in errors)
    return planning.plan


def random_end(random: Random, plan: Plan, node: str) -> tuple[Outcome, str | None]:
    outcome = random.choices([Outcome.OK, Outcome.BAD, Outcome.SKIPPED], [12, 1, 1])[0]
    keys = plan.nodes[node].job.settings
    if outcome is not Outcome.OK or not isinstance(keys, ConditionKeys):
        return outcome, None
    return outcome, random.choice([*keys.branches, None])


class Pair:
    """Progress and reference side by side."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.progress = Progress(plan)
        self.reference = Reference(plan.task)
        self.rounds = dict.fromkeys(plan.nodes, 0)
        self.running: list[str] = []
        self.compare(self.progress.begin(), self.reference.begin())

    def compare(self, steps, expected) -> None:
        got = {(s.node, s.round, "start" if isinstance(s, Start) else s.reason.kind) for s in steps}
        assert got == expected
        assert len(got) == len(steps)
        for step in steps:
            assert step.round == self.rounds[step.node] + 1  # every round once, in order
            self.rounds[step.node] += 1
            if isinstance(step, Start):
                self.running.append(step.node)
                assert all(self.rounds[parent] for parent in self.plan.nodes[step.node].parents)
        self.check()

    def check(self) -> None:
        progress = self.progress
        assert progress.running == set(self.running)
        assert progress.finished == (not progress.pending and not self.running)
        assert self.running or progress.finished, f"stuck: {progress.pending}"

    def end(self, random: Random) -> None:
        node = self.running.pop(random.randrange(len(self.running)))
        outcome, branch = random_end(random, self.plan, node)
        if branch is not None and self.reference.too_often(node, branch):
            self.refused(node, branch)
            outcome, branch = Outcome.BAD, None
        steps = self.progress.ended(node, outcome, branch)
        self.compare(steps, self.reference.ended(node, outcome.value, branch))

    def refused(self, node: str, branch: str) -> None:
        try:
            self.progress.ended(node, Outcome.OK, branch)
        except SkerryError:
            return
        raise AssertionError(f"{node} goes round without end")


@settings(max_examples=effort(80, all=1600))
@given(seed=st.integers(0, 2**40), size=st.integers(1, 11))
def test_progress_follows_the_rules_on_random_tasks(seed, size):
    random = Random(seed)
    plan = planned(random, size)
    if plan is None:
        return

    pair = Pair(plan)
    ends = 0
    while pair.running:
        pair.end(random)
        ends += 1
        assert ends < MOST_ENDS, "a loop has no end"

    assert pair.progress.finished
    assert all(pair.rounds.values())


@settings(max_examples=effort(40, all=600))
@given(seed=st.integers(0, 2**40), size=st.integers(1, 12))
def test_without_loops_the_order_of_ends_does_not_matter(seed, size):
    random = Random(seed)
    plan = planned(random, size)
    if plan is None or plan.loops or plan.task.on_failure == "stop":
        return
    ends = {node: random_end(random, plan, node) for node in plan.nodes}

    outcomes = [_played(plan, ends, Random(order)) for order in range(4)]

    assert all(each == outcomes[0] for each in outcomes)


def _played(plan, ends, random):
    progress = Progress(plan)
    running = [step.node for step in progress.begin() if isinstance(step, Start)]
    while running:
        node = running.pop(random.randrange(len(running)))
        steps = progress.ended(node, *ends[node])
        running.extend(step.node for step in steps if isinstance(step, Start))
    return {node: progress.outcome(node) for node in plan.nodes}
