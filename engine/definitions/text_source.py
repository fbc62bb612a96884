"""The bytes of a definition file as a document, whichever of its two notations it has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from engine.model.codes import definitions as codes
from engine.model.message import Message

if TYPE_CHECKING:
    from engine.definitions.document import SourceDocument

# What YAML allows in a text: no control characters but tab and line ends, no halves of pairs.
_UNPRINTABLE = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_BOM = "\ufeff"


class SourceFile(NamedTuple):
    """A file to read: ``name`` is shown in findings, ``text`` its bytes."""

    name: str
    text: bytes


def parse(source: SourceFile) -> SourceDocument:
    """Read one file; a name that ends in .json is JSON, everything else YAML."""
    try:
        text = source.text.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as wrong:
        return _unreadable(source, source.text[: wrong.start].decode("utf-8"), "not UTF-8 text")
    unprintable = re.search(_UNPRINTABLE, text)
    if unprintable:
        what = "NUL" if unprintable[0] == "\0" else f"U+{ord(unprintable[0]):04X}"
        return _unreadable(
            source, text[: unprintable.start()], Message.of("the character {name} is not allowed", name=what)
        )
    return _parsed(source.name, text)


def _parsed(name: str, text: str) -> SourceDocument:
    # Imported here and below: a workspace's own definitions come as trees and need no YAML.
    if name.lower().endswith(".json"):
        from engine.definitions.json_source import parse_json

        return parse_json(name, text)
    from engine.definitions.yaml_source import parse_yaml

    return parse_yaml(name, text)


def _unreadable(source: SourceFile, before: str, message: str) -> SourceDocument:
    from engine.definitions.document import failed

    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return failed(source.name, codes.TEXT_UNREADABLE, message, line, column)
