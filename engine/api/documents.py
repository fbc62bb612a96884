"""What the service gives and takes: JSON documents, key by key (contract 7), and the requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict  # pydantic reads typing's own only from Python 3.12 on

from engine.model.states import InstanceState, RerunMode

Kind = Literal["task", "job", "resource", "rule", "calendar"]
Document = dict[str, Any]
ANSWERS = ("retry", "skip", "succeed", "fail", "discard")  # to an exception that waits for one


class JobDocument(TypedDict):
    """One JobInstance in its latest state. Times are ISO 8601 with offset and microseconds."""

    node: str
    job: str
    instance: int | None
    run: int
    round: int
    index: int | None
    status: str
    attempt: int
    worker: str | None
    pid: int | None
    exit_code: int | None
    error_code: int | None
    error_message: str | None
    error_facts: dict[str, Any] | None  # the template of the message, and the facts that are filled in
    created_at: str | None
    started_at: str | None
    ended_at: str | None
    params: dict[str, Any]
    results: dict[str, Any]
    based_on_edit: bool
    directory: str | None
    reason: str | None
    why: dict[str, Any] | None  # the reason as data: its kind, and its facts by name
    unverified: str | None
    unverified_facts: Mapping[str, Any] | None


class PartnerDocument(TypedDict):
    """An instance that another one waits for."""

    instance: int
    scheduled_time: str | None
    status: str


class UpstreamDocument(TypedDict):
    """What an instance waits for of one task; without times there is nothing to wait for."""

    task: str
    window: str
    first: str | None  # scheduled times, both included
    last: str | None
    count: int  # how many that are
    decided: bool  # these have decided; else it is a forecast
    released: str | None  # why it need not wait for them any more
    succeeded: int  # how many of them have
    instances: list[PartnerDocument]  # a single one; of several the first that have not succeeded


class Summary(TypedDict):
    """One line of the list of instances."""

    instance: int
    task: str
    run: int
    trigger: str
    status: str
    error_code: int | None
    error_message: str | None
    error_facts: dict[str, Any] | None  # as in a job's
    reason: str | None  # why it does not run, or how it was settled
    why: dict[str, Any] | None  # the same as data: its kind, and its facts by name
    created_at: str | None
    scheduled_time: str | None
    started_at: str | None
    ended_at: str | None
    definition: int | None  # its revision; None: of a file
    edited: list[str]  # paths that an operator changed
    directory: str | None
    upstream: list[UpstreamDocument]  # what it waits for, or has waited for, by task


class RunDocument(Summary):
    """One instance with its jobs, as ``run``, ``rerun`` and ``show`` print it."""

    params: dict[str, Any]
    results: dict[str, Any]
    jobs: list[JobDocument]


class LogFile(TypedDict):
    """Where the text of one attempt is; the reader opens the file itself."""

    node: str
    instance: int
    attempt: int
    path: str
    ended: bool


class Source(TypedDict):
    """The text of a definition file and the name that findings show."""

    name: str
    text: str


class Loaded(TypedDict):
    """One definition that was stored; an unchanged one keeps its revision."""

    kind: str
    id: str
    revision: int
    changed: bool


class Must:
    """A rule for a value of a request, in the words of pydantic's core, which need not be loaded for it."""

    def __init__(self, **rules: Any) -> None:
        self._rules = rules

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        return {**handler(source), **self._rules}


def one_of(*names: str) -> Must:
    """A text that is one of these."""
    return Must(type="literal", expected=list(names))


class _Hidden:
    """Of a text: it opens something, and is not shown."""

    def __get_pydantic_json_schema__(self, schema: Any, handler: Callable[[Any], Any]) -> Any:
        return {**handler(schema), "format": "password", "writeOnly": True}


Passphrase = Annotated[str, _Hidden()]
Number = Annotated[int, Must(ge=-(2**63), lt=2**63)]  # as a database keeps it


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A task to start now.

    ``task`` None: the only task of ``sources`` that no other one uses. ``sources`` None: the
    workspace's own definitions. ``params`` are typed values, ``texts`` are converted by the
    parameter's kind (``-p``); neither is ever evaluated.
    """

    task: str | None = None
    sources: Sequence[Source] | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    folder: str | None = None  # the caller's working directory: relative files among ``texts`` belong to it


@dataclass(frozen=True, slots=True)
class InstanceQuery:
    """Which instances to list, the newest first. Times are aware ISO 8601 and mean the scheduled time.

    ``text``: in the task's id or name, the error's code or message, or the reason; ``#12`` is an instance.
    """

    task: str | None = None
    status: Annotated[str, one_of(*InstanceState)] | None = None
    since: str | None = None
    until: str | None = None
    planned: bool = False
    limit: Annotated[int, Must(ge=0)] = 100
    text: str = ""


@dataclass(frozen=True, slots=True)
class FireQuery:
    """Whose fire times, of a task or of a cron expression, strictly after ``since`` (None: now).

    ``timezone``: another one than its own; ``dependencies``: with what each time waits for.
    """

    task: str | None = None
    cron: str | None = None
    since: str | None = None  # ISO 8601; without an offset in the zone of the schedule
    count: Annotated[int, Must(ge=1, le=10_000)] = 20
    timezone: str | None = None
    dependencies: bool = False


@dataclass(frozen=True, slots=True)
class DayQuery:
    """A page of a day of the workspace's zone, an ISO 8601 date (None: today).

    The page behind another one has what that gave as ``next``.
    """

    day: str | None = None
    after_time: str | None = None  # with ``after``: behind this instance
    after: Number = 0
    limit: Annotated[int, Must(ge=1, le=10_000)] = 2000


@dataclass(frozen=True, slots=True)
class ExceptionQuery:
    """Which exceptions; everything given must hold. A ``code`` that ends in zeros covers all below it."""

    instance: int | None = None
    task: str | None = None
    code: int | None = None
    status: Annotated[str, one_of("open", "handled")] | None = None
    since: str | None = None  # aware ISO 8601
    limit: int = 100


@dataclass(frozen=True, slots=True)
class Rerun:
    """Which part of an ended instance runs again.

    ``edits`` are (path, text): each text is read as the kind of the value that it replaces. ``current``:
    by the definition as it is now, not as it was captured.
    """

    __pydantic_config__ = {"extra": "forbid"}

    instance: Number
    mode: RerunMode
    nodes: tuple[str, ...] = ()
    with_upstream: bool = False
    downstream: bool = False
    edits: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    current: bool = False
