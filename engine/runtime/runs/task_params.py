"""The parameters of a task on their way into the context."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.model.expression import compile_value, render
from engine.planning.shape import Plan

if TYPE_CHECKING:
    from engine.runtime.run_state.run_context import RunContext


@dataclass(frozen=True)
class TaskParam:
    """One task parameter on its way into the context."""

    name: str
    value: Any
    typed: bool  # given by somebody: never evaluated
    secret: bool

    def write(self, run: RunContext, scope: Any) -> None:
        """Evaluate it if it stands in the definition, and set it."""
        path = ("TASK", "PARAMS", self.name)
        if self.typed:
            run.set(path, "******" if self.secret else self.value)
            return
        value, uses = render(compile_value(self.value), scope)
        more = {"expression": uses[0].expression, "inputs": uses[0].inputs} if uses else {}
        run.set(path, value, **more)


def bindings_of_task(plan: Plan, given: Mapping[str, Any]) -> Iterable[TaskParam]:
    """The task's parameters in the order of definition."""
    for name, spec in plan.task.params.items():
        typed = name in given
        yield TaskParam(
            name, given[name] if typed else spec.value, typed or not spec.dynamic, bool(spec.secret)
        )
