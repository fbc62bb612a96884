"""What a value was in the latest run: expressions evaluated on the context of a run that has been."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.desktop.design.forms.plain_text import short
from app.desktop.kernel.language import tr
from app.desktop.kernel.link import Link
from app.desktop.kernel.reasons import error_line
from engine.api.documents import InstanceQuery
from engine.api.service import Service
from engine.context import ContextScope, NodeNames, TaskContext
from engine.context.files import DirectFiles, FileReader
from engine.model.errors import SkerryError
from engine.model.expression import AT_ONCE, MAX_VALUE, compile_condition, compile_value, decide, render
from engine.model.states import InstanceState
from engine.runtime.clock import SystemClock

_SMALL = 256 * 1024  # bytes of a log that a list of samples reads
_LOOKED_AT = 30  # instances


@dataclass(frozen=True, slots=True)
class Sample:
    """What an expression gave in instance ``instance``; ``error`` says why it gave nothing."""

    instance: int
    value: Any = None
    error: str = ""


def sample_words(sample: Sample | None) -> str:
    """``with run #12 this gives 25``."""
    if sample is None:
        return ""
    if sample.error:
        return tr("With run #{n}: {error}", n=sample.instance, error=sample.error)
    return tr("With run #{n} this gives {value}", n=sample.instance, value=short(sample.value, 300))


class SmallFiles(DirectFiles):
    """Reads only what is small: a list of samples must not read big logs."""

    def read(self, root: str, name: str, limit: int = MAX_VALUE) -> bytes:
        """See ``FileReader``."""
        return super().read(root, name, min(limit, _SMALL))


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run that has been, as expressions see it."""

    instance: int
    tree: Mapping[str, Any] = field(repr=False)
    job_nodes: Mapping[str, tuple[str, ...]]
    zone: str
    given: Mapping[str, Any] = field(default_factory=dict)  # the parameters that it ran with

    def scope(self, item: Any = None, files: FileReader | None = None) -> ContextScope:
        """What expressions can see; ``item`` is that of a for_each."""
        context = TaskContext(SystemClock())
        context.tree = dict(self.tree)
        names = NodeNames(frozenset(self.tree.get("JOB", {})), self.job_nodes)
        return ContextScope(context, names, item=item, index=0, zone=self.zone, files=files, patience=AT_ONCE)

    def value(self, tree: Any, item: Any = None, files: FileReader | None = None) -> Sample:
        """What a value with expressions gives."""
        try:
            found = render(compile_value(tree), self.scope(item, files)).value
        except SkerryError as error:
            return Sample(self.instance, error=error_line(error))
        return Sample(self.instance, found)

    def truth(self, condition: str, item: Any = None) -> Sample:
        try:
            answer, _ = decide(compile_condition(condition), self.scope(item))
        except SkerryError as error:
            return Sample(self.instance, error=error_line(error))
        return Sample(self.instance, answer)


def past_runs(service: Service, task: str, zone: str) -> tuple[PastRun, ...]:
    """The latest run that has ended, and before it the latest that succeeded; newest first."""
    ended = [
        each for each in service.instances(InstanceQuery(task=task, limit=_LOOKED_AT))
        if each["started_at"] and InstanceState(each["status"]).ended
    ]  # fmt: skip
    good = [each for each in ended if each["status"] == InstanceState.SUCCEEDED]
    chosen = dict.fromkeys(each["instance"] for each in (*ended[:1], *good[:1]))
    return tuple(_past_run(service, instance, zone) for instance in chosen)


def _past_run(service: Service, instance: int, zone: str) -> PastRun:
    document = service.instance(instance)
    users: dict[str, dict[str, None]] = {}
    for job in document["jobs"]:
        users.setdefault(job["job"], {})[job["node"]] = None
    job_nodes = {job: tuple(nodes) for job, nodes in users.items()}
    return PastRun(instance, service.context(instance), job_nodes, zone, document["params"])


class Samples(QObject):
    """The past runs of one task, asked for when they are needed; answers come on the window's thread."""

    changed = Signal()

    def __init__(self, link: Link, task: str, zone: str = "UTC", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._link, self._task, self.zone = link, task, zone
        self.runs: tuple[PastRun, ...] = ()

    def refresh(self) -> None:
        """Read the latest runs; ``changed`` follows."""
        task, zone = self._task, self.zone
        self._call(lambda service: past_runs(service, task, zone), self._found, self)

    def _found(self, runs: tuple[PastRun, ...]) -> None:
        self.runs = runs
        self.changed.emit()

    def value(
        self, tree: Any, done: Callable[[Sample | None], None], *, owner: QObject, items: Any = None
    ) -> None:
        """What ``tree`` gave in the latest run that knows it, else None. ``items``: of a for_each."""
        self._ask(lambda run: run.value(tree, _first(run, items)), done, owner)

    def truth(
        self, condition: str, done: Callable[[Sample | None], None], *, owner: QObject, items: Any = None
    ) -> None:
        self._ask(lambda run: run.truth(condition, _first(run, items)), done, owner)

    def values(
        self, paths: Iterable[str], done: Callable[[Mapping[str, Sample]], None], *, owner: QObject,
        items: Any = None,
    ) -> None:  # fmt: skip
        """What each of many paths gave; big logs are left out."""
        wanted, runs = tuple(paths), self.runs
        self._call(
            lambda _service: {path: found for path in wanted if (found := _small(runs, path, items))},
            done,
            owner,
        )

    def _ask(
        self, one: Callable[[PastRun], Sample], done: Callable[[Sample | None], None], owner: QObject
    ) -> None:
        runs = self.runs
        self._call(lambda _service: best(one(run) for run in runs), done, owner)

    def _call(self, call: Callable[[Service], Any], done: Callable[[Any], None], owner: QObject) -> None:
        # a help: without an engine there are none, and nothing is said
        self._link.ask(call, done, owner=owner, failed=lambda _error: None)


def best(found: Iterable[Sample]) -> Sample | None:
    """The first sample that is a value, else the first error."""
    error: Sample | None = None
    for sample in found:
        if not sample.error:
            return sample
        error = error or sample
    return error


def _small(runs: tuple[PastRun, ...], path: str, items: Any) -> Sample | None:
    return best(run.value(path, _first(run, items), SmallFiles()) for run in runs)


def _first(run: PastRun, items: Any) -> Any:
    """The first item of a for_each in a run."""
    found = run.value(items).value if items is not None else None
    return found[0] if isinstance(found, list) and found else None
