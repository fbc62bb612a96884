"""A hand that clicks and types at random in a window: anything that can be seen, seldom what a person would.

Clicks and keys go to the window of the system that a widget lies in, as those of a mouse do: Qt finds what lies
there, and a widget that goes meanwhile is never spoken to.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMainWindow,
    QPushButton,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid

from app.desktop.bundles.case_window import CaseWindow
from app.desktop.kernel.console import Target
from app.desktop.shell.modes import MODES
from app.desktop.shell.window import MainWindow
from tests.soak.window_sights import Sights

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
_DEEP = 5  # questions upon questions
_PATIENCE = {CaseWindow: 400}
_DRAGGED = 100  # pauses that an act may take without asking anything; a drag is over then
_NEVER = ("file.quit",)  # commands: the life ends by its number of acts
PLACES = (
    *(Target("instance", str(number)) for number in range(1, 6)),
    Target("instance", "2", detail="compare:1"),
    *(Target("task", task) for task in ("tour", "nightly", "climb", "sizes")),
    *(
        Target("task", "forms", node=node)
        for node in ("first", "sets", "ask", "turn", "members", "each", "pause", "other")
    ),
    *(Target("job", job) for job in ("count_words", "counted")),
    *(Target("resource", resource) for resource in ("ledger", "page")),
    Target("rule", "later"),
    Target("exception", "1"),
    Target("code", "-11000001003"),
    *(Target("admin", page) for page in ("secrets", "settings", "room", "bundles")),
    Target("admin", "export", detail="1"),
)
_LEFT = Qt.MouseButton.LeftButton


class Hand(QObject):
    """Acts ``acts`` times, then calls ``done``; the same seed makes the same choices.

    ``places`` are what it opens now and then beside what it meets: bundles, definitions, runs.
    """

    def __init__(
        self, window: MainWindow, seed: int, acts: int, places: Sequence[Target], done: Callable[[], None]
    ) -> None:
        super().__init__(window)
        self._window, self._random, self._left, self._done = window, random.Random(seed), acts, done
        self._places, self.sights = places, Sights()
        self._ahead: list[Target] = []
        self._idle = 0
        self._dialog, self._patience = 0, _STUCK
        self._ways: tuple[Callable[[QWidget], None], ...] = (
            self._move, self._move, self._click, self._click, self._press, self._press, self._row, self._row,
            self._double, self._menu, self._key, self._type, self._control, self._drag, self._tab, self._answer,
        )  # fmt: skip
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]
        self._under_way: list[QWidget | None] = []  # acts, with what was asked when they began
        QTimer.singleShot(_PAUSE, self, self._wake)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A file dialog can rename and delete anything on the machine: it is never worked in."""
        if event.type() == QEvent.Type.Show and isinstance(watched, QFileDialog):
            QTimer.singleShot(0, watched, watched.reject)
        return False

    def _wake(self) -> None:
        """Act, unless an act is under way; inside one only when it asks something and waits for the answer."""
        asking = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if self._left <= 0:
            return
        QTimer.singleShot(_PAUSE, self, self._wake)
        if self._under_way and (asking in (None, self._under_way[-1]) or len(self._under_way) > _DEEP):
            return self._end_drag()
        self._idle = 0
        self._under_way.append(asking)
        try:
            self._act()
        finally:
            self._under_way.pop()

    def _end_drag(self) -> None:
        """What is dragged is dropped, or the drag given up: it asks nothing, and waits for ever."""
        self._idle += 1
        if self._idle % _DRAGGED == 0 and (handle := self._window.windowHandle()) is not None:
            if self._random.random() < 0.5:
                QTest.mouseRelease(handle, _LEFT, pos=self._somewhere(self._window))
            else:
                QTest.keyClick(handle, Qt.Key.Key_Escape)

    def _act(self) -> None:
        self._left -= 1
        if self._left <= 0:
            return self._done()
        self.sights.look()
        chance = self._random.random()
        if chance < 0.01:
            return self._turn()
        front = self._front()
        if front is not None and chance < 0.06:
            return self._command(front)
        if front is not None:
            target = self._target(front)
            way = self._random.choice(self._ways)
            sys.stderr.write(f"{self._left} {way.__name__} {type(target).__name__} {target.objectName()}\n")
            way(target)
        return None

    def _front(self) -> QWidget | None:
        """What is in front: a menu, a dialog, else one of the windows."""
        front = QApplication.activePopupWidget() or QApplication.activeModalWidget() or self._some_window()
        if isinstance(front, QFileDialog):
            return None
        if front is self._window:
            return front
        if id(front) != self._dialog:
            self._dialog, self._patience = id(front), _PATIENCE.get(type(front), _STUCK)
        self._patience -= 1
        if self._patience < 0:
            front.close()
            return None
        return front

    def _some_window(self) -> QWidget:
        windows = [
            each
            for each in QApplication.topLevelWidgets()
            if isinstance(each, QMainWindow) and each.isVisible()
        ]
        return self._random.choice(windows) if windows else self._window

    def _target(self, front: QWidget) -> QWidget:
        seen = [each for each in front.findChildren(QWidget) if each.isVisible() and each.isEnabled()]
        return self._random.choice([front, *seen])

    def _turn(self) -> None:
        """Another mode, language, theme or size."""
        console = self._window.console
        match self._random.randrange(5):
            case 0:
                console.language.switch(self._random.choice(["en", "zh_CN"]))
            case 1:
                console.theme.switch(
                    dark=self._random.random() < 0.5, scale=self._random.choice([0.8, 1.0, 1.5])
                )
            case 2:
                self._window.resize(self._random.randint(700, 1700), self._random.randint(500, 1100))
            case _:
                self._window.show_mode(self._random.choice([each.key for each in MODES]))

    def _command(self, front: QWidget) -> None:
        """Something out of the menus, or a place."""
        if not isinstance(front, MainWindow | CaseWindow):
            return
        if front is self._window and self._random.random() < 0.5:
            place = self._place()
            sys.stderr.write(f"{self._left} go {place}\n")
            return self._window.go(place)
        here = {None, self._window.front if front is self._window else "case", "run"}
        there = [
            (spec.id, action)
            for spec, action in front.console.actions.all()
            if spec.mode in here and action.isEnabled() and spec.id not in _NEVER
        ]
        id, action = self._random.choice(there)
        sys.stderr.write(f"{self._left} command {id}\n")
        action.trigger()

    def _place(self) -> Target:
        """All of them in turn, in an order of chance."""
        self._ahead = self._ahead or self._random.sample(self._places, len(self._places))
        return self._ahead.pop()

    def _somewhere(self, target: QWidget) -> QPoint:
        return QPoint(
            self._random.randrange(max(1, target.width())), self._random.randrange(max(1, target.height()))
        )

    def _mouse(self, target: QWidget, at: QPoint, button: Qt.MouseButton, times: int = 1) -> None:
        """Down and up; whatever goes in between is not spoken to."""
        self._pressed(target, at, button)
        self._released(target, at, button)
        if times == 2 and isValid(target) and (handle := target.window().windowHandle()) is not None:
            QTest.mouseDClick(handle, button, pos=target.mapTo(target.window(), at))

    def _pressed(self, target: QWidget, at: QPoint, button: Qt.MouseButton) -> None:
        if isValid(target) and (handle := target.window().windowHandle()) is not None:
            QTest.mousePress(handle, button, pos=target.mapTo(target.window(), at))

    def _released(self, target: QWidget, at: QPoint, button: Qt.MouseButton) -> None:
        if isValid(target) and (handle := target.window().windowHandle()) is not None:
            QTest.mouseRelease(handle, button, pos=target.mapTo(target.window(), at))

    def _moved(self, target: QWidget, at: QPoint) -> None:
        if isValid(target) and (handle := target.window().windowHandle()) is not None:
            QTest.mouseMove(handle, target.mapTo(target.window(), at))

    def _move(self, target: QWidget) -> None:
        self._moved(target, self._somewhere(target))

    def _click(self, target: QWidget) -> None:
        self._mouse(target, self._somewhere(target), _LEFT)

    def _press(self, target: QWidget) -> None:
        """A button, rather than the ground around it."""
        buttons = [
            each
            for each in target.window().findChildren(QAbstractButton)
            if each.isVisible() and each.isEnabled()
        ]
        if buttons:
            button = self._random.choice(buttons)
            self._mouse(button, button.rect().center(), _LEFT)

    def _row(self, target: QWidget) -> None:
        """A row of a list, once or twice, or its menu."""
        views = [each for each in target.window().findChildren(QAbstractItemView) if each.isVisible()]
        if not views:
            return
        view = self._random.choice(views)
        index = view.indexAt(self._somewhere(view.viewport()))
        if index.isValid():
            button = self._random.choice([_LEFT, _LEFT, _LEFT, Qt.MouseButton.RightButton])
            at = view.visualRect(index).center()
            self._mouse(view.viewport(), at, button, self._random.choice([1, 2]))

    def _tab(self, target: QWidget) -> None:
        """A page, or a pane behind another."""
        bars = [
            each for each in target.window().findChildren(QTabBar) if each.isVisible() and each.count() > 1
        ]
        if bars:
            bar = self._random.choice(bars)
            self._mouse(bar, bar.tabRect(self._random.randrange(bar.count())).center(), _LEFT)

    def _answer(self, target: QWidget) -> None:
        """In a dialog: fill in what is empty, then the button that goes on."""
        dialog = target.window()
        if not isinstance(dialog, QDialog):
            return
        for line in dialog.findChildren(QLineEdit):
            if isValid(line) and line.isVisible() and line.isEnabled() and not line.text():
                line.setFocus()
                self._keyed(line, Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier)
        if isValid(dialog):
            ready = [
                each for each in dialog.findChildren(QPushButton) if each.isVisible() and each.isEnabled()
            ]
            wanted = [each for each in ready if each.isDefault()] or ready
            if wanted:
                button = self._random.choice(wanted)
                self._mouse(button, button.rect().center(), _LEFT)

    def _double(self, target: QWidget) -> None:
        self._mouse(target, self._somewhere(target), _LEFT, 2)

    def _menu(self, target: QWidget) -> None:
        self._mouse(target, self._somewhere(target), Qt.MouseButton.RightButton)

    def _drag(self, target: QWidget) -> None:
        self._pressed(target, self._somewhere(target), _LEFT)
        if isValid(target):
            self._moved(target, self._somewhere(target))
        if isValid(target):
            self._released(target, self._somewhere(target), _LEFT)

    def _keyed(self, target: QWidget, key: Qt.Key, held: Qt.KeyboardModifier) -> None:
        for do in (QTest.keyPress, QTest.keyRelease):
            if isValid(target) and (handle := target.window().windowHandle()) is not None:
                do(handle, key, held)

    def _focused(self, target: QWidget) -> None:
        if target.focusPolicy() != Qt.FocusPolicy.NoFocus:
            target.setFocus()

    def _key(self, target: QWidget) -> None:
        self._focused(target)
        self._keyed(target, self._random.choice(_KEYS), Qt.KeyboardModifier.NoModifier)

    def _type(self, target: QWidget) -> None:
        self._focused(target)
        for letter in self._random.choices(_LETTERS, k=4):
            self._keyed(target, Qt.Key(ord(letter.upper())), Qt.KeyboardModifier.NoModifier)

    def _control(self, target: QWidget) -> None:
        self._focused(target)
        self._keyed(target, self._random.choice(_WITH_CONTROL), Qt.KeyboardModifier.ControlModifier)
