"""A line for one or several values with commas between: typed, or picked from what there is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QIcon, QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from app.desktop.kernel.language import tr
from app.desktop.widgets.plain_label import tip_text

_VALUE = Qt.ItemDataRole.UserRole


class PickLine(QLineEdit):
    """While one types, what fits is offered below; the arrow at its end, or Down, offers everything."""

    def __init__(self, parent: QWidget | None = None, *, several: bool = True) -> None:
        super().__init__(parent)
        self._several = several
        self._model = QStandardItemModel(self)
        self._offer = QCompleter(self._model, self)
        self._offer.setWidget(self)
        self._offer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._offer.setFilterMode(Qt.MatchFlag.MatchContains)
        self._offer.activated[QModelIndex].connect(  # type: ignore[index]  # one of two signals of that name
            lambda index: self._take(str(index.data(_VALUE)))
        )
        self._all = self.addAction(QIcon(), QLineEdit.ActionPosition.TrailingPosition)
        self._all.setVisible(False)
        self._all.triggered.connect(lambda: self._show(""))
        self.textEdited.connect(lambda _: self._show(self._last()))

    def offer(self, choices: Sequence[tuple[str, str]], icon: QIcon) -> None:
        """What can be picked: (value, words); the arrow that shows all of it has that icon."""
        self._model.clear()
        for value, words in choices:
            item = QStandardItem(words)
            item.setData(value, _VALUE)
            self._model.appendRow(item)
        self._all.setIcon(icon)
        self._all.setToolTip(tip_text(tr("Choose")))
        self._all.setVisible(bool(choices))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:  # an open list gets its keys before the field does
            self._show("")
        else:
            super().keyPressEvent(event)

    def _last(self) -> str:
        return self.text().rpartition(",")[2].strip() if self._several else self.text().strip()

    def _show(self, beginning: str) -> None:
        self.setFocus()
        self._offer.setCompletionPrefix(beginning)
        popup = self._offer.popup()
        if self._offer.completionCount():
            self._offer.complete()
        elif popup is not None:
            popup.hide()

    def _take(self, value: str) -> None:
        """In the place of what was typed last; a further one behind those that are whole."""
        parts = [part.strip() for part in self.text().split(",") if part.strip()] if self._several else []
        known = {str(self._model.item(row).data(_VALUE)) for row in range(self._model.rowCount())}
        if parts and parts[-1] not in known:
            parts.pop()
        self.setText(", ".join(dict.fromkeys([*parts, value])))
