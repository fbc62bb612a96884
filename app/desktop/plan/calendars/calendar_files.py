"""Calendars out of definition files and into them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.desktop.design.definition_files import text_of
from app.desktop.design.definition_library import source_of
from engine.api.calendar_effects import calendars_in
from engine.api.documents import Source
from engine.definitions.writer import dump
from engine.model.codes.commands import FILE_UNREADABLE
from engine.model.errors import Invalid


def read_calendars(path: Path) -> Source:
    """The calendars of a definition file, without all else that it has; Invalid where there are none."""
    found = calendars_in([Source(name=path.name, text=text_of(path))])
    if not found:
        raise Invalid.at(FILE_UNREADABLE, "{where}: there is no calendar in this file", path)
    return source_of({"calendars": found}, path.name)


def write_calendar(path: Path, id: str, tree: Mapping[str, Any]) -> None:
    """A file that ``skerry load`` takes; OSError where it cannot be written."""
    path.write_text(dump({"skerry": 1, "calendars": {id: tree}}), encoding="utf-8")
