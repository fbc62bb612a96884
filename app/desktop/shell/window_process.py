"""The life of the window's process: made, shown, run, closed."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QObject, QSocketNotifier, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication

from app import wiring
from app.desktop.kernel.language import tr
from app.desktop.kernel.outlined_style import OutlinedStyle
from app.desktop.kernel.settings import WindowSettings
from app.desktop.shell.closing import Choice
from app.desktop.shell.crash_report import CrashReports, machine_time
from app.desktop.shell.dialogs import failed
from app.desktop.shell.single_window import OneWindow
from app.desktop.shell.startup import link_to, make_console, settings_file
from app.desktop.shell.window import MainWindow

_PAINTING = 30  # milliseconds for the first paint, with which what the link loads would take turns


def run(root: Path) -> int:
    """Open the window on a workspace and stay until it is closed; a second start raises the first window."""
    application = the_application()
    workspace = wiring.open_workspace(root)
    place = OneWindow(workspace.root)
    try:
        if not place.first and place.call_first():
            return 0
        with watched(workspace.logs) as earlier:
            link = link_to(workspace)
            window = MainWindow(
                make_console(application, workspace.root, link, WindowSettings(settings_file()))
            )
            place.called = window.come_to_front
            window.show()
            QTimer.singleShot(_PAINTING, window, link.start)
            if earlier is not None:
                QTimer.singleShot(0, window, lambda: _show_earlier_report(window, earlier))
            with signalled_to_end(window):
                return application.exec()
    finally:
        place.close()


def the_application() -> QApplication:
    """Qt's application with our names and the style that our looks are made for."""
    application = QApplication.instance() or QApplication([*sys.argv[:1], "-style", "Fusion"])
    assert isinstance(application, QApplication)
    application.setStyle(OutlinedStyle())
    application.setApplicationName("Skerry")
    application.setDesktopFileName("skerry")
    return application


class _Failures(QObject):
    """Carries a failure from any thread to the window's own."""

    came = Signal(Path, str)


@contextmanager
def watched(logs: Path) -> Iterator[Path | None]:
    """Failures become reports and dialogs; gives the report of an earlier window that died."""
    failures = _Failures()
    showing: list[Path] = []

    def show(file: Path, summary: str) -> None:
        if not showing:  # one at a time: a failure that repeats shall not bury the window
            showing.append(file)
            failed(QApplication.activeWindow(), file, summary)
            showing.clear()

    failures.came.connect(show, Qt.ConnectionType.QueuedConnection)
    reports = CrashReports(logs, machine_time, failures.came.emit)
    try:
        yield reports.install()
    finally:
        reports.remove()


@contextmanager
def signalled_to_end(window: MainWindow) -> Iterator[None]:
    """TERM and Ctrl-C close the window without a question; the engine goes on."""

    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    before = signal.set_wakeup_fd(theirs.fileno())
    handlers = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    notifier = QSocketNotifier(ours.fileno(), QSocketNotifier.Type.Read, window)

    def end() -> None:
        ours.recv(16)
        window.choose = lambda *_: Choice.KEEP
        window.close()

    notifier.activated.connect(end)
    try:
        yield
    finally:
        notifier.setEnabled(False)
        signal.set_wakeup_fd(before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        ours.close()
        theirs.close()


def _show_earlier_report(window: MainWindow, report: Path) -> None:
    failed(window, report, tr("The window ended unexpectedly the last time."))
