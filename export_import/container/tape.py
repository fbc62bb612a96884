"""The tape of a volume, and of a bundle in one file: members of one form, so that every byte is known."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from export_import.container.form import damaged

BLOCK = 512
END = b"\0" * (2 * BLOCK)
Read = Callable[[int, int], bytes]  # so many bytes from an offset on; fewer at the end
_FIRST = ("BUNDLE.json", "BUNDLE.json.sig", "README.txt")


def member(name: str, size: int) -> bytes:
    """The 512 bytes before a member's content; everything but name and size is always the same."""
    fields = (
        name.encode("ascii").ljust(100, b"\0"),
        b"0000600\0" + b"0000000\0" * 2,  # mode, owner, group
        f"{size:011o}\0".encode(),
        b"00000000000\0",  # when: never, so that equal content makes equal bytes
        b" " * 8 + b"0" + b"\0" * 100,  # the sum's place, a plain file, no link
        b"ustar\x0000".ljust(BLOCK - 257, b"\0"),
    )
    block = b"".join(fields)
    return block[:148] + f"{sum(block):06o}\0 ".encode() + block[156:]


def padding(size: int) -> bytes:
    """The zeros behind a member's content."""
    return b"\0" * (-size % BLOCK)


def name_and_size(block: bytes, where: str) -> tuple[str, int]:
    """What a member's block says; Refused unless it is byte for byte of our form."""
    try:
        name = block[:100].rstrip(b"\0").decode("ascii")
        size = int(block[124:135], 8)
    except ValueError:
        raise damaged("{where} has a member without a proper name and size", where) from None
    if size < 0 or member(name, size) != block:
        raise damaged("{where} has a member of a form that is never written", where)
    return name, size


def members(read: Read, length: int, where: str) -> Iterator[tuple[str, int, int]]:
    """Name, offset and size of each member of a tape of ``length`` bytes.

    Refused when any byte between them is not as it must be.
    """
    position = 0
    while (block := read(position, BLOCK)) != END[:BLOCK]:
        name, size = name_and_size(block, where)
        start, position = position + BLOCK, position + BLOCK + size + len(padding(size))
        if position > length or any(read(start + size, position - start - size)):
            raise damaged("{where} is cut off, or has something between its members", where)
        yield name, start, size
    if read(position, len(END) + 1) != END:
        raise damaged("{where} does not end as it must", where)


def pack(folder: Path, target: Path) -> None:
    """Write the parts of ``folder`` into the new file ``target`` and remove the folder; all or nothing."""
    names = sorted((each.name for each in folder.iterdir()), key=lambda name: (name not in _FIRST, name))
    draft = target.with_name(target.name + ".tmp")
    draft.unlink(missing_ok=True)
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(fd, "wb") as out:
        for name in names:
            size = (folder / name).stat().st_size
            out.write(member(name, size))
            with open(folder / name, "rb") as part:
                shutil.copyfileobj(part, out, 1 << 20)
            out.write(padding(size))
        out.write(END)
        out.flush()
        os.fsync(out.fileno())
    os.rename(draft, target)
    shutil.rmtree(folder, ignore_errors=True)
