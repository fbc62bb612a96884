"""The one selection that drives every pane of the run mode: instance, node, round, member, attempt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Selected:
    """What is chosen. ``round``, ``index`` and ``attempt`` None: the latest, the first, the latest."""

    instance: int | None = None
    node: str | None = None
    round: int | None = None
    index: int | None = None
    attempt: int | None = None


Follower = Callable[[Selected, Selected], None]

_ORDER = ("instance", "node", "round", "index", "attempt")  # choosing one forgets those behind it


class RunSelection:
    """Holds what is selected and tells its followers of every change."""

    def __init__(self) -> None:
        self.now = Selected()
        self._followers: list[Follower] = []

    def follow(self, follower: Follower) -> None:
        """Call ``follower(now, before)`` after each change."""
        self._followers.append(follower)

    def choose(self, **changes: Any) -> None:
        """Select something else; nothing happens when it is what is selected already."""
        before = self.now
        self.now = narrowed(before, changes)
        if self.now != before:
            for follower in self._followers:
                follower(self.now, before)


def narrowed(now: Selected, changes: dict[str, Any]) -> Selected:
    """The selection after ``changes``: what was below something that changed is forgotten."""
    forgotten = {
        name
        for at, changed in enumerate(_ORDER)
        if changed in changes and changes[changed] != getattr(now, changed)
        for name in _ORDER[at + 1 :]
    }
    return replace(now, **(dict.fromkeys(forgotten) | changes))
