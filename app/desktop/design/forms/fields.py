"""A field of a form: what is filled in, of which kind, with which help, and what holds without it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.desktop.design.forms.labels import Words
from app.desktop.design.tree import REMOVE, Path
from engine.definitions.params import holds_expression
from engine.model.findings import Finding
from engine.model.quantities import Kind


class FieldKind(StrEnum):
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
    LEVEL = "level"  # of a schedule, which is its value
    CALENDAR = "calendar"
    NUMBERS = "numbers"
    DATES = "dates"
    WEEKDAYS = "weekdays"
    COMING = "coming"  # shows the next fire times
    WORKERS = "workers"
    WORKER_GROUP = "worker_group"
    WORKER_LABELS = "worker_labels"
    CONSEQUENCE = "consequence"  # what all of ``on`` comes to
    UPSTREAM = "upstream"  # one dependency
    UPSTREAMS = "upstreams"  # adds one


Choice = tuple[Any, Words]


@dataclass(frozen=True, slots=True)
class Field:
    """One field.

    ``path`` leads to its value in the tree, ``value`` is what is there (REMOVE: nothing), and then
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
    fixed: bool = False  # nothing can be given here (a stored secret)

    @property
    def key(self) -> str:
        """What distinguishes it from the others of its form."""
        return "/".join(map(str, self.path))

    @property
    def member(self) -> int | None:
        """Its member's position, when it belongs to a job inside a group."""
        found = (after for key, after in zip(self.path, self.path[1:], strict=False) if key == "jobs")
        return next((each for each in found if isinstance(each, int)), None)

    @property
    def given(self) -> bool:
        return self.value is not REMOVE

    @property
    def shown(self) -> Any:
        return self.value if self.given else self.default

    @property
    def bound(self) -> bool:
        return self.picks is not None and holds_expression(self.shown)


def owners(
    findings: Iterable[Finding], fields: Sequence[Field]
) -> tuple[dict[str, list[Finding]], list[Finding]]:
    """The findings by the key of the field that each belongs to, and those that belong to none.

    A finding belongs to the nearest field above its path.
    """
    found: dict[str, list[Finding]] = {}
    rest: list[Finding] = []
    for finding in findings:
        field = _nearest(finding, fields)
        if field is None:
            rest.append(finding)
        else:
            found.setdefault(field.key, []).append(finding)
    return found, rest


def _nearest(finding: Finding, fields: Sequence[Field]) -> Field | None:
    above = [each for each in fields if is_below(finding.path, each.path)]
    return max(above, key=lambda each: len(each.path), default=None)


def is_below(path: Path, start: Path) -> bool:
    """Whether a path leads to ``start`` or into it."""
    return tuple(map(str, path[: len(start)])) == tuple(map(str, start))
