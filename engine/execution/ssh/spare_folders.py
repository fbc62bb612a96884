"""Directories on a host for attempts that wait for a slot there, made with that of one that begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from engine.execution.ssh.removals import Removal


class Coming(Protocol):
    """Attempts that are likely to begin on one host."""

    def marks(self) -> list[str]:
        """Those of the first that wait for it: each is reserved for its attempt."""

    def release(self, mark: str) -> bool:
        """Whether no attempt can have this one any more."""


class NoneComing:
    """Nobody looks ahead."""

    def marks(self) -> list[str]:
        return []

    def release(self, mark: str) -> bool:
        return True


class SpareFolders:
    """Of one host; loop thread only, but for ``still`` and ``marks``.

    The program that makes directories costs a host a tenth of a short job, for one attempt as for many.
    """

    def __init__(self, coming: Coming, remove: Callable[[Removal], None]) -> None:
        self._coming = coming
        self._remove = remove
        self._made: dict[str, Removal] = {}

    def begins(self, mark: str, root: str) -> tuple[str, ...]:
        """Those to be made with that of an attempt which begins: none where its own was made before."""
        if self._made.pop(mark, None) is not None:
            return ()
        coming = self._coming.marks()
        for each in [each for each in self._made if each not in coming]:
            if self._coming.release(each):  # else its attempt is just about to begin
                self._remove(self._made.pop(each))
        found = tuple(each for each in coming if each not in self._made)
        self._made.update((each, Removal(root, each)) for each in found)
        return found

    def still(self, marks: Iterable[str]) -> list[str]:
        """Which of these are still wanted: a request that is sent again makes none for who began since."""
        return [each for each in marks if each in self._made]

    def all(self) -> list[Removal]:
        """How they are removed."""
        return list(self._made.values())

    def marks(self) -> set[str]:
        """The attempts that have one."""
        return set(self._made.copy())
