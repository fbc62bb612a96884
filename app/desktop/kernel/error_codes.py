"""What an error code means, in the language of the window; no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app import wiring
from engine.model.catalogue import Catalogue
from engine.model.errors import ErrorCode, SkerryError, without_commands

if TYPE_CHECKING:
    from engine.api.service import Service

DOMAINS = {
    "01": "Definitions and wrong use",
    "02": "Expressions",
    "03": "Planning and context",
    "10": "Processes",
    "11": "Queue and workers",
    "12": "Recovery and ends",
    "20": "Job types",
    "30": "Resources",
    "40": "Schedules and dependencies",
    "50": "Bundles",
    "60": "Security and secrets",
    "70": "Store and disk",
    "90": "Internal",
}


@dataclass(frozen=True, slots=True)
class Explained:
    code: int
    title: str = ""  # empty, like the others, for an unknown code
    cause: str = ""
    remedy: str = ""
    retryable: bool = True
    extra: int = 0

    @property
    def text(self) -> str:
        """``-10300012000: its title``."""
        return f"{self.code}: {self.title}"


def domain(code: int) -> str:
    """The two digits of its domain.

    >>> domain(-10300012000)
    '03'
    """
    return f"{-code:011d}"[1:3]


class Codes:
    """The catalogue of everything installed, and of what the workspace adds."""

    def __init__(self, own: Mapping[str, Any] | None = None) -> None:
        self._catalogue: Catalogue = wiring.catalogue(own or {})

    def explain(self, code: int, language: str) -> Explained | None:
        """The entry of a code; None for one that the catalogue does not know."""
        entry = self._catalogue.find(code)
        return None if entry is None else _explained(entry, code, language)

    def all(self, language: str) -> list[Explained]:
        """Every entry, the lowest domain first."""
        return [_explained(entry, entry.number, language) for entry in self._catalogue]


def _explained(entry: ErrorCode, code: int, language: str) -> Explained:
    text = entry.text(language)
    cause, remedy = without_commands(text.cause), entry.in_window(language)
    return Explained(code, text.title, cause, remedy, entry.retryable, entry.number - code)


def all_codes(service: Service) -> Codes:
    """With the workspace's own; without those, when nobody answers, the installed ones still help."""
    try:
        return Codes(service.own_errors())
    except SkerryError:
        return Codes()
