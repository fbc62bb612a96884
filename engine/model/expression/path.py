"""Paths into the context: ``$.JOB['x'].RESULT['y'][0]``, read and written.

A path is read into the steps that can be walked directly (names, indices, members of a batch);
what only jsonpath-ng understands (filters, slices, ``..``) stays text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from engine.model.codes.expressions import EXPRESSION_TOO_BIG, UNKNOWN_NAME
from engine.model.errors import Invalid
from engine.model.expression.limits import MAX_PATH
from engine.model.expression.syntax import syntax_error

Path = tuple[str | int, ...]

ROOTS: Final = ("TASK", "JOB", "ROUNDS", "ITEM", "INDEX", "UPSTREAM", "RESOURCE")
_WITH_KEY: Final = ("JOB", "ROUNDS", "UPSTREAM", "RESOURCE")
TASK_FIELDS: Final = (
    "ID", "NAME", "INSTANCE", "RUN", "PARAMS", "STATUS", "ERROR", "TRIGGER", "SCHEDULED_TIME",
    "START_TIME", "DIRECTORY", "WORKSPACE",
)  # fmt: skip
ERROR_FIELDS: Final = ("CODE", "MESSAGE", "NODE")  # of TASK.ERROR
JOB_FIELDS: Final = (
    "PARAMS", "RESULT", "OUTPUT", "ERROR_OUTPUT", "LOG", "STATUS", "EXIT_CODE", "ERROR_CODE",
    "ERROR_MESSAGE", "START_TIME", "END_TIME", "WORKER", "WORKERS", "ATTEMPT", "INSTANCE", "DIRECTORY",
)  # fmt: skip

_STEP = re.compile(
    r"""\.(?P<name>\w[\w-]*)
      | \[\s*(?P<index>-?\d{1,9})\s*\]
      | \[\s*(?P<unquoted>[A-Za-z_][\w-]*)\s*\]
      | \[\s*(?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)")\s*\]
      | \[\s*(?:(?P<all>\*)|(?P<start>-?\d{0,9}):(?P<stop>-?\d{0,9})(?::(?P<step>-?\d{0,9}))?)\s*\]""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`"
_BRACKETS = re.compile(rf"{QUOTED}|[\[\]]", re.DOTALL)
_UNQUOTED = re.compile(rf"{QUOTED}|\[\s*(?P<name>[A-Za-z_][\w-]*)\s*\]", re.DOTALL)
_BRACES = re.compile(rf"{QUOTED}|\}}", re.DOTALL)
_BARE = re.compile(r"\.{1,2}(?:\w[\w-]*|\*|`[^`]*`)|\.{0,2}(?P<bracket>\[)")


class Members(NamedTuple):
    """A choice of the members of a batch or of the rounds: ``[*]``, ``[1:3]``."""

    start: int | None = None
    stop: int | None = None
    step: int | None = None

    def __str__(self) -> str:
        if self == Members():
            return "*"
        first, last = ("" if n is None else str(n) for n in self[:2])
        return f"{first}:{last}" if self.step is None else f"{first}:{last}:{self.step}"

    def of(self, items: list[object]) -> list[object]:
        return items[self.start : self.stop : self.step]


Step = str | int | Members


@dataclass(frozen=True, slots=True)
class ParsedPath:
    """A path of an expression.

    ``steps`` lead as far as they can be walked; ``rest`` is "" or the remaining text, and then
    the whole ``text`` is a query for jsonpath-ng.
    """

    text: str
    steps: tuple[Step, ...]
    rest: str = ""

    @property
    def reference(self) -> Reference:
        """What it refers to, for checks before anything runs."""
        root = self.steps[0] if self.steps and isinstance(self.steps[0], str) else ""
        key = self.steps[1] if root in _WITH_KEY and len(self.steps) > 1 else None
        return Reference(root, key if isinstance(key, str) else None, self.text, self.steps)


class Reference(NamedTuple):
    """``root``: TASK, JOB, … ("" for a query over everything); ``key``: which node, job, task or resource."""

    root: str
    key: str | None
    text: str
    steps: tuple[Step, ...] = ()

    @property
    def unquoted(self) -> str | None:
        """The first name in brackets without quotes, as in ``$.JOB[x]``."""
        return next((found["name"] for found in _UNQUOTED.finditer(self.text) if found["name"]), None)


@lru_cache(maxsize=8192)
def parse_path(text: str) -> Path:
    """The path of one value in the context; Invalid if it is a query or not a path at all.

    >>> parse_path("$.JOB['x'].RESULT['y'][0]")
    ('JOB', 'x', 'RESULT', 'y', 0)
    """
    if not text.startswith("$"):
        raise syntax_error(text, 0, "a path starts with $")
    steps, end = _steps(text)
    for found in _UNQUOTED.finditer(text):
        if found["name"]:
            message = "a name belongs in quotes: ['{name}']"
            raise syntax_error(text, found.start("name"), message, name=found["name"])
    plain = tuple(step for step in steps if not isinstance(step, Members))
    if end < len(text) or len(plain) < len(steps):
        raise syntax_error(text, end, "expected .name, ['name'] or [number]")
    return plain


@lru_cache(maxsize=8192)
def read_path(text: str) -> ParsedPath:
    """The path of an expression, with its names checked; Invalid if it cannot be one."""
    if len(text) > MAX_PATH:
        message = "a path has at most {most} characters"
        raise Invalid(EXPRESSION_TOO_BIG, message, where=text[:80], most=MAX_PATH)
    steps, end = _steps(text)
    path = ParsedPath(text, steps, text[end:])
    _check_names(path)
    if path.rest:
        from engine.model.expression.query import compile_query

        compile_query(text)
    return path


def _steps(text: str) -> tuple[tuple[Step, ...], int]:
    """The steps that can be walked, and where they end."""
    steps: list[Step] = []
    position = 1
    while match := _STEP.match(text, position):
        step = _step(match)
        if isinstance(step, Members) and not _chooses_members(steps):
            break
        steps.append(step)
        position = match.end()
    return tuple(steps), position


def _step(match: re.Match[str]) -> Step:
    if (name := match["name"] or match["unquoted"]) is not None:
        return name
    if (index := match["index"]) is not None:
        return int(index)
    if match["all"] is not None or match["start"] is not None:
        numbers = (match["start"], match["stop"], match["step"])
        return Members(*(int(n) if n and n != "-" else None for n in numbers))
    quoted = match["single"] if match["single"] is not None else match["double"]
    return _ESCAPED.sub(r"\1", quoted) if "\\" in quoted else quoted


def _chooses_members(steps: list[Step]) -> bool:
    """Whether ``[*]`` after these steps means members of a batch, or rounds and their members."""
    deepest = {"JOB": 2, "ROUNDS": 3}.get(str(steps[0]), 0) if steps else 0
    return 2 <= len(steps) <= deepest and isinstance(steps[1], str)


def _check_names(path: ParsedPath) -> None:
    steps = path.steps
    if not steps:
        return
    _known(path, steps[0], ROOTS, "$.")
    if steps[0] == "TASK" and len(steps) > 1:
        _known(path, steps[1], TASK_FIELDS, "$.TASK.")
    if steps[0] in ("JOB", "ROUNDS") and len(steps) > 1:
        if not isinstance(steps[1], str):
            message = "an id belongs in quotes: $.{kind}['{id}']"
            raise syntax_error(path.text, 5, message, kind=steps[0], id=steps[1])
        field = next((step for step in steps[2:] if isinstance(step, str)), None)
        if field is not None:
            _known(path, field, JOB_FIELDS, f"$.{steps[0]}['{steps[1]}'].")


def _known(path: ParsedPath, step: Step, known: tuple[str, ...], before: str) -> None:
    if step not in known:
        names = ", ".join(known)
        message = "there is no {before}{step}; there are {names}"
        raise Invalid(UNKNOWN_NAME, message, where=path.text, before=before, step=step, names=names)


def braced_end(text: str, start: int) -> int:
    """The position of the ``}`` that ends the ``{path}`` beginning at ``start``; Invalid without one."""
    for match in _BRACES.finditer(text, start, start + MAX_PATH):
        if match[0] == "}":
            return match.start()
    raise syntax_error(text, start - 1, "the } of this path is missing")


def bare_end(text: str, start: int) -> int:
    """Where a path that begins at ``start`` ends in a condition."""
    position = start + 1
    while match := _BARE.match(text, position):
        position = _bracket_end(text, match.end() - 1) if match["bracket"] else match.end()
    return position


def _bracket_end(text: str, start: int) -> int:
    depth = 0
    for match in _BRACKETS.finditer(text, start, start + MAX_PATH):
        depth += {"[": 1, "]": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    raise syntax_error(text, start, "the ] of this [ is missing")


def format_path(path: tuple[Step, ...]) -> str:
    r"""The text of a path; ``parse_path`` reads it back.

    >>> format_path(("JOB", "x", "RESULT", "a'b", 0))
    "$.JOB['x'].RESULT['a\\'b'][0]"
    >>> format_path(("UPSTREAM", "tides", 0, "RESULT", "high"))
    "$.UPSTREAM['tides'][0].RESULT['high']"
    """
    dotted, text = _dotted(path), "$"
    for position, step in enumerate(path):
        if not isinstance(step, str):
            text += f"[{step}]"
        elif position in dotted and step.isascii() and step.isidentifier():
            text += f".{step}"
        else:
            text += "['" + step.replace("\\", "\\\\").replace("'", "\\'") + "']"
    return text


def _dotted(path: tuple[Step, ...]) -> tuple[int, ...]:
    """The positions of the names that are the product's own, not a user's."""
    root = path[0] if path else None
    if root == "TASK":
        return (0, 1)
    if root not in ("JOB", "ROUNDS", "UPSTREAM"):
        return (0,)
    position = 2
    while position < len(path) and not isinstance(path[position], str):
        position += 1
    return (0, position)
