"""The port of a resource type: one file each in ``resources/`` (or an entry point of another package)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from engine.model.base import Frozen
from engine.model.errors import ErrorCode


class FileFacts(NamedTuple):
    """What another machine says of a path: ``kind`` is none, link (to nothing), file, folder or other.

    ``size`` in bytes, ``age`` in seconds by its own clock, ``modified`` in seconds of the epoch, ``free``
    bytes on the disk of the path or its nearest folder. ``sha256``: where it was asked for and can be read.
    """

    kind: str
    size: int = 0
    modified: float = 0.0
    age: float = 0.0
    readable: bool = False
    free: int = 0
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class ResolvedResource:
    """A resource with every expression evaluated. ``secret`` is the value of ``request.secret``.

    ``elsewhere`` looks at a path (and its SHA-256) on the worker of the job, where that is meant.
    """

    id: str
    type: str
    uri: str
    request: Mapping[str, Any] = field(default_factory=dict)
    check: Mapping[str, Any] = field(default_factory=dict)
    secret: str | None = field(default=None, repr=False)
    elsewhere: Callable[[str, bool], FileFacts] | None = field(default=None, repr=False, compare=False)


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
    looks_elsewhere: ClassVar[bool] = False  # whether ``at: worker`` is possible

    @abstractmethod
    def check(
        self, resource: ResolvedResource, on_cancel: Callable[[Callable[[], None]], None] | None = None
    ) -> CheckResult:
        """Look, without changing anything; what is wrong is a result, never an exception."""
