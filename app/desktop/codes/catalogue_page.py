"""The catalogue of error codes."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QWidget

from app.desktop.codes.columns import CODES
from app.desktop.codes.page import Page
from app.desktop.kernel.console import Console
from app.desktop.kernel.error_codes import Codes, all_codes
from app.desktop.kernel.language import tr
from app.desktop.kernel.overview import Snapshot
from app.desktop.widgets.table import Row


class CataloguePage(Page):
    """Every code with its cause and remedy, and how many exceptions of it are open."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(console, "Error codes", CODES, parent)
        self._codes = Codes()
        self._open: Counter[int] = Counter()
        self._wanted: int | None = None
        self.table.looked_at.connect(self._look)
        console.overview.refreshed.connect(self._count)
        # the installed entries are enough where nobody answers
        console.link.ask(all_codes, self._own, owner=self, failed=lambda _: None)
        if console.overview.latest is not None:
            self._count(console.overview.latest)
        self._fill()

    def show_row(self, id: str) -> None:
        """Select the entry of a code; its extra part may say more."""
        self._wanted = code = int(id)
        self.search.clear()
        entry = self._codes.explain(code, "en")
        self.table.select(None if entry is None else code + entry.extra)
        self._look(self.table.current)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._fill()

    def _own(self, codes: Codes) -> None:
        self._codes = codes
        self._fill()

    def _count(self, snapshot: Snapshot) -> None:
        counted: Counter[int] = Counter()
        for row in snapshot.exceptions:
            entry = self._codes.explain(int(row["code"]), "en")
            counted[int(row["code"]) + (entry.extra if entry else 0)] += 1
        if counted != self._open:
            self._open = counted
            self._fill()

    def _fill(self) -> None:
        spoken = self.console.language.current
        self.table.show_rows([
            {"id": each.code, "title": each.title, "cause": each.cause, "remedy": each.remedy,
             "again": each.retryable, "open": self._open.get(each.code, 0)}
            for each in self._codes.all(spoken)
        ])  # fmt: skip
        self._look(self.table.current)

    def _look(self, row: Row | None) -> None:
        if row is None:
            return self.facts.show_facts(())
        again = tr("Trying again may help.") if row["again"] else tr("Trying again alone would fail again.")
        self.facts.show_facts(
            (("Code", str(row["id"])), ("Title", str(row["title"])), ("Extra part", self._extra(row)),
             ("Cause", str(row["cause"])), ("What to do", str(row["remedy"])), ("Again", again))
        )  # fmt: skip

    def _extra(self, row: Row) -> str:
        entry = self._codes.explain(self._wanted, "en") if self._wanted is not None else None
        if entry is None or not entry.extra or entry.code + entry.extra != row["id"]:
            return ""
        return tr("{n} (exit status, signal or HTTP status)", n=entry.extra)
