"""Private keys, whole: all lines from the first to the last, also behind dates, also without an end."""

from __future__ import annotations

import re

from export_import.redaction.rule import Found, Place, Rule

_KEY_BEGIN = rb"-----? ?BEGIN [A-Za-z0-9 ]*(?:PRIVATE KEY|Static key)[A-Za-z0-9 ]*-----?"
_KEY_END = re.compile(rb"-----? ?END [A-Za-z0-9 ]*(?:PRIVATE KEY|Static key)[A-Za-z0-9 ]*-----?")
_OF_A_KEY = re.compile(
    rb"(?:[^\n]{0,80}?[ \t|>:\"'])?(?:[A-Za-z0-9+/=]{16,}\S{0,4}|[A-Za-z0-9+/]{2,}={0,2}"
    rb"|[A-Z][A-Za-z-]+: [^\n]*)?[ \t\r\"',+\\n]*\n?"
)
_KEY_LONGEST = 32 << 10


def _private_key(at: Found) -> Place | None:
    """All from its first line to its last; without a last one, every line that looks like one of a key."""
    end = _KEY_END.search(at.text, at.stop, at.stop + _KEY_LONGEST)
    if end is not None:
        return at.start, end.end()
    place = at.stop
    while (line := _OF_A_KEY.match(at.text, place)) is not None and line.end() > place:
        place = line.end()
    return (at.start, place) if place - at.stop > 16 else None


def _putty(at: Found) -> Place:
    """``Private-Lines: 8`` and so many lines, with the sum that follows them."""
    end = at.stop
    for _ in range(min(int(at.found.split(b":")[1]), 200) + 1):
        end = max(at.text.find(b"\n", end + 1, end + 200), end)
    return at.stop, end


RULES = (
    Rule("private-key", _KEY_BEGIN, _private_key),
    Rule("private-key", rb"Private-Lines: [0-9]+", _putty),
)
