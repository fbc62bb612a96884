"""A page of the codes mode: a line to search, a table, and what is known of the selected row beside it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLineEdit, QScrollArea, QVBoxLayout, QWidget

from app.desktop.codes.columns import key_of
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.widgets.layouts import hbox, split, vbox
from app.desktop.widgets.pane_widgets import holder, named
from app.desktop.widgets.plain_label import PlainLabel
from app.desktop.widgets.table import TableColumn, TableView


class Page(QWidget):
    """Search, table, and on the right ``facts``: pairs of an English heading and data."""

    def __init__(self, console: Console, name: str, columns: Sequence[TableColumn], parent: QWidget) -> None:
        super().__init__(parent)
        self.console = console
        self.search = named(QLineEdit(self, clearButtonEnabled=True), "Search", "Search")
        self.table = TableView(console, name, columns, key_of, self)
        self.search.textChanged.connect(self.table.filter)
        self.bar = hbox((self.search, 1))
        self.facts = FactsPage(self)
        self.under = QVBoxLayout()
        right = holder(vbox((self.facts, 1), self.under, margins=0))
        both = split((self.table, 3), (right, 2), sizes=(600, 400), collapsible=False)
        vbox(self.bar, (both, 1), inside=self)

    def show_row(self, id: str) -> None:
        raise NotImplementedError


class FactsPage(QScrollArea):
    """Headings with texts under them; all texts are plain and can be copied."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self._show: list[tuple[str, str]] = []
        translated(self, self._word)

    def _word(self) -> None:
        self.setAccessibleName(tr("About the selected line"))
        self.show_facts(self._show)

    @property
    def text(self) -> str:
        return "\n".join(f"{tr(heading)}\n{text}" for heading, text in self._show if text)

    def show_facts(self, facts: Sequence[tuple[str, str]]) -> None:
        """Pairs of an English heading and a text; empty texts are left out."""
        self._show = list(facts)
        inside = QWidget(self)
        column = QVBoxLayout(inside)
        for heading, text in facts:
            if text:
                column.addWidget(PlainLabel(tr(heading), bold=True))
                column.addWidget(PlainLabel(text))
        column.addStretch()
        self.setWidget(inside)
