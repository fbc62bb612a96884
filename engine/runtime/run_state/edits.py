"""The values of an instance that operators changed, and the nodes that ran on such a value."""

from __future__ import annotations

from collections.abc import Iterable

from engine.context import Line, Path, format_path, parse_path, target
from engine.planning.names import is_within
from engine.runtime.run_state.context_paths import by_node, is_original, meant, show_edited
from engine.runtime.run_state.live_context import LiveContext
from engine.runtime.run_state.restart import Edit, overlaps, simple_steps
from engine.runtime.run_state.run_facts import RunFacts
from engine.runtime.services import EngineServices


class Edits:
    """Loop thread only."""

    def __init__(
        self, services: EngineServices, facts: RunFacts, context: LiveContext, paths: Iterable[str]
    ) -> None:
        self._services = services
        self._facts = facts
        self._context = context
        self.paths = set(paths)  # of what was changed
        before = facts.restart.past.based_on_edit if facts.restart else frozenset[str]()
        self.nodes = set(before.difference(facts.rerun_nodes))

    def make(self, edit: Edit) -> Line:
        """An operator's change of a value; what is computed from it later says so."""
        services, id, tree = self._services, self._facts.id, self._context.tree
        steps = meant(self._facts.plan, tree, edit.steps)
        line = self._context.set(steps, edit.value, actor=edit.actor, why=edit.reason)
        path = format_path(steps)
        if path in self.paths and is_original(services.store.lines(id), path, edit.value):
            self.paths.discard(path)  # taken back
        else:
            self.paths.add(path)
        services.changes.update("instance", id, {"edited": sorted(self.paths)})
        show_edited(services.changes, id, tree, steps)
        return line

    def forget_what_runs_again(self) -> None:
        """What such a node gives next is its own, and so is all that is computed from it."""
        again = frozenset(self._facts.rerun_nodes)
        steps = {path: parse_path(path) for path in self.paths}
        self.paths = {
            path
            for path, (part, *rest) in steps.items()
            if part != "JOB" or not is_within(str(rest[0]), again)
        }

    def are_read(self, node: str, inputs: Iterable[str]) -> bool:
        """Whether an expression with these paths, or anything before its node, is based on an edit."""
        parents = self._facts.plan.nodes[node].parents if node in self._facts.plan.nodes else ()
        if not self.nodes.isdisjoint(parents):
            return True
        edited = [parse_path(path) for path in self.paths]
        return any(overlaps(edited, self._place(each)) for each in inputs)

    def _place(self, read: str) -> Path:
        return target(self._context.tree, by_node(self._facts.plan, simple_steps(read)))
