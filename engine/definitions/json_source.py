"""JSON text as the nodes that YAML gives, so that its values have places too."""

from __future__ import annotations

import re
from bisect import bisect_right
from json import JSONDecodeError, JSONDecoder

from yaml import MappingNode, Mark, Node, ScalarNode, SequenceNode

from engine.definitions.document import MAX_DEPTH, SourceDocument, build, failed
from engine.definitions.scalars import TAG
from engine.model.codes import definitions as codes
from engine.model.errors import ErrorCode
from engine.model.message import Message

_TEXT = JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS = {"true": "bool", "false": "bool", "null": "null"}
_WORD = re.compile(r"[A-Za-z]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def _text_problem(message: str) -> Message:
    """What the decoder found wrong with a text, in words for its author."""
    if "Unterminated" in message:
        return Message.of("the text in quotes has no end")
    if "control character" in message:
        return Message.of("a line end or tab in a text is written as \\n or \\t")
    return Message.of("a backslash begins an escape such as \\n or \\u00e9; write \\\\ for a backslash")


class _Wrong(Exception):
    def __init__(self, at: int, message: str, code: ErrorCode = codes.JSON_SYNTAX) -> None:
        super().__init__(message)
        self.at, self.message, self.code = at, message, code


def parse_json(name: str, text: str) -> SourceDocument:
    """The document that ``text`` writes, or one whose findings say why there is none."""
    if not text.strip():
        return failed(name, codes.NOT_A_DEFINITION, "the file is empty")
    scanner = _Scanner(text)
    try:
        root = scanner.document()
    except _Wrong as wrong:
        mark = scanner.mark(wrong.at)
        return failed(name, wrong.code, wrong.message, mark.line + 1, mark.column + 1)
    return build(name, root)


class _Scanner:
    """A recursive reader; positions are offsets into the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._starts = [0, *(line_end.end() for line_end in re.finditer(r"\r\n?|\n", text))]

    def mark(self, at: int) -> Mark:
        """The line and column of an offset."""
        line = bisect_right(self._starts, at) - 1
        return Mark("", at, line, at - self._starts[line], None, 0)

    def document(self) -> Node:
        """The one value of the text."""
        root = self._value(0)
        if self._peek():
            raise _Wrong(self.at, "not valid JSON: something follows the end of the value")
        return root

    def _peek(self) -> str:
        space = _SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at
        return self.text[self.at : self.at + 1]

    def _expect(self, sign: str) -> None:
        if self._peek() != sign:
            raise _Wrong(self.at, Message.of("not valid JSON: expected `{sign}`", sign=sign))
        self.at += 1

    def _value(self, depth: int) -> Node:
        if depth >= MAX_DEPTH:
            raise _Wrong(
                self.at, Message.of("more than {most} levels deep", most=MAX_DEPTH), codes.NESTED_TOO_DEEP
            )
        match self._peek():
            case "{":
                return self._map(depth)
            case "[":
                return self._list(depth)
            case '"':
                return self._text()
            case _:
                return self._number() or self._word()

    def _map(self, depth: int) -> Node:
        start, pairs = self.at, list[tuple[Node, Node]]()
        self.at += 1
        while self._peek() != "}":
            if pairs:
                self._expect(",")
            if self._peek() != '"':
                raise _Wrong(self.at, "not valid JSON: expected a key in double quotes")
            key = self._text()
            self._expect(":")
            pairs.append((key, self._value(depth + 1)))
        self.at += 1
        return MappingNode(f"{TAG}map", pairs, self.mark(start), self.mark(self.at))

    def _list(self, depth: int) -> Node:
        start, items = self.at, list[Node]()
        self.at += 1
        while self._peek() != "]":
            if items:
                self._expect(",")
            items.append(self._value(depth + 1))
        self.at += 1
        return SequenceNode(f"{TAG}seq", items, self.mark(start), self.mark(self.at))

    def _text(self) -> Node:
        start = self.at
        try:
            value, self.at = _TEXT.raw_decode(self.text, start)
        except JSONDecodeError as wrong:
            raise _Wrong(
                wrong.pos, Message.of("not valid JSON: {problem}", problem=_text_problem(wrong.msg))
            ) from wrong
        if _SURROGATE.search(value):
            raise _Wrong(start, "half of a surrogate pair is not a character", codes.TEXT_UNREADABLE)
        return self._scalar("str", value, start, '"')

    def _number(self) -> Node | None:
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            return None
        start, self.at = self.at, match.end()
        return self._scalar("float" if match[1] or match[2] else "int", match[0], start)

    def _word(self) -> Node:
        match = _WORD.match(self.text, self.at)
        word = match[0] if match else ""
        if word not in _WORDS:
            raise _Wrong(
                self.at,
                Message.of("not valid JSON: expected a value, found `{text}`", text=word or self._peek()),
            )
        start, self.at = self.at, self.at + len(word)
        return self._scalar(_WORDS[word], word, start)

    def _scalar(self, tag: str, value: str, start: int, style: str = "") -> Node:
        return ScalarNode(f"{TAG}{tag}", value, self.mark(start), self.mark(self.at), style)
