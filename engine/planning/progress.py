"""The rules of a run: which nodes start, which are skipped, when a loop goes round; pure and incremental."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from engine.model.codes.planning import TOO_MANY_LOOPS
from engine.model.errors import SkerryError
from engine.model.reason import Kind, Reason
from engine.planning.node_states import Cell, NodeStates, Status
from engine.planning.outline import Key
from engine.planning.rules import No, Outcome, Skip, Start, Step, verdict
from engine.planning.shape import Plan


class Progress:
    """One run of a plan. Feed it every end; it answers with what happens next. O(children) an event.

    A further run of an instance begins where the earlier one ended (see ``rerun.resumed``):
    ``kept`` nodes have their outcome and never run again, ``entered`` ones have it too but run again
    when a loop goes round, ``branches`` is what these conditions took, ``rounds`` how many rounds the
    nodes have behind them, and ``chosen`` nodes start whatever their kept parents came to.
    """

    def __init__(
        self,
        plan: Plan,
        kept: Mapping[str, Outcome] | None = None,
        rounds: Mapping[str, int] | None = None,
        *,
        branches: Mapping[str, str] | None = None,
        entered: Mapping[str, Outcome] | None = None,
        chosen: Iterable[str] = (),
    ) -> None:
        kept, entered, branches = kept or {}, entered or {}, branches or {}
        self.kept: AbstractSet[str] = kept.keys() | entered.keys()
        self._plan = plan
        self._chosen = tuple(chosen)
        self._states = NodeStates(plan)
        self._cells = self._states.cells
        self._position = {id: index for index, id in enumerate(plan.nodes)}
        self._loops = {  # a loop of which a part is kept cannot go round
            key: loop for key, loop in plan.loops.items() if not kept.keys() & (loop.path | loop.body)
        }
        self._held = {**plan.inner, **{key: loop.body for key, loop in self._loops.items()}}
        self._named = _named(plan)
        self._stopped = False
        self._steps: list[Step] = []
        self._preset({**kept, **entered}, kept, rounds or {}, branches)
        self._bad = Outcome.BAD in kept.values()

    def _preset(
        self,
        outcomes: Mapping[str, Outcome],
        frozen: Mapping[str, Outcome],
        rounds: Mapping[str, int],
        branches: Mapping[str, str],
    ) -> None:
        self._states.watch(self._held)
        for id, round in rounds.items():
            self._cells[id].round = round
        for id, outcome in outcomes.items():
            cell = self._cells[id]
            cell.frozen = id in frozen
            cell.outcome = outcome
            cell.ran = _if_ran(outcome)
            choice = branches.get(id)
            held = not cell.frozen and (id, choice) in self._held
            self._states.set(cell, Status.SETTLED, held=held, choice=choice)
        self._states.ready.clear()
        self._states.count_arrows()

    def begin(self) -> list[Step]:
        """What happens first; call it once."""
        for id in self._chosen:
            if self._cells[id].pending and not self._cells[id].waiting:
                self._start(self._cells[id])
        return self._settle_all()

    def ended(
        self, node: str, outcome: Outcome, branch: str | None = None, *, skip: Reason | None = None
    ) -> list[Step]:
        """A started node has ended; with ``skip`` it did not run after all, and a Skip says why.

        ``branch`` is the key that a condition took (see ``branch_key``). SkerryError when that would go
        round its loop more often than ``max_loops``: nothing has changed then, report the node as BAD.
        """
        cell = self._cells[node]
        if cell.status is not Status.RUNNING:
            raise ValueError(f"{node!r} is {cell.status.value}, so it cannot end")
        self._refuse_endless(cell, branch)
        if skip is not None:
            self._steps.append(Skip(node, cell.round, skip, outcome))
        return self._after_end(cell, outcome, branch)

    def force(self, node: str, outcome: Outcome, branch: str | None = None) -> list[Step]:
        """Settle by hand a node that has not started, or end one that runs. ValueError for any other."""
        cell = self._cells[node]
        if cell.pending:
            cell.round += 1
            self._states.set(cell, Status.RUNNING)
        return self.ended(node, outcome, branch)

    def stop(self) -> list[Step]:
        """Nothing new starts; what runs may end."""
        self._stopped = True
        for cell in self._cells.values():
            if cell.pending:
                self._skip(cell, No(Reason(Kind.STOPPED), Outcome.BLOCKED))
        self._states.clear()
        return self._taken_steps()

    @property
    def finished(self) -> bool:
        return not self._states.pending and not self._states.running

    @property
    def failed(self) -> bool:
        """Whether any job ended badly (what a later round made good included)."""
        return self._bad

    @property
    def pending(self) -> AbstractSet[str]:
        """The nodes whose turn has not come."""
        return self._states.pending

    @property
    def running(self) -> AbstractSet[str]:
        """The nodes that were started and have not ended."""
        return self._states.running

    def outcome(self, node: str) -> Outcome | None:
        """What a node came to in its latest round; None before."""
        cell = self._cells[node]
        return cell.outcome if cell.settled else None

    def round(self, node: str) -> int:
        """The number of its latest round; 0 before the first."""
        return self._cells[node].round

    def _refuse_endless(self, cell: Cell, branch: str | None) -> None:
        if branch is None:
            return
        if cell.keys is None or branch not in cell.keys.branches:
            raise ValueError(f"{cell.id!r} has no branch {branch!r}")
        if (cell.id, branch) in self._loops and not self._stopped and cell.loops >= cell.keys.max_loops:
            text = "condition '{where}' wants branch '{branch}' again after max_loops = {loops} loops"
            raise SkerryError.at(TOO_MANY_LOOPS, text, cell.id, branch=branch, loops=cell.loops)

    def _after_end(self, cell: Cell, outcome: Outcome, branch: str | None) -> list[Step]:
        self._bad |= outcome is Outcome.BAD
        cell.outcome = outcome
        cell.ran = _if_ran(outcome) or cell.ran
        if self._stopped:
            self._states.set(cell, Status.SETTLED)
            self._states.clear()
            return self._taken_steps()
        self._decide_branch(cell, branch if outcome is Outcome.OK else None)
        if outcome is Outcome.BAD and self._plan.task.on_failure == "stop":
            return self.stop()
        return self._settle_all()

    def _decide_branch(self, cell: Cell, branch: str | None) -> None:
        """Settle; the branch that is taken runs afresh, and holds its condition while that may come back."""
        key = (cell.id, branch) if branch is not None else None
        for member in self._in_order(self._plan.branches.get(key, ()) if key else ()):
            self._again(member, cell)
        self._states.set(cell, Status.SETTLED, held=key in self._held, choice=branch)

    def _settle_all(self) -> list[Step]:
        states = self._states
        while states.left or states.ready or states.over:
            if states.left:
                self._leave(states.left.popleft())
            elif states.ready:
                self._look(states.ready.popleft())
            else:
                self._end_branch(states.over.popleft())
        return self._taken_steps()

    def _taken_steps(self) -> list[Step]:
        steps, self._steps = self._steps, []
        return steps

    def _look(self, cell: Cell) -> None:
        """A node that may be at its turn: start it, or say why not."""
        if not cell.pending or cell.waiting:
            return
        no = self._gate(cell) or verdict(
            cell.plan.node.run_if, {id: self._cells[id].outcome for id in cell.plan.parents}
        )
        if no is not None:
            self._skip(cell, no)
        elif not cell.plan.node.enabled:
            self._skip(cell, No(Reason(Kind.DISABLED), Outcome.OK))
        else:
            self._start(cell)

    def _gate(self, cell: Cell) -> No | None:
        """A node named in a branch runs only where that branch was taken, whatever its run_if."""
        if cell.plan.branch is None:
            return None
        condition = self._cells[cell.plan.branch[0]]
        if condition.outcome.failed:
            return No(Reason.of(Kind.PARENT_FAILED, nodes=[condition.id]), Outcome.BLOCKED)
        taken = condition.choice == cell.plan.branch[1]
        return None if taken else No(Reason.of(Kind.BRANCH, nodes=[condition.id]), Outcome.SKIPPED)

    def _start(self, cell: Cell) -> None:
        cell.round += 1
        self._states.set(cell, Status.RUNNING)
        self._steps.append(Start(cell.id, cell.round))

    def _skip(self, cell: Cell, no: No) -> None:
        cell.round += 1
        cell.outcome = no.outcome
        self._steps.append(Skip(cell.id, cell.round, no.reason, no.outcome))
        self._states.set(cell, Status.SETTLED)

    def _leave(self, condition: Cell) -> None:
        """A condition has at last been decided: what belongs only to branches not taken is skipped."""
        if not condition.closed or condition.outcome.failed or condition.keys is None:
            return
        for key in condition.keys.branches:
            if key != condition.choice:
                self._drop((condition.id, key))

    def _drop(self, key: Key) -> None:
        """Settle a branch that is not taken; what ran in an earlier round keeps that outcome.

        Left to the ordinary rules is what an ``all_done`` node in it lets go on.
        """
        alive: set[str] = set()
        for cell in self._in_order(self._plan.branches.get(key, self._named.get(key, ()))):
            if not cell.pending:
                continue
            if cell.ran is not None:
                cell.outcome = cell.ran
                self._states.set(cell, Status.SETTLED)
            elif self._lives(cell, alive):
                alive.add(cell.id)
            else:
                self._skip(cell, self._dropped(cell))

    def _lives(self, cell: Cell, alive: set[str]) -> bool:
        if cell.plan.branch is not None:
            return cell.plan.branch[0] in alive
        return cell.plan.node.run_if == "all_done" or any(id in alive for id in cell.plan.parents)

    def _dropped(self, cell: Cell) -> No:
        if cell.plan.branch is None:
            return No(Reason(Kind.PARENTS_SKIPPED), Outcome.SKIPPED)
        return No(Reason.of(Kind.BRANCH, nodes=[cell.plan.branch[0]]), Outcome.SKIPPED)

    def _end_branch(self, key: Key) -> None:
        """Everything in a held branch has ended: go round, or leave the loop."""
        if not self._states.is_over(key):
            return
        condition, loop = self._cells[key[0]], self._loops.get(key)
        if loop is None:
            self._states.set(condition, Status.SETTLED, choice=condition.choice)
        elif any(self._cells[id].outcome.failed for id in loop.branch):
            condition.outcome = Outcome.BLOCKED  # what waits for the loop waited for the failed node too
            self._states.set(condition, Status.SETTLED, choice=condition.choice)
        else:
            condition.loops += 1
            for cell in self._in_order(loop.path):
                self._again(cell, condition)

    def _again(self, cell: Cell, condition: Cell) -> None:
        """Back to pending, because the loop of ``condition`` goes round; inner loops count afresh."""
        if not cell.settled or cell.frozen:
            return
        if cell is not condition and not self._encloses(cell, condition):
            cell.loops = 0
        self._states.set(cell, Status.PENDING)

    def _encloses(self, outer: Cell, condition: Cell) -> bool:
        keys = outer.keys.branches if outer.keys is not None else ()
        loops = (self._loops.get((outer.id, key)) for key in keys)
        return any(loop is not None and condition.id in loop.branch for loop in loops)

    def _in_order(self, ids: Iterable[str]) -> Iterator[Cell]:
        return iter([self._cells[id] for id in sorted(ids, key=self._position.__getitem__)])


def _named(plan: Plan) -> dict[Key, list[str]]:
    named: dict[Key, list[str]] = {}
    for id, node in plan.nodes.items():
        if node.branch is not None:
            named.setdefault(node.branch, []).append(id)
    return named


def _if_ran(outcome: Outcome) -> Outcome | None:
    return outcome if outcome in (Outcome.OK, Outcome.BAD) else None
