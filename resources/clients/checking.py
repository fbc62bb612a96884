"""Carrying out a check: what goes wrong becomes a result, and no secret gets into it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from engine.model.base import Frozen
from engine.model.codes.resources import CHECK_BROKEN, RESOURCE_UNFIT
from engine.model.errors import SkerryError
from engine.model.plain_words import unforeseen
from engine.plugins.resource_type import CheckResult, ResolvedResource, ResourceType
from engine.secrets.masking import ValueMasker

Keys = TypeVar("Keys", bound=Frozen)
OnCancel = Callable[[Callable[[], None]], None]


class CheckedAnswer(NamedTuple):
    """The answer of a check that went well."""

    message: str
    details: Mapping[str, Any]


class CheckedType(ResourceType):
    """A resource type whose check is ``look``; every error of it becomes a result that is not ok."""

    @abstractmethod
    def look(self, resource: ResolvedResource, on_cancel: OnCancel | None) -> CheckedAnswer:
        """What was found; SkerryError for what is wrong."""

    def check(self, resource: ResolvedResource, on_cancel: OnCancel | None = None) -> CheckResult:
        started = perf_counter()
        code = 0
        try:
            message, details = self.look(resource, on_cancel)
        except SkerryError as error:
            message, details, code = error.message, error.details, error.code
        except Exception as error:  # a check answers, whatever happens
            message, details, code = unforeseen(error).message, {}, CHECK_BROKEN.number
        masker = ValueMasker([resource.secret])
        took = round(perf_counter() - started, 6)
        return CheckResult(code == 0, masker.value(message), masker.value(dict(details)), took, code)


def read_keys(model: type[Keys], given: Mapping[str, Any], where: str) -> Keys:
    """The evaluated ``check`` or ``request`` of a resource; SkerryError names the key that does not fit."""
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, (where, *first["loc"])))
        raise SkerryError.at(RESOURCE_UNFIT, "{where}: {problem}", place, problem=first["msg"]) from None
