"""One entry of an archive, as every format gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.model.errors import ErrorCode, SkerryError
from engine.model.message import Message
from jobs_builtin.archives.codes import DAMAGED, UNSAFE_ENTRY
from jobs_builtin.archives.names import shown


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """``name`` is as the archive gives it and not yet checked; ``data`` gives a file's bytes, once."""

    name: str
    folder: bool
    executable: bool
    data: Callable[[], Iterator[bytes]]


def damaged(message: str, /, **facts: object) -> SkerryError:
    """The error for an archive that contradicts itself."""
    return SkerryError(DAMAGED, Message.of(message, **facts))


def refused(name: str, what: str, code: ErrorCode = UNSAFE_ENTRY, /, **facts: object) -> SkerryError:
    """The error for an entry that is not taken for ``what`` it is."""
    return SkerryError.at(code, "{where}: {what}", shown(name), what=Message.of(what, **facts))
