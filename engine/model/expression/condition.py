"""Conditions: ``{path} >= 3 and not ({other} # 'text')``.

The grammar is lark's; the tokens are ours, because a path has quotes and brackets of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

from engine.model.codes.expressions import EXPRESSION_TOO_BIG, NOT_TRUE_OR_FALSE
from engine.model.errors import Invalid, SkerryError
from engine.model.expression.limits import MAX_CONDITION, MAX_DEPTH, MAX_TOKENS
from engine.model.expression.path import Reference, bare_end, braced_end, read_path, syntax_error
from engine.model.expression.pattern import compile_pattern
from engine.model.expression.scope import Reader, Scope, Use, named
from engine.model.expression.texts import Extract, Whole
from engine.model.expression.values import contains, described, equal, less

_GRAMMAR: Final = """
    ?start: either
    ?either: both (_OR both)*            -> any_of
    ?both: negation (_AND negation)*     -> all_of
    ?negation: _NOT negation             -> negated
             | comparison
    ?comparison: side OPERATOR side      -> compared
               | side
    ?side: OPERAND | _OPEN either _CLOSE
    %declare _OR _AND _NOT _OPEN _CLOSE OPERATOR OPERAND
"""
_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<operator>==|!=|<=|>=|<|>|\#)
      | (?P<open>\()|(?P<close>\))
      | '(?P<text>(?:[^'\\]|\\.)*)'
      | (?P<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])
      | (?P<word>[^\W\d]\w*)
      | (?P<braced>\{(?=\$\.))|(?P<bare>\$(?=\.))""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_EXTRACT = re.compile(r":REGEX(?P<optional>\??):'(?P<pattern>(?:[^'\\]|\\.)*)'", re.DOTALL)
_WORDS: Final = {"and": "_AND", "or": "_OR", "not": "_NOT"}
_HINTS: Final = {
    "=": "write ==",
    "&": "write and",
    "|": "write or",
    "!": "write not",
    '"': "texts stand in '…'",
}
_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": equal,
    "!=": lambda a, b: not equal(a, b),
    "<": less,
    "<=": lambda a, b: not less(b, a),
    ">": lambda a, b: less(b, a),
    ">=": lambda a, b: not less(a, b),
    "#": contains,
}


class Part(Protocol):
    """A part of a condition."""

    def evaluate(self, read: Reader) -> Any:
        """Its value."""
        ...


@dataclass(frozen=True, slots=True)
class Constant:
    """A text, a number (kept as its text: the two compare alike), true, false or null."""

    value: str | bool | None

    def evaluate(self, read: Reader) -> Any:
        """The constant."""
        return self.value


@dataclass(frozen=True, slots=True)
class Compared:
    """Two sides and the operator between them."""

    left: Part
    operator: str
    right: Part

    def evaluate(self, read: Reader) -> bool:
        """Whether it holds."""
        return _COMPARE[self.operator](self.left.evaluate(read), self.right.evaluate(read))


@dataclass(frozen=True, slots=True)
class Negated:
    """``not``."""

    part: Part

    def evaluate(self, read: Reader) -> bool:
        """The opposite."""
        return not truth(self.part.evaluate(read))


@dataclass(frozen=True, slots=True)
class Joined:
    """``and`` (all must hold) or ``or`` (one must); stops at the first part that decides."""

    all: bool
    parts: tuple[Part, ...]

    def evaluate(self, read: Reader) -> bool:
        """Whether it holds."""
        answers = (truth(part.evaluate(read)) for part in self.parts)
        return all(answers) if self.all else any(answers)


@dataclass(frozen=True, slots=True)
class Condition:
    """A compiled condition."""

    source: str
    root: Part
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
        raise SkerryError(NOT_TRUE_OR_FALSE, f"{described(value)} is neither true nor false")
    return word == "true"


def decide(condition: Condition, scope: Scope) -> tuple[bool, Use]:
    """Whether ``condition`` holds, and what it read; SkerryError naming the condition."""
    reader = Reader(scope)
    try:
        answer = truth(condition.root.evaluate(reader))
    except SkerryError as error:
        raise named(error, condition.source) from error.__cause__
    return answer, Use((), condition.source, reader.inputs)


def looks_like_condition(text: str) -> bool:
    """Whether ``text`` is a condition with at least one operator."""
    try:
        return compile_condition(text).has_operator
    except SkerryError:
        return False


@lru_cache(maxsize=2048)
def compile_condition(text: str) -> Condition:
    """Read a condition; Invalid with the column of the mistake."""
    if len(text) > MAX_CONDITION:
        raise _too_big(text)
    tokens = list(_checked(_tokens(text), text))
    paths = [part.path for _, part, _ in tokens if isinstance(part, (Whole, Extract))]
    root = _simple(tokens) or _parse(tokens, text)
    return Condition(text, root, tuple(path.reference for path in paths))


# -- tokens ---------------------------------------------------------------------------------------


class Token(NamedTuple):
    """``kind`` is the grammar's name of it; ``value`` an operand or the text; ``at`` from 0."""

    kind: str
    value: Any
    at: int


def _tokens(text: str) -> Iterator[Token]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            hint = _HINTS.get(text[position], "expected a path, a text in '…', a number or an operator")
            raise syntax_error(text, position, f"{text[position]!r} cannot stand here: {hint}")
        token, end = _token(match, text)
        if token:
            yield token
        position = end


def _token(match: re.Match[str], text: str) -> tuple[Token | None, int]:
    start, kind = match.start(), match.lastgroup or ""
    if kind in ("braced", "bare"):
        operand, end = _path_operand(text, start, kind)
        return Token("OPERAND", operand, start), end
    return _SIMPLE[kind](match, text), match.end()


def _word(match: re.Match[str], text: str) -> Token:
    word, at = match[0], match.start()
    if word in _WORDS:
        return Token(_WORDS[word], word, at)
    constants = {"true": True, "false": False, "null": None}
    if word not in constants:
        raise syntax_error(text, at, f"{word!r} is not known here: texts stand in '…'")
    return Token("OPERAND", Constant(constants[word]), at)


_SIMPLE: Final[dict[str, Callable[[re.Match[str], str], Token | None]]] = {
    "space": lambda match, text: None,
    "operator": lambda match, text: Token("OPERATOR", match[0], match.start()),
    "open": lambda match, text: Token("_OPEN", "(", match.start()),
    "close": lambda match, text: Token("_CLOSE", ")", match.start()),
    "text": lambda match, text: Token("OPERAND", Constant(_unquoted(match["text"])), match.start()),
    "number": lambda match, text: Token("OPERAND", Constant(match[0]), match.start()),
    "word": _word,
}


def _unquoted(text: str) -> str:
    r"""``\'`` and ``\\`` are a quote and a backslash; every other backslash stays."""
    return re.sub(r"\\([\\'])", r"\1", text)


def _path_operand(text: str, start: int, kind: str) -> tuple[Whole | Extract, int]:
    if kind == "bare":
        end = bare_end(text, start)
        return Whole(text[start:end], read_path(text[start:end])), end
    end = braced_end(text, start + 1)
    path = read_path(text[start + 1 : end])
    extract = _EXTRACT.match(text, end + 1)
    if extract is None:
        return Whole(text[start : end + 1], path), end + 1
    pattern = compile_pattern(extract["pattern"].replace("\\'", "'"))
    operand = Extract(text[start : extract.end()], path, pattern, bool(extract["optional"]))
    return operand, extract.end()


def _checked(tokens: Iterator[Token], text: str) -> Iterator[Token]:
    """The tokens, as long as they are not too many or too deeply nested."""
    depth, base = 0, [0]
    for count, token in enumerate(tokens):
        if token.kind in ("_AND", "_OR"):
            depth = base[-1]
        elif token.kind in ("_NOT", "_OPEN"):
            depth += 1
        if token.kind == "_OPEN":
            base.append(depth)
        elif token.kind == "_CLOSE" and len(base) > 1:
            depth = base.pop() - 1
        if depth > MAX_DEPTH or count >= MAX_TOKENS:
            raise _too_big(text)
        yield token


def _too_big(text: str) -> Invalid:
    message = f"a condition has at most {MAX_CONDITION} characters, {MAX_TOKENS} parts and {MAX_DEPTH} levels"
    return Invalid(EXPRESSION_TOO_BIG, message, where=text[:80])


# -- grammar --------------------------------------------------------------------------------------


def _simple(tokens: list[Token]) -> Part | None:
    """One operand, or two with an operator, without the grammar: most conditions are that."""
    kinds = [token.kind for token in tokens[:4]]
    if kinds == ["OPERAND"]:
        return tokens[0].value  # type: ignore[no-any-return]
    if kinds == ["OPERAND", "OPERATOR", "OPERAND"]:
        return Compared(tokens[0].value, tokens[1].value, tokens[2].value)
    return None


def _parse(tokens: list[Token], text: str) -> Part:
    from lark.exceptions import UnexpectedToken

    try:
        return _part(_grammar().parse(tokens))
    except UnexpectedToken as error:
        at = error.token.start_pos or 0
        if error.token.type == "$END":
            raise syntax_error(text, len(text), f"more is missing at the end: {_wanted(error)}") from None
        raise syntax_error(text, at, f"{text[at : at + 1]!r} cannot stand here: {_wanted(error)}") from None


def _wanted(error: Any) -> str:
    if "OPERAND" in error.expected:
        return "expected a path, a text in '…', a number, true, false or null"
    return "expected an operator or the end"


def _part(found: Any) -> Part:
    """lark hands operands over inside its tokens."""
    return found.value if hasattr(found, "start_pos") else found  # type: ignore[no-any-return]


class _Builder:
    """Makes the parts while lark parses: no tree in between, and no recursion."""

    @staticmethod
    def compared(found: list[Any]) -> Part:
        left, operator, right = found
        return Compared(_part(left), operator.value, _part(right))

    @staticmethod
    def negated(found: list[Any]) -> Part:
        return Negated(_part(found[0]))

    @staticmethod
    def all_of(found: list[Any]) -> Part:
        return Joined(True, tuple(_part(each) for each in found))

    @staticmethod
    def any_of(found: list[Any]) -> Part:
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

    return lark.Lark(_GRAMMAR, parser="lalr", lexer=Tokens, transformer=_Builder())
