"""Values that are bound to something: the contract's expressions, read into parts and written from them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from engine.model.errors import SkerryError
from engine.model.expression import ParsedPath, read_path
from engine.model.expression.path import braced_end
from engine.model.expression.texts import Extraction, Shifted, Whole, compile_text

_BRACE = re.compile(r"\{\{\$\.|\{\$\.")
_QUOTE = re.compile(r"\\.|'", re.DOTALL)  # a backslash keeps what follows it together with itself


@dataclass(frozen=True, slots=True)
class PathBinding:
    """A value taken from ``path``; at most one of ``pattern`` and ``shift`` is given.

    ``pattern`` picks a part of its text (``optional``: nothing when it is not found), ``shift`` (such
    as ``-1d``) and ``form`` move and write a time.
    """

    path: str
    pattern: str | None = None
    optional: bool = False
    shift: str | None = None
    form: str = ""

    @property
    def text(self) -> str:
        if self.pattern is not None:
            return f"{{{self.path}}}:REGEX{'?' if self.optional else ''}:{self.pattern}"
        if self.shift is not None:
            return f"{{{self.path}}}:DATE:{self.shift}:{self.form}"
        return self.path

    @property
    def operand(self) -> str:
        """The same as an operand of a condition."""
        if self.pattern is None:
            return f"{{{self.path}}}"
        quoted = _QUOTE.sub(lambda found: "\\'" if found[0].endswith("'") else found[0], self.pattern)
        return f"{{{self.path}}}:REGEX{'?' if self.optional else ''}:'{quoted}'"

    @property
    def node(self) -> str | None:
        """The node or job that it takes the value from; None for parameters and built-in variables."""
        return node_of(self.path)

    def plain(self) -> PathBinding:
        """The same path with nothing done to its value."""
        return replace(self, pattern=None, optional=False, shift=None, form="")


def read_binding(value: Any) -> PathBinding | None:
    """The binding that a value is; None for a literal and for text with more around the path."""
    if not isinstance(value, str) or "$." not in value:
        return None
    try:
        found = compile_text(value)
    except SkerryError:
        return None
    if isinstance(found, Whole):
        return PathBinding(found.path.text)
    if isinstance(found, Extraction):
        return PathBinding(found.path.text, found.pattern.text, found.optional)
    if isinstance(found, Shifted):
        shift = value[braced_end(value, 1) + 1 :].split(":", 3)[2]
        return PathBinding(found.path.text, shift=shift, form=found.form)
    return None


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A part of a text: literal source text, or a path from between braces."""

    text: str
    path: bool = False


def pieces(text: str) -> tuple[TextPiece, ...]:
    """A text as literal parts and paths; what only looks like a path stays literal."""
    made: list[TextPiece] = []
    start = position = 0
    while match := _BRACE.search(text, position):
        position = match.end()
        end = _path_end(text, match.start()) if match[0] == "{$." else None
        if end is None:
            continue
        made += [TextPiece(text[start : match.start()]), TextPiece(text[match.start() + 1 : end], path=True)]
        start = position = end + 1
    made.append(TextPiece(text[start:]))
    return tuple(each for each in made if each.text)


def _path_end(text: str, start: int) -> int | None:
    try:
        end = braced_end(text, start + 1)
        read_path(text[start + 1 : end])
    except SkerryError:
        return None
    return end


def joined(parts: Iterable[TextPiece]) -> str:
    return "".join(f"{{{each.text}}}" if each.path else each.text for each in parts)


def steps_of(path: str) -> ParsedPath | None:
    """The steps of a path; None when it is none."""
    try:
        return read_path(path)
    except SkerryError:
        return None


def node_of(path: str) -> str | None:
    """The node or job that a path begins at."""
    found = steps_of(path)
    return found.reference.key if found and found.reference.root in ("JOB", "ROUNDS") else None
