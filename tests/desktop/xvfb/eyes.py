"""What a person sees in the windows of this process: where the text of a button, menu, row or node lies on the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QGraphicsView,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

from app.desktop.canvas.node_item import NodeItem

Found = Iterator[tuple[str, QPoint]]


class Eyes(QObject):
    """Looks on the window's thread, also while a dialog has the event loop; asked from another thread."""

    _asked = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self._asked.connect(self._look, Qt.ConnectionType.BlockingQueuedConnection)

    def look(self, at: Callable[[], Any]) -> Any:
        """What ``at`` gives on the window's thread."""
        answer: Future[Any] = Future()
        self._asked.emit(at, answer)
        return answer.result()

    def find(self, text: str) -> QPoint | None:
        """Where a person would click to hit ``text``: what is in front first; None while it can't be seen."""
        return self.look(lambda: _find(text))

    def _look(self, at: Callable[[], Any], answer: Future[Any]) -> None:
        try:
            answer.set_result(at())
        except BaseException as error:
            answer.set_exception(error)


def is_listening() -> bool:
    """Whether what is in front has the keyboard: a dialog that has just come has not."""
    front = _in_front()[0]
    return front.isActiveWindow() and QApplication.focusWidget() is not None


def has_keyboard(name: str) -> bool:
    """Whether what is typed goes to what is called so: by its own name, or by the label beside it."""
    now = QApplication.focusWidget()
    if now is None or not is_listening():
        return False
    window = now.window()  # what finds children has to stay, they are of no use without it
    labels = [each.text() for each in window.findChildren(QLabel) if each.buddy() is now]
    return any(plain(name) in plain(each) for each in (now.accessibleName(), *labels))


def _find(text: str) -> QPoint | None:
    wanted = plain(text)
    seen = [(plain(words), place) for words, place in everything()]
    exact = [place for words, place in seen if words == wanted]
    return next(iter(exact or [place for words, place in seen if wanted in words]), None)


def plain(text: str) -> str:
    """Without the mark of a shortcut and the dots of a question."""
    return text.replace("&", "").rstrip("….").strip().casefold()


def seen() -> list[str]:
    """Every text that could be clicked."""
    return sorted({words for words, _place in everything() if words})


def everything() -> Found:
    """Each text that can be seen in the windows that take clicks now, with its place."""
    for window in _in_front():
        for widget in (window, *window.findChildren(QWidget)):
            if widget.isVisible() and widget.isEnabled() and not widget.visibleRegion().isEmpty():
                yield from _texts(widget)


def _in_front() -> list[QWidget]:
    """The open menu, else the dialog that waits for an answer, else all windows, the active one first."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    only = application.activePopupWidget() or application.activeModalWidget()
    if only is not None:
        return [only]
    shown = [each for each in application.topLevelWidgets() if each.isVisible()]
    return sorted(shown, key=lambda each: not each.isActiveWindow())


def _texts(widget: QWidget) -> Found:
    if isinstance(widget, QMenu | QMenuBar):
        for action in widget.actions():
            if action.isVisible() and action.isEnabled():
                yield action.text(), widget.mapToGlobal(widget.actionGeometry(action).center())
    elif isinstance(widget, QTabBar):
        for index in range(widget.count()):
            yield widget.tabText(index), widget.mapToGlobal(widget.tabRect(index).center())
    elif isinstance(widget, QAbstractItemView) and not isinstance(widget, QHeaderView):
        yield from _rows(widget)
    elif isinstance(widget, QGraphicsView):
        yield from _nodes(widget)
    else:
        yield from _words(widget)


def _words(widget: QWidget) -> Found:
    middle = widget.rect().center()
    shown = widget.viewport() if isinstance(widget, QPlainTextEdit) else widget  # it covers the rest
    if not isinstance(widget, QLabel) and not shown.visibleRegion().contains(shown.rect().center()):
        return  # scrolled away, or behind the edge of a pane
    place = widget.mapToGlobal(middle)
    if isinstance(widget, QAbstractButton):
        yield widget.text() or widget.toolTip(), place
        yield widget.accessibleName(), place
    elif isinstance(widget, QLineEdit):
        yield widget.accessibleName(), place
        yield widget.placeholderText(), place
    elif isinstance(widget, QPlainTextEdit):
        yield widget.accessibleName(), place
    elif isinstance(widget, QLabel) and (buddy := widget.buddy()) is not None:
        yield widget.text(), buddy.mapToGlobal(buddy.rect().center())


def _rows(view: QAbstractItemView) -> Found:
    model, shown = view.model(), view.viewport().rect()
    for index in _indexes(model, QModelIndex()) if model is not None else ():
        place: QRect = view.visualRect(index)
        if place.isValid() and shown.contains(place.center()):
            yield str(index.data() or ""), view.viewport().mapToGlobal(place.center())


def _indexes(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[QModelIndex]:
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
    for row in range(min(model.rowCount(parent), 200)):
        for column in range(columns):
            yield model.index(row, column, parent)
        yield from _indexes(model, model.index(row, 0, parent))


def _nodes(view: QGraphicsView) -> Found:
    for item in view.items(view.viewport().rect()):
        if isinstance(item, NodeItem):
            yield (
                item.node.id,
                view.viewport().mapToGlobal(view.mapFromScene(item.sceneBoundingRect().center())),
            )
