"""Calendars out of definition files and into them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.desktop.design.definition_library import source_of
from engine.api.calendar_effects import calendars_in
from engine.api.documents import Source
from engine.definitions.writer import dump
from engine.model.codes.commands import FILE_UNREADABLE
from engine.model.errors import Invalid
from engine.model.message import Message


def read_calendars(path: Path) -> Source:
    """The calendars of a definition file, without all else that it has; Invalid where there are none."""
    try:
        text = path.read_text("utf-8", "surrogateescape")
    except (OSError, ValueError) as problem:
        message = (isinstance(problem, OSError) and problem.strerror) or "no file can have this name"
        template = "cannot read {where}: {message}"
        raise Invalid.at(FILE_UNREADABLE, template, path, message=Message.of(message)) from problem
    found = calendars_in([Source(name=path.name, text=text)])
    if not found:
        raise Invalid.at(FILE_UNREADABLE, "{where}: there is no calendar in this file", path)
    return source_of({"calendars": found}, path.name)


def write_calendar(path: Path, id: str, tree: Mapping[str, Any]) -> None:
    """A file that ``skerry load`` takes; OSError where it cannot be written."""
    path.write_text(dump({"skerry": 1, "calendars": {id: tree}}), encoding="utf-8")
