"""What is wrong with a file's YAML, in the words of its author instead of those of the parser."""

from __future__ import annotations

from typing import Final

import yaml

from engine.model.message import Message

_BRACKETS: Final = {"}": "{", "]": "["}
# By a part of what libyaml says (its scanner.c and parser.c).
_WORDS: Final[dict[str, str]] = {
    "mapping values are not": "there is a second `:` here; put the text in quotes, or begin a new line",
    "block sequence entries are not allowed": "a list begins on a line of its own",
    "mapping keys are not allowed": "`?` is not allowed here; put the text in quotes",
    "while scanning a quoted scalar": "the text in quotes has no end",
    "unknown escape character": "in \"…\" a backslash begins an escape such as \\n; write \\\\, or use '…'",
    "hexdecimal number": "in \"…\" hexadecimal digits follow \\x and \\u; write \\\\, or use '…'",
    "expected '-' indicator": "this line is not an item of the list above it; check its indentation",
    "expected key": "no key of the map above it; check the indentation, and what follows a closing quote",
    "undefined alias": "no anchor `&` of this name comes before it; put a text that begins with * in quotes",
    "duplicate anchor": "an anchor `&` of this name is there already",
    "scanning an anchor": "a name follows `&`; put the text in quotes",
    "scanning an alias": "a name follows `*`; put the text in quotes",
    "tag": "`!` begins a tag; put the text in quotes",
    "scanning a block scalar": "the text after | or > begins on the next line, indented with spaces",
    "scanning a simple key": "a key needs a `:` after it; a text of several lines is indented",
    "scanning a directive": "a line that begins with % is no definition",
    "incompatible": "the version of YAML is not 1.1 or 1.2",
    "expected <document start>": "something follows the end of the definitions",
    "expected node content": "a value is missing here; put the text in quotes if this sign is meant",
}


def wording(problem: yaml.MarkedYAMLError, sign: str) -> Message:
    """One sentence about the mistake; ``sign`` is the character where it was found, "" at the end."""
    message = f"{problem.context or ''}, {problem.problem or ''}"
    if sign == "\t":
        return Message.of("indent with spaces, not tabs")
    if "parsing a flow " in message and "did not find expected ','" in message:
        return _in_brackets(problem, message[-2], sign)
    if "cannot start any token" in message:
        return Message.of("a text cannot begin with {sign}; put the text in quotes", sign=sign)
    known = (words for part, words in _WORDS.items() if part in message)
    return Message.of(next(known, "this cannot be read as YAML"))


def _in_brackets(problem: yaml.MarkedYAMLError, closing: str, sign: str) -> Message:
    facts = {"open": _BRACKETS[closing], "close": closing}
    if sign in _BRACKETS.values():
        return Message.of(
            "a text with {sign} in it, inside {open}…{close}, belongs in quotes", sign=sign, **facts
        )
    if not sign and problem.context_mark:
        line = problem.context_mark.line + 1
        return Message.of("the {open} of line {line} is never closed with {close}", line=line, **facts)
    return Message.of("expected , or {close} here, inside {open}…{close}", **facts)
