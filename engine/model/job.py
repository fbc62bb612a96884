"""A Job: a reusable definition of one piece of work (contract 2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, SerializeAsAny, model_validator

from engine.model.base import Bool, Code, Count, Frozen, Id, Int, Seconds, Size, one_or_several
from engine.model.environment import may_set
from engine.model.quantities import Kind, kind_of

StageName = Literal["ready", "process", "end"]
STAGES: tuple[StageName, ...] = ("ready", "process", "end")


class ParamSpec(Frozen):
    """One row of a parameter table; a bare value in the file is short for ``{value: …}``."""

    kind: Kind | None = None
    value: Any = None
    required: Bool = False
    dynamic: Bool = True
    choices: tuple[Any, ...] | None = None
    secret: str | Bool | None = None  # the name of a stored secret, or: what is typed is secret
    send: Bool = False  # of kind file or document: another worker gets the file itself
    help: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _bare_value(cls, given: Any) -> Any:
        return given if isinstance(given, (dict, ParamSpec)) else {"value": given}

    @property
    def has_value(self) -> bool:
        """Whether the table itself gives a value (null counts)."""
        return "value" in self.model_fields_set

    @property
    def literal_kind(self) -> Kind | None:
        """The kind it has: the one given, else that of its value (text may be an expression)."""
        return self.kind or kind_of(self.value)


class ResourceRef(Frozen):
    """``{resource: id}``: whether that resource's check passes."""

    resource: Id


class ResultSpec(Frozen):
    """One defined result; without ``value`` it is read from ``outputs/<id>``."""

    kind: Kind | None = None
    value: Any = None  # an expression, a literal, or {resource: id}
    help: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _bare_value(cls, given: Any) -> Any:
        return given if isinstance(given, (dict, ResultSpec)) else {"value": given}

    @property
    def computed(self) -> bool:
        """Whether it has an expression or value of its own."""
        return "value" in self.model_fields_set


class Stage(Frozen):
    """One of ready, process, end. A text in the file is ``kind: text``."""

    kind: Literal["text", "file", "link", "binary", "class", "group", "task"]
    value: Any

    @model_validator(mode="before")
    @classmethod
    def _from_file(cls, given: Any) -> Any:
        if isinstance(given, str):
            return {"kind": "text", "value": given}
        if isinstance(given, dict) and len(given) == 1 and "kind" not in given:
            [(kind, value)] = given.items()
            return {"kind": kind, "value": value}
        return given


Condition = str  # the text of a condition, compiled by engine.model.expression
_Success = Condition | Bool | ResourceRef
Success = Annotated[
    tuple[_Success, ...],
    BeforeValidator(one_or_several, json_schema_input_type=_Success | tuple[_Success, ...]),
]


ExitStatus = Annotated[Int, Field(ge=1, le=255)]


class Retry(Frozen):
    """When a failed attempt is made again; ``times: 1`` means two attempts.

    ``on`` (codes) and ``exit`` (exit statuses) name the failures that count; without both all count but those
    that the catalogue calls pointless to try again.
    """

    times: Count = 0
    interval: Seconds = 0.0
    backoff: Annotated[float, Field(ge=1)] = 1.0
    max_interval: Seconds | None = None
    on: tuple[Code, ...] | None = None
    exit: tuple[ExitStatus, ...] | None = None


class Recovery(Frozen):
    """What happens by itself to lost, no_worker, busy and used-up failed jobs."""

    strategy: Literal["retry", "discard", "ask"] | None = None
    after: Seconds = 120.0
    times: Count = 3


class On(Frozen):
    """Where a job runs; without workers, group and labels on the engine's machine."""

    workers: tuple[str, ...] | None = None
    group: str | None = None
    labels: dict[str, str | Int | Bool] = {}
    strategy: Literal["any", "all"] = "any"
    choose: Literal["load", "random"] = "load"
    success: Literal["single", "all"] = "all"
    exclusive: Bool = False

    def __hash__(self) -> int:
        """Without one pydantic copies it for each job that says nothing about it."""
        return hash((self.workers, self.group, *self.labels.items(), self.strategy, self.exclusive))

    @property
    def is_local(self) -> bool:
        """Whether it names no worker at all."""
        return not self.workers and self.group is None and not self.labels


def _absolute(path: str) -> str:
    if path.startswith("/") or "$." in path:
        return path
    raise ValueError("expected an absolute path")


WorkingDir = Annotated[str, AfterValidator(_absolute)]
Environment = dict[Annotated[str, AfterValidator(may_set)], Any]


class AsyncCheck(Frozen):
    """How the outcome of an asynchronous job is checked later."""

    after: Seconds = 0.0
    every: Seconds = 10.0
    times: Annotated[Int, Field(ge=1)] = 60
    success: Success


class Limits(Frozen):
    """What an attempt may use at most: CPU seconds, bytes of memory, open files, bytes of output."""

    cpu: Seconds | None = None
    memory: Size | None = None
    files: Annotated[Int, Field(ge=8)] | None = None
    output: Size | None = None


class JobKeys(Frozen):
    """The keys of a definition that only one job type has; each type derives its own."""

    def written(self, key: str) -> Any:
        """The value of ``key`` as definitions name it; an attribute may differ (``json``: ``json_``)."""
        return getattr(self, _attribute(type(self), key))

    def rewritten(self, values: Mapping[str, Any]) -> Self:
        """These keys with other ``values``, by their names in definitions."""
        update = {_attribute(type(self), key): value for key, value in values.items()}
        return self.model_copy(update=update) if update else self


@cache
def _attribute(keys: type[JobKeys], key: str) -> str:
    return next((name for name, field in keys.model_fields.items() if field.alias == key), key)


class Job(Frozen):
    """A reusable definition: type, parameter table, resources, three stages, results, success, retry."""

    id: Id
    type: str
    name: str | None = None
    description: str | None = None
    params: dict[Id, ParamSpec] = {}
    resources: tuple[Id, ...] = ()
    changes: tuple[Id, ...] = ()
    ready: Stage | None = None
    process: Stage | None = None
    end: Stage | None = None
    results: dict[Id, ResultSpec] = {}
    success: Success | None = None
    timeout: Seconds | None = None
    queue_timeout: Seconds | None = None
    retry: Retry = Retry()
    recovery: Recovery = Recovery()
    on: On = On()
    mode: Literal["sync", "async"] = "sync"
    check: AsyncCheck | None = None
    limits: Limits = Limits()
    monitor: Bool | None = None
    env: Environment = {}
    working_dir: WorkingDir | None = None
    settings: SerializeAsAny[JobKeys] = JobKeys()
