"""What a collector is, and how its items are taken without ever waiting for ever."""

from __future__ import annotations

import errno
import os
import pkgutil
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, cast

from engine.execution.files import open_plain
from engine.model.errors import SkerryError
from engine.model.plain_words import wording
from export_import import collectors
from export_import.container import Omission
from export_import.container.workers import start
from export_import.export_source import Site
from export_import.packed_logs import opened

Form = Literal["json", "lines", "bytes"]  # how it is redacted: as a tree, a tree a line, or as text
T = TypeVar("T")
_PIECE = 480 << 10  # what redaction makes of it is one object


@dataclass(frozen=True)
class BundleItem:
    """A file for the bundle. ``size`` in bytes as far as it is known; a low ``priority`` is written first."""

    name: str
    role: str
    priority: int
    size: int
    read: Callable[[], Iterable[bytes]]
    form: Form = "bytes"
    cut: bool = False  # its end is worth having without its beginning, as a log's
    known: int = 0  # bytes at its beginning that are only read, to judge what follows them
    facts: dict[str, Any] = field(default_factory=dict)


class Collector(Protocol):
    """A module of ``export_import.collectors``."""

    DEADLINE: float  # seconds that it may take for its next item, and an item for its next piece

    def items(self, site: Site) -> Iterator[BundleItem | Omission]:
        """What it has; cheap: nothing is read before it is written."""


def found() -> list[tuple[str, Collector]]:
    names = sorted(each.name for each in pkgutil.iter_modules(collectors.__path__))
    return [(name, cast(Collector, import_module(f"{collectors.__name__}.{name}"))) for name in names]


class Stalled(Exception):
    """Something gave no answer in time."""


class Guard:
    """Goes through iterables that may hang, in a thread beside; one that hangs is left behind."""

    def __init__(self) -> None:
        self._inbox: queue.SimpleQueue[Any] | None = None

    def each(self, make: Callable[[], Iterable[T]], deadline: float) -> Iterator[T]:
        """What ``make()`` gives, one by one; Stalled when the next takes longer than ``deadline`` seconds."""
        if self._inbox is None:
            inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
            start(_work, inbox)
            self._inbox = inbox
        out: queue.Queue[tuple[str, Any]] = queue.Queue(1)
        left = threading.Event()
        self._inbox.put((make, out, left))
        try:
            yield from self._taken(out, deadline)
        finally:
            left.set()

    def close(self) -> None:
        if self._inbox is not None:
            self._inbox.put(None)

    def _taken(self, out: queue.Queue[tuple[str, Any]], deadline: float) -> Iterator[T]:
        while True:
            try:
                kind, value = out.get(timeout=deadline)
            except queue.Empty:
                self._inbox = None  # that thread hangs; the next question gets another one
                raise Stalled(f"no answer for {deadline:g} s") from None
            if kind == "end":
                return
            if kind == "error":
                raise value
            yield value


def _work(inbox: queue.SimpleQueue[Any]) -> None:
    while (task := inbox.get()) is not None:
        make, out, left = task
        try:
            for value in make():
                if not _put(out, ("value", value), left):
                    break
            _put(out, ("end", None), left)
        except Exception as error:
            _put(out, ("error", error), left)


def _put(out: queue.Queue[tuple[str, Any]], payload: tuple[str, Any], left: threading.Event) -> bool:
    while not left.is_set():
        try:
            out.put(payload, timeout=0.5)
        except queue.Full:
            continue
        return True
    return False


def file_item(path: Path, name: str, role: str, priority: int, **more: Any) -> BundleItem | Omission:
    """A file of the disk as an item; an omission when it is no plain file or cannot be read."""
    try:
        found = os.lstat(path)
    except OSError as error:
        return Omission(name, error.strerror or str(error))
    if not os.path.isfile(path) or os.path.islink(path):
        return Omission(name, "not a plain file (a link, a pipe, a device)")
    return BundleItem(name, role, priority, found.st_size, lambda: pieces_of(path), **more)


def packed_item(path: Path, name: str, role: str, priority: int, **more: Any) -> BundleItem | Omission:
    """A log that a case holds packed as an item; an omission when it cannot be read."""
    try:
        with opened(path) as log:
            size = log.seek(0, os.SEEK_END)
    except (OSError, SkerryError) as error:
        return Omission(name, wording(error))
    return BundleItem(name, role, priority, size, lambda: _unpacked(path), **more)


def _unpacked(path: Path) -> Iterator[bytes]:
    """OSError when it is not what was imported: then this one item is lost."""
    try:
        with opened(path) as log:
            while piece := log.read(_PIECE):
                yield piece
    except SkerryError as error:
        raise OSError(errno.EIO, str(error), str(path)) from error


def pieces_of(path: Path) -> Iterator[bytes]:
    """A file's bytes; OSError when it is not a plain file any more."""
    opened = open_plain(str(path))
    if opened is None:
        raise OSError(0, "not a plain file any more", str(path))
    with os.fdopen(opened[0], "rb", buffering=0) as file:
        while piece := file.read(_PIECE):
            yield piece
