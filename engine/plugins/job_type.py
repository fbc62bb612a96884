"""The port of a job type: one file in ``jobs_builtin/`` (or an entry point ``skerry.job_types``) each.

Three families: a *program* becomes a process of its own, a *call* runs on a thread of the
engine, a *control* type is interpreted by the run itself (condition, wait, approve, group, task).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any, ClassVar, Literal

from engine.model.codes.expressions import NULL_IN_TEXT
from engine.model.errors import ErrorCode, SkerryError
from engine.model.expression import as_text
from engine.model.findings import Finding
from engine.model.job import Job, JobKeys, ParamSpec
from engine.model.quantities import Kind
from engine.plugins.resource_type import ResolvedResource


@dataclass(frozen=True, slots=True)
class ResultField:
    """A type's own result: its name in ``RESULT``, kind (None: any), a sentence in English and Chinese."""

    name: str
    kind: Kind | None
    en: str
    zh: str


class JobType(ABC):
    """What every type declares; the editor's form, the checks and the docs page come from here."""

    kind: ClassVar[str]
    label: ClassVar[tuple[str, str]]  # English, Chinese
    help: ClassVar[tuple[str, str]]  # a paragraph each
    keys: ClassVar[type[JobKeys]] = JobKeys
    resource_type: ClassVar[str] = ""  # the type of the resource that its key ``resource`` names; "": any
    rendered: ClassVar[frozenset[str]] = frozenset()  # the keys whose texts may hold expressions
    params: ClassVar[Mapping[str, ParamSpec]] = {}  # a parameter table that comes with the type
    results: ClassVar[tuple[ResultField, ...]] = ()
    codes: ClassVar[tuple[ErrorCode, ...]] = ()  # its own entries of the catalogue (domain 20)
    process: ClassVar[Literal["required", "optional", "none"]] = "none"
    meanings: ClassVar[Mapping[str, tuple[str, str]]] = {}  # each own key and parameter: English, Chinese
    example: ClassVar[str] = ""  # YAML of one job, shown in the docs and run by the conformance test

    def check(self, job: Job) -> Iterable[Finding]:
        """Further findings on a definition; paths are relative to the job."""
        return ()


@dataclass(frozen=True, slots=True)
class ProgramRequest:
    """What a program type turns into a command line. All values are already evaluated."""

    job: Job
    settings: JobKeys
    params: Mapping[str, Any]
    place: str  # the job's directory as text
    here: bool = True  # it runs on this machine: what it needs can be looked for

    @property
    def directory(self) -> Path:
        """The job's directory, and the process's current one."""
        return Path(self.place)

    @property
    def script(self) -> Path:
        """executeCode/process, written before."""
        return self.directory / "executeCode" / "process"


@dataclass(frozen=True, slots=True)
class Program:
    """A command. ``argv`` None: the script is sourced by the wrapper's own ``sh``."""

    argv: tuple[str, ...] | None
    env: Mapping[str, str] = field(default_factory=dict)


def arguments(argv: Iterable[Any]) -> tuple[str, ...]:
    """Each value as text, lists and maps as JSON. Raises SkerryError that names a null one."""
    texts: list[str] = []
    for position, value in enumerate(argv):
        if value is None:
            where = f"argv[{position}]"
            raise SkerryError.at(NULL_IN_TEXT, "{where} is null, which has no text", where)
        texts.append(as_text(value))
    return tuple(texts)


class ProgramType(JobType):
    """A type whose work is a process."""

    @abstractmethod
    def program(self, request: ProgramRequest) -> Program:
        """The command to run; SkerryError when it cannot run here (no JVM, no such file)."""


class Cancel:
    """Tells a call that it should stop. ``on_cancel`` hooks break blocking work from outside."""

    def __init__(self) -> None:
        self._event = Event()
        self._hooks: list[Callable[[], None]] = []

    @property
    def requested(self) -> bool:
        """Whether a stop was requested."""
        return self._event.is_set()

    def on_cancel(self, hook: Callable[[], None]) -> None:
        """Call ``hook`` (from another thread) when asked to stop; at once if that was before."""
        self._hooks.append(hook)
        if self.requested:
            hook()

    def request(self) -> None:
        """Ask to stop."""
        self._event.set()
        for hook in tuple(self._hooks):
            hook()

    def wait(self, seconds: float) -> bool:
        """Sleep up to ``seconds``; True at once when asked to stop."""
        return self._event.wait(seconds)


@dataclass(frozen=True, slots=True)
class Call:
    """What a call type works with. All values are already evaluated."""

    job: Job
    settings: JobKeys
    params: Mapping[str, Any]
    resource: ResolvedResource | None  # the one named by the ``resource`` key
    directory: Path
    outputs: Path  # files written here are results too
    cancel: Cancel
    timeout: float | None  # seconds, longer than the job's timeout, whose end is a cancel; None = no limit
    progress: Callable[[str], None]  # "40 text" or "text"
    secret: Callable[[str], str]  # a stored secret by name


class CallType(JobType):
    """A type whose work is done by a thread of the engine."""

    @abstractmethod
    def call(self, call: Call) -> Mapping[str, Any]:
        """Do it and give the type's own results by name; SkerryError (with its code) on failure."""


class ControlType(JobType):
    """A type that controls the flow of the run; it has keys and results but does no work of its own."""
