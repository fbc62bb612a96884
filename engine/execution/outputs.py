"""Reading what a program left, ``outputs/`` and ``status``: only plain files, never through links."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from typing import NamedTuple

from engine.execution.files import (
    PRIVATE_FILE,
    directory_errors,
    open_folder,
    open_plain,
    read_beginning,
    read_up_to,
)
from engine.model.codes.processes import OUTPUT_NOT_A_FILE, OUTPUT_NOT_TEXT, OUTPUT_TOO_BIG
from engine.model.errors import ErrorCode, SkerryError

MOST_TEXT = 256 * 1024  # bytes; bigger values are references in the context
MOST_STATUS = 4096  # bytes; what is longer is not a status


class Output(NamedTuple):
    """A plain file of ``outputs/``. ``text`` is None when ``problem`` says so: too big, not UTF-8.

    A ``name`` that is no UTF-8 has its bytes as ``\\xff``; ``named`` is then False: no path can hold it.
    """

    name: str
    size: int
    text: str | None
    problem: ErrorCode | None = None
    named: bool = True


def collect(directory: str, most: int = MOST_TEXT) -> list[Output]:
    """Every plain file of ``outputs/`` by name; folders, links and pipes are passed over.

    Raises SkerryError when ``outputs`` itself is gone or no folder any more.
    """
    with directory_errors(f"{directory}/outputs"):
        if not os.listdir(f"{directory}/outputs"):
            return []
        folder = open_folder(f"{directory}/outputs")
    try:
        found = [_read(name, folder, most) for name in sorted(os.listdir(folder))]
    finally:
        os.close(folder)
    return [_with_visible_name(each) for each in found if each is not None]


def read_text(directory: str, name: str, most: int) -> str:
    """One result as text. Raises SkerryError: not there, not a plain file, too big, not UTF-8."""
    path = f"{directory}/outputs/{name}"
    found = _opened(path)
    try:
        size = os.fstat(found).st_size
        if size > most:
            message = "{size:,} bytes, {most:,} may be: {where}"
            raise SkerryError.at(OUTPUT_TOO_BIG, message, path, size=size, most=most)
        return read_up_to(found, most).decode("utf-8")
    except UnicodeDecodeError as error:
        raise SkerryError.at(OUTPUT_NOT_TEXT, "not UTF-8: {where}", path) from error
    finally:
        os.close(found)


def is_whole(directory: str, wanted: Iterable[str]) -> bool:
    """Whether what a program left can be all of it: no result is empty, nothing of ``wanted`` is missing."""
    try:
        names = [f"outputs/{name}" for name in os.listdir(f"{directory}/outputs")]
        names += ["status"] if os.path.lexists(f"{directory}/status") else []
        return all(os.lstat(f"{directory}/{name}").st_size for name in (*names, *wanted))
    except OSError:
        return False


def digest(directory: str, name: str) -> str:
    """The sha256 of one result, as hex digits, once its bytes are safe on the disk."""
    path = f"{directory}/outputs/{name}"
    fd = _opened(path)
    try:
        with directory_errors(path), os.fdopen(fd, "rb", closefd=False) as file:
            os.fsync(fd)
            return hashlib.file_digest(file, "sha256").hexdigest()
    finally:
        os.close(fd)


def read_status(directory: str) -> bool | None:
    """Whether the program wrote 1 into ``status``; None when it is absent, empty or no plain file."""
    path = f"{directory}/status"
    if not os.access(path, os.F_OK):  # nearly always: an exception costs more
        return None
    words = (read_beginning(path, MOST_STATUS) or b"").strip()
    return words == b"1" if words else None


def _opened(path: str) -> int:
    with directory_errors(path):
        opened = open_plain(path)
    if opened is None:
        raise SkerryError.at(OUTPUT_NOT_A_FILE, "not a plain file: {where}", path)
    return opened[0]


def _read(name: str, folder: int, most: int) -> Output | None:
    try:
        opened = open_plain(name, folder)
    except OSError:  # removed meanwhile, or not readable even for us
        return None
    if opened is None:
        return None
    fd, found = opened
    try:
        if stat.S_IMODE(found.st_mode) != PRIVATE_FILE and found.st_uid == os.geteuid():
            os.fchmod(fd, PRIVATE_FILE)
        if found.st_size > most:
            return Output(name, found.st_size, None, OUTPUT_TOO_BIG)
        data = read_up_to(fd, most)
    finally:
        os.close(fd)
    return _text(name, data)


def _text(name: str, data: bytes) -> Output:
    try:
        return Output(name, len(data), data.decode("utf-8"))
    except UnicodeDecodeError:
        return Output(name, len(data), None, OUTPUT_NOT_TEXT)


def _with_visible_name(output: Output) -> Output:
    raw = os.fsencode(output.name)
    name = raw.decode("utf-8", "backslashreplace")
    return output if name == output.name else output._replace(name=name, named=False)
