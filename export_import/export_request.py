"""The request and the result of an export: the values that assistants and commands show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from export_import.container import Omission
from export_import.export_source import InstanceChoice

Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """An export: which instances, to whom (key texts; none: not encrypted), how. Sizes in bytes."""

    choices: tuple[InstanceChoice, ...]
    recipients: tuple[str, ...] = ()
    redact: bool = True
    budget: int | None = None  # of the finished bundle
    volume_size: int | None = None
    without: frozenset[str] = (
        frozenset()
    )  # names of files that stay here; what a case needs is not among them


@dataclass(frozen=True, slots=True)
class ExportStep:
    """How far an export is: what it is at, bytes done, and all there will be as far as it is known."""

    name: str
    done: int
    total: int


Progress = Callable[[ExportStep], None]  # may be called from another thread


@dataclass(frozen=True, slots=True)
class Planned:
    """A file that would be in the bundle: its size at the site, and how often each rule would change it."""

    name: str
    role: str
    size: int
    redactions: Mapping[str, int] = field(default_factory=dict)
    needed: bool = False  # without it the bundle would be none


@dataclass(frozen=True, slots=True)
class ExportPreview:
    """What an export would write, and what it would leave out and why."""

    files: tuple[Planned, ...]
    omitted: tuple[Omission, ...]
    remarks: tuple[str, ...]

    @property
    def size(self) -> int:
        """All files together, uncompressed, in bytes."""
        return sum(each.size for each in self.files)


@dataclass(frozen=True, slots=True)
class Result:
    """A finished bundle: where it is, its bytes on the medium, what is in it."""

    path: Path
    size: int
    files: int
    content: int  # bytes, uncompressed
    omitted: tuple[Omission, ...]
    redactions: Mapping[str, int]
    remarks: tuple[str, ...]
    encrypted: bool
    signer: str


def nothing(step: ExportStep) -> None:
    """Progress that is not reported."""


def never() -> bool:
    return False
