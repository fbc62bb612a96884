"""The words of a condition: operands (paths, extracts, texts, numbers), operators, parentheses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from engine.model.codes.expressions import EXPRESSION_TOO_BIG
from engine.model.errors import Invalid
from engine.model.expression.limits import MAX_CONDITION, MAX_DEPTH, MAX_TOKENS
from engine.model.expression.path import bare_end, braced_end, read_path
from engine.model.expression.pattern import compile_pattern
from engine.model.expression.scope import PathReader
from engine.model.expression.syntax import syntax_error
from engine.model.expression.texts import Extraction, Whole
from engine.model.message import Message
from engine.model.plain_words import quoted

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
    '"': "texts belong in '…'",
}


@dataclass(frozen=True, slots=True)
class Constant:
    """A text, a number (kept as its text: the two compare alike), true, false or null."""

    value: str | bool | None

    def evaluate(self, read: PathReader) -> Any:
        return self.value


class Token(NamedTuple):
    """``kind`` is the grammar's name of it; ``value`` an operand or the text; ``at`` from 0."""

    kind: str
    value: Any
    at: int


def read_tokens(text: str) -> list[Token]:
    """The tokens of a condition; Invalid with the column of the mistake, or if it is too big."""
    if len(text) > MAX_CONDITION:
        raise _too_big(text)
    return list(_checked(_tokens(text), text))


def _tokens(text: str) -> Iterator[Token]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            hint = _HINTS.get(text[position], "expected a path, a text in '…', a number or an operator")
            sign, message = quoted(text[position]), "{sign} is not allowed here: {hint}"
            raise syntax_error(text, position, message, sign=sign, hint=Message.of(hint))
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
        raise syntax_error(text, at, "{word} is not known here: texts belong in '…'", word=quoted(word))
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


def _path_operand(text: str, start: int, kind: str) -> tuple[Whole | Extraction, int]:
    if kind == "bare":
        end = bare_end(text, start)
        return Whole(text[start:end], read_path(text[start:end])), end
    end = braced_end(text, start + 1)
    path = read_path(text[start + 1 : end])
    extract = _EXTRACT.match(text, end + 1)
    if extract is None:
        return Whole(text[start : end + 1], path), end + 1
    pattern = compile_pattern(extract["pattern"].replace("\\'", "'"))
    operand = Extraction(text[start : extract.end()], path, pattern, bool(extract["optional"]))
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
    most: dict[str, Any] = {"characters": MAX_CONDITION, "parts": MAX_TOKENS, "levels": MAX_DEPTH}
    message = "a condition has at most {characters} characters, {parts} parts and {levels} levels"
    return Invalid(EXPRESSION_TOO_BIG, message, where=text[:80], **most)
