"""A bundle's files onto the disk: under our own folder, by checked names, volume after volume."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from engine.model.disk import room_on_disk
from engine.model.errors import SkerryError
from export_import.container import Bundle, Entry, Omission, Ref, Unpacked
from export_import.container.form import too_much
from export_import.container.workers import PoolTask, Workers
from export_import.packed_logs import Pack, Part

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
_WAITING = 2  # objects to be written


def unpack(bundle: Bundle, folder: Path, step: Callable[[int], None]) -> list[Omission]:
    """Every file of ``bundle`` below the empty ``folder``, 0600; what was lost, with the reason.

    Each object is verified before it is written, and written wherever it belongs; large logs stay packed. A
    file that lost a part has a line in its place that says so. ``step`` gets the bytes done.
    """
    places = _places(bundle)
    missing: dict[str, str] = {}
    with Pack(folder, bundle.entries) as pack:
        _check_room(bundle, pack)
        _make_files(bundle, folder)
        for ref, trouble in _put_all(bundle, _Put(folder, places, pack)):
            if trouble is not None:
                missing[ref.sha256] = trouble.message
            step(ref.size)
        pack.finish(lambda name: [_part(bundle, ref, missing) for ref in bundle.entries[name].objects])
    lost: dict[str, str] = {}
    for digest, reason in missing.items():
        lost.update((name, reason) for name, _ in places[digest] if name not in lost)
    for name in lost.keys() - pack.names:
        _mark_holes(bundle, bundle.entries[name], folder / name)
    return [Omission(name, reason, bundle.entries[name].size) for name, reason in lost.items()]


def _check_room(bundle: Bundle, pack: Pack) -> None:
    """Before anything is written: an object that is named a million times is written a million times."""
    size = sum(entry.size for name, entry in bundle.entries.items() if name not in pack.names)
    if size > bundle.limits.laid_out:
        raise too_much("bytes to write", bundle.limits.laid_out)


def _put_all(bundle: Bundle, put: _Put) -> Iterator[tuple[Ref, SkerryError | None]]:
    """Each object, and why it is lost if it is; unpacked in threads, written by one of its own."""
    waiting: deque[PoolTask[None]] = deque()
    with Workers(1) as disk:  # one: two would wait for each other at the same file
        for ref, found in bundle.objects(put.needed):
            if isinstance(found, SkerryError):
                yield ref, found
                continue
            waiting.append(disk.submit(put, found))
            while len(waiting) > _WAITING:
                waiting.popleft().result()
            yield ref, None
        for each in waiting:
            each.result()


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
    """The folders, and the empty files; as texts, because there may be many thousands."""
    root, made = str(folder), {""}
    for entry in bundle.entries.values():
        _make_folder(root, entry.name.rpartition("/")[0], made)
        if not entry.objects:
            _write(f"{root}/{entry.name}", b"", 0)


def _make_folder(root: str, name: str, made: set[str]) -> None:
    """The folder and those above it, of which there are few: names were checked."""
    if name not in made:
        _make_folder(root, name.rpartition("/")[0], made)
        with room_on_disk(f"{root}/{name}"):
            os.mkdir(f"{root}/{name}", 0o700)
        made.add(name)


class _Put:
    def __init__(self, folder: Path, places: dict[str, list[tuple[str, int]]], pack: Pack) -> None:
        self._folder = str(folder)
        self._places = places
        self._pack = pack

    def needed(self, found: Unpacked) -> Unpacked:
        """What is kept of an object while it waits: no content that stays packed."""
        names = (name for name, _ in self._places[found.ref.sha256])
        return replace(found, data=b"") if all(name in self._pack.names for name in names) else found

    def __call__(self, found: Unpacked) -> None:
        for name, offset in self._places[found.ref.sha256]:
            if name in self._pack.names:
                self._pack.add(found.ref.sha256, found.frame)
            else:
                _write(f"{self._folder}/{name}", found.data, offset)


def _write(path: str, data: bytes, offset: int) -> None:
    with room_on_disk(path):
        fd = os.open(path, _FLAGS, 0o600)
        try:
            while data:
                done = os.pwrite(fd, data, offset)
                data, offset = data[done:], offset + done
        finally:
            os.close(fd)


def _mark_holes(bundle: Bundle, entry: Entry, path: Path) -> None:
    """The file again, with a line instead of zeros for each part that is lost."""
    draft = path.with_name(path.name + "~")
    fd = os.open(draft, _FLAGS | os.O_EXCL, 0o600)
    with os.fdopen(fd, "wb") as out:
        out.writelines(_found_or_reported(bundle, entry))
    with suppress(FileNotFoundError):
        path.unlink()
    draft.rename(path)


def _found_or_reported(bundle: Bundle, entry: Entry) -> Iterator[bytes]:
    for ref in entry.objects:
        try:
            yield bundle.object(ref)
        except SkerryError:
            yield _hole(bundle, ref).encode()


def _part(bundle: Bundle, ref: Ref, missing: Container[str]) -> Part:
    return _hole(bundle, ref) if ref.sha256 in missing else (ref.sha256, ref.size)


def _hole(bundle: Bundle, ref: Ref) -> str:
    return f"\n[{ref.size} bytes are lost with {bundle.volumes[ref.volume]}]\n"
