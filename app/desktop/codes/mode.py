"""Codes: the catalogue of errors, the exceptions, the rules that handle them."""

from __future__ import annotations

import json

from PySide6.QtWidgets import QWidget

from app.desktop.codes.catalogue_page import CataloguePage
from app.desktop.codes.exceptions_page import ExceptionsPage
from app.desktop.codes.page import Page
from app.desktop.codes.rules_page import RulesPage
from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.mode import Mode
from app.desktop.kernel.subject import Subject
from app.desktop.subjects.menu import offer_menu
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import holder, tabs

FIND = ActionSpec("codes.find", "Search here", ("Ctrl+F",), "search", "Edit", 0, "codes")
NEW_RULE = ActionSpec("codes.new_rule", "New rule…", ("Ctrl+N",), "add", "Edit", 1, "codes", tool=True,
                      tip="A rule handles a failure by itself")  # fmt: skip
REFRESH = ActionSpec("codes.refresh", "Refresh", ("Ctrl+R",), "refresh", "View", 1, "codes", tool=True)


class CodesMode(Mode):
    KEY = "codes"

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.catalogue = CataloguePage(console, self)
        self.exceptions = ExceptionsPage(console, self)
        self.rules = RulesPage(console, self)
        pages = {"Exceptions": self.exceptions, "Error codes": self.catalogue, "Handling rules": self.rules}
        self.tabs = tabs("Codes", pages)
        self.tabs.setDocumentMode(True)
        self.setCentralWidget(holder(vbox(self.tabs, margins=8)))
        for spec, do in ((FIND, self._find), (NEW_RULE, self._new_rule), (REFRESH, self._refresh)):
            console.actions.add(spec, self, do)
        self.exceptions.table.looked_at.connect(lambda _: self.subject_changed.emit())
        self.tabs.currentChanged.connect(lambda _: self.subject_changed.emit())
        offer_menu(self.exceptions.table, console.actions)

    def subject(self) -> Subject | None:
        return self.exceptions.subject() if self.tabs.currentWidget() is self.exceptions else None

    def open(self, target: Target) -> None:
        """A code, an exception or a rule; without an id its page, or a new rule for what ``detail`` says."""
        pages: dict[str, Page] = {"code": self.catalogue, "exception": self.exceptions, "rule": self.rules}
        self.tabs.setCurrentWidget(pages[target.kind])
        if target.id:
            pages[target.kind].show_row(target.id)
        elif target.kind == "rule" and target.detail:
            self.rules.write({"match": json.loads(target.detail)})

    def entered(self) -> None:
        """The table has the focus."""
        self._refresh()
        page = self.tabs.currentWidget()
        if isinstance(page, Page):
            page.table.setFocus()

    def _find(self) -> None:
        page = self.tabs.currentWidget()
        if isinstance(page, Page):
            page.search.setFocus()
            page.search.selectAll()

    def _new_rule(self) -> None:
        self.tabs.setCurrentWidget(self.rules)
        self.rules.write(None)

    def _refresh(self) -> None:
        self.exceptions.refresh()
        self.rules.refresh()
