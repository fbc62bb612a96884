"""Handling rules: what is done by itself when a job ends badly (``rules`` of a definition file)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from engine.model.base import Bool, Code, Count, Frozen, Id, Int, Seconds, one_or_several
from engine.model.errors import SkerryError
from engine.model.expression import parse_path
from engine.model.expression.pattern import compile_pattern
from engine.model.states import Trigger

Word = Literal["retry", "skip", "succeed", "pause", "alert"]
Level = Literal["info", "warning", "error"]


def _domain(value: Any) -> Any:
    """``01`` is a text in YAML 1.1, the number 1 in 1.2."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value


def _pattern(text: str) -> str:
    try:
        compile_pattern(text)
    except SkerryError as error:
        raise ValueError(error.message) from None
    return text


def _path(text: str) -> str:
    try:
        steps = parse_path(text)
    except SkerryError as error:
        raise ValueError(error.message) from None
    if steps[:1] not in (("TASK",), ("JOB",)) or len(steps) < 3:
        raise ValueError("expected a value of the context such as $.TASK.PARAMS['limit']")
    return text


_Domain = Annotated[Int, BeforeValidator(_domain), Field(ge=1, le=99)]
_Codes = Annotated[
    tuple[Code, ...], BeforeValidator(one_or_several, json_schema_input_type=int | tuple[int, ...])
]
_Domains = Annotated[
    tuple[_Domain, ...], BeforeValidator(one_or_several, json_schema_input_type=int | tuple[int, ...])
]
_Ids = Annotated[tuple[Id, ...], BeforeValidator(one_or_several, json_schema_input_type=Id | tuple[Id, ...])]
_Triggers = Annotated[
    tuple[Trigger, ...], BeforeValidator(one_or_several, json_schema_input_type=Trigger | tuple[Trigger, ...])
]


class Match(Frozen):
    """Which failures a rule is for: all that is given must hold, of a list one is enough."""

    code: _Codes | None = None
    domain: _Domains | None = None
    task: _Ids | None = None
    job: _Ids | None = None
    node: _Ids | None = None
    message: Annotated[str, AfterValidator(_pattern)] | None = None
    trigger: _Triggers | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Match:
        if not self.model_fields_set:
            raise ValueError("a rule that matches every failure is a mistake: name a code, a task, a job, …")
        return self


class RetryStep(Frozen):
    """A new attempt after a while, so many times for one JobInstance."""

    after: Seconds = 120.0
    times: Annotated[Count, Field(ge=1)] = 3


class SetStep(Frozen):
    """A value of the context is changed as by hand, then the job is tried again."""

    path: Annotated[str, AfterValidator(_path)]
    value: Any
    after: Seconds = 0.0
    times: Annotated[Count, Field(ge=1)] = 1


class RunStep(Frozen):
    """Another task repairs the cause; when it has succeeded the job is tried again."""

    task: Id
    params: dict[Id, Any] = {}
    times: Annotated[Count, Field(ge=1)] = 1


class AlertStep(Frozen):
    """People are alerted; what is done about it is left to the next rule and to recovery."""

    level: Level = "warning"
    text: str = ""


class SkipStep(Frozen):
    """The job is skipped, as by hand: what follows looks through it."""


class SucceedStep(Frozen):
    """The job counts as succeeded."""


class PauseStep(Frozen):
    """The job waits for a person's answer."""


Step = RetryStep | SetStep | RunStep | AlertStep | SkipStep | SucceedStep | PauseStep
STEPS: dict[str, type[Step]] = {
    "retry": RetryStep,
    "skip": SkipStep,
    "succeed": SucceedStep,
    "set": SetStep,
    "run": RunStep,
    "pause": PauseStep,
    "alert": AlertStep,
}
_WORDS: dict[str, Step] = {word: STEPS[word].model_validate({}) for word in get_args(Word)}


class Action(Frozen):
    """Exactly one of these; ``skip``, ``succeed`` and ``pause`` are words without more."""

    retry: RetryStep | None = None
    set: SetStep | None = None
    run: RunStep | None = None
    alert: AlertStep | None = None

    def given(self) -> dict[str, Step]:
        found = ((name, getattr(self, name)) for name in self.model_fields_set)
        return {name: step for name, step in found if step is not None}


def _one(action: Word | Action) -> Word | Action:
    if isinstance(action, Action) and len(action.given()) != 1:
        raise ValueError("an action is one of skip, succeed, pause, retry, set, run, alert")
    return action


class Rule(Frozen):
    """One handling rule. The highest ``priority`` comes first."""

    id: Id
    name: str | None = None
    description: str | None = None
    match: Match
    action: Annotated[Word | Action, AfterValidator(_one)]
    enabled: Bool = True
    priority: Int = 0

    @property
    def step(self) -> Step:
        return _WORDS[self.action] if isinstance(self.action, str) else self.action.given()[self.does]

    @property
    def does(self) -> str:
        """The word for what it does: retry, skip, succeed, set, run, pause or alert."""
        return self.action if isinstance(self.action, str) else next(iter(self.action.given()))

    @property
    def times(self) -> int | None:
        """How often it may act on one JobInstance; None where that needs no limit."""
        return getattr(self.step, "times", None)
