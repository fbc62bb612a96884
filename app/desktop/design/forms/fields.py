"""A field of a form: what is filled in, of which kind, with which help, and what holds without it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.desktop.design.forms.words import Words
from app.desktop.design.tree import REMOVE, Path
from engine.definitions.params import holds_expression
from engine.model.findings import Finding
from engine.model.quantities import Kind


class FieldKind(StrEnum):
    """Which editor a field has."""

    TEXT = "text"
    LINES = "lines"  # text of several lines
    CODE = "code"
    NUMBER = "number"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    FILE = "file"
    FOLDER = "folder"
    SECRET = "secret"
    RESOURCE = "resource"
    RESOURCES = "resources"
    TASK = "task"
    LIST = "list"
    MAP = "map"
    DURATION = "duration"
    SIZE = "size"
    CONDITION = "condition"
    NODES = "nodes"
    ANY = "any"
    SPECS = "specs"  # a parameter table
    RESULTS = "results"
    BRANCHES = "branches"
    MEMBERS = "members"


Choice = tuple[Any, Words]


@dataclass(frozen=True, slots=True)
class Field:
    """One field.

    ``path`` leads to its value in the tree, ``value`` is what stands there (REMOVE: nothing), and then
    ``default`` holds, which comes from ``origin``. ``picks`` says what it may be bound to
    (``picker.sources``), None: to nothing; ``wanted`` is the kind that must come out.
    """

    path: Path
    kind: FieldKind
    label: Words
    group: str = "usual"
    help: Words = ""
    value: Any = REMOVE
    default: Any = None
    origin: Words = ""
    required: bool = False
    choices: tuple[Choice, ...] = ()
    wanted: Kind | None = None
    picks: str | None = None
    language: str = ""
    own: bool = False  # a parameter that only this place has: it can be taken away

    @property
    def key(self) -> str:
        """What tells it apart from the others of its form."""
        return "/".join(map(str, self.path))

    @property
    def member(self) -> int | None:
        """Its member's position, when it belongs to a job inside a group."""
        found = (after for key, after in zip(self.path, self.path[1:], strict=False) if key == "jobs")
        return next((each for each in found if isinstance(each, int)), None)

    @property
    def given(self) -> bool:
        """Whether a value stands at its own place."""
        return self.value is not REMOVE

    @property
    def shown(self) -> Any:
        """The value that holds."""
        return self.value if self.given else self.default

    @property
    def bound(self) -> bool:
        """Whether its value holds an expression."""
        return self.picks is not None and holds_expression(self.shown)


def findings_at(field: Field, findings: Iterable[Finding], others: Iterable[Field]) -> tuple[Finding, ...]:
    """The findings of a field: those at its path or below, if no other field is nearer."""
    deeper = [
        each.path for each in others if len(each.path) > len(field.path) and _below(each.path, field.path)
    ]
    return tuple(
        found
        for found in findings
        if _below(found.path, field.path) and not any(_below(found.path, path) for path in deeper)
    )


def _below(path: Path, start: Path) -> bool:
    return tuple(map(str, path[: len(start)])) == tuple(map(str, start))
