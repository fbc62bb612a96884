"""Which names in an archive are taken, and that no two of them mean the same file."""

from __future__ import annotations

import re
import unicodedata

from engine.model.errors import SkerryError
from engine.model.message import Message
from jobs_builtin.archives.codes import NAME_CLASH, UNSAFE_NAME

LONGEST_PART = 255  # bytes; what Linux file systems take
LONGEST_NAME = 2_000  # bytes; leaves room for the target's own path
DEEPEST = 100

# Control characters, and those that turn the direction of writing to show another name.
_DECEIVING = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_DRIVE = re.compile("[A-Za-z]:")

Parts = tuple[str, ...]


def safe_parts(name: str) -> Parts:
    """The steps of a name that stays inside; () for the folder itself. Raises SkerryError."""
    fault = _fault(name)
    if fault:
        raise SkerryError.at(UNSAFE_NAME, "{where}: {what}", shown(name), what=Message.of(fault))
    return tuple(part for part in name.split("/") if part not in ("", "."))


def _fault(name: str) -> str | None:
    if _DECEIVING.search(name):
        return "control characters in a name"
    if name.startswith("/") or _DRIVE.match(name):
        return "an absolute path"
    if "\\" in name:
        return "a backslash in a name"
    parts = name.split("/")
    if ".." in parts:
        return "a path that leads upwards"
    if len(name.encode()) > LONGEST_NAME or len(parts) > DEEPEST:
        return "the name is too long"
    return "the name is too long" if any(len(part.encode()) > LONGEST_PART for part in parts) else None


def shown(name: str) -> str:
    """A name from an archive for a message: short, without anything that deceives."""
    short = name if len(name) <= 100 else f"{name[:97]}..."
    return ascii(short) if _DECEIVING.search(short) else repr(short)


class ArchiveNames:
    """The files and folders of one archive; folders that are only in paths count too."""

    def __init__(self) -> None:
        self._taken: dict[str, tuple[Parts, bool]] = {}

    def claim(self, parts: Parts, *, folder: bool) -> None:
        """Take the name. Raises SkerryError when it or a part of its path is another entry's."""
        for length in range(1, len(parts)):
            self._take(parts[:length], folder=True)
        self._take(parts, folder=folder)

    def folders(self) -> list[Parts]:
        """All folders, a parent always before what is in it."""
        return [parts for parts, folder in self._taken.values() if folder]

    def files(self) -> list[Parts]:
        """All files in the archive's order."""
        return [parts for parts, folder in self._taken.values() if not folder]

    def _take(self, parts: Parts, *, folder: bool) -> None:
        key = unicodedata.normalize("NFC", "/".join(parts).casefold())
        old = self._taken.setdefault(key, (parts, folder))
        is_new = old[0] is parts
        if is_new or (folder and old == (parts, True)):
            return
        one, other = shown("/".join(old[0])), shown("/".join(parts))
        raise SkerryError.at(NAME_CLASH, "{one} and {where} would be the same file", other, one=one)
