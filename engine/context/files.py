"""Reading the logs and big values of a run: a port, and its plain implementation.

Every part of the way is opened without following links, so a job that puts a link where its log
should be gains nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, Protocol

from engine.model.codes.expressions import UNREADABLE, VALUE_TOO_BIG
from engine.model.errors import SkerryError
from engine.model.expression import MAX_VALUE, as_kind
from engine.model.message import Message
from engine.model.missing_files import missing_of

_KEYS: Final = frozenset({"$file", "size", "sha256"})


class FileReader(Protocol):
    """Gives the bytes of a file of a run."""

    def read(self, root: str, name: str, limit: int = MAX_VALUE) -> bytes:
        """The content of ``name`` (a relative path) below the folder ``root``.

        SkerryError if it is missing, not a plain file, or bigger than ``limit`` bytes.
        """


class DirectFiles:
    """Reads from this machine's file system."""

    def read(self, root: str, name: str, limit: int = MAX_VALUE) -> bytes:
        """The content of a plain file, reached without links; not what a power cut left of one."""
        path = f"{root}/{name}"
        if (lacks := missing_of(path)) is not None:
            raise SkerryError.at(UNREADABLE, "{where}: {error}", path, error=lacks.worded(Message.of))
        try:
            fd = _open_below(root, name)
            try:
                return _content(fd, path, limit)
            finally:
                os.close(fd)
        except OSError as error:
            message = Message.of(error.strerror or str(error))
            raise SkerryError.at(UNREADABLE, "{where}: {error}", path, error=message) from None


def _open_below(root: str, name: str) -> int:
    """A descriptor of ``name`` below ``root``; OSError for anything but a plain way down."""
    *folders, last = name.split("/")
    if not last or any(part in ("", ".", "..") for part in (*folders, last)):
        raise OSError(f"{name!r} is not a path below the folder")
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            below = os.open(folder, flags | os.O_DIRECTORY, dir_fd=fd)
            os.close(fd)
            fd = below
        return os.open(last, flags | os.O_NONBLOCK, dir_fd=fd)
    finally:
        os.close(fd)


def _content(fd: int, path: str, limit: int) -> bytes:
    facts = os.fstat(fd)
    if not stat.S_ISREG(facts.st_mode):
        raise OSError("it is not a plain file")
    if facts.st_size > limit:
        message = "{where} has {size:,} bytes; an expression reads at most {limit:,}"
        raise SkerryError.at(VALUE_TOO_BIG, message, path, size=facts.st_size, limit=limit)
    with open(fd, "rb", closefd=False) as file:
        return file.read(limit)


def reference(name: str, data: bytes, kind: str | None = None) -> dict[str, Any]:
    """The entry in the context for a big value: its file relative to the instance's folder,
    size and checksum, and the kind as which it is read (None: text)."""
    made: dict[str, Any] = {"$file": name, "size": len(data), "sha256": _sha256(data)}
    return made if kind in (None, "text") else {**made, "kind": kind}


def _sha256(data: bytes) -> str:
    return sha256(data).hexdigest()


def is_reference(value: Any) -> bool:
    """Whether a value of the context stands for a file."""
    return (
        isinstance(value, Mapping)
        and "$file" in value
        and value.keys() - {"kind"} == _KEYS
        and isinstance(value["$file"], str)
        and isinstance(value["size"], int)
        and isinstance(value["sha256"], str)
    )


def read_reference(value: Mapping[str, Any], root: str, files: FileReader, limit: int = MAX_VALUE) -> Any:
    """The value that a reference stands for; SkerryError if the file is not what was recorded."""
    data = files.read(root, value["$file"], limit)
    if len(data) != value["size"] or _sha256(data) != value["sha256"]:
        raise SkerryError.at(UNREADABLE, "{where} is not what was recorded", value["$file"])
    return as_kind(data.decode("utf-8", "replace"), value.get("kind"))
