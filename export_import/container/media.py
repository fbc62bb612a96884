"""Where the parts of a bundle are: in folders, in one file, on several media. Nothing here is believed."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.execution.files import open_plain, read_up_to
from engine.model.codes import bundles as codes
from engine.model.errors import Invalid
from export_import.container import tape
from export_import.container.form import HEADER, damaged, hostile

_PART = re.compile(r"BUNDLE\.json(?:\.sig)?|manifest\.(?:age|zst)|vol-[0-9]{3,4}\.(?:age|tar)|README\.txt")
_MOST = 20_000  # entries of a folder that are looked at


@dataclass(frozen=True, slots=True)
class MediumPart:
    """A stretch of a file on some medium."""

    path: Path
    start: int
    size: int

    def read(self, limit: int) -> bytes:
        """Its bytes; Refused when they are more than ``limit``, or not there any more."""
        if self.size > limit:
            message = "{place} has {size} bytes; at most {limit} are allowed"
            raise hostile(message, str(self.path), place=self.path.name, size=self.size, limit=limit)
        try:
            opened = open_plain(str(self.path))
            if opened is None:
                raise hostile("{where} is not a plain file", str(self.path))
            with os.fdopen(opened[0], "rb") as file:
                file.seek(self.start)
                data = read_up_to(file.fileno(), self.size)
        except OSError as error:
            raise damaged("{where} cannot be read: {error}", str(self.path), error=error.strerror) from error
        if len(data) != self.size:
            raise damaged("{where} is shorter than it was", str(self.path))
        return data


Parts = dict[str, list[MediumPart]]  # name -> where it was found


def parts_of(paths: Sequence[Path]) -> Parts:
    """Every part in these folders and files; Invalid when there is no bundle among them."""
    found: Parts = {}
    for path in paths:
        for name, part in _parts_at(path):
            found.setdefault(name, []).append(part)
    if HEADER not in found:
        message = ", ".join(map(str, paths))
        raise Invalid.at(codes.NOT_A_BUNDLE, "{where}: there is no {file}", message, file=HEADER)
    return found


def is_of_a_bundle(folder: Path) -> bool:
    """Whether a folder holds nothing but parts, finished or not: then it may be cleared."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    return all(_PART.fullmatch(each.name.removesuffix(".part")) for each in folder.iterdir())


def _parts_at(path: Path) -> Iterator[tuple[str, MediumPart]]:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise Invalid.at(codes.NOT_A_BUNDLE, "{where}: {error}", path, error=reason) from error
    if stat.S_ISDIR(mode):
        return _in_folder(path)
    if not stat.S_ISREG(mode):
        raise Invalid.at(codes.NOT_A_BUNDLE, "{where} is neither a file nor a folder", path)
    if _PART.fullmatch(path.name):
        return iter([(path.name, MediumPart(path, 0, path.stat().st_size))])
    return _on_tape(path)


def _in_folder(path: Path) -> Iterator[tuple[str, MediumPart]]:
    """The parts by their names; links and whatever else is there are ignored."""
    with os.scandir(path) as entries:
        for count, entry in enumerate(entries):
            if count > _MOST:
                raise hostile("{where} has more than {most} files", str(path), most=_MOST)
            if _PART.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                size = entry.stat(follow_symlinks=False).st_size
                yield entry.name, MediumPart(Path(entry.path), 0, size)


def _on_tape(path: Path) -> Iterator[tuple[str, MediumPart]]:
    """The members of a bundle in one file; Refused unless every byte between them is as it must be."""
    where = path.name
    with open(path, "rb") as file:
        fd = file.fileno()
        if os.pread(fd, len(HEADER), 0) not in (HEADER.encode(), tape.END[: len(HEADER)]):
            raise Invalid.at(codes.NOT_A_BUNDLE, "{where} is no bundle", path)
        found = tape.members(lambda at, size: os.pread(fd, size, at), path.stat().st_size, where)
        for count, (name, start, size) in enumerate(found):
            if count >= _MOST or not _PART.fullmatch(name):
                raise hostile("{where} has a part {name!r}", where, name=name)
            yield name, MediumPart(path, start, size)
