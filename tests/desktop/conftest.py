"""The ground of the window's tests: consoles over scratch workspaces, with and without a real engine.

Any Qt warning, any unexpected log record, and any thread or process left behind fails the test.
"""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
import pytest
from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import wiring
from app.desktop.kernel.console import Console
from app.desktop.kernel.garbage import leave_clipboard_to_qt
from app.desktop.kernel.link import Link, LinkState
from app.desktop.kernel.outlined_style import OutlinedStyle
from app.desktop.kernel.settings import WindowSettings
from app.desktop.shell.closing import Choice
from app.desktop.shell.engine_link import EngineLink
from app.desktop.shell.startup import link_to, make_console
from app.desktop.shell.window import MainWindow
from engine.api.documents import Document, Kind, Source
from engine.api.service import Service
from engine.runtime.workspace import Workspace
from tests import commands
from tests.api.fake_service import FakeService
from tests.waiting import until

EXAMPLES = Path(__file__).parents[2] / "examples"
_HARMLESS = ("This plugin does not support",)  # what the offscreen platform says of itself
_LEAST = 120_000  # milliseconds that every wait has, however busy the machine is


class PatientBot(QtBot):
    """Waits longer than the test says: only what fails takes that time."""

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = 5000) -> None:
        super().waitUntil(callback, timeout=max(timeout, _LEAST))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """What a test leaves is taken apart here, not on some thread of it or of the next; what stays is looked through once.

    A widget that a worker thread takes apart has timers left in the window's: the next one that is due is a crash.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> QApplication:
    """The application in the style of the product."""
    qapp.setStyle(OutlinedStyle())
    return qapp


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """The person at the keyboard, who is patient."""
    return PatientBot(request)


class PlayedService(FakeService):
    """Without handling rules."""

    def definitions(self, kind: Kind) -> list[Document]:
        return [] if kind == "rule" else super().definitions(kind)


class FakeLink(Link):
    """A link to a service in this very process; nothing happens but what a test lets happen.

    ``emit(*events)`` plays what an engine would tell.
    """

    def __init__(self, service: Service) -> None:
        super().__init__(workers=2)
        self._service = service
        self._set_state(LinkState.CONNECTED)

    def service(self) -> Service:
        return self._service

    def emit(self, *events: dict[str, object]) -> None:
        self.changed.emit(tuple(events))

    def turn(self, state: LinkState) -> None:
        """Play another state of the engine."""
        self._set_state(state)


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[list[str]]:
    """Qt's and Python's warnings fail the test; take one out of the list to allow it."""
    said: list[str] = []

    def heard(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) and not message.startswith(_HARMLESS):
            said.append(message)

    handler = _Collector(said)
    before = qInstallMessageHandler(heard)
    logging.getLogger().addHandler(handler)
    yield said
    logging.getLogger().removeHandler(handler)
    qInstallMessageHandler(before)
    assert said == []


class _Collector(logging.Handler):
    def __init__(self, said: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._said = said

    def emit(self, record: logging.LogRecord) -> None:
        self._said.append(f"{record.name}: {record.getMessage()}")


@pytest.fixture(autouse=True)
def nothing_left_behind(no_warnings: list[str]) -> Iterator[None]:
    """Threads and child processes of a test end with it."""
    threads, pids = set(threading.enumerate()), set(psutil.pids())
    yield
    until(lambda: not _left(threads, pids), lambda: f"the end of {_left(threads, pids)}")


def _left(threads: set[threading.Thread], pids: set[int]) -> list[object]:
    alive: list[object] = [each for each in threading.enumerate() if each not in threads]
    for pid in set(psutil.pids()) - pids:  # asking every process of the machine who its parent is costs more
        with suppress(psutil.Error):
            new = psutil.Process(pid)
            if new.ppid() == os.getpid() and new.status() != psutil.STATUS_ZOMBIE:
                alive.append(new)
    return alive


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch workspace; the person's own settings are left alone."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    return wiring.open_workspace(tmp_path / "workspace").root


@pytest.fixture
def settings(tmp_path: Path) -> WindowSettings:
    return WindowSettings(tmp_path / "console.ini")


@pytest.fixture
def service() -> FakeService:
    """The engine that is played; change its answers as you need them."""
    return PlayedService()


@pytest.fixture
def looks(qapp: QApplication) -> Iterator[QApplication]:
    """The application, its font, colours and language put back afterwards."""
    font, palette, style = qapp.font(), qapp.palette(), qapp.styleSheet()
    yield qapp
    leave_clipboard_to_qt()
    qapp.setFont(font)
    qapp.setPalette(palette)
    qapp.setStyleSheet(style)


@pytest.fixture
def console(
    looks: QApplication, workspace: Path, settings: WindowSettings, service: FakeService
) -> Iterator[Console]:
    """A console whose link leads to ``service``; ``console.link`` is a FakeLink."""
    link = FakeLink(service)
    yield from _lent(make_console(looks, workspace, link, settings), link)


@pytest.fixture(scope="session")
def command_server() -> Path:
    """Before what a test may leave behind is looked at: it stays until the last one."""
    return commands.programs()


@pytest.fixture
def engines(command_server: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines are processes that need not import everything; their pid is asked for, it is not that of what starts."""

    def pid(link: EngineLink) -> int | None:
        return link._keeper._client.about()["pid"] if link.started_it else None

    def spawn(workspace: Workspace, *, until_idle: bool = True) -> subprocess.Popen[bytes]:
        command = [*commands.skerry(), "--workspace", str(workspace.root), "serve"]
        with (workspace.logs / "serve.log").open("ab") as log:
            return subprocess.Popen(
                [*command, *(["--until-idle"] if until_idle else [])],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    monkeypatch.setattr(wiring, "spawn_engine", spawn)
    monkeypatch.setattr(EngineLink, "engine_pid", property(pid))


@pytest.fixture
def engine_link(looks: QApplication, workspace: Path, qtbot: QtBot, engines: None) -> Iterator[EngineLink]:
    """A link to a real engine in a process of its own; the engine ends with the test."""
    link = link_to(wiring.open_workspace(workspace))
    link.start()
    try:
        qtbot.waitUntil(lambda: link.state is LinkState.CONNECTED, timeout=20_000)
        yield link
    finally:
        if link.state is not LinkState.CLOSED:
            link.close(stop=True)


@pytest.fixture
def engine_console(
    looks: QApplication, workspace: Path, settings: WindowSettings, engine_link: EngineLink
) -> Iterator[Console]:
    """A console over a real engine."""
    yield from _lent(make_console(looks, workspace, engine_link, settings), engine_link)


@pytest.fixture
def engine_service(engine_link: EngineLink) -> Service:
    """The real engine's service, called from the test itself: to prepare and to compare."""
    return engine_link.service()


@pytest.fixture
def window(console: Console, qtbot: QtBot) -> Iterator[MainWindow]:
    """The whole window over the played engine, shown."""
    yield from _shown(console, qtbot)


@pytest.fixture
def engine_window(engine_console: Console, qtbot: QtBot) -> Iterator[MainWindow]:
    """The whole window over the real engine, shown."""
    yield from _shown(engine_console, qtbot)


def load_example(service: Service, name: str) -> None:
    """Put one of the examples into the workspace: ``tour``, ``repair`` …"""
    file = EXAMPLES / f"{name}.yaml"
    service.load([Source(name=str(file), text=file.read_text("utf-8"))])


def _lent(console: Console, link: Link) -> Iterator[Console]:
    yield console
    console.language.switch("en")
    if link.state is not LinkState.CLOSED:
        link.close(stop=True)


def _shown(console: Console, qtbot: QtBot) -> Iterator[MainWindow]:
    window = MainWindow(console)
    with qtbot.waitExposed(window):
        window.show()
    yield window
    window.choose = lambda *_: Choice.STOP
    window.close()
    window.deleteLater()
    QApplication.processEvents()
