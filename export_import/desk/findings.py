"""What analyzers say of an instance, in both languages, each with its place; and the scan that finds them."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Literal, NamedTuple, Protocol, cast

from engine.context.timeline import Timeline
from engine.model.catalogue import Catalogue, engine_codes, own_codes
from engine.model.errors import ErrorCode
from engine.model.message import Message
from engine.model.plain_words import wording
from engine.store.filters import ExceptionFilter
from engine.store.rows import ExceptionRow, InstanceRow, JobRow
from export_import import analyzers as package
from export_import.desk.evidence import Evidence
from export_import.foreign_json import STRANGE

Severity = Literal["error", "warning", "info"]
_ORDER = {"error": 0, "warning": 1, "info": 2}
_MOST = 200  # findings of one analyzer


class Bilingual(NamedTuple):
    """A text in both languages."""

    en: str
    zh: str

    @classmethod
    def of(cls, en: str, zh: str, **facts: object) -> Bilingual:
        """Templates with their facts; a message among these is shown in the reader's language."""
        return cls(en.format(**facts), Message.of(zh, **facts))


@dataclass(frozen=True, slots=True)
class FindingPlace:
    """The place that a finding is about, as far as it has one; ``seq`` is a line of the context log."""

    instance: int
    node: str | None = None
    index: int | None = None
    job_instance: int | None = None
    path: str | None = None
    seq: int | None = None
    file: str | None = None  # relative to the instance's directory


@dataclass(frozen=True, slots=True)
class CaseFinding:
    """One thing worth knowing. ``code`` is one of the catalogue, where the finding is about one."""

    severity: Severity
    title: Bilingual
    detail: Bilingual
    where: FindingPlace
    code: int | None = None
    analyzer: str = ""

    def to_json(self) -> dict[str, Any]:
        texts = {"title": self.title._asdict(), "detail": self.detail._asdict()}
        return {**asdict(self), **texts}


@dataclass
class Study:
    """One instance as the analyzers see it; what is read is read once."""

    evidence: Evidence
    instance: int
    types_codes: Sequence[ErrorCode] = field(default_factory=tuple)  # of the installed job and resource types

    @cached_property
    def row(self) -> InstanceRow:
        return self.evidence.instance(self.instance)

    @cached_property
    def jobs(self) -> list[JobRow]:
        """The latest state of every node."""
        return self.evidence.latest_jobs(self.instance)

    @cached_property
    def exceptions(self) -> list[ExceptionRow]:
        """The failures of the latest run, the first one first."""
        found = self.evidence.store.exceptions(ExceptionFilter(instance=self.instance), limit=1000)
        return [each for each in reversed(found) if each.run in (None, self.row.run)]

    @cached_property
    def timeline(self) -> Timeline:
        return self.evidence.timeline(self.instance)

    @cached_property
    def catalogue(self) -> Catalogue:
        """The user's entries, those of the types, the engine's."""
        rows = self.evidence.store.definitions("error")
        own = {row.id: row.content for row in rows if row.error is None}
        return Catalogue((*own_codes(own), *self.types_codes, *engine_codes()))

    @cached_property
    def environment(self) -> Mapping[str, Any]:
        """As it was at the start of the latest run."""
        return self.evidence.environment(self.instance)

    @cached_property
    def last_success(self) -> InstanceRow | None:
        """The latest instance of the task, before this one, that succeeded and is here too."""
        earlier = (
            row
            for row in self.evidence.instances()
            if row.task == self.row.task
            and row.status == "succeeded"
            and row.scheduled_time < self.row.scheduled_time
        )
        return next(earlier, None)

    def where(self, job: JobRow | None = None, **more: Any) -> FindingPlace:
        if job is None:
            return FindingPlace(self.instance, **more)
        return FindingPlace(self.instance, job.node, job.index, job.id, **more)


class Analyzer(Protocol):
    """A module of ``export_import.analyzers``."""

    def analyze(self, study: Study) -> Iterable[CaseFinding]:
        """What it finds."""


def analyzers() -> list[tuple[str, Analyzer]]:
    names = sorted(each.name for each in pkgutil.iter_modules(package.__path__))
    return [(name, cast(Analyzer, import_module(f"{package.__name__}.{name}"))) for name in names]


def findings(
    study: Study, progress: Callable[[int, int], None] = lambda done, total: None
) -> list[CaseFinding]:
    """Everything that is found, the worst first. An analyzer that fails is a finding itself."""
    found: list[CaseFinding] = []
    known = analyzers()
    for done, (name, analyzer) in enumerate(known):
        progress(done, len(known))
        found += _of(name, analyzer, study)
    progress(len(known), len(known))
    return sorted(found, key=lambda each: _ORDER[each.severity])


def _of(name: str, analyzer: Analyzer, study: Study) -> Iterator[CaseFinding]:
    try:
        for number, each in enumerate(analyzer.analyze(study)):
            if number >= _MOST:
                return
            yield replace(each, analyzer=name)
    except STRANGE as error:
        title = Bilingual(f"The analyzer {name} could not do its work", f"分析器 {name} 无法完成工作")
        yield CaseFinding(
            "info", title, Bilingual(wording(error), wording(error)), study.where(), analyzer=name
        )
