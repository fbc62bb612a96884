"""What is not looked into: compressed files, archives, databases, UTF-16; known by their first bytes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

_HEAD = 512  # bytes: a tar's first header
_STARTS = {
    "gzip": rb"\x1f\x8b",
    "zip": rb"PK(?:\x03\x04|\x05\x06|\x07\x08|00PK)",
    "xz": rb"\xfd7zXZ\x00",
    "zstd": rb"\x28\xb5\x2f\xfd|\x37\xa4\x30\xec|[\x50-\x5f]\x2a\x4d\x18",
    "bzip2": rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)",
    "SQLite": rb"SQLite format 3\x00|\x37\x7f\x06[\x82\x83]|\xd9\xd5\x05\xf9\x20\xa1\x63\xd7",
    "lzma": rb"\x5d\x00\x00|LZIP\x01",
    "lz4": rb"[\x02-\x04]\x22\x4d\x18",
    "compress": rb"\x1f[\x9d\xa0]",
    "7z": rb"7z\xbc\xaf\x27\x1c",
    "rar": rb"Rar!\x1a\x07",
    "lzop": rb"\x89LZO\x00",
    "ar": rb"!<(?:arch|thin)>\n",
    "cpio": rb"07070[12][0-9A-Fa-f]{104}|070707[0-7]{70}",
    "rpm": rb"\xed\xab\xee\xdb",
    "cab": rb"MSCF\x00",
    "squashfs": rb"hsqs",
    "Parquet": rb"PAR[1E]\x15",
}
_KINDS = {name: re.compile(start) for name, start in _STARTS.items()}


class Packed(Exception):
    """A file that nothing can be taken out of, because it would have to be unpacked first."""


def packing_of(head: bytes) -> str | None:
    """What the file that begins with ``head`` (512 bytes, or all of it) is packed with; None: it is not."""
    matching = (name for name, start in _KINDS.items() if start.match(head))
    return next(matching, "tar" if _is_tar(head) else "UTF-16" if _is_wide(head) else None)


def unpacked_only(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces as they are; Packed before the first where they are those of a packed file."""
    head, rest = b"", iter(pieces)
    for piece in rest:
        head += piece
        if len(head) >= _HEAD:
            break
    if packing := packing_of(head[:_HEAD]):
        what = "texts of this encoding" if packing == "UTF-16" else "compressed or archived files"
        raise Packed(f"{packing}: {what} are not looked into for secrets")
    if head:
        yield head
    yield from rest


def _is_wide(head: bytes) -> bool:
    """UTF-16 or UTF-32: by its mark, or because every second byte is null and the others are text."""
    if len(head) > 3 and head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        return True
    halves = head[::2], head[1::2]
    return len(head) >= 16 and any(
        nulls.count(0) >= 0.9 * len(nulls) and text.count(0) <= 0.1 * len(text)
        for nulls, text in (halves, halves[::-1])
    )


def _is_tar(head: bytes) -> bool:
    """By the sum of its first header: the oldest tars have no other mark."""
    if len(head) < _HEAD:
        return False
    checksum = re.fullmatch(rb"[ \x00]*([0-7]{1,8})[ \x00]*", head[148:156])
    return checksum is not None and int(checksum[1], 8) == sum(head[:148]) + sum(head[156:]) + 8 * ord(" ")
