"""The members of a tar, read header by header; only the decoding of a header is left to ``tarfile``."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator

from jobs_builtin.archives.codes import UNSAFE_NAME
from jobs_builtin.archives.member import ArchiveMember, damaged, refused
from jobs_builtin.archives.streams import STEP, BudgetedStream

BLOCK = 512
LONGEST_EXTRA = 1 << 20  # bytes of a header that describes the next one

_FILES = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)
_PAX = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_WORDS = {
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.LNKTYPE: "a hard link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
}


def is_header(block: bytes) -> bool:
    """Whether a file that begins with ``block`` is a tar."""
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return False
    return True


def members(stream: BudgetedStream, encoding: str | None = None) -> Iterator[ArchiveMember]:
    """Every file and folder. Raises SkerryError: damaged, or an entry of another kind.

    Names that are not UTF-8 are read in ``encoding``, else as GB 18030 (Chinese Windows).
    """
    extra: dict[str, bytes] = {}
    while info := _header(stream):
        if info.type in _PAX:
            extra |= _records(_described(stream, info))
        elif info.type == tarfile.XGLTYPE:
            _described(stream, info)
        elif info.type == tarfile.GNUTYPE_LONGNAME:
            extra["path"] = _described(stream, info).rstrip(b"\0")
        elif info.type == tarfile.GNUTYPE_LONGLINK:
            _described(stream, info)
        else:
            yield from _member(stream, info, extra, encoding)
            extra = {}
    _nothing_follows(stream)


def _header(stream: BudgetedStream) -> tarfile.TarInfo | None:
    """The next header; None at the block of zeros that ends a tar."""
    block = stream.read(BLOCK)
    if len(block) < BLOCK:
        raise damaged("the tar ends without its last block")
    if not any(block):
        return None
    try:
        info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError) as error:
        raise damaged("a header of the tar cannot be read") from error
    if b"\0" in block[:100].rstrip(b"\0"):
        raise refused(info.name, "a name with hidden characters", UNSAFE_NAME)
    if info.size < 0:
        raise damaged("a header of the tar has a size below zero")
    return info


def _described(stream: BudgetedStream, info: tarfile.TarInfo) -> bytes:
    """The content of a header that describes the next one."""
    if info.size > LONGEST_EXTRA:
        raise damaged("a header of the tar has {size:,} bytes", size=info.size)
    return b"".join(_data(stream, info.size))


def _data(stream: BudgetedStream, size: int) -> Iterator[bytes]:
    """``size`` bytes, and past the padding after them."""
    left = size
    while left:
        piece = stream.read(min(left, STEP))
        if not piece:
            raise damaged("the tar ends within an entry")
        left -= len(piece)
        yield piece
    padding = -size % BLOCK
    if len(stream.read(padding)) < padding:
        raise damaged("the tar ends within an entry")


def _records(data: bytes) -> dict[str, bytes]:
    """The records ``length key=value\\n`` of a pax header."""
    found: dict[str, bytes] = {}
    start = 0
    while start < len(data):
        digits = data[start : start + 8].split(b" ", 1)[0]
        end = start + (int(digits) if digits.isdigit() else 0)
        record = data[start + len(digits) + 1 : end - 1]
        key, equals, value = record.partition(b"=")
        if not equals or data[end - 1 : end] != b"\n":
            raise damaged("a pax header of the tar cannot be read")
        found[key.decode("utf-8", "replace")] = value
        start = end
    return found


def _member(
    stream: BudgetedStream, info: tarfile.TarInfo, extra: dict[str, bytes], encoding: str | None
) -> Iterator[ArchiveMember]:
    raw = extra.get("path") or info.name.encode("utf-8", "surrogateescape")
    name = _decoded(raw, encoding)
    sparse = any(key.startswith("GNU.sparse") for key in extra)
    if info.type not in (*_FILES, tarfile.DIRTYPE) or sparse:
        word = "a sparse file" if sparse else _WORDS.get(info.type, "of an unknown kind")
        raise refused(name, word)
    data = _data(stream, _size(info, extra))
    yield ArchiveMember(name, info.isdir(), bool(info.mode & 0o100), lambda: data)
    for _ in data:  # what was not asked for
        pass


def _size(info: tarfile.TarInfo, extra: dict[str, bytes]) -> int:
    given = extra.get("size", b"")
    if given and not (given.isdigit() and len(given) < 20):
        raise damaged("a pax header of the tar has no readable size")
    return int(given) if given else info.size


def _decoded(raw: bytes, encoding: str | None) -> str:
    for each in ("utf-8", encoding or "gb18030"):
        try:
            return raw.decode(each)
        except UnicodeError:
            continue
    raise refused(raw.decode("utf-8", "replace"), "a name in an unknown encoding", UNSAFE_NAME)


def _nothing_follows(stream: BudgetedStream) -> None:
    """Only zeros may follow the end: other tools would unpack what else is there."""
    for piece in stream.pieces():
        if any(piece):
            raise damaged("the tar goes on after its end")
