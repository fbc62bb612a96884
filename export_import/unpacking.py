"""A bundle's files onto the disk: under our own folder, by checked names, volume after volume."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from engine.model.disk import full, no_room
from engine.model.errors import SkerryError
from export_import.container import Bundle, Entry, Omission

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
_WAITING = 2  # objects to be written


def unpack(bundle: Bundle, folder: Path, step: Callable[[int], None]) -> list[Omission]:
    """Every file of ``bundle`` below the empty ``folder``, 0600; what was lost, with the reason.

    Each object is verified before it is written, and written wherever it belongs. A file that lost a part
    has a line in its place that says so. ``step`` gets the bytes done.
    """
    places = _places(bundle)
    _make_files(bundle, folder)
    lost: dict[str, str] = {}

    waiting: deque[Future[None]] = deque()
    with ThreadPoolExecutor(1, "write") as disk:  # one: two would wait for each other at the same file
        for ref, data in bundle.objects(lambda ref, data: data):
            if isinstance(data, SkerryError):
                lost.update((name, data.message) for name, _ in places[ref.sha256] if name not in lost)
            else:
                waiting.append(disk.submit(_put, folder, places[ref.sha256], data))
            while len(waiting) > _WAITING:
                waiting.popleft().result()
            step(ref.size)
        for each in waiting:
            each.result()
    for name in lost:
        _mark_holes(bundle, bundle.entries[name], folder / name)
    return [Omission(name, reason, bundle.entries[name].size) for name, reason in lost.items()]


def _places(bundle: Bundle) -> dict[str, list[tuple[str, int]]]:
    """Where each object belongs: names of files, and offsets in them."""
    found: dict[str, list[tuple[str, int]]] = {}
    for entry in bundle.entries.values():
        offset = 0
        for ref in entry.objects:
            found.setdefault(ref.sha256, []).append((entry.name, offset))
            offset += ref.size
    return found


def _make_files(bundle: Bundle, folder: Path) -> None:
    made: set[Path] = set()
    for entry in bundle.entries.values():
        path = folder / entry.name
        for above in reversed(path.relative_to(folder).parents[:-1]):
            if above not in made:
                (folder / above).mkdir(0o700)
                made.add(above)
        if not entry.objects:
            _write(path, b"", 0)


def _put(folder: Path, places: list[tuple[str, int]], data: bytes) -> None:
    for name, offset in places:
        _write(folder / name, data, offset)


def _write(path: Path, data: bytes, offset: int) -> None:
    try:
        fd = os.open(path, _FLAGS, 0o600)
        try:
            while data:
                done = os.pwrite(fd, data, offset)
                data, offset = data[done:], offset + done
        finally:
            os.close(fd)
    except OSError as error:
        if no_room(error):
            raise full(error, str(path)) from error
        raise


def _mark_holes(bundle: Bundle, entry: Entry, path: Path) -> None:
    """The file anew, with a line for each part that is lost in the place of zeros."""
    draft = path.with_name(path.name + "~")
    fd = os.open(draft, _FLAGS | os.O_EXCL, 0o600)
    with os.fdopen(fd, "wb") as out:
        for piece in _found_or_told(bundle, entry):
            out.write(piece)
    with suppress(FileNotFoundError):
        path.unlink()
    draft.rename(path)


def _found_or_told(bundle: Bundle, entry: Entry) -> Iterator[bytes]:
    for ref in entry.objects:
        try:
            yield bundle.object(ref)
        except SkerryError:
            yield f"\n[{ref.size} bytes are lost with {bundle.volumes[ref.volume]}]\n".encode()
