"""The text of a file with definitions that a person chose or dropped."""

from __future__ import annotations

from pathlib import Path

from engine.model.codes.commands import FILE_UNREADABLE
from engine.model.errors import Invalid
from engine.model.message import Message

_LARGEST = 16 << 20  # bytes of a file


def text_of(path: Path) -> str:
    """What is in it; Invalid where it cannot be read, is no file or too large."""
    try:
        if path.exists() and not path.is_file():  # opening a pipe would wait for ever
            raise _unreadable(path, "it is no file")
        if path.stat().st_size > _LARGEST:
            raise _unreadable(path, "it is too large")
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except (OSError, ValueError) as problem:
        message = (isinstance(problem, OSError) and problem.strerror) or "no file can have this name"
        raise _unreadable(path, message) from problem


def _unreadable(path: Path, message: str) -> Invalid:
    template = "cannot read {where}: {message}"
    return Invalid.at(FILE_UNREADABLE, template, path, message=Message.of(message))
