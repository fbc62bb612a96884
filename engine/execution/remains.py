"""What is left of attempts whose end nobody saw: the processes that still live."""

from __future__ import annotations

from collections.abc import Iterable

from engine.execution.kill import look, tree


def alive(directory: str | None, mark: str) -> tuple[int, ...]:
    """The living processes of an attempt; looks through /proc, so not on the engine's own thread."""
    return tuple(sorted(tree(directory, mark)))


def of_all(attempts: Iterable[tuple[str | None, str]]) -> tuple[int, ...]:
    """The living processes of several attempts, each a directory and a mark."""
    seen = look()
    return tuple(sorted({pid for directory, mark in attempts for pid in tree(directory, mark, seen)}))
