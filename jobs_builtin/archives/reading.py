"""The format of a file by its first bytes, and its members."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from engine.model.errors import SkerryError
from jobs_builtin.archives import streams, tar, zip
from jobs_builtin.archives.budget import Budget
from jobs_builtin.archives.codes import UNKNOWN_FORMAT
from jobs_builtin.archives.member import ArchiveMember

_ENDINGS = (".gz", ".bz2", ".xz", ".zst")


def members(file: BinaryIO, path: Path, budget: Budget, encoding: str | None) -> Iterator[ArchiveMember]:
    """The members of any archive; a compressed file that is no tar has one. Raises SkerryError."""
    head = file.read(tar.BLOCK)
    file.seek(0)
    if head.startswith(zip.MAGIC):
        return zip.members(file, budget, encoding)
    opener = streams.opener(head)
    stream = streams.BudgetedStream(opener(file, budget.tick) if opener else file, budget)
    if tar.is_header(stream.peek(tar.BLOCK)):
        return tar.members(stream, encoding)
    if opener is None:
        raise SkerryError.at(UNKNOWN_FORMAT, "not an archive: {where}", path)
    return iter([_single(stream, path)])


def _single(stream: streams.BudgetedStream, path: Path) -> ArchiveMember:
    """The one file takes the archive's name without its last ending, never the name inside."""
    name = path.stem if path.suffix.lower() in _ENDINGS else f"{path.name}.out"
    return ArchiveMember(name, False, False, stream.pieces)
