"""Conditions: ``{path} >= 3 and not ({other} # 'text')``.

The grammar is lark's; the tokens are ours, because a path has quotes and brackets of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol

from engine.model.codes.expressions import NOT_TRUE_OR_FALSE
from engine.model.errors import SkerryError
from engine.model.expression.limits import StepMeter
from engine.model.expression.path import QUOTED, Reference
from engine.model.expression.scope import PathReader, Scope, UsedText, named
from engine.model.expression.syntax import syntax_error
from engine.model.expression.texts import Extraction, Whole
from engine.model.expression.tokens import Constant, Token, read_tokens
from engine.model.expression.values import contains, described, equal, less
from engine.model.message import Message
from engine.model.plain_words import quoted

_GRAMMAR: Final = """
    ?start: either
    ?either: both
           | both (_OR both)+            -> any_of
    ?both: negation
         | negation (_AND negation)+     -> all_of
    ?negation: _NOT negation             -> negated
             | comparison
    ?comparison: side OPERATOR side      -> compared
               | side
    ?side: OPERAND | _OPEN either _CLOSE
    %declare _OR _AND _NOT _OPEN _CLOSE OPERATOR OPERAND
"""
_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": equal,
    "!=": lambda a, b: not equal(a, b),
    "<": less,
    "<=": lambda a, b: not less(b, a),
    ">": lambda a, b: less(b, a),
    ">=": lambda a, b: not less(a, b),
    "#": contains,
}
_NO_OPERATORS = re.compile(  # paths and quoted texts
    rf"\{{\$\.(?:{QUOTED}|[^}}])*\}}|\$\.(?:\w|\.|\[(?:{QUOTED}|[^\]])*\])*|{QUOTED}", re.DOTALL
)
_AN_OPERATOR = re.compile(r"[=<>#]|&&|\|\||!(?=[({$])|\b(?:and|or|not)\b")


class ConditionTerm(Protocol):
    """A part of a condition."""

    def evaluate(self, read: PathReader) -> Any:
        """Its value."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two sides and the operator between them."""

    left: ConditionTerm
    operator: str
    right: ConditionTerm

    def evaluate(self, read: PathReader) -> bool:
        return _COMPARE[self.operator](self.left.evaluate(read), self.right.evaluate(read))


@dataclass(frozen=True, slots=True)
class Negated:
    """``not``."""

    part: ConditionTerm

    def evaluate(self, read: PathReader) -> bool:
        return not truth(self.part.evaluate(read))


@dataclass(frozen=True, slots=True)
class Joined:
    """``and`` (all must hold) or ``or`` (one must); stops at the first part that decides."""

    all: bool
    parts: tuple[ConditionTerm, ...]

    def evaluate(self, read: PathReader) -> bool:
        answers = (truth(part.evaluate(read)) for part in self.parts)
        return all(answers) if self.all else any(answers)


@dataclass(frozen=True, slots=True)
class CompiledCondition:
    """A compiled condition."""

    source: str
    root: ConditionTerm
    references: tuple[Reference, ...]

    @property
    def has_operator(self) -> bool:
        """Whether it is more than one operand."""
        return isinstance(self.root, (Compared, Negated, Joined))


def truth(value: Any) -> bool:
    """A boolean, or a text that says true or false; SkerryError for anything else."""
    if isinstance(value, bool):
        return value
    word = value.strip() if isinstance(value, str) else ""
    if word not in ("true", "false"):
        raise SkerryError(NOT_TRUE_OR_FALSE, "{value} is neither true nor false", value=described(value))
    return word == "true"


def decide(condition: CompiledCondition, scope: Scope) -> tuple[bool, UsedText]:
    """Whether ``condition`` holds, and what it read; SkerryError naming the condition."""
    reader = PathReader(scope, StepMeter(scope.patience, condition.source[:80]))
    try:
        answer = truth(condition.root.evaluate(reader))
    except SkerryError as error:
        named(error, condition.source)
        raise
    return answer, UsedText((), condition.source, reader.inputs)


def looks_like_condition(text: str) -> bool:
    """Whether ``text`` is a condition with at least one operator."""
    try:
        return compile_condition(text).has_operator
    except SkerryError:
        return False


def mistaken_condition(text: str) -> str | None:
    """Why ``text``, which has operators outside of its paths and quotes, is no condition.

    None for a condition, and for what is plainly text.
    """
    if not _AN_OPERATOR.search(_NO_OPERATORS.sub(" ", text)):
        return None
    try:
        compile_condition(text)
    except SkerryError as error:
        return error.message
    return None


@lru_cache(maxsize=2048)
def compile_condition(text: str) -> CompiledCondition:
    """Read a condition; Invalid with the column of the mistake."""
    tokens = read_tokens(text)
    paths = [part.path for _, part, _ in tokens if isinstance(part, (Whole, Extraction))]
    root = _simple(tokens) or _parse(tokens, text)
    return CompiledCondition(text, root, tuple(path.reference for path in paths))


def paths_as_letters(text: str) -> tuple[str, ...]:
    """The quoted texts of a condition that hold ``{$.``, which is compared there letter by letter."""
    constants = (token.value for token in read_tokens(text) if isinstance(token.value, Constant))
    return tuple(each.value for each in constants if isinstance(each.value, str) and "{$." in each.value)


def _simple(tokens: list[Token]) -> ConditionTerm | None:
    """One operand, or two with an operator, without the grammar: most conditions are that."""
    kinds = [token.kind for token in tokens[:4]]
    if kinds == ["OPERAND"]:
        return tokens[0].value  # type: ignore[no-any-return]
    if kinds == ["OPERAND", "OPERATOR", "OPERAND"]:
        return Compared(tokens[0].value, tokens[1].value, tokens[2].value)
    return None


def _parse(tokens: list[Token], text: str) -> ConditionTerm:
    from lark.exceptions import UnexpectedToken

    try:
        return _part(_grammar().parse(tokens))
    except UnexpectedToken as error:
        at = error.token.start_pos or 0
        if error.token.type == "$END":
            message = "more is missing at the end: {hint}"
            raise syntax_error(text, len(text), message, hint=_expected(error)) from None
        sign, message = quoted(text[at : at + 1]), "{sign} is not allowed here: {hint}"
        raise syntax_error(text, at, message, sign=sign, hint=_expected(error)) from None


def _expected(error: Any) -> str:
    if "OPERAND" in error.expected:
        return Message.of("expected a path, a text in '…', a number, true, false or null")
    return Message.of("expected an operator or the end")


def _part(found: Any) -> ConditionTerm:
    """lark hands operands over inside its tokens."""
    return found.value if hasattr(found, "start_pos") else found  # type: ignore[no-any-return]


class _TermBuilder:
    """Makes the parts while lark parses: no tree in between, and no recursion."""

    @staticmethod
    def compared(found: list[Any]) -> ConditionTerm:
        left, operator, right = found
        return Compared(_part(left), operator.value, _part(right))

    @staticmethod
    def negated(found: list[Any]) -> ConditionTerm:
        return Negated(_part(found[0]))

    @staticmethod
    def all_of(found: list[Any]) -> ConditionTerm:
        return Joined(True, tuple(_part(each) for each in found))

    @staticmethod
    def any_of(found: list[Any]) -> ConditionTerm:
        return Joined(False, tuple(_part(each) for each in found))


@lru_cache(maxsize=1)
def _grammar() -> Any:
    """The LALR parser; lark is imported when the first condition needs it."""
    import lark

    class Tokens(lark.lexer.Lexer):
        """Hands our tokens to lark."""

        def __init__(self, conf: Any) -> None:
            pass

        def lex(self, lexer_state: Any, parser_state: Any = None) -> Iterator[Any]:
            for token in lexer_state:
                yield lark.Token(token.kind, token.value, start_pos=token.at)

    return lark.Lark(_GRAMMAR, parser="lalr", lexer=Tokens, transformer=_TermBuilder())
