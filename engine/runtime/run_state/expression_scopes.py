"""Evaluates the expressions of a run; every use is written into the context log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, TypeVar

from engine.context import MISSING, ContextScope, Line, NodeNames, TaskContext
from engine.model.codes.expressions import PATTERN_TOO_SLOW, TOO_LONG, VALUE_TOO_BIG
from engine.model.errors import SkerryError
from engine.model.expression import (
    AT_FIRST,
    AT_ONCE,
    Patience,
    UsedText,
    compile_condition,
    compile_value,
    decide,
    render,
)
from engine.model.job import ResourceRef
from engine.model.schedule import Schedule
from engine.planning.shape import Plan
from engine.runtime.fibers import Coroutine, Offload
from engine.runtime.run_state.job_identity import JobIdentity
from engine.runtime.run_state.typed_secrets import TypedSecrets

T = TypeVar("T")
_LONG: Final = (PATTERN_TOO_SLOW, TOO_LONG, VALUE_TOO_BIG)  # what another thread may have the time for


class ScopedEntry(Protocol):
    """The entry of a job in the context."""

    @property
    def scope(self) -> ContextScope:
        """What the job's expressions see."""

    def note(self, use: UsedText, why: str, value: Any) -> None:
        """Write down what an expression of the job read and gave."""


class RunScope(ContextScope):
    """The context of a run, with the typed secrets in their places."""

    def __init__(self, context: TaskContext, secrets: TypedSecrets, names: NodeNames, **more: Any) -> None:
        super().__init__(context, names, **more)
        self._secrets = secrets

    def root(self, name: Any) -> Any:
        """A part of the tree as expressions see it."""
        found = super().root(name)
        if name != "TASK" or not self._secrets.names:
            return found
        return {**found, "PARAMS": self._secrets.over(found["PARAMS"])}


class Scopes:
    """What expressions of one run can see."""

    def __init__(
        self, plan: Plan, context: TaskContext, secrets: TypedSecrets, zone: str, note: Callable[..., Line]
    ) -> None:
        self._context = context
        self._secrets = secrets
        # a node's defined results in order: what ``RESULT[0]`` means before all are there
        nodes = {**plan.nodes, **plan.handlers}
        results = {id: tuple(node.job.results) for id, node in nodes.items() if node.job.results}
        self._names = NodeNames(nodes, plan.job_nodes, results)
        self._zone = _zone(plan) or zone
        self._note_line = note

    def of_task(self, patience: Patience = AT_ONCE) -> ContextScope:
        """For what belongs to the task itself."""
        return RunScope(self._context, self._secrets, self._names, zone=self._zone, patience=patience)

    def of_job(self, job: JobIdentity) -> ContextScope:
        """For what belongs to one running job: its own ids mean itself."""
        return RunScope(
            self._context,
            self._secrets,
            self._names,
            patience=AT_FIRST,
            running=job.node if job.worker is None or job.outer is None else job.outer.node,
            running_job=job.job.id,
            running_path=job.path,
            within=_within(job),
            item=job.item if job.index is not None else MISSING,
            index=job.index if job.index is not None else MISSING,
            zone=self._zone,
        )

    def condition(self, text: str | bool, node: str, why: str) -> bool:
        """The truth of a node's condition, noted."""
        if isinstance(text, bool):
            return text
        answer, use = decide(compile_condition(text), self.of_task())
        self._note(node, answer, use, why)
        return answer

    def value(self, tree: Any, node: str, why: str | None) -> Any:
        """The value of a node's expression, noted unless ``why`` is None."""
        value, uses = render(compile_value(tree), self.of_task())
        for use in uses if why is not None else ():
            self._note(node, value, use, why or "")
        return value

    def _note(self, node: str, value: Any, use: UsedText, why: str) -> None:
        self._note_line(("JOB", node), expression=use.expression, inputs=use.inputs, why=why, value=value)


def _within(job: JobIdentity) -> dict[str, str]:
    """What the groups and jobs that ``job`` is a part of are called, nearest first -> their node."""
    names: dict[str, str] = {}
    outer = job.outer
    while outer is not None:
        names.setdefault(outer.job.id, outer.node)
        names.setdefault(outer.node, outer.node)
        outer = outer.outer
    return names


def _zone(plan: Plan) -> str | None:
    schedule = plan.task.schedule
    return schedule.timezone if isinstance(schedule, Schedule) else None


def worked_out(scope: ContextScope, work: Callable[[ContextScope], T]) -> Coroutine[T]:
    """``value = yield from …``: at once where that is quick, else on a thread, with a copy of the context."""
    try:
        return work(scope)
    except SkerryError as error:
        if error.entry not in _LONG or scope.patience is not AT_FIRST:
            raise
    aside = scope.aside()
    value: T = yield Offload(lambda: work(aside))
    return value


def job_value(entry: ScopedEntry, tree: Any, why: str) -> Coroutine[Any]:
    """The value of something that belongs to a job, noted at the job."""
    template = compile_value(tree)
    value, uses = yield from worked_out(entry.scope, lambda scope: render(template, scope))
    for use in uses:
        entry.note(use, why=why, value=value)
    return value


def job_condition(entry: ScopedEntry, text: str | bool, why: str) -> Coroutine[bool]:
    """The truth of a job's condition, noted at the job."""
    if isinstance(text, bool):
        return text
    condition = compile_condition(text)
    answer, use = yield from worked_out(entry.scope, lambda scope: decide(condition, scope))
    entry.note(use, why=why, value=answer)
    return answer


def is_reference(value: Any) -> bool:
    """Whether a value is ``{resource: id}``."""
    return isinstance(value, ResourceRef) or (
        isinstance(value, Mapping) and set(value) == {"resource"} and isinstance(value["resource"], str)
    )


def reference_id(value: Any) -> str:
    return value.resource if isinstance(value, ResourceRef) else str(value["resource"])
