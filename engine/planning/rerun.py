"""Which nodes a rerun runs again, which keep their outcome, and where the run begins; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.model.codes.planning import HANDLER, RERUN_NODE, RERUN_NOTHING
from engine.model.errors import Invalid, Refused
from engine.model.names import is_handler
from engine.model.states import RerunMode
from engine.planning.dag import reach
from engine.planning.names import did_you_mean
from engine.planning.progress import Progress
from engine.planning.rules import Outcome
from engine.planning.shape import BranchLoop, Plan


@dataclass(frozen=True, slots=True)
class RerunSelection:
    """What a rerun does, each a tuple of node ids in the plan's order.

    ``run`` runs again (as far as branches lead there), ``keep`` has an outcome and keeps it,
    ``skip`` never ran and does not run now. ``entered`` are nodes of a loop that the rerun begins within:
    they keep their state and run again when the loop goes round. ``branches`` is what conditions count
    as having taken because a chosen node is in that branch; ``chosen`` start whatever came before them.
    """

    run: tuple[str, ...]
    keep: tuple[str, ...]
    skip: tuple[str, ...]
    entered: tuple[str, ...] = ()
    branches: Mapping[str, str] = field(default_factory=dict)
    chosen: tuple[str, ...] = ()


def select(
    plan: Plan,
    outcomes: Mapping[str, Outcome | None],
    *,
    mode: RerunMode,
    nodes: Iterable[str] = (),
    with_upstream: bool = False,
) -> RerunSelection:
    """What to run again of an instance whose nodes came to ``outcomes`` (None or missing: not settled).

    ``all``: everything; ``from``: ``nodes`` and what depends on them; ``failed``: what ended badly or could
    not run, and what depends on it; ``only``: just ``nodes``. ``with_upstream`` adds what these depend on.
    Raises Invalid for a node that the plan does not have, and when nothing would run.
    """
    starts = _starts(plan, outcomes, mode, tuple(nodes))
    if mode == "all":
        return _selection(plan, outcomes, set(plan.nodes), {}, ())
    work = _ArrowWalk(plan)
    if mode == "only":
        work.run |= set(starts)
    else:
        work.add_dependants(starts)
    if with_upstream:
        work.add_upstream(starts)
    chosen = starts if mode in ("from", "only") else ()
    work.take_branches(chosen)
    return _selection(plan, outcomes, work.run, work.entered, chosen, work.branches)


def _starts(
    plan: Plan, outcomes: Mapping[str, Outcome | None], mode: RerunMode, nodes: tuple[str, ...]
) -> tuple[str, ...]:
    for id in nodes:
        if is_handler(id):
            text = "'{node}' is a handler of the end: it runs by itself at the end of every run"
            raise Refused(HANDLER, text, where=id, node=id)
        if id not in plan.nodes:
            text = "task '{task}' has no node '{node}'{hint}"
            hint = did_you_mean(id, plan.nodes)
            raise Invalid(RERUN_NODE, text, where=id, task=plan.task.id, node=id, hint=hint)
    if mode == "failed":
        nodes = tuple(id for id in plan.nodes if (come := outcomes.get(id)) is None or come.failed)
    if not nodes and mode != "all":
        text = "no job of the instance failed" if mode == "failed" else "no node is named"
        raise Invalid(RERUN_NOTHING, text)
    return tuple(id for id in plan.nodes if id in set(nodes))


class _ArrowWalk:
    """Follows the arrows of a plan, and those of its loops from a branch's end back to ``from``."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._children = {id: node.children for id, node in plan.nodes.items()}
        self._parents = {id: node.parents for id, node in plan.nodes.items()}
        self.run: set[str] = set()
        self.entered: dict[str, None] = {}
        self.branches: dict[str, str] = {}

    def add_dependants(self, starts: Iterable[str]) -> None:
        """The starts and all that depends on them; a loop that they lie in is entered."""
        self.run |= reach(starts, self._children).keys()
        again = True
        while again:
            again = False
            for loop in self._plan.loops.values():
                again |= self._follow(loop)

    def _follow(self, loop: BranchLoop) -> bool:
        """Take in what a round of this loop runs again; True if that was anything new."""
        before = len(self.run)
        if loop.condition in self.run:
            self._enter(loop)
        elif loop.branch & self.run:
            self._enter(loop)
            self.branches[loop.condition] = loop.key
            after = [id for id in self._children[loop.condition] if id not in loop.branch]
            self.run |= reach(after, self._children).keys()
        return len(self.run) > before

    def _enter(self, loop: BranchLoop) -> None:
        self.entered.update(dict.fromkeys(sorted((loop.path | loop.body) - self.run)))

    def add_upstream(self, starts: Iterable[str]) -> None:
        """All that the starts depend on, the branches of loops before them included."""
        found = reach(starts, self._parents)
        again = True
        while again:
            before = len(found)
            for loop in self._plan.loops.values():
                if loop.condition in found:
                    found |= reach(loop.branch, self._parents)
            again = len(found) > before
        self.run |= found.keys()

    def take_branches(self, starts: Iterable[str]) -> None:
        """A chosen node counts as being in a branch that was taken, if its condition is not decided again."""
        self.entered = {id: None for id in self.entered if id not in self.run}
        for id in starts:
            gate = self._plan.nodes[id].branch
            if gate is not None and gate[0] not in self.run:
                self.branches.setdefault(*gate)
        self.branches = {id: key for id, key in self.branches.items() if id not in self.run}


def _selection(
    plan: Plan,
    outcomes: Mapping[str, Outcome | None],
    run: set[str],
    entered: Mapping[str, None],
    chosen: tuple[str, ...],
    branches: Mapping[str, str] | None = None,
) -> RerunSelection:
    taken = branches or {}
    within = [loop for loop in plan.loops.values() if taken.get(loop.condition) == loop.key]
    again = run | (entered.keys() & {id for loop in within for id in loop.path})
    rest = [id for id in plan.nodes if id not in again]
    ended = [id for id in rest if outcomes.get(id) in (Outcome.OK, Outcome.BAD)]
    return RerunSelection(
        run=tuple(id for id in plan.nodes if id in again),
        keep=tuple(ended),
        skip=tuple(id for id in rest if id not in set(ended)),
        entered=tuple(id for id in plan.nodes if id in entered),
        branches=dict(taken),
        chosen=chosen,
    )


def resumed(
    plan: Plan,
    selection: RerunSelection,
    outcomes: Mapping[str, Outcome | None],
    *,
    branches: Mapping[str, str] | None = None,
    rounds: Mapping[str, int] | None = None,
) -> Progress:
    """The progress of a rerun. ``branches``: the key that each condition took last; ``rounds``: how many each
    node has behind it (for what runs again: the rounds that stay).
    """
    latest = {id: outcomes.get(id) or Outcome.SKIPPED for id in plan.nodes}
    entered = {id: latest[id] for id in selection.entered}
    for condition in selection.branches.keys() & entered.keys():
        entered[condition] = Outcome.OK
    kept = {id: latest[id] for id in (*selection.keep, *selection.skip) if id not in entered}
    return Progress(
        plan,
        kept,
        rounds,
        branches={**(branches or {}), **selection.branches},
        entered=entered,
        chosen=selection.chosen,
    )


def never_ran(
    plan: Plan, selection: RerunSelection, outcomes: Mapping[str, Outcome | None], branches: Mapping[str, str]
) -> tuple[str, ...]:
    """The nodes before what runs again that have no outcome at all and get none now, in the plan's order.

    A definition that has changed since may have such nodes: new ones, and renamed ones. Those of a branch
    that was not taken are not missed, nor disabled ones. ``branches``: the key that each condition took last.
    """
    taken = {**branches, **selection.branches}
    shut = _not_taken(plan, set(selection.run), taken)
    before = reach(selection.run, {id: node.parents for id, node in plan.nodes.items()})
    unknown = (id for id in selection.skip if id not in outcomes and plan.nodes[id].node.enabled)
    return tuple(id for id in unknown if id in before and id not in shut)


def _not_taken(plan: Plan, run: set[str], taken: Mapping[str, str]) -> set[str]:
    """What lies only in branches that conditions which are not decided again did not take."""
    shut: set[str] = set()
    for id, node in plan.nodes.items():
        gate = node.branch
        closed = gate is not None and gate[0] not in run and taken.get(gate[0]) != gate[1]
        if closed or (node.parents and shut.issuperset(node.parents)):
            shut.add(id)
    return shut
