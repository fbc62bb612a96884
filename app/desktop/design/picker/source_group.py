"""A thing that a value can be taken from, and those that belong together."""

from __future__ import annotations

from dataclasses import dataclass

from app.desktop.design.forms.labels import Words
from engine.model.quantities import Kind


@dataclass(frozen=True, slots=True)
class ValueSource:
    """One thing to take a value from. ``kind`` None: anything; ``text`` is the label of the value alone."""

    path: str
    label: Words
    kind: Kind | None
    icon: str
    help: Words = ""
    node: str | None = None


@dataclass(frozen=True, slots=True)
class SourceGroup:
    """Sources that belong together: those of one node, the task's parameters, the built-in ones."""

    key: str
    title: Words
    icon: str
    sources: tuple[ValueSource, ...]
