"""A hand that clicks and types at random in a window: anything that can be seen, seldom what a person would."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from app.desktop.shell.modes import MODES
from app.desktop.shell.window import MainWindow

_KEYS = (
    Qt.Key.Key_Tab, Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left,
    Qt.Key.Key_Right, Qt.Key.Key_Delete, Qt.Key.Key_Space, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageDown,
)  # fmt: skip
_WITH_CONTROL = (
    Qt.Key.Key_Z,
    Qt.Key.Key_Y,
    Qt.Key.Key_K,
    Qt.Key.Key_A,
    Qt.Key.Key_C,
    Qt.Key.Key_V,
    Qt.Key.Key_S,
)
_LETTERS = "abcdeno 0123456789"  # no slash and no dot: a path that is typed stays in the scratch folder
_PAUSE = 5  # ms between two acts
_STUCK = 60  # acts in one dialog after which it is given up


class Hand(QObject):
    """Acts ``acts`` times, then calls ``done``; the same seed makes the same choices."""

    def __init__(self, window: MainWindow, seed: int, acts: int, done: Callable[[], None]) -> None:
        super().__init__(window)
        self._window, self._random, self._left, self._done = window, random.Random(seed), acts, done
        self._dialog, self._patience = 0, _STUCK
        self._ways: tuple[Callable[[QWidget], None], ...] = (
            self._move, self._move, self._click, self._click, self._click, self._double, self._menu, self._key,
            self._type, self._control, self._drag,
        )  # fmt: skip
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]
        self._timer = QTimer(self, interval=_PAUSE)
        self._timer.timeout.connect(self._act)
        self._timer.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A file dialog can rename and delete anything on the machine: it is never worked in."""
        if event.type() == QEvent.Type.Show and isinstance(watched, QFileDialog):
            QTimer.singleShot(0, watched, watched.reject)
        return False

    def _act(self) -> None:
        self._left -= 1
        if self._left <= 0:
            self._timer.stop()
            return self._done()
        if self._random.random() < 0.01:
            return self._turn()
        target = self._target()
        if target is not None:
            way = self._random.choice(self._ways)
            sys.stderr.write(f"{self._left} {way.__name__} {type(target).__name__} {target.objectName()}\n")
            way(target)

    def _target(self) -> QWidget | None:
        """Something visible, in the front: a menu, a dialog, else the window."""
        front = QApplication.activePopupWidget() or QApplication.activeModalWidget() or self._window
        if isinstance(front, QFileDialog):
            return None
        self._patience = self._patience - 1 if id(front) == self._dialog else _STUCK
        self._dialog = id(front)
        if front is not self._window and self._patience < 0:
            front.close()
            return None
        seen = [each for each in front.findChildren(QWidget) if each.isVisible() and each.isEnabled()]
        return self._random.choice([front, *seen])

    def _turn(self) -> None:
        """Another mode, language, theme or size."""
        console = self._window.console
        match self._random.randrange(4):
            case 0:
                console.language.switch(self._random.choice(["en", "zh_CN"]))
            case 1:
                console.theme.switch(
                    dark=self._random.random() < 0.5, scale=self._random.choice([0.8, 1.0, 1.5])
                )
            case 2:
                self._window.resize(self._random.randint(700, 1700), self._random.randint(500, 1100))
            case _:
                self._window.show_mode(self._random.choice([each.key for each in MODES if each.there]))

    def _somewhere(self, target: QWidget) -> QPoint:
        return QPoint(
            self._random.randrange(max(1, target.width())), self._random.randrange(max(1, target.height()))
        )

    def _move(self, target: QWidget) -> None:
        QTest.mouseMove(target, self._somewhere(target))

    def _click(self, target: QWidget) -> None:
        QTest.mouseClick(target, Qt.MouseButton.LeftButton, pos=self._somewhere(target))

    def _double(self, target: QWidget) -> None:
        QTest.mouseDClick(target, Qt.MouseButton.LeftButton, pos=self._somewhere(target))

    def _menu(self, target: QWidget) -> None:
        QTest.mouseClick(target, Qt.MouseButton.RightButton, pos=self._somewhere(target))

    def _drag(self, target: QWidget) -> None:
        QTest.mousePress(target, Qt.MouseButton.LeftButton, pos=self._somewhere(target))
        QTest.mouseMove(target, self._somewhere(target))
        QTest.mouseRelease(target, Qt.MouseButton.LeftButton, pos=self._somewhere(target))

    def _key(self, target: QWidget) -> None:
        QTest.keyClick(target, self._random.choice(_KEYS))

    def _type(self, target: QWidget) -> None:
        QTest.keyClicks(target, "".join(self._random.choices(_LETTERS, k=4)))

    def _control(self, target: QWidget) -> None:
        QTest.keyClick(target, self._random.choice(_WITH_CONTROL), Qt.KeyboardModifier.ControlModifier)
