"""Why an instance is paused, as the engine says it in short, stable words, as a text of the window."""

from __future__ import annotations

import re
from typing import NamedTuple

from app.desktop.kernel.language import tr
from app.desktop.kernel.times import local

_SAID = re.compile(
    r"paused(?: with instance (?P<n>\d+), paused)?(?: by (?P<who>.+?)"
    r"(?: at (?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d))?(?:: (?P<reason>.*))?)?",
    re.DOTALL,
)
# By what is known: whether it is paused with another instance, when, why.
_TEXTS = {
    (False, True, True): "{who} has paused the instance ({time}): {reason}",
    (False, True, False): "{who} has paused the instance ({time}).",
    (False, False, True): "{who} has paused the instance: {reason}",
    (False, False, False): "{who} has paused the instance.",
    (True, True, True): "{who} has paused instance {n}, of which this is a sub-task ({time}): {reason}",
    (True, True, False): "{who} has paused instance {n}, of which this is a sub-task ({time}).",
}
_WITH = "It is paused with instance {n}, of which it is a sub-task."


class Paused(NamedTuple):
    """``text`` is an English source text for ``tr``; ``holder`` the instance with which it is paused."""

    text: str
    values: dict[str, str]
    holder: str | None


def paused(reason: str) -> Paused:
    """What the engine's reason of a paused instance comes to."""
    found = _SAID.fullmatch(reason)
    values = {name: text for name, text in found.groupdict().items() if text} if found else {}
    known = ("n" in values, "time" in values, "reason" in values)
    text = _TEXTS.get(known) if "who" in values else None
    return Paused(text or (_WITH if "n" in values else "It is paused."), values, values.get("n"))


def in_words(reason: str | None) -> str:
    """The reason of an instance in the language that is on; what is no pause stays as it is."""
    if reason is None or not reason.startswith("paused"):
        return reason or ""
    told = paused(reason)
    return tr(told.text, **{**told.values, "time": local(told.values.get("time"))})
