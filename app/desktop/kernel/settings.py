"""What the window remembers of a person: language, theme, text size, layouts; never a workspace's data."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings


class WindowSettings:
    """A small ini file with typed access."""

    def __init__(self, file: Path) -> None:
        self._store = QSettings(str(file), QSettings.Format.IniFormat)

    def text(self, key: str, default: str = "") -> str:
        return str(self._store.value(key, default))

    def number(self, key: str, default: float) -> float:
        """A number; what cannot be read as one counts as the default."""
        try:
            return float(str(self._store.value(key, default)))
        except ValueError:
            return default

    def flag(self, key: str, default: bool) -> bool:
        return str(self._store.value(key, default)).lower() == "true"

    def blob(self, key: str) -> QByteArray:
        """Bytes, such as the layout of docks; empty when never set."""
        found = self._store.value(key)
        return found if isinstance(found, QByteArray) else QByteArray()

    def set(self, key: str, value: str | float | bool | QByteArray) -> None:
        self._store.setValue(key, value)

    def sync(self) -> None:
        self._store.sync()
