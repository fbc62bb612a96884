"""A case in a window of its own: what the operator saw, read only, with the desk's tools beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from app.desktop.bundles.compare_pane import ComparePane
from app.desktop.bundles.desk_panes import CheckPane, FindingsPane, NotesPane, SearchPane
from app.desktop.bundles.repair_dialog import RepairDialog
from app.desktop.kernel.actions import Actions, ActionSpec
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.visible_text import visible
from app.desktop.log.search import Query
from app.desktop.run.case_link import CaseLink
from app.desktop.run.mode import RunMode
from app.desktop.shell.menus import Menus
from app.desktop.subjects.subject_actions import SubjectActions
from app.desktop.subjects.table import COPY, FOLDER, OPEN_BUNDLE
from app.desktop.widgets.layouts import resize_within_screen
from app.desktop.workers.workers_pane import WorkersPane
from export_import.case import Case
from export_import.collectors.workers import NAME as WORKERS

if TYPE_CHECKING:
    from app.desktop.monitor.mode import MonitorMode
    from app.desktop.shell.locator import Locator

_OF_THE_DESK = (COPY.id, FOLDER.id, OPEN_BUNDLE.id)  # the others act upon what is at the site
_ENDS = ("started_at", "ended_at")
_BESIDE = 60.0  # seconds
_LEAST = (700, 390)
MACHINE = ActionSpec(
    "case.machine", "The machine around the run", ("Ctrl+Shift+M",), "mode-monitor", "View", 1, "case",
    tool=True,
)  # fmt: skip
REPAIR = ActionSpec(
    "case.repair", "Try a change, make a fix…", ("Ctrl+Shift+F",), "edit", "Run", 0, "case", tool=True
)
FIND = ActionSpec("case.find", "Find…", ("Ctrl+K",), "search", "Tools", 0, "case")
CLOSE = ActionSpec("case.close", "Close the case", ("Ctrl+W",), "close", "File", 99, "case")


class CaseWindow(QMainWindow):
    """The navigator of its own parts: what leads to another mode is only possible at the site."""

    def __init__(self, console: Console, case: Case, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.case = case
        self.site = console
        self.link = CaseLink(case.folder)
        self.console = replace(
            console, workspace=case.folder, link=self.link, actions=Actions(console.icons), navigator=self
        )
        self.run = RunMode(self.console)
        self.findings = FindingsPane(self.console, case.folder)
        self.search = SearchPane(self.console, case.folder)
        self.notes = NotesPane(self.console, case.folder)
        self.check = CheckPane(self.console, case.folder)
        self.compare = ComparePane(self.console, console, case.folder)
        self.workers = WorkersPane(self.console) if (case.folder / WORKERS).exists() else None
        self.machine: MonitorMode | None = None
        self._beside: dict[str, tuple[QDockWidget, ...]] = {}
        self._lay_out()
        self.subjects = SubjectActions(self.console, self, self.run.subject, lambda: "run", _OF_THE_DESK)
        self.run.subject_changed.connect(self.subjects.refresh)
        self.menus = Menus(self, self.console.actions, ("case",))
        self.menus.show_mode("run", self.run.docks.values())
        self.locator: Locator | None = None
        self._connect()
        translated(self, self._retranslate)
        self._begin()

    def _lay_out(self) -> None:
        resize_within_screen(self, 1280, 800)
        self.run.setMinimumSize(*_LEAST)  # else the window grows with whatever it shows
        self.setCentralWidget(self.run)
        for spec, do in ((REPAIR, self.repair), (MACHINE, self.show_machine), (FIND, self.locate),
                         (CLOSE, self.close)):  # fmt: skip
            self.console.actions.add(spec, self, do)
        right, bottom = Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea
        self._beside = {
            "job": (
                self.run.dock("findings", "Findings", self.findings, right),
                self.run.dock("notes", "Notes", self.notes, right),
            ),
            "log": (
                self.run.dock("search", "Search", self.search, bottom),
                self.run.dock("check", "Check", self.check, bottom),
                self.run.dock("compare", "Compare", self.compare, bottom),
                *((self.run.dock("workers", "Workers", self.workers, bottom),) if self.workers else ()),
            ),
        }
        for dock in (each for docks in self._beside.values() for each in docks):
            dock.hide()  # side by side they would widen the window

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._beside:
            QTimer.singleShot(0, self, self._share_room)

    def _share_room(self) -> None:
        """Once, behind the run mode's own; before it is shown Qt leaves tabs behind."""
        beside, self._beside = self._beside, {}
        self.run.while_roomy(lambda: self._lay_beside(beside))

    def _lay_beside(self, beside: Mapping[str, Sequence[QDockWidget]]) -> None:
        for name, docks in beside.items():
            known = self.run.docks[name]
            for dock in docks:
                dock.show()
                self.run.tabifyDockWidget(known, dock)
            known.raise_()
        self.run.raise_dock("log")
        for dock in beside.get("job", ())[:1]:
            dock.raise_()

    def _connect(self) -> None:
        self.findings.gone.connect(self.go)
        self.search.gone.connect(self._go_hit)
        self.run.session.selection.follow(lambda now, before: self._select(now.instance, before.instance))

    def _go_hit(self, place: Target) -> None:
        """Where something was found; in a log it is looked for again, so that every line of it stands out."""
        if place.kind == "file":
            return self.notify(str(self.case.folder / place.id))
        self.go(place)
        if place.detail == "log":
            self.run.log.look_for(Query(self.search.text.text()))
        return None

    def _begin(self) -> None:
        if self.case.instances:
            self.run.entered()
            self.go(Target("instance", str(self.case.instances[0])))

    def _select(self, instance: int | None, before: int | None) -> None:
        if instance is not None and instance != before:
            self.findings.show_instance(instance)
            self.check.show_instance(instance)
            self.compare.show_instance(instance)

    def _retranslate(self) -> None:
        trust = {
            "known": tr("signed by a trusted key"),
            "unknown": tr("signed by an unknown key"),
            "unsigned": tr("not signed"),
            "revoked": tr("signed by a revoked key"),
            "replaced": tr("signed with a replaced key"),
            "not_allowed": tr("signed by a key that may not send this"),
        }[str(self.case.bundle["trust"])]
        self.setWindowTitle(tr("Case {name}: {trust}, read only", name=self.case.name, trust=trust))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What opens over the window keeps its place."""
        super().resizeEvent(event)
        if self.locator is not None and self.locator.isVisible():
            self.locator.settle()

    def locate(self) -> None:
        """Ctrl+K: what can be done here, and what the case holds."""
        from app.desktop.shell.locator import Locator

        self.locator = self.locator or Locator(self.console, self)
        self.locator.open(("run", "case"))

    # the navigator of its parts

    def go(self, target: Target) -> None:
        """Runs are shown here; all else is the site's."""
        if target.kind == "instance":
            self.run.open(target)
        elif target.kind == "worker" and self.workers is not None:
            self.run.raise_dock("workers", focus=True)
            self.workers.open(target.id)
        elif target.kind in ("code", "history", "file"):
            self.site.navigator.go(target)
        else:
            self.notify(tr("This can only be done at the site."))

    def notify(self, text: str, *, bad: bool = False, target: Target | None = None) -> None:
        """On the status bar of this window."""
        self.statusBar().showMessage(visible(text), 10_000)

    def repair(self) -> RepairDialog | None:
        """Change something and try it; then make a fix of it."""
        now = self.run.session.selection.now
        if now.instance is None:
            return None
        dialog = RepairDialog(self.console, self.site.workspace, self.case.folder, now.instance, self,
                              site=self.case.bundle.get("signer"), node=now.node)  # fmt: skip
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

    def show_machine(self) -> None:
        """What the site's machine did around the run that is shown."""
        look = self.run.session.look
        if look is None:
            return
        if self.machine is None:
            self.machine = self._machine()
        self.machine.open(Target("monitor", "/".join(map(str, _around(look.run)))))
        self.run.raise_dock("machine")

    def _machine(self) -> MonitorMode:
        from app.desktop.monitor.mode import MonitorMode

        machine = MonitorMode(self.console)
        dock = self.run.dock("machine", "The machine", machine, Qt.DockWidgetArea.BottomDockWidgetArea)
        self.run.tabifyDockWidget(self.run.docks["log"], dock)
        return machine

    def closeEvent(self, event: QCloseEvent) -> None:
        for pane in (self.findings, self.search, self.notes, self.check, self.compare):
            pane.task.end()
        if self.machine is not None:
            self.machine.let_go()
        self.run.let_go()
        self.link.close()
        super().closeEvent(event)


def _around(run: Mapping[str, Any]) -> tuple[float, float]:
    """From a little before a run to a little after it, in seconds since 1970."""
    start, end = (datetime.fromisoformat(run[key] or run["created_at"]).timestamp() for key in _ENDS)
    return start - _BESIDE, max(end, start) + _BESIDE


def open_case(console: Console, folder: Path) -> CaseWindow:
    window = CaseWindow(console, Case(folder))
    window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    window.show()
    return window
