"""Home: what needs a person now, what runs, what comes next."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtWidgets import QStackedWidget, QWidget

from app.desktop.home.attention import Item, items
from app.desktop.home.attention_detail import Detail
from app.desktop.home.attention_list import AttentionList
from app.desktop.home.last_error_lines import LastErrorLines
from app.desktop.home.welcome import Welcome
from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.language import tr
from app.desktop.kernel.link import LinkState
from app.desktop.kernel.mode import Mode
from app.desktop.kernel.overview import Snapshot
from app.desktop.kernel.subject import Subject
from app.desktop.kernel.times import local
from app.desktop.shell.examples import load
from app.desktop.subjects.menu import offer_menu
from app.desktop.widgets.layouts import split, vbox
from app.desktop.widgets.pane_widgets import holder
from app.desktop.widgets.questions import confirm

OPEN = ActionSpec(
    "home.open", "Open", ("Return", "Enter"), "right", "Run", 0, "home", tool=True,
    tip="Show the job with its error, log and remedies",
)  # fmt: skip
SEEN = ActionSpec(
    "home.seen", "Mark as seen", ("Ctrl+D",), "check", "Run", 1, "home", tool=True,
    tip="Mark this alert as seen",
)  # fmt: skip
ACCEPT = ActionSpec(
    "home.accept_clock", "Accept the clock…", (), "check", "Run", 2, "home",
    tip="What the clock shows is right: schedules that are held go on",
)  # fmt: skip
REFRESH = ActionSpec("home.refresh", "Refresh", ("Ctrl+R",), "refresh", "View", 1, "home")
_SIZES = (600, 300)  # pixels at first: Qt gives a pane that has nothing to say yet no room of its own


class HomeMode(Mode):
    """The first mode that a person sees."""

    KEY = "home"

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.lines, self.detail = AttentionList(console, self), Detail(console, self)
        self.welcome = Welcome(console, self)
        self._whole = QStackedWidget(self)
        work = split((self.lines, 2), (self.detail, 1), sizes=_SIZES, collapsible=False)
        self._whole.addWidget(holder(vbox(work, margins=8)))
        self._whole.addWidget(self.welcome)
        self.setCentralWidget(self._whole)
        self.lines.chosen.connect(self._go)
        self.lines.looked_at.connect(lambda item: self.detail.show_item(item, self.lines.nothing))
        self.detail.card.answered.connect(self.lines.setFocus)
        self.lines.looked_at.connect(lambda _: self.subject_changed.emit())
        self.welcome.load.clicked.connect(self._load)
        self._overview = console.overview
        self._overview.refreshed.connect(self._show)
        console.link.state_changed.connect(self._show_again)
        self._last_lines = LastErrorLines(console.link, self)
        self._last_lines.came.connect(self._show_again)
        self._add_actions()
        self._show_again()

    def subject(self) -> Subject | None:
        """What the selected line is about."""
        return self.lines.current.subject if self.lines.current is not None else None

    def entered(self) -> None:
        """The list has the focus: Enter is enough."""
        self.lines.setFocus()

    def _add_actions(self) -> None:
        soon = self.console.overview.soon
        table = ((OPEN, self._go_current), (SEEN, self._seen), (ACCEPT, self._accept), (REFRESH, soon))
        for spec, do in table:
            self.console.actions.add(spec, self, do)
        self.console.actions.get(ACCEPT.id).setEnabled(False)
        offer_menu(self.lines, self.console.actions, (OPEN.id, SEEN.id))

    def _show_again(self) -> None:
        """What is known; before anything is, nothing is said to need nobody."""
        self._show(self._overview.latest or Snapshot())

    def _show(self, snapshot: Snapshot) -> None:
        self._whole.setCurrentIndex(1 if snapshot.new else 0)
        loading = self._overview.latest is None
        link = self.console.link
        silent = link.state is LinkState.SILENT
        words = getattr(link, "words", "") if silent or link.state is LinkState.READ_ONLY else None
        found = items(snapshot, datetime.now(UTC), words, silent=silent)
        self.lines.show_items(self._last_lines.added(found), loading=loading)
        self.detail.show_item(self.lines.current, self.lines.nothing)
        self.subject_changed.emit()
        self.console.actions.get(ACCEPT.id).setEnabled(link.writable and bool(snapshot.clock.get("held")))

    def _go(self, item: Item) -> None:
        if item.status == "clock":
            self._accept()
        elif item.target is not None:
            self.console.navigator.go(item.target)

    def _accept(self) -> None:
        """After a question: the clock is right, schedules go on."""
        latest = self._overview.latest
        if latest is None or not self.console.actions.get(ACCEPT.id).isEnabled():
            return
        message = "Is {time} the right time? Then schedules go on, and what is late is treated as missed."
        text = tr(message, time=local(latest.clock["wall"]))
        if confirm(self, tr("Accept the clock"), text, tr("It is right")):
            link = self.console.link
            link.ask(lambda service: service.accept_clock(), lambda _: self._overview.soon(), owner=self)

    def _go_current(self) -> None:
        if (item := self.lines.current) is not None:
            self._go(item)

    def _seen(self) -> None:
        item = self.lines.current
        if item is not None and item.alert is not None:
            alerts = [item.alert]
            link = self.console.link
            link.ask(lambda service: service.acknowledge(alerts), lambda _: self._overview.soon(), owner=self)

    def _load(self) -> None:
        def loaded(_: object) -> None:
            self._overview.soon()
            self.console.navigator.go(Target("task", "tour"))

        self.console.link.ask(load, loaded, owner=self)
