"""The members of a zip in the order of the file; the central directory is checked before it is believed."""

from __future__ import annotations

import errno
import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO

from engine.model.errors import SkerryError
from engine.model.plain_words import wording
from jobs_builtin.archives.budget import Budget
from jobs_builtin.archives.codes import ENCRYPTED, TOO_MANY, UNSUPPORTED
from jobs_builtin.archives.member import ArchiveMember, damaged, refused
from jobs_builtin.archives.streams import STEP

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
LARGEST_DIRECTORY = 1 << 28  # bytes
LOCAL_HEADER = 30  # bytes before an entry's name and data
_ENTRY = b"PK\x01\x02"
_UNICODE_PATH = 0x7075  # the extra field in which Info-ZIP keeps the name as UTF-8
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1 | 0x40
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class _File(io.FileIO):
    """Looks at the central directory before ``zipfile`` makes an object of each of its entries."""

    def __init__(self, handle: int, most: int) -> None:
        super().__init__(handle, "rb", closefd=False)
        self._most = most

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > LARGEST_DIRECTORY:
            raise SkerryError(TOO_MANY, "its list of entries has {size:,} bytes", size=size)
        data = super().read(size) or b""
        if data.startswith(_ENTRY) and data.count(_ENTRY) > self._most:
            raise SkerryError(TOO_MANY, "more than {most:,} entries", most=self._most)
        return data


def members(file: BinaryIO, budget: Budget, encoding: str | None = None) -> Iterator[ArchiveMember]:
    """Every file and folder. Raises SkerryError: damaged, encrypted, or an entry of another kind.

    Names without the mark for UTF-8 are read as UTF-8 if all of them are, else in ``encoding``,
    else as GB 18030 (Chinese Windows).
    """
    with (
        _zip_errors(),
        _File(file.fileno(), budget.limits.files) as source,
        zipfile.ZipFile(source) as archive,
    ):
        entries = sorted(archive.infolist(), key=lambda entry: entry.header_offset)
        names = _names(entries, encoding)
        _no_overlap(entries, archive.start_dir)
        budget.declare(sum(entry.file_size for entry in entries))
        for entry, name in zip(entries, names, strict=True):
            yield _member(archive, entry, name, budget)


@contextmanager
def _zip_errors() -> Iterator[None]:
    """What ``zipfile`` raises on bad data; a seek to a place that cannot be is an OSError."""
    try:
        yield
    except struct.error as error:
        raise damaged("it ends too early") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OverflowError) as error:
        raise damaged(wording(error, "it ends too early")) from error
    except RuntimeError as error:  # "not implemented": patched data, a newer version of the format
        raise SkerryError(UNSUPPORTED, str(error)) from error
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise damaged("the zip names a place outside itself") from error


def _member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, budget: Budget) -> ArchiveMember:
    mode = entry.external_attr >> 16
    kind = stat.S_IFMT(mode)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise refused(name, "a symbolic link" if kind == stat.S_IFLNK else "not a file")
    if entry.flag_bits & _ENCRYPTED:
        raise refused(name, "it is encrypted", ENCRYPTED)
    if entry.compress_type not in _METHODS:
        raise refused(name, "compression method {number}", UNSUPPORTED, number=entry.compress_type)
    folder = name.endswith("/") or kind == stat.S_IFDIR
    return ArchiveMember(name, folder, bool(mode & 0o100), lambda: _data(archive, entry, budget))


def _data(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, budget: Budget) -> Iterator[bytes]:
    size = 0
    with _zip_errors(), archive.open(entry) as part:
        while piece := part.read(STEP):
            size += len(piece)
            budget.add(len(piece))
            yield piece
    if size != entry.file_size:
        message = "an entry has {size:,} bytes instead of {expected:,}"
        raise damaged(message, size=size, expected=entry.file_size)


def _no_overlap(entries: Sequence[zipfile.ZipInfo], end: int) -> None:
    """Entries that share their data make a bomb of a small file."""
    starts = [entry.header_offset for entry in entries] + [end]
    for entry, following in zip(entries, starts[1:], strict=True):
        needed = LOCAL_HEADER + len(_raw_name(entry)) + entry.compress_size
        if entry.header_offset < 0 or entry.header_offset + needed > following:
            raise damaged("entries of the zip overlap")


def _raw_name(entry: zipfile.ZipInfo) -> bytes:
    """The name's bytes: ``zipfile`` has read them as UTF-8 or, without the mark, as code page 437."""
    return entry.orig_filename.encode("utf-8" if entry.flag_bits & _UTF8_NAME else "cp437")


def _names(entries: Sequence[zipfile.ZipInfo], encoding: str | None) -> list[str]:
    unmarked = [_raw_name(entry) for entry in entries if not entry.flag_bits & _UTF8_NAME]
    fits = (each for each in ("utf-8", encoding or "gb18030") if _fits(unmarked, each))
    codec = next(fits, "cp437")
    return [_name(entry, codec).replace("\\", "/") for entry in entries]


def _fits(raws: Sequence[bytes], encoding: str) -> bool:
    try:
        for raw in raws:
            raw.decode(encoding)
    except UnicodeError:
        return False
    return True


def _name(entry: zipfile.ZipInfo, codec: str) -> str:
    raw = _raw_name(entry)
    if entry.flag_bits & _UTF8_NAME:
        return raw.decode("utf-8")
    return _unicode_path(entry.extra, raw) or raw.decode(codec)


def _unicode_path(extra: bytes, raw: bytes) -> str | None:
    """The name as Info-ZIP's extra field has it, if it belongs to ``raw``."""
    while len(extra) >= 4:
        kind, size = int.from_bytes(extra[:2], "little"), int.from_bytes(extra[2:4], "little")
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        belongs = field[:1] == b"\1" and field[1:5] == zlib.crc32(raw).to_bytes(4, "little")
        if kind == _UNICODE_PATH and belongs:
            return field[5:].decode("utf-8")
    return None
