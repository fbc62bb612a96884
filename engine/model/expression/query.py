"""The facade of jsonpath-ng: filters, wildcards, slices and named operators, made safe.

Refused is ``=~`` (its search cannot be stopped); ``sub`` searches with a time limit; arithmetic
works on numbers only, so that no text can be multiplied.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from engine.model.codes.expressions import BAD_PATH, EXPRESSION_TOO_BIG
from engine.model.errors import Invalid, SkerryError
from engine.model.expression.path import syntax_error
from engine.model.expression.pattern import compile_pattern

_OPERATORS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_MANY: Final = frozenset({"Descendants", "Filter", "Keys", "Slice", "Wildcard", "Where", "WhereNot"})
_LAST_NAME = re.compile(r"""(?:(?<!\.)\.\w[\w-]*|\['(?:[^'\\]|\\.)*'\]|\[-?\d+\])\Z""")
_PARTS: Final = ("left", "right", "target", "value", "operands", "expressions")


class Query(NamedTuple):
    """A compiled query. ``many``: its answer is the list of matches, else the one match."""

    text: str
    many: bool
    find: Callable[[Any], Any]

    def values(self, tree: Any) -> list[Any]:
        """Every match in ``tree``; SkerryError if an operator does not fit a value."""
        try:
            return [match.value for match in self.find(tree)]
        except SkerryError:
            raise
        except RecursionError:
            raise SkerryError(EXPRESSION_TOO_BIG, "the path is too deep", where=self.text) from None
        except Exception as error:  # the library lets whatever its operators raise pass
            raise SkerryError(BAD_PATH, f"{self.text}: {error}", where=self.text) from error


@lru_cache(maxsize=1024)
def compile_query(text: str) -> Query:
    """Read a query; Invalid with its column if it is not one."""
    from jsonpath_ng.ext.parser import parse

    try:
        tree = parse(text)
        for node in _walk(tree):
            _make_safe(node, text)
        return Query(text, _is_many(tree), tree.find)
    except SkerryError:
        raise
    except RecursionError:
        raise Invalid(EXPRESSION_TOO_BIG, "the path is too deep", where=text) from None
    except Exception as error:
        raise syntax_error(text, _position(error), f"the path cannot be read: {error}") from error


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
        raise SkerryError(BAD_PATH, f"{text}: {symbol} needs two numbers", where=text)

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
