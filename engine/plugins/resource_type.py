"""The port of a resource type: one file each in ``resources/`` (or an entry point of another package)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from engine.model.base import Frozen
from engine.model.errors import ErrorCode


@dataclass(frozen=True, slots=True)
class ResolvedResource:
    """A resource with every expression evaluated. ``secret`` is the value of ``request.secret``."""

    id: str
    type: str
    uri: str
    request: Mapping[str, Any] = field(default_factory=dict)
    check: Mapping[str, Any] = field(default_factory=dict)
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The answer of a check: ``ok``, a sentence, facts, and how long it took in seconds.

    ``code`` is the catalogue code of what is wrong (0 when ok). A sentence with facts is a Message.
    """

    ok: bool
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)
    took: float = 0.0
    code: int = 0

    def as_map(self) -> dict[str, Any]:
        """The map of the contract (2.1)."""
        return {
            "ok": self.ok, "message": str(self.message), "details": dict(self.details), "took": self.took
        }  # fmt: skip


class ResourceType(ABC):
    """What every resource type declares."""

    kind: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    label: ClassVar[tuple[str, str]]
    help: ClassVar[tuple[str, str]]
    check_keys: ClassVar[type[Frozen]]  # the keys of ``check``
    request_keys: ClassVar[type[Frozen]]  # the keys of ``request``
    codes: ClassVar[tuple[ErrorCode, ...]] = ()  # its own entries of the catalogue (domain 30)
    meanings: ClassVar[Mapping[str, tuple[str, str]]] = {}  # each key of check and request: English, Chinese
    example: ClassVar[str] = ""

    @abstractmethod
    def check(
        self, resource: ResolvedResource, on_cancel: Callable[[Callable[[], None]], None] | None = None
    ) -> CheckResult:
        """Look, without changing anything; what is wrong is a result, never an exception."""
