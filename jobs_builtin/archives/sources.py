"""What is to be packed: the files and folders named, with everything below them, in an order of their own."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.model.codes.jobs import NOT_A_FILE
from engine.model.errors import SkerryError
from engine.plugins.arguments import unfit
from engine.plugins.files import file_errors


@dataclass(frozen=True, slots=True)
class PackedEntry:
    """One file or folder; ``name`` is that in the archive, with ``/`` between its parts."""

    name: str
    path: Path
    folder: bool
    executable: bool
    size: int  # bytes, 0 of a folder


def gathered(paths: Sequence[Path], target: Path) -> list[PackedEntry]:
    """All of them, a folder before what is in it, sorted by name there.

    Raises SkerryError: two of one name, the target among what is packed, a link, a pipe, not there.
    """
    _each_name_once(paths)
    found = list(_all(paths))
    real = Path(os.path.realpath(target))
    if any(real.is_relative_to(os.path.realpath(path)) for path in paths):
        raise unfit("target", "it lies in what is to be packed")
    return found


def _each_name_once(paths: Iterable[Path]) -> None:
    known: set[str] = set()
    for path in paths:
        name = _name(path)
        if name in known:
            raise unfit("files", "two of them are called {name}", name=name)
        known.add(name)


def _name(path: Path) -> str:
    name = Path(os.path.abspath(path)).name
    if not name:
        raise unfit("files", "the root of the disk has no name")
    return name


def _all(paths: Iterable[Path]) -> Iterator[PackedEntry]:
    for path in paths:
        yield from _below(path, _name(path))


def _below(path: Path, name: str) -> Iterator[PackedEntry]:
    with file_errors(path):
        found = os.lstat(path)
        inside = sorted(os.listdir(path)) if stat.S_ISDIR(found.st_mode) else None
    if inside is None and not stat.S_ISREG(found.st_mode):
        raise SkerryError.at(NOT_A_FILE, "neither a file nor a folder: {where}", path)
    folder = inside is not None
    yield PackedEntry(name, path, folder, bool(found.st_mode & stat.S_IXUSR), 0 if folder else found.st_size)
    for each in inside or ():
        yield from _below(path / each, f"{name}/{each}")
