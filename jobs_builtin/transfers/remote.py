"""What a transfer needs of a server, whatever it speaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from engine.model.errors import ErrorCode


class RemoteFiles(Protocol):
    """A login at a server. Everything raises SkerryError."""

    def size(self, path: str) -> int | None:
        """In bytes; None when the server does not say."""

    def pieces(self, path: str, start: int) -> Iterator[bytes]:
        """The bytes of a file from ``start`` on."""

    def send(self, path: str, pieces: Iterable[bytes], start: int) -> None:
        """Write what follows the first ``start`` bytes of a file, which are there already."""

    def renamed(self, path: str, name: str) -> bool:
        """Whether it has the other name now; False when the server cannot rename."""

    def delete(self, path: str) -> None: ...

    def sha256(self, path: str) -> str | None:
        """In lower case; None when the server cannot compute it."""


class RemoteCodes(Protocol):
    """The entries of the catalogue that a transfer asks about."""

    @property
    def address(self) -> ErrorCode: ...
    @property
    def missing(self) -> ErrorCode: ...
    @property
    def answer(self) -> ErrorCode: ...


@dataclass(frozen=True)
class Remote:
    """A server: the path that a name means there, and a login that the call's end breaks off."""

    below: Callable[[str], str]
    session: Callable[[], AbstractContextManager[RemoteFiles]]
    codes: RemoteCodes
