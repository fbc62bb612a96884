"""The tape inside a volume: ustar members of one form only, so that every byte of it is known."""

from __future__ import annotations

from collections.abc import Iterator

from export_import.container.form import damaged

BLOCK = 512
END = b"\0" * (2 * BLOCK)


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
        raise damaged(f"{where} has a member without a proper name and size", where) from None
    if size < 0 or member(name, size) != block:
        raise damaged(f"{where} has a member of a form that is never written", where)
    return name, size


def members(data: bytes, where: str) -> Iterator[tuple[str, int, int]]:
    """Name, offset and size of each member of a whole tape; Refused when any byte is not as it must be."""
    place = 0
    while data[place : place + BLOCK] != END[:BLOCK]:
        name, size = name_and_size(data[place : place + BLOCK], where)
        start, place = place + BLOCK, place + BLOCK + size + len(padding(size))
        if place > len(data) or any(data[start + size : place]):
            raise damaged(f"{where} is cut off, or has something between its members", where)
        yield name, start, size
    if data[place:] != END:
        raise damaged(f"{where} does not end as it must", where)
