"""The fields of a calendar."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.fields import FieldKind as K
from app.desktop.design.forms.key_words import key
from app.desktop.design.forms.schedule_fields import WEEKDAYS
from app.desktop.design.tree import REMOVE, get

_DATES = "One a line: 2026-12-25, or 2026-10-01..2026-10-07."
_KEYS: Final = (
    key(("name",), K.TEXT, "Name", "What people call it; the id stays.", "usual"),
    key(
        ("weekend",), K.WEEKDAYS, "Off each week", "Saturday and Sunday unless others are ticked.", "usual",
        ("sat", "sun"), tuple(WEEKDAYS.items()),
    ),
    key(("off",), K.DATES, "Days off", _DATES, "usual"),
    key(("work",), K.DATES, "Days of work", "One a line; they win over days off.", "usual"),
)  # fmt: skip


def calendar_fields(id: str, tree: Mapping[str, Any]) -> Iterator[Field]:
    """Of the calendar ``id`` as it is now."""
    for each in _KEYS:
        yield replace(each, path=("calendars", id, *each.path), value=get(tree, each.path, REMOVE))
