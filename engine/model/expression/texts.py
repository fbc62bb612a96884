"""The forms that a text with expressions can have: one path, text with paths in it, an extract,
a shifted time, a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from engine.model.codes.expressions import NO_MATCH
from engine.model.errors import SkerryError
from engine.model.expression.dates import Shift, check_format, format_shifted, parse_shift
from engine.model.expression.path import ParsedPath, braced_end, read_path
from engine.model.expression.pattern import Pattern, compile_pattern, shown
from engine.model.expression.scope import PathReader
from engine.model.expression.syntax import syntax_error
from engine.model.expression.values import FileText, as_text, check_size

_BRACE = re.compile(r"\{\{\$\.|\{\$\.")
_FILE = re.compile(r"File\((.*)\)\s*", re.DOTALL)
_AFTER = re.compile(r":(?:(?P<regex>REGEX\??)|(?P<date>DATE)):")
_CACHED = 4096  # characters; longer texts are not worth keeping


@dataclass(frozen=True, slots=True)
class _OfOnePath:
    text: str
    path: ParsedPath

    @property
    def paths(self) -> tuple[ParsedPath, ...]:
        return (self.path,)


@dataclass(frozen=True, slots=True)
class Whole(_OfOnePath):
    """``$.JOB['x'].RESULT['rows']``: the value itself, with its type."""

    def evaluate(self, read: PathReader) -> Any:
        return read.value(self.path)


@dataclass(frozen=True, slots=True)
class Mixed:
    """Text with ``{path}`` in it."""

    text: str
    parts: tuple[str | ParsedPath, ...]

    @property
    def paths(self) -> tuple[ParsedPath, ...]:
        return tuple(part for part in self.parts if not isinstance(part, str))

    def evaluate(self, read: PathReader) -> str:
        """The text with every path replaced by its value."""
        parts: list[str] = []
        size = 0
        for part in self.parts:
            parts.append(part if isinstance(part, str) else text_of(read.value(part), part))
            size += len(parts[-1])
            check_size(size)
        return "".join(parts)


@dataclass(frozen=True, slots=True)
class Extraction(_OfOnePath):
    """``{path}:REGEX:pattern``, or ``:REGEX?:`` which gives null without a match."""

    pattern: Pattern
    optional: bool

    def evaluate(self, read: PathReader) -> str | None:
        """What the pattern finds in the value's text."""
        value = read.value(self.path)
        if value is None and self.optional:
            return None
        found = self.pattern.search(text_of(value, self.path), read.scope.patience.seconds)
        if found is None and not self.optional:
            message = "the pattern {pattern} was not found in {expression}"
            raise SkerryError(NO_MATCH, message, pattern=shown(self.pattern.text), expression=self.path.text)
        return found


@dataclass(frozen=True, slots=True)
class Shifted(_OfOnePath):
    """``{path}:DATE:-1d:%Y%m%d``: a time, shifted and formatted."""

    shift: Shift
    form: str

    def evaluate(self, read: PathReader) -> str:
        return format_shifted(read.value(self.path), self.shift, self.form, read.scope.zone)


@dataclass(frozen=True, slots=True)
class FileOf:
    """``File(/path)``: a file; its text may hold paths of the context."""

    text: str
    inner: Whole | Mixed | None
    literal: str

    @property
    def paths(self) -> tuple[ParsedPath, ...]:
        return self.inner.paths if self.inner else ()

    def evaluate(self, read: PathReader) -> FileText:
        return FileText(as_text(self.inner.evaluate(read)) if self.inner else self.literal)


Expression = Whole | Mixed | Extraction | Shifted | FileOf


def text_of(value: Any, path: ParsedPath) -> str:
    """``value`` as text; the error for null names the path that gave it."""
    try:
        return as_text(value)
    except SkerryError as error:
        error.reword("{where}: {message}", where=path.text)
        raise


def compile_text(text: str) -> str | Expression:
    """The compiled form of one text; a ``str`` has nothing to evaluate (and may differ from
    ``text`` by an escape taken away)."""
    if "$." not in text and not text.startswith("File("):
        return text
    return _compile_cached(text) if len(text) <= _CACHED else _compile(text)


def _compile(text: str) -> str | Expression:
    if text.startswith("$."):
        return Whole(text, read_path(text.rstrip()))
    if text.startswith("{$."):
        end = braced_end(text, 1)
        if after := _AFTER.match(text, end + 1):
            return _applied(text, read_path(text[1:end]), after)
    if file := _FILE.fullmatch(text):
        return _file(text, file[1])
    return _mixed(text)


_compile_cached = lru_cache(maxsize=8192)(_compile)


def _applied(text: str, path: ParsedPath, after: re.Match[str]) -> Expression:
    argument = text[after.end() :]
    if after["regex"]:
        return Extraction(text, path, compile_pattern(argument), after["regex"].endswith("?"))
    shift, colon, form = argument.partition(":")
    if not colon:
        raise syntax_error(text, len(text), "expected {path}:DATE:shift:format")
    return Shifted(text, path, parse_shift(shift), check_format(form))


def _file(text: str, inner: str) -> FileOf:
    found = compile_text(inner)
    if isinstance(found, str):
        return FileOf(text, None, found)
    if isinstance(found, (Whole, Mixed)):
        return FileOf(text, found, "")
    raise syntax_error(text, 5, "File(…) takes a path, with {path} in it where wanted")


def _mixed(text: str) -> str | Mixed:
    parts: list[str | ParsedPath] = []
    plain = ["$."] if text.startswith("$$.") else []
    position = 3 if plain else 0
    while match := _BRACE.search(text, position):
        plain.append(text[position : match.start()])
        if match[0] == "{{$.":
            plain.append("{$.")
            position = match.end()
            continue
        end = braced_end(text, match.start() + 1)
        parts += ["".join(plain), read_path(text[match.start() + 1 : end])]
        plain, position = [], end + 1
    rest = "".join(plain) + text[position:]
    return Mixed(text, tuple(part for part in (*parts, rest) if part != "")) if parts else rest
