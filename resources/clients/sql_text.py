"""Statements with ``:name`` parameters in the spelling of a driver; colons anywhere else are left alone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

Family = Literal["postgresql", "mysql", "sqlite", "other"]

_QUOTED = r"'(?:[^']|'')*'"
_NAMED = r'"(?:[^"]|"")*"'
_REMARK = r"/\*(?:[^*/]|\*(?!/)|/(?!\*)|/\*(?:[^*]|\*(?!/))*\*/)*\*/"  # one within another, too
_LINE = r"--[^\n]*"
# What a database reads as one piece: nothing in it is a parameter.
_PIECES: dict[Family, tuple[str, ...]] = {
    "postgresql": (
        r"(?<![\w$])[eE]'(?:[^'\\]|\\.|'')*'",
        _QUOTED,
        _NAMED,
        r"(?<![\w$])(?P<tag>\$(?:[^\W\d]\w*)?\$).*?(?P=tag)",
        _LINE,
        _REMARK,
    ),
    "mysql": (
        r"'(?:[^'\\]|\\.|'')*'",
        r'"(?:[^"\\]|\\.|"")*"',
        r"`(?:[^`]|``)*`",
        r"--(?=\s|$)[^\n]*",
        r"\#[^\n]*",
        r"/\*(?:[^*]|\*(?!/))*\*/",
    ),
    "sqlite": (_QUOTED, _NAMED, r"`(?:[^`]|``)*`", r"\[[^\]]*\]", _LINE, r"/\*(?:[^*]|\*(?!/))*\*/"),
    "other": (_QUOTED, _NAMED, _LINE, r"/\*(?:[^*]|\*(?!/))*\*/"),
}
_PARAMETER = r"::|\\:|(?<![\w:]):(?P<name>[^\W\d]\w*)"


class MissingParameter(Exception):
    """The statement names a parameter that there is none of."""


class PreparedStatement(NamedTuple):
    """What a driver takes: its own spelling, and the values by position or by name."""

    statement: str
    values: tuple[Any, ...] | dict[str, Any]


def prepare(statement: str, params: Mapping[str, Any], family: Family, paramstyle: str) -> PreparedStatement:
    """``statement`` with each ``:name`` bound to ``params``; Missing when there is no such name.

    A parameter is a colon and a name, outside of texts, quoted names, remarks and PostgreSQL's
    ``$$…$$``, and not after another colon or a letter: ``x::text`` and ``'12:30'`` stay as they are.
    ``\\:`` is a plain colon.
    """
    names: list[str] = []

    def spelled(match: re.Match[str]) -> str:
        name = match["name"]
        if name is None:
            return _literal(":" if match[0] == "\\:" else match[0], paramstyle)
        if name not in params:
            raise MissingParameter(name)
        names.append(name)
        return _placeholder(name, len(names), paramstyle)

    parts: list[str] = []
    end = 0
    for match in _pattern(family).finditer(statement):
        parts += (_literal(statement[end : match.start()], paramstyle), spelled(match))
        end = match.end()
    text = "".join((*parts, _literal(statement[end:], paramstyle)))
    values = {name: as_bound(params[name]) for name in names}
    named = paramstyle in ("named", "pyformat")
    return PreparedStatement(text, values if named else tuple(values[name] for name in names))


def as_bound(value: Any) -> Any:
    """A value as a database takes it: lists and maps as JSON text."""
    if isinstance(value, (list, tuple, dict)):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value


def first_word(statement: str) -> str:
    """The word that says what kind of statement it is, in small letters."""
    bare = re.sub(rf"\A(?:\s|\(|{_LINE}|{_REMARK})+", "", statement)
    return (re.match(r"\w*", bare) or [""])[0].lower()


@lru_cache(maxsize=8)
def _pattern(family: Family) -> re.Pattern[str]:
    return re.compile("|".join((*_PIECES[family], _PARAMETER)), re.DOTALL)


def _literal(text: str, paramstyle: str) -> str:
    """Drivers that use % for parameters want their other % doubled."""
    return text.replace("%", "%%") if paramstyle in ("format", "pyformat") else text


def _placeholder(name: str, position: int, paramstyle: str) -> str:
    spellings = {
        "qmark": "?",
        "format": "%s",
        "pyformat": f"%({name})s",
        "named": f":{name}",
        "numeric": f":{position}",
        "numeric_dollar": f"${position}",
    }
    return spellings[paramstyle]
