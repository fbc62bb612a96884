"""Archives made for tests, sound ones and hostile ones."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable
from typing import Any

import zstandard

PACK: dict[str, Any] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
}
TREE = {"readme.txt": b"hello\n", "data/a.csv": b"1,2\n" * 5000, "data/deep/empty": b"", "港口/表.txt": b"x"}


def entry(name: str, data: bytes = b"x", **fields: Any) -> tuple[tarfile.TarInfo, bytes]:
    """A member of a tar; ``fields`` overwrite those of its header."""
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, data


def tar_of(members: Iterable[tuple[tarfile.TarInfo, bytes]], form: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar of these members."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form, encoding="utf-8", errors="surrogateescape") as tar:
        for info, data in members:
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def tar_tree(tree: dict[str, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar of a tree of files."""
    return tar_of((entry(name, data) for name, data in tree.items()), form)


def raw_header(name: bytes = b"a", size: bytes = b"00000000001\0", kind: bytes = b"0") -> bytes:
    """A tar header written by hand, with its checksum."""
    block = bytearray(512)
    block[: len(name)] = name
    block[100:108] = b"0000644\0"
    block[124 : 124 + len(size)] = size
    block[148:156] = b" " * 8
    block[156:157] = kind
    block[257:265] = b"ustar\x0000"
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def pax_record(key: str, value: bytes) -> bytes:
    """``length key=value\\n`` with its own length counted."""
    body = b" " + key.encode() + b"=" + value + b"\n"
    length = len(body) + len(str(len(body)))
    length = len(body) + len(str(length))
    return str(length).encode() + body


def with_pax(records: bytes, following: bytes) -> bytes:
    """A pax header before another header."""
    size = b"%011o\0" % len(records)
    padded = records + bytes(-len(records) % 512)
    return raw_header(b"pax", size, b"x") + padded + following


def zip_tree(tree: dict[str, bytes]) -> bytes:
    """A zip of a tree of files."""
    return zip_of((zipfile.ZipInfo(name), data) for name, data in tree.items())


def zip_of(members: Iterable[tuple[zipfile.ZipInfo, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for info, data in members:
            archive.writestr(info, data, method)
    return out.getvalue()


def zip_raw(
    names: Iterable[bytes], data: bytes = b"x", *, flags: int = 0, method: int = 0, mode: int = 0,
    size: int | None = None, extra: bytes = b"", offset: int | None = None,
) -> bytes:  # fmt: skip
    """A zip written by hand: the names' bytes, flags, method, Unix mode and declared size as given.

    ``offset``: where every central entry says its local header is.
    """
    local, central = b"", b""
    real = len(data) if size is None else size
    for name in names:
        facts = struct.pack("<HHHHHLLLHH", 20, flags, method, 0, 0, zlib.crc32(data), len(data), real,
                            len(name), len(extra))  # fmt: skip
        at = len(local) if offset is None else offset
        tail = struct.pack("<HHHLL", 0, 0, 0, mode << 16, at)
        central += b"PK\x01\x02" + struct.pack("<H", 0x314) + facts + tail + name + extra
        local += b"PK\x03\x04" + facts + name + extra + data
    count = central.count(b"PK\x01\x02")
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(central), len(local), 0)
    return local + central + end


def unicode_path(raw: bytes, name: str) -> bytes:
    """Info-ZIP's extra field with the name as UTF-8."""
    field = b"\1" + zlib.crc32(raw).to_bytes(4, "little") + name.encode()
    return struct.pack("<HH", 0x7075, len(field)) + field
