"""The rules of a run written down a second time: slow, without counters, everything searched again.

It shares no code with ``Progress``; only the words of the contract (2.3, 2.4) are the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.model.control import ConditionKeys
from engine.model.task import Task

OK, BAD, SKIPPED, BLOCKED = "ok", "bad", "skipped", "blocked"


@dataclass
class State:
    """One node, as it is written."""

    status: str = "pending"
    outcome: str = ""
    round: int = 0
    ran: str = ""
    choice: str | None = None
    left: bool = False  # a condition that has been decided at last
    announced: bool = False  # ... and whose other branches have been settled
    loops: int = 0


class Reference:
    """Same events and steps as ``Progress``, as sets of (node, round, reason or 'start')."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.stopped = False
        self.branches = {
            id: node.job.settings.branches
            for id, node in task.nodes.items()
            if isinstance(node.job.settings, ConditionKeys)
        }
        self.gate = {n: (c, k) for c, all in self.branches.items() for k, b in all.items() for n in b.run}
        self.parents = {id: self._parents(id) for id in task.nodes}
        self.state = {id: State() for id in task.nodes}
        self.keys = [(c, k) for c, all in self.branches.items() for k in all]
        self.closure = {key: self._closure(key) for key in self.keys}
        self.path = {key: self._path(key) for key in self.keys if self._branch(key).again}
        self.reached = self._reached()
        self.order = sorted(task.nodes, key=self._depth)

    # -- the graph, by brute force --------------------------------------------------------------

    def _branch(self, key):
        return self.branches[key[0]][key[1]]

    def _parents(self, id):
        gate = [self.gate[id][0]] if id in self.gate else []
        return list(dict.fromkeys([*self.task.nodes[id].after, *gate]))

    def _depth(self, id):
        return 1 + max((self._depth(p) for p in self.parents[id]), default=0)

    def _is_above(self, a, b):
        return any(a == p or self._is_above(a, p) for p in self.parents[b])

    def _below(self, starts):
        return {n for n in self.task.nodes if n in starts or any(self._is_above(s, n) for s in starts)}

    def _closure(self, key):
        """All that cannot be reached when the branch's nodes are taken away."""
        named, alive = set(self._branch(key).run), set()
        for _ in self.task.nodes:
            for id in set(self.task.nodes) - named:
                by_gate = id in self.gate and self.gate[id][0] in alive
                by_parent = id not in self.gate and (
                    not self.parents[id] or any(p in alive for p in self.parents[id])
                )
                if by_gate or by_parent:
                    alive.add(id)
        return set(self.task.nodes) - alive

    def _path(self, key):
        start = self._branch(key).from_ or key[0]
        return {
            n
            for n in self.task.nodes
            if (n == start or self._is_above(start, n)) and (n == key[0] or self._is_above(n, key[0]))
        } | {key[0]}

    def _reached(self):
        """The conditions that some loop can send back."""
        found = {c for path in self.path.values() for c in path if c in self.branches}
        for _ in self.keys:
            found |= {
                c for key in self.keys if key[0] in found for c in self.closure[key] if c in self.branches
            }
        return found

    def _exits(self, key):
        return {n for n in self.task.nodes if key[0] in self.parents[n] and self.gate.get(n) != key}

    def _body(self, key):
        """What has to have ended before the next round."""
        c, path = key[0], self.path[key]
        inner = {n for other in self.keys if other[0] in path - {c} for n in self.closure[other]}
        around = [other for other in self.keys if other[0] in path and c in self.closure[other]]
        late = self._below({n for each in (key, *around) for n in self._exits(each)})
        holding = {c, *(other[0] for other in around)}
        return self.closure[key] | ((inner | path) - late - holding)

    # -- what holds now --------------------------------------------------------------------------

    def settled(self, id):
        return self.state[id].status == "settled"

    def closed(self, id):
        return self.settled(id) and (id not in self.branches or self.state[id].left)

    def free(self, parent, child):
        taken = self.gate.get(child) == (parent, self.state[parent].choice)
        return self.closed(parent) or (self.settled(parent) and taken)

    def waits_for(self, key):
        """What a decided condition waits for before it has left its branch."""
        if key in self.path:
            return self._body(key)
        return {o for o, k in self.path if key[0] in self.path[o, k] and o in self.closure[key]}

    # -- events ------------------------------------------------------------------------------------

    def begin(self):
        self.steps = set()
        self._go_on()
        return self.steps

    def too_often(self, id, key):
        keys = self.task.nodes[id].job.settings
        return (id, key) in self.path and self.state[id].loops >= keys.max_loops and not self.stopped

    def ended(self, id, outcome, choice=None):
        self.steps = set()
        state = self.state[id]
        if outcome == OK and choice is not None and not self.stopped and id in self.reached:
            for member in self.closure[id, choice]:
                self._reset(member, id)
        state.status, state.outcome = "settled", outcome
        state.ran = outcome if outcome in (OK, BAD) else state.ran
        state.choice = choice if outcome == OK and not self.stopped else None
        state.left, state.announced = state.choice is None, False
        if outcome == BAD and self.task.on_failure == "stop":
            self.stopped = True
            for each in self.order:
                if self.state[each].status == "pending":
                    self._skip(each, "stopped", BLOCKED)
        if not self.stopped:
            self._go_on()
        return self.steps

    def _go_on(self):
        while self._drop_one() or self._decide_one() or self._leave_one():
            pass

    def _skip(self, id, reason, outcome):
        state = self.state[id]
        state.round += 1
        state.status, state.outcome, state.left, state.announced = "settled", outcome, True, False
        state.choice = None
        self.steps.add((id, state.round, reason))

    def _drop_one(self):
        """Settle what belongs to branches not taken."""
        for c in self.branches:
            state = self.state[c]
            if self.settled(c) and state.left and not state.announced and state.outcome in (OK, SKIPPED):
                state.announced = True
                for key in self.branches[c]:
                    if key != state.choice:
                        self._drop((c, key))
                return True
        return False

    def _drop(self, key):
        named = {n for n, gate in self.gate.items() if gate == key}
        members = self.closure[key] if key[0] in self.reached else named
        alive = set()
        for id in self.order:
            state = self.state[id]
            if id not in members or state.status != "pending":
                continue
            if state.ran:
                state.status, state.outcome, state.left, state.announced = "settled", state.ran, True, False
                state.choice = None
            elif (id in self.gate and self.gate[id][0] in alive) or (
                id not in self.gate
                and (self.task.nodes[id].run_if == "all_done" or alive & set(self.parents[id]))
            ):
                alive.add(id)
            else:
                self._skip(id, "branch" if id in self.gate else "parents_skipped", SKIPPED)

    def _decide_one(self):
        for id in self.order:
            pending = self.state[id].status == "pending"
            if pending and all(self.free(parent, id) for parent in self.parents[id]):
                self._decide(id)
                return True
        return False

    def _decide(self, id):
        reason, outcome = self._verdict(id)
        if reason == "start":
            self.state[id].status = "running"
            self.state[id].round += 1
            self.steps.add((id, self.state[id].round, "start"))
        else:
            self._skip(id, reason, outcome)

    def _verdict(self, id):
        if id in self.gate:
            condition = self.state[self.gate[id][0]]
            if condition.outcome in (BAD, BLOCKED):
                return "parent_failed", BLOCKED
            if condition.choice != self.gate[id][1]:
                return "branch", SKIPPED
        came = [self.state[parent].outcome for parent in self.parents[id]]
        good, bad = came.count(OK), came.count(BAD) + came.count(BLOCKED)
        rule = self.task.nodes[id].run_if
        if came and not good and not bad and rule != "all_done":
            return "parents_skipped", SKIPPED
        if came and rule == "any_failed" and not bad:
            return "none_failed", SKIPPED
        if came and ((rule == "all_succeeded" and bad) or (rule == "any_succeeded" and not good)):
            return "parent_failed", BLOCKED
        return ("start", "") if self.task.nodes[id].enabled else ("disabled", OK)

    def _leave_one(self):
        for c in self.branches:
            state = self.state[c]
            key = (c, state.choice)
            if not self.settled(c) or state.left or not all(self.closed(n) for n in self.waits_for(key)):
                continue
            if key not in self.path:
                state.left = True
            elif any(self.state[n].outcome in (BAD, BLOCKED) for n in self.closure[key]):
                state.left, state.outcome = True, BLOCKED
            else:
                state.loops += 1
                for id in self.path[key]:
                    self._reset(id, c)
            return True
        return False

    def _reset(self, id, by):
        state = self.state[id]
        assert state.status != "running", f"{id} would run twice at once"
        if state.status != "settled":
            return
        around = any(by in self.closure[id, k] for k in self.branches.get(id, ()) if (id, k) in self.path)
        if id != by and not around:
            state.loops = 0
        state.status, state.choice, state.left = "pending", None, False
