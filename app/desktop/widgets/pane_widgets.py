"""Small widgets that panes and dialogs share: texts follow the language, data is shown as plain text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QFont, QFontDatabase, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTabWidget,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)  # fmt: skip

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.theme import Theme
from app.desktop.kernel.visible_text import visible
from app.desktop.widgets.column_room import ColumnRoom
from app.desktop.widgets.cut_cells import tell_cut_cells
from app.desktop.widgets.empty_words import EmptyWords
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.plain_label import PlainLabel, tip_text
from app.desktop.widgets.roomy_buttons import PushButton, ToolButton

Worded = TypeVar("Worded", bound=QAbstractButton | QLabel)
Named = TypeVar("Named", bound=QWidget)
_HEIGHT = 26  # pixels of a row


def plain(text: str = "", *, bold: bool = False, wrap: bool = True) -> QLabel:
    """A label that shows its text as it is and lets it be copied."""
    return PlainLabel(text, bold=bold, wrap=wrap)


def worded(widget: Worded, text: str) -> Worded:
    """A button, box or label with its text, an English source text."""
    translated(widget, lambda: widget.setText(tr(text)))
    return widget


def named(widget: Named, name: str, hint: str = "") -> Named:
    """A widget with its accessible name and what an empty field shows, both English source texts.

    The cells of a list or table say all of their text where it is cut.
    """
    if isinstance(widget, QAbstractItemView):
        tell_cut_cells(widget)

    def word() -> None:
        widget.setAccessibleName(tr(name))
        if hint:
            widget.setProperty("placeholderText", tr(hint))

    translated(widget, word)
    return widget


def tipped(widget: Named, tip: str, *, hint: str = "", **words: str) -> Named:
    """A widget with its tool tip, also its accessible name, and what an empty field shows; English texts."""

    def word() -> None:
        text = tr(tip, **{name: tr(each) for name, each in words.items()})
        widget.setToolTip(text)
        widget.setAccessibleName(text)
        if hint:
            widget.setProperty("placeholderText", tr(hint))

    translated(widget, word)
    return widget


def tabs(name: str, pages: Mapping[str, QWidget]) -> QTabWidget:
    """Pages by their titles; all are English source texts."""
    made = QTabWidget()
    for page in pages.values():
        made.addTab(page, "")

    def word() -> None:
        made.setAccessibleName(tr(name))
        for at, title in enumerate(pages):
            made.setTabText(at, tr(title))

    translated(made, word)
    return made


def choices(texts: Mapping[Any, str]) -> QComboBox:
    """A box to choose one of ``texts``, English source texts, each with its key as data."""
    made = QComboBox()
    made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)  # in another language as well
    for key in texts:
        made.addItem("", key)

    def word() -> None:
        for at, text in enumerate(texts.values()):
            made.setItemText(at, tr(text))

    translated(made, word)
    return made


def button(text: str, do: Callable[[], object], tip: str = "") -> QPushButton:
    """A push button; ``text`` and ``tip`` are English source texts."""
    made = PushButton()
    made.clicked.connect(lambda _checked=False: do())

    def word() -> None:
        made.setText(tr(text))
        made.setToolTip(tr(tip) if tip else "")

    translated(made, word)
    return made


def form(*rows: tuple[str, QWidget]) -> QFormLayout:
    """Fields beside their labels; each label, an English source text, is also the field's accessible name."""
    made = QFormLayout()
    for text, field in rows:
        made.addRow(worded(PlainLabel(), text), named(field, text))
    return made


def link_button(do: Callable[[], object]) -> QToolButton:
    """A button that looks like a link and leads somewhere."""
    made = ToolButton()
    made.setAutoRaise(True)
    made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    made.clicked.connect(lambda _checked=False: do())
    return made


def tree(
    name: str, columns: Sequence[str], *, stretch: int = 1, widths: Sequence[int] = (), empty: str = ""
) -> QTreeWidget:
    """A table of rows; ``name``, ``columns`` and what it says without rows are English source texts.

    ``widths`` in pixels, the last column takes the rest; without them the column ``stretch`` does.
    """
    made = QTreeWidget()
    EmptyWords(made, empty)
    made.setRootIsDecorated(False)
    made.setUniformRowHeights(True)
    made.setAllColumnsShowFocus(True)
    made.setAlternatingRowColors(True)
    made.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    made.setColumnCount(len(columns))
    made.setTextElideMode(Qt.TextElideMode.ElideRight)
    tell_cut_cells(made)
    for at, width in zip(range(len(columns) - 1), widths, strict=False):
        made.setColumnWidth(at, width)
    if not widths:
        made.header().setStretchLastSection(False)
        made.header().setSectionResizeMode(min(stretch, len(columns) - 1), QHeaderView.ResizeMode.Stretch)
    else:
        ColumnRoom(made, dict(enumerate(widths)), len(columns) - 1)

    def word() -> None:
        made.setHeaderLabels([tr(each) if each else "" for each in columns])
        made.setAccessibleName(tr(name))

    translated(made, word)
    return made


def row(texts: Sequence[str], data: object = None) -> QTreeWidgetItem:
    """A row of such a table, ``data`` at its first column; a text that may be cut is its own tool tip."""
    item = QTreeWidgetItem([one_line(text) for text in texts])
    item.setData(0, Qt.ItemDataRole.UserRole, data)
    for column, text in enumerate(texts):
        if len(text) > 12:
            item.setToolTip(column, tip_text(text))
    return item


def one_line(text: str) -> str:
    """A text that may have several lines, on one."""
    return visible(text[:500].replace("\r\n", "⏎").replace("\n", "⏎"))


def fixed_font() -> QFont:
    """The machine's font of equal widths."""
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)


def code_box(theme: Theme, *, read_only: bool) -> QPlainTextEdit:
    """A box for definitions and differences: lines are as long as they are."""
    box = QPlainTextEdit(readOnly=read_only)
    box.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    box.setFont(theme.mono())
    return box


class StatusLabel(QWidget):
    """A status as shape, colour and word."""

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self._status: str | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)  # never cut
        self._icon = QLabel()
        self._word = plain(bold=True, wrap=False)
        hbox(self._icon, self._word, inside=self, margins=0)
        console.theme.changed.connect(self._draw)
        translated(self, self._draw)

    @property
    def status(self) -> str | None:
        return self._status

    def show_status(self, status: str | None) -> None:
        """Another status; None: nothing."""
        self._status = status
        self._draw()

    def _draw(self) -> None:
        self.setVisible(self._status is not None)
        if self._status is None:
            return
        word = tr(look_of(self._status).word)
        self._icon.setPixmap(self._console.status_icon(self._status).pixmap(QSize(18, 18)))
        self._word.setText(word)
        self.setAccessibleName(word)


class Tall(QScrollArea):
    """What may be higher than there is room, but is never narrower than it needs."""

    def __init__(self, inside: QWidget) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it takes it, and comes into sight
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(inside)
        self._inside = inside
        inside.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What is in it may need another width now."""
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def minimumSizeHint(self) -> QSize:
        """As wide as what is in it, with its bar."""
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(
            self._inside.minimumSizeHint().width() + bar, min(_HEIGHT * 4, self._inside.sizeHint().height())
        )


class TallText(Tall):
    """As high as its wrapped texts need and no higher; where there is less room they are scrolled."""

    def sizeHint(self) -> QSize:
        width = self.viewport().width()
        return QSize(super().sizeHint().width(), max(self._inside.heightForWidth(width), 1))

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), min(_HEIGHT * 4, self.sizeHint().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        self.setMaximumHeight(self.sizeHint().height())


def column(*widgets: QWidget, margin: int = 8, spacing: int = 6) -> QVBoxLayout:
    """A layout from top to bottom."""
    return vbox(*widgets, margins=margin, spacing=spacing)


def line(*widgets: QWidget, stretch: bool = True) -> QHBoxLayout:
    """A layout from left to right, the room at its end left free."""
    return hbox(*widgets, *([1] if stretch else []), margins=0, spacing=8)


def holder(layout: QVBoxLayout | QHBoxLayout) -> QWidget:
    made = QWidget()
    made.setLayout(layout)
    return made
