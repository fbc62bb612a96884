"""Files that a command line names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from engine.api.documents import Source
from engine.definitions.text_source import SourceFile, parse
from engine.model.codes.commands import FILE_UNREADABLE, PARAMS_FILE_INVALID, WRONG_USE
from engine.model.errors import ErrorCode, Invalid, Refused
from engine.model.message import Message
from engine.model.plain_words import quoted

_ENDINGS = (".yaml", ".yml", ".json")


def is_file(text: str) -> bool:
    """Whether a ``TASK or FILE`` is a file: it has a slash or one of the endings."""
    return "/" in text or text.endswith(_ENDINGS)


def source(name: str) -> Source:
    """The text of a definition file; what is no UTF-8 survives the way to the reader."""
    return {"name": name, "text": content(name).decode("utf-8", "surrogateescape")}


def content(name: str) -> bytes:
    """The bytes of a file; Invalid when it cannot be read."""
    try:
        return Path(name).read_bytes()
    except (OSError, ValueError) as problem:
        message = (isinstance(problem, OSError) and problem.strerror) or "no file can have this name"
        template = "cannot read {where}: {message}"
        raise Invalid.at(FILE_UNREADABLE, template, name, message=Message.of(message)) from problem


def check_folder(name: str, entry: ErrorCode) -> None:
    """Refused with ``entry`` where no file of that name could be made, before any work is done for it."""
    folder = Path(name).parent
    if not os.access(folder, os.W_OK):
        raise Refused(entry, "{folder} is no folder that can be written to", where=name, folder=folder)


def params(name: str) -> dict[str, Any]:
    """The map of values in a YAML or JSON file; typed, never evaluated."""
    document = parse(SourceFile(name, content(name)))
    if document.findings:
        first = document.findings[0]
        raise Invalid(PARAMS_FILE_INVALID, str(first), where=f"{name}:{first.line}:{first.column}")
    if document.value is None and document.root is None:
        return {}
    if not isinstance(document.value, dict):
        raise Invalid.at(PARAMS_FILE_INVALID, "{where}: expected a map of values", name)
    return document.value


def assignments(texts: tuple[str, ...]) -> dict[str, str]:
    """``name=value`` arguments; the last one of a name counts. The value may hold anything."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise Invalid(WRONG_USE, "-p takes name=value, not {text}", text=quoted(text))
        if any("\udc80" <= each <= "\udcff" for each in value):  # bytes that the system could not decode
            raise Invalid.at(WRONG_USE, "-p {where}: the value is not UTF-8 text", name)
        found[name] = value
    return found
