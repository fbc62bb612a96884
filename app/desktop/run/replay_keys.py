"""The bare keys of the replay; they work in the graph, the slider and the chart, where nobody types."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.desktop.run.replay import Replay

_SHIFT = Qt.KeyboardModifier.ShiftModifier
_PAD = Qt.KeyboardModifier.KeypadModifier


class ReplayKeys(QObject):
    """Listens to the keys of some widgets."""

    def __init__(self, replay: Replay, parent: QObject) -> None:
        super().__init__(parent)
        self._replay = replay

    def listen(self, *widgets: QWidget) -> None:
        """Act on the keys that these widgets get."""
        for widget in widgets:
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        do = self._meant(Qt.Key(event.key()), event.text(), event.modifiers())
        if do is None or not self._replay.last:
            return False
        do()
        return True

    def _meant(self, key: Qt.Key, text: str, modifiers: Qt.KeyboardModifier) -> Callable[[], None] | None:
        """By the sign that was typed, so that it works on every keyboard; else by the key."""
        replay = self._replay
        if modifiers & ~(_SHIFT | _PAD):
            return None
        shift = bool(modifiers & _SHIFT)
        if text == "<" or (shift and key is Qt.Key.Key_Comma):
            return lambda: replay.go_failure(-1)
        if text == ">" or (shift and key is Qt.Key.Key_Period):
            return lambda: replay.go_failure(1)
        plain: dict[Qt.Key, Callable[[], None]] = {
            Qt.Key.Key_Comma: lambda: replay.step(-1),
            Qt.Key.Key_Period: lambda: replay.step(1),
            Qt.Key.Key_Home: lambda: replay.seek(0),
            Qt.Key.Key_End: lambda: replay.seek(replay.last),
            Qt.Key.Key_L: replay.leave,
        }
        return None if shift else plain.get(key)
