"""The facade of jsonpath-ng: filters, wildcards, slices and named operators, made safe.

Refused is ``=~`` (its search cannot be stopped); ``sub`` searches with a time limit; arithmetic
works on numbers only, so that no text can be multiplied. The library knows no limits: each part of
a query is watched by a meter, which counts what it finds and looks at the time.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import lru_cache
from typing import Any, Final, NamedTuple

from jsonpath_ng.ext.parser import parse

from engine.model.codes.expressions import BAD_PATH, EXPRESSION_TOO_BIG, FINDS_TOO_MUCH
from engine.model.errors import Invalid, SkerryError
from engine.model.expression.limits import AT_ONCE, MAX_VALUE, Patience, StepMeter
from engine.model.expression.pattern import compile_pattern
from engine.model.expression.syntax import syntax_error

_OPERATORS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_MANY: Final = frozenset({"Descendants", "Filter", "Keys", "Slice", "Wildcard", "Where", "WhereNot"})
_LAST_NAME = re.compile(r"""(?:(?<!\.)\.\w[\w-]*|\['(?:[^'\\]|\\.)*'\]|\[-?\d+\])\Z""")
_END: Final = object()
_PARTS: Final = ("left", "right", "target", "value", "operands", "expressions")


class PathQuery(NamedTuple):
    """A compiled query. ``many``: its answer is the list of matches, else the one match."""

    text: str
    many: bool
    parsed: Any

    def values(self, tree: Any, patience: Patience = AT_ONCE) -> list[Any]:
        """Every match in ``tree``; SkerryError if an operator does not fit a value, or it is too much."""
        meter = StepMeter(patience, self.text)
        try:
            values = [match.value for match in _watched(self.parsed, meter).find(tree)]
            _check_weight(values, meter, self.text)
            return values
        except SkerryError:
            raise
        except RecursionError:
            raise SkerryError(EXPRESSION_TOO_BIG, "the path is too deep", where=self.text) from None
        except Exception as error:  # the library lets whatever its operators raise pass
            message = "{where}: an operator of the path does not fit the value"
            raise SkerryError.at(BAD_PATH, message, self.text) from error


@lru_cache(maxsize=1024)
def compile_query(text: str) -> PathQuery:
    """Read a query; Invalid with its column if it is not one."""
    try:
        tree = parse(text)
        for node in _walk(tree):
            _make_safe(node, text)
        return PathQuery(text, _is_many(tree), tree)
    except SkerryError:
        raise
    except RecursionError:
        raise Invalid(EXPRESSION_TOO_BIG, "the path is too deep", where=text) from None
    except Exception as error:
        raise syntax_error(text, _position(error), "the path cannot be read from here on") from error


def _watched(parsed: Any, meter: StepMeter) -> Any:
    """A copy whose every part reports to the meter what it found."""
    tree = deepcopy(parsed)
    for node in _walk(tree):
        node.find = _counted(node.find, meter)
    return tree


def _counted(find: Callable[[Any], Any], meter: StepMeter) -> Callable[[Any], Any]:
    def found(datum: Any) -> Any:
        matches = find(datum)
        meter.step(1 + len(matches) if isinstance(matches, list) else 1)
        return matches

    return found


def _check_weight(values: list[Any], meter: StepMeter, text: str) -> None:
    """Matches share their parts, and each is written out: a few lines can stand for terabytes."""
    left, waiting = MAX_VALUE, [iter(values)]
    while waiting:
        value = next(waiting[-1], _END)
        if value is _END:
            waiting.pop()
            continue
        meter.step()
        left -= len(value) + 2 if isinstance(value, (str, dict, list)) else 8
        if left < 0:
            raise SkerryError.at(FINDS_TOO_MUCH, "{where}: what it finds is more than 64 MiB", text)
        if isinstance(value, dict):
            waiting += [iter(value), iter(value.values())]
        elif isinstance(value, list):
            waiting.append(iter(value))


def without_last_names(text: str) -> str:
    """The query without the plain names and indices at its end (``rows[*].n`` -> ``rows[*]``).

    >>> without_last_names("$.a[?(@.n > 1)].b['c']")
    '$.a[?(@.n > 1)]'
    """
    while match := _LAST_NAME.search(text):
        text = text[: match.start()]
    return text


def _position(error: Exception) -> int:
    """The position from 0 that jsonpath-ng names in its message."""
    digits = str(error).partition(":")[2][:6].split(" ")[0]
    return int(digits) if digits.isdigit() else 0


def _walk(node: Any) -> Iterator[Any]:
    yield node
    for name in _PARTS:
        parts = getattr(node, name, None)
        for part in parts if isinstance(parts, (list, tuple)) else (parts,):
            if hasattr(part, "find") and not isinstance(part, str):
                yield from _walk(part)


def _make_safe(node: Any, text: str) -> None:
    name = type(node).__name__
    if name == "Expression" and node.op == "=~":
        raise syntax_error(text, text.find("=~"), "=~ is not available; use {path}:REGEX:pattern")
    if name == "Sub":
        node.regex = compile_pattern(node.expr)
    if name == "Operation":
        node.op = _arithmetic(node.op_symbol, text)


def _arithmetic(symbol: str, text: str) -> Callable[[Any, Any], Any]:
    def apply(left: Any, right: Any) -> Any:
        if _is_number(left) and _is_number(right):
            return _OPERATORS[symbol](left, right)
        raise SkerryError.at(BAD_PATH, "{where}: {symbol} needs two numbers", text, symbol=symbol)

    return apply


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_many(node: Any) -> bool:
    """Whether a query can have any number of matches by its form."""
    name = type(node).__name__
    if name in _MANY or "Union" in name or "Intersect" in name:
        return True
    if name in ("Fields", "Index"):
        return len(node.fields if name == "Fields" else node.indices) > 1
    parts = (getattr(node, "left", None), getattr(node, "right", None))
    return any(_is_many(part) for part in parts if part is not None)
