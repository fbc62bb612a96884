"""The JSON documents that the service gives and takes, key by key (contract 7)."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict  # pydantic reads typing's own only from Python 3.12 on

Kind = Literal["task", "job", "resource", "rule"]
Document = dict[str, Any]
SECTIONS = {"resource": "resources", "job": "jobs", "task": "tasks"}  # of a definition file


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
    created_at: str | None
    started_at: str | None
    ended_at: str | None
    params: dict[str, Any]
    results: dict[str, Any]
    based_on_edit: bool
    directory: str | None
    reason: str | None
    unverified: str | None


class Summary(TypedDict):
    """One line of the list of instances."""

    instance: int
    task: str
    run: int
    trigger: str
    status: str
    error_code: int | None
    error_message: str | None
    reason: str | None  # why it does not run, or how it was settled
    created_at: str | None
    scheduled_time: str | None
    started_at: str | None
    ended_at: str | None


class RunDocument(Summary):
    """One instance with its jobs, as ``run``, ``rerun`` and ``show`` print it."""

    params: dict[str, Any]
    results: dict[str, Any]
    definition: int | None
    edited: list[str]
    directory: str | None
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
