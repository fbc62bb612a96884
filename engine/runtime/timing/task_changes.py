"""All that changes tasks, by one rule: commands, loading, fixes and deliveries, and taking those back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from engine.model.codes.commands import STATE_REFUSED
from engine.model.codes.runtime import NO_SUCH_TASK
from engine.model.errors import Invalid, Refused
from engine.planning.schedules.life_cycle import Command, StateMove
from engine.runtime.interventions import amending
from engine.runtime.interventions.amendment import Amendment
from engine.runtime.runs.control import RunControl
from engine.runtime.timing.graph_turns import GraphTurns
from engine.runtime.timing.scheduler import Scheduler
from engine.runtime.timing.state_refusals import refused_command, refused_definitions
from engine.runtime.timing.task_graph import Key, TaskGraph
from engine.runtime.timing.task_moves import (
    COMMANDS,
    TaskMoves,
    carry_out,
    decided,
    leaving_together,
    schedules_of,
    take_offline,
)
from engine.store.revisions import SavedDefinition, items

Commands = Mapping[str, Command]
Choose = Callable[[TaskGraph], Commands]


class TaskChanges:
    """Of one engine; not on the loop's thread. What is refused changes nothing."""

    def __init__(self, control: RunControl, scheduler: Scheduler) -> None:
        self._control, self._services = control, control.services
        self._scheduler = scheduler
        self._turns = GraphTurns(control.services.threads)

    def preview(self, tasks: Sequence[str], target: str) -> TaskMoves:
        """What a command would make of tasks; Invalid when there is no such task."""
        return decided(self._services, TaskGraph(self._services, {}), self._commands(tasks, target))

    def move(self, tasks: Sequence[str], target: str, actor: str) -> TaskMoves:
        """Carry the command out: all of them, or none."""
        commands = self._commands(tasks, target)
        with self._deciding(lambda _: commands, {}, refused_command) as done:
            services, loop = self._services, self._services.loop
            schedules = schedules_of(services, done)  # here: the loop has other things to do
            loop.ask(partial(carry_out, services, self._scheduler, done, schedules, actor))
            for some in leaving_together(services, done):
                loop.ask(partial(take_offline, services, some, actor))
            return done

    def load(self, raw: Mapping[str, Any], actor: str) -> list[SavedDefinition]:
        """The definitions of a file as new revisions."""
        fresh = {(each.kind, each.id): each.content for each in items(raw)}
        with self._deciding(_loading, fresh, refused_definitions) as done:
            states = {move.task: str(move.before) for move in done.moves if move.task in done.rows}
            return self._services.store.save_definitions(raw, actor=actor, states=states)

    def verify(self, wanted: Amendment) -> None:
        """Refused when the amendment could not be applied now."""
        amending.verify(self._control, wanted)
        fresh = {(each.kind, each.id): each.content for each in wanted.definitions}
        graph = TaskGraph(self._services, fresh)
        _insist(decided(self._services, graph, _loading(graph)), refused_definitions)

    def amend(self, wanted: Amendment, actor: str) -> amending.Record:
        """Apply a fix or a delivery."""
        fresh = {(each.kind, each.id): each.content for each in wanted.definitions}
        with self._deciding(_loading, fresh, refused_definitions) as done:
            states = {move.task: str(move.after) for move in done.moves}
            return amending.amend(self._control, wanted, actor, states)

    def take_back(self, id: str, reason: str, actor: str) -> amending.Record:
        """Restore what an amendment changed: older definitions are loaded, those that it brought deleted."""
        restored = amending.restored(self._control, id)
        fresh = {(each.kind, each.id): each.content for each in restored}
        commands: Commands = {
            each.id: "delete" if each.content is None else "load" for each in restored if each.kind == "task"
        }
        with self._deciding(lambda _: commands, fresh, refused_definitions):
            return amending.take_back(self._control, id, reason, actor)

    def _commands(self, tasks: Sequence[str], target: str) -> Commands:
        if target not in COMMANDS:
            message = "no task can be made {state}: load it"
            raise Refused(STATE_REFUSED, message, where=tasks[0], state=target)
        for task in tasks:
            if not self._services.store.history("task", task):
                raise Invalid.at(NO_SUCH_TASK, "there is no task {where!r}", task)
        return dict.fromkeys(tasks, COMMANDS[target])

    @contextmanager
    def _deciding(
        self, commands: Choose, fresh: Mapping[Key, Any], refused: Callable[[StateMove], Refused]
    ) -> Iterator[TaskMoves]:
        """Alone with the graph of these tasks from the decision until it is carried out."""
        store, looks = self._services.store, dict[int, TaskGraph]()

        def graph() -> TaskGraph:
            if (written := store.definitions_written) not in looks:
                looks.clear()
                looks[written] = TaskGraph(self._services, fresh)
            return looks[written]

        with self._turns.taking(lambda: graph().connected(commands(graph()))):
            done = decided(self._services, graph(), commands(graph()))
            _insist(done, refused)
            yield done


def _loading(graph: TaskGraph) -> Commands:
    return dict.fromkeys(graph.altered, "load")


def _insist(done: TaskMoves, refused: Callable[[StateMove], Refused]) -> None:
    if (move := done.refused) is not None:
        raise refused(move)
