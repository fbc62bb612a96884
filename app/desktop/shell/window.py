"""The window: modes beside each other, one in front; what it shows and does is in its parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from zlib import crc32

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QToolButton, QWidget

from app import wiring
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.dropped_files import definitions_of, files_of
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.link import LinkState
from app.desktop.kernel.mode import Mode
from app.desktop.kernel.overview import Snapshot
from app.desktop.kernel.reasons import error_line
from app.desktop.kernel.subject import Subject
from app.desktop.shell.appearance import Appearance
from app.desktop.shell.closing import Choice, ask, plain_choice
from app.desktop.shell.commands import COMMANDS, next_pane
from app.desktop.shell.crash_report import report_now
from app.desktop.shell.dialogs import about, save_as
from app.desktop.shell.engine_link import EngineLink
from app.desktop.shell.menus import Menus
from app.desktop.shell.mode_bar import ModeBar
from app.desktop.shell.modes import MODES, ModeEntry, mode_for
from app.desktop.shell.navigation_history import NavigationHistory
from app.desktop.shell.status_bar import StatusBar
from app.desktop.shell.tray import Tray
from app.desktop.subjects.subject_actions import SubjectActions
from engine.model.errors import SkerryError

if TYPE_CHECKING:
    from app.desktop.shell.guide import Guide
    from app.desktop.shell.locator import Locator
    from app.desktop.shell.tour import Tour

_SIZE = (1280, 800)
_FRAME = 40  # pixels: the title bar that is not known before the window is shown
_LEAST = (700, 390)
_FIRST = "home"


class MainWindow(QMainWindow):
    """See ``Navigator`` for what its parts ask of it."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self.console = console
        console.navigator = self
        self.setObjectName("window")
        self.setAcceptDrops(True)
        self.choose: Callable[[QWidget, Snapshot | None], Choice] = ask
        self._modes: dict[str, Mode] = {}
        self._front = ""
        self._trail = NavigationHistory()
        self._locator: Locator | None = None
        self._tour: Tour | None = None
        self._guide: Guide | None = None
        self._ours: int | None = None  # the pid of an engine that a window started
        self._stack = QStackedWidget(self)
        self._stack.setMinimumSize(*_LEAST)  # else the window grows with whatever a mode shows
        self.setCentralWidget(self._stack)
        self._bar = ModeBar(console.actions, self, self.show_mode)
        self.addToolBar(Qt.ToolBarArea.LeftToolBarArea, self._bar)
        self.menus = Menus(self, console.actions)
        self.appearance = Appearance(console, self)
        self._add_commands()
        self.subjects = SubjectActions(console, self, self._subject, lambda: self._front)
        self._add_finder()
        self.overview = console.overview
        self.status = StatusBar(console, self, self.overview)
        self.setStatusBar(self.status)
        self.tray = Tray(console, self, self.come_to_front)
        console.link.failed.connect(self._say_error)
        console.link.state_changed.connect(self._connected)
        self._connected(console.link.state)
        self._restore()
        translated(self, self._word)

    # -- moving around -------------------------------------------------------------------------

    @property
    def front(self) -> str:
        return self._front

    def mode(self, key: str) -> Mode:
        """A mode, made when it is first asked for."""
        if key not in self._modes:
            self._modes[key] = self._made(next(each for each in MODES if each.key == key))
        return self._modes[key]

    def show_mode(self, key: str) -> Mode:
        """Bring a mode to the front, as a place to come back to."""
        if self._front != key:
            self._trail.went(Target("mode", key))
        return self._bring(key)

    def _bring(self, key: str) -> Mode:
        mode = self.mode(key)
        if self._front != key:
            before = self._modes.get(self._front)
            self._front = key
            self._stack.setCurrentWidget(mode)
            self.menus.show_mode(key, mode.docks.values())
            if before is not None:
                before.left()
            mode.entered()
            self.subjects.refresh()
        self._bar.show_chosen(key)
        return mode

    def go(self, target: Target) -> None:
        """See ``Navigator``; a target that no mode handles is left alone."""
        if self._open(target):
            self._trail.went(Target("mode", self._front) if target.kind in _PASSING else target)

    def back(self) -> None:
        if (target := self._trail.back()) is not None:
            self._open(target)

    def forward(self) -> None:
        """To the place that was left by going back."""
        if (target := self._trail.forward()) is not None:
            self._open(target)

    def _open(self, target: Target) -> bool:
        entry = mode_for(target.kind, target.id)
        if entry is None:
            return False
        mode = self._bring(entry.key)
        if target.kind != "mode":
            mode.open(target)
        return True

    def notify(self, text: str, *, bad: bool = False, target: Target | None = None) -> None:
        self.status.say(text, bad=bad, target=target)

    def come_to_front(self) -> None:
        """Be seen, also when minimised."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A bundle may be dropped anywhere on the window."""
        if files_of(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open it; several volumes of one bundle lie in one folder, so the first file is enough."""
        if files := files_of(event.mimeData()):
            event.acceptProposedAction()
            definitions = definitions_of(event.mimeData())
            kind = "definitions" if definitions else "file"
            self.go(Target(kind, "\n".join(map(str, definitions or files[:1]))))

    # -- what opens over it --------------------------------------------------------------------

    def locate(self, query: str = "") -> None:
        from app.desktop.shell.locator import Locator

        self._locator = self._locator or Locator(self.console, self)
        self._locator.open((self._front,), query)

    def take_tour(self) -> None:
        """Lead through the modes."""
        from app.desktop.shell.tour import Tour

        self._tour = self._tour or Tour(self.console, self)
        self._tour.begin()

    def show_guide(self) -> None:
        from app.desktop.shell.guide import Guide

        self._guide = self._guide or Guide(self.console, self)
        self._guide.show()
        self._guide.raise_()
        self._guide.activateWindow()

    def show_shortcuts(self) -> None:
        from app.desktop.shell.shortcuts import Shortcuts

        page = Shortcuts(self.console, self)
        page.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        page.open()

    def show_about(self) -> None:
        about(self, self.console.workspace)

    def save_report(self) -> None:
        """A report on the window for support, without a crash."""
        saved = save_as(self, report_now(self.console.workspace / "logs"))
        if saved is not None:
            self.notify(tr("Saved: {path}", path=str(saved)))

    # -- coming and going ----------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask each mode and what becomes of the engine, remember the layout, let go."""
        if self.console.link.state is LinkState.CLOSED:
            return event.accept()
        choice = self._choice() if all(mode.may_close() for mode in self._modes.values()) else Choice.STAY
        if choice is Choice.STAY:
            return event.ignore()
        self._remember()
        for mode in self._modes.values():
            mode.let_go()
        self.overview.stop()
        self.console.link.close(stop=choice is Choice.STOP)
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A dialog over the window keeps its place."""
        super().resizeEvent(event)
        for extra in (self._locator, self._tour):
            if extra is not None and extra.isVisible():
                extra.settle()

    def _choice(self) -> Choice:
        link = self.console.link
        if not isinstance(link, EngineLink) or not link.writable:
            return Choice.KEEP
        plain = plain_choice(self._ours is not None, self.overview.latest)
        return self.choose(self, self.overview.latest) if plain is Choice.ASK else plain

    def _connected(self, state: LinkState) -> None:
        """Know whether the engine is one that a window started: this one, or an earlier one here.

        The catalogue is loaded beside it, so that nothing freezes when it is first wanted.
        """
        link, settings = self.console.link, self.console.settings
        if state is not LinkState.CONNECTED or not isinstance(link, EngineLink):
            return
        key = f"engine/{crc32(bytes(self.console.workspace))}"
        if link.started_it and link.engine_pid is not None:
            settings.set(key, link.engine_pid)
        known = int(settings.number(key, 0))

        def look(about: dict[str, Any]) -> None:
            self._ours = known if about["pid"] == known else None

        link.ask(lambda service: (service.about(), wiring.catalogue({}))[0], look, owner=self)

    def _made(self, entry: ModeEntry) -> Mode:
        mode = entry.load()(self.console, self)
        self._stack.addWidget(mode)
        mode.subject_changed.connect(self.subjects.refresh)
        mode.restore_layout()
        return mode

    def _add_commands(self) -> None:
        do: tuple[Callable[[], object], ...] = (
            self.locate, lambda: self.locate("> "), self.back, self.forward, lambda: self._next_pane(1),
            lambda: self._next_pane(-1),
            lambda: self.mode(self.front).reset_layout(), self.close, self.show_guide, self.show_shortcuts,
            self.take_tour, self.save_report, self.show_about,
        )  # fmt: skip
        for spec, command in zip(COMMANDS, do, strict=True):
            self.console.actions.add(spec, self, command)

    def _subject(self) -> Subject | None:
        """What the mode in front shows as selected."""
        return self._modes[self._front].subject() if self._front else None

    def _next_pane(self, step: int) -> None:
        next_pane(self.mode(self.front), self.focusWidget(), step)

    def _add_finder(self) -> None:
        finder = QToolButton(self, autoRaise=True)
        finder.setDefaultAction(self.console.actions.get("find"))
        finder.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.menuBar().setCornerWidget(finder)

    def _restore(self) -> None:
        settings = self.console.settings
        width, height = _SIZE
        self.resize(width, min(height, self.screen().availableGeometry().height() - _FRAME))
        if not (geometry := settings.blob("window/geometry")).isEmpty():
            self.restoreGeometry(geometry)
        last = settings.text("window/mode", _FIRST)
        keys = [each.key for each in MODES]
        self.show_mode(last if last in keys else keys[0])

    def _remember(self) -> None:
        settings = self.console.settings
        for mode in self._modes.values():
            mode.save_layout()
        settings.set("window/geometry", self.saveGeometry())
        settings.set("window/mode", self._front)
        settings.sync()

    def _say_error(self, error: SkerryError) -> None:
        self.notify(f"{error.code}: {error_line(error)}", bad=True, target=Target("code", str(error.code)))

    def _word(self) -> None:
        self.setWindowTitle(tr("Skerry – {workspace}", workspace=self.console.workspace.name))


_PASSING = ("file", "definitions")  # opens a dialog: no place that one comes back to
