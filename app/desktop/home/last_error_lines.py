"""The last line that each failed job of Home wrote, read once for each failure, behind the list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.desktop.home.attention import Item
from app.desktop.home.log_end import log_end
from app.desktop.kernel.link import Link
from engine.api.service import Service
from engine.model.errors import SkerryError

_MOST = 40  # failures whose logs are read
_LONGEST = 300  # characters
Key = tuple[int, str, str]  # instance, node, time


class LastErrorLines(QObject):
    """``came``: there are further ones."""

    came = Signal()

    def __init__(self, link: Link, parent: QObject) -> None:
        super().__init__(parent)
        self._link = link
        self._known: dict[Key, str] = {}
        self._asked: set[Key] = set()

    def added(self, items: Sequence[Item]) -> list[Item]:
        """The items with the lines that are known by now; those that are missing are asked for."""
        keys = [_key(item) for item in items]
        missing = [key for key in keys if key is not None and key not in self._asked][:_MOST]
        if missing:
            self._asked.update(missing)
            self._link.ask(lambda service: _read(service, missing), self._came, owner=self,
                           failed=lambda _: None)  # fmt: skip
        lines = (self._known.get(key, "") if key is not None else "" for key in keys)
        return [replace(item, line=line) if line else item for item, line in zip(items, lines, strict=True)]

    def _came(self, found: dict[Key, str]) -> None:
        self._known |= found
        if any(found.values()):
            self.came.emit()


def _key(item: Item) -> Key | None:
    target = item.target
    if not item.alike or target is None or target.node is None:
        return None
    return int(target.id), target.node, str(item.time)


def _read(service: Service, keys: Sequence[Key]) -> dict[Key, str]:
    """On a worker thread; a job without a log has none."""
    found = {}
    for key in keys:
        try:
            lines = log_end(service, key[0], key[1]).splitlines()
        except SkerryError:
            lines = []
        found[key] = next((line.strip()[:_LONGEST] for line in reversed(lines) if line.strip()), "")
    return found
