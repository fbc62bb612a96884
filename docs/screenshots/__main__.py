"""Every screen of the window, over a real engine with the examples, in both languages and both themes.

The workers are behind a private sshd on the loopback interface (openssh-server).

    python -m docs.screenshots [--only NAME,NAME] [--looks en-light-1280,…] [--to FOLDER]

Writes ``NAME-LANGUAGE-THEME-WIDTH.png``. Look at them all before they are kept.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from app import wiring
from app.desktop.admin.mode import AdminMode
from app.desktop.bundles.export_dialog import ExportDialog
from app.desktop.codes.mode import CodesMode
from app.desktop.codes.rule_form import RuleForm
from app.desktop.design.mode import DesignMode
from app.desktop.kernel.console import Target
from app.desktop.kernel.link import LinkState
from app.desktop.kernel.settings import WindowSettings
from app.desktop.plan.mode import PlanMode
from app.desktop.run.mode import RunMode
from app.desktop.shell.closing import Choice
from app.desktop.shell.examples import load
from app.desktop.shell.startup import link_to, make_console
from app.desktop.shell.window import MainWindow
from app.desktop.shell.window_process import the_application
from engine.api.documents import InstanceQuery, RunRequest, Source
from engine.api.service import Service
from engine.model.worker_request import WorkerRequest
from engine.runtime.timing.backfill_request import BackfillRequest
from tests.servers.private import folder as private_folder
from tests.servers.ssh_workers import Sshd, serving

HERE = Path(__file__).parent
LOOKS = ("en-light-1280", "zh_CN-dark-1280", "en-dark-1920", "zh_CN-light-1920")
SIZES = {"1280": (1280, 800), "1920": (1920, 1080)}
BUSY = """
skerry: 1
jobs:
  archive: {type: shell, params: {folder: {value: /data}}, process: 'echo "archiving ${folder}"'}
calendars:
  harbour:
    name: Working days of the harbour
    off: ["2026-10-01..2026-10-07", "2026-12-25"]
    work: ["2026-10-10"]
tasks:
  tides:
    schedule: {level: day, every: 1, at: "06:00"}
    nodes: {read: {type: shell, process: 'true'}}
  forecast:
    schedule: {level: day, every: 1, at: "07:00"}
    depends_on: [{task: tides}]
    nodes: {compute: {type: wait, for: 10m}}
  closing:
    schedule: {level: day, every: 1, at: "18:00", calendar: {id: harbour, on: previous}}
    nodes: {count: {type: shell, process: 'true'}}
  reports:
    name: Reports of the day
    nodes:
      collect: {type: shell, process: sleep 600}
      sales: {type: shell, process: sleep 600}
      stock: {type: shell, process: sleep 600}
      returns: {type: shell, process: sleep 600}
      letter: {type: shell, after: [collect, sales], process: 'true'}
  survey:
    name: A survey of the harbour
    nodes:
      soundings: {type: shell, on: {workers: [build]}, process: sleep 600}
      tiles: {type: shell, on: {group: big, strategy: all}, process: sleep 600}
      charts: {type: shell, on: {workers: [render]}, process: sleep 600}
rules:
  - id: busy-day
    name: A busy day has more rows
    match: {job: load, code: -11000001003}
    action: {set: {path: "$.TASK.PARAMS['limit']", value: 30}}
    enabled: false
"""


@dataclass(frozen=True)
class Scene:
    """A screen: how to come to it; ``over`` returns what is over the window, if anything."""

    name: str
    go: Callable[[MainWindow], None]
    over: Callable[[MainWindow], QWidget | None] = lambda _: None


def _mode(key: str) -> Callable[[MainWindow], None]:
    return lambda window: (window.show_mode(key), None)[1]


def _target(target: Target) -> Callable[[MainWindow], None]:
    return lambda window: window.go(target)


def _codes(page: str) -> Callable[[MainWindow], None]:
    def go(window: MainWindow) -> None:
        mode = window.show_mode("codes")
        assert isinstance(mode, CodesMode)
        mode.tabs.setCurrentWidget(getattr(mode, page))

    return go


def _plan(page: str) -> Callable[[MainWindow], None]:
    def go(window: MainWindow) -> None:
        mode = window.show_mode("plan")
        assert isinstance(mode, PlanMode)
        mode.tabs.setCurrentWidget(getattr(mode, page))

    return go


def _calendar(window: MainWindow) -> None:
    mode = window.show_mode("plan")
    assert isinstance(mode, PlanMode)
    mode.open(Target("calendar", "harbour"))
    while mode.calendars.editor.id != "harbour":
        QApplication.processEvents()
    mode.calendars.editor.month.go(date(2026, 10, 10))


def _find(window: MainWindow) -> None:
    window.show_mode("home")
    window.locate("load")


def _rule(window: MainWindow) -> QWidget:
    rule = window.console.link.service().definition("rule", "busy-day")["definition"]
    form = RuleForm(window.console, window, rule)
    form.show()
    return form


def _shortcuts(window: MainWindow) -> QWidget | None:
    window.show_shortcuts()
    return window.findChildren(QDialog)[-1]


def _rerun(window: MainWindow) -> QWidget | None:
    mode = window.mode("run")
    assert isinstance(mode, RunMode)
    mode.assistants.rerun()
    return mode.assistants.rerunning


def _backfill(window: MainWindow) -> QWidget | None:
    mode = window.mode("plan")
    assert isinstance(mode, PlanMode)
    mode.assistant = None
    mode.begin()
    while mode.assistant is None:
        QApplication.processEvents()
    mode.assistant.task.setCurrentText("tides")
    mode.assistant.first.setDate(mode.assistant.first.maximumDate().addDays(-9))
    mode.assistant.reprocess.setCurrentIndex(2)
    return mode.assistant


def _replay(window: MainWindow) -> QWidget | None:
    mode = window.mode("run")
    assert isinstance(mode, RunMode)
    mode.replay.seek(20)
    return None


def _near(window: MainWindow) -> QWidget | None:
    mode = window.mode("design")
    assert isinstance(mode, DesignMode)
    mode.canvas.set_zoom(0.8)
    mode.canvas.select(["query"], show=True)
    return None


def _failed_instance(window: MainWindow) -> str:
    found = window.console.link.service().instances(InstanceQuery(task="nightly", status="failed"))
    return str(found[-1]["instance"])


def _failed(detail: str) -> Callable[[MainWindow], None]:
    return lambda window: window.go(Target("instance", _failed_instance(window), node="load", detail=detail))


def _export(window: MainWindow) -> QWidget:
    dialog = ExportDialog(window.console, [_failed_instance(window)], window)
    dialog.show()
    return dialog


def _admin(page: str) -> Callable[[MainWindow], None]:
    def go(window: MainWindow) -> None:
        mode = window.show_mode("admin")
        assert isinstance(mode, AdminMode)
        mode.tabs.setCurrentWidget(getattr(mode, page))

    return go


SCENES = (
    Scene("home", _mode("home")),
    Scene("find", _find),
    Scene("shortcuts", _mode("home"), _shortcuts),
    Scene("design", _target(Target("task", "tour")), _near),
    Scene("run", _target(Target("instance", "1"))),
    Scene("failed", _failed("error")),
    Scene("context", _failed("context")),
    Scene("gantt", _failed("gantt")),
    Scene("rerun", _failed("error"), _rerun),
    Scene("replay", _failed("context"), _replay),
    Scene("history", _mode("history")),
    Scene("queue", _target(Target("worker", "build"))),
    Scene("monitor", _mode("monitor")),
    Scene("plan", _plan("day")),
    Scene("map", _plan("map")),
    Scene("backfill", _mode("plan"), _backfill),
    Scene("calendars", _calendar),
    Scene("exceptions", _codes("exceptions")),
    Scene("codes", _codes("catalogue")),
    Scene("rules", _codes("rules"), _rule),
    Scene("settings", _admin("settings")),
    Scene("keys", _admin("keys")),
    Scene("bundles", _admin("bundles"), _export),
)


def register(service: Service, wait: Callable[[Callable[[], bool]], None], sshd: Sshd) -> None:
    """Two workers behind that server, and one for which nobody has vouched yet."""
    for name, slots, group in (("build", "4", "big"), ("render", "1", "big"), ("quay", "2", "small")):
        root, way = str(sshd.place / name), str(sshd.endpoint)
        service.add_worker(
            name, WorkerRequest(ssh=way, key=str(sshd.key), root=root, slots=slots, groups=[group])
        )
    for name in ("build", "render"):
        service.trust_worker(name)
    states = ["online", "online", "online", "untrusted"]
    wait(lambda: sorted(each["state"] for each in service.workers()) == states)


def prepare(service: Service, wait: Callable[[Callable[[], bool]], None]) -> None:
    """What there is to see: runs that succeeded and failed, one at work, jobs that wait."""
    load(service)
    numbers = [service.run(RunRequest(task=task)) for task in ("tour", "nightly", "nightly", "tour")]
    ended = ("succeeded", "failed")
    wait(lambda: all(service.instance(number)["status"] in ended for number in numbers))
    service.queue_size(2)
    service.load([Source(name="busy.yaml", text=BUSY)])
    service.run(RunRequest(task="reports"))
    service.run(RunRequest(task="survey"))
    wait(lambda: len(service.queue()["running"]) == 5)
    done = service.start_backfill(
        BackfillRequest("forecast", "2026-03-01", "2026-03-07", reason="a lost week")
    )
    service.start_backfill(
        BackfillRequest("tides", "2026-03-01", "2026-03-04", reason="the gauge was repaired")
    )
    wait(lambda: service.backfill(done)["counts"]["under_way"] == 1)


class Photographer:
    """A window over an engine, and the way to a picture of each scene."""

    def __init__(self, folder: Path, to: Path) -> None:
        self.application = the_application()
        self._to = to
        self.link = link_to(wiring.open_workspace(folder / "plant-7"))
        self.link.start()
        self.wait(lambda: self.link.state is LinkState.CONNECTED)
        settings = WindowSettings(folder / "console.ini")
        self.console = make_console(self.application, folder / "plant-7", self.link, settings)
        self.window = MainWindow(self.console)
        self.window.choose = lambda *_: Choice.STOP
        self.window.show()
        self.settle()

    def fill(self, sshd: Sshd) -> None:
        """Let there be something to see."""
        register(self.link.service(), self.wait, sshd)
        prepare(self.link.service(), self.wait)

    def take(self, scene: Scene, looks: str) -> Path:
        """One picture."""
        language, theme, width = looks.split("-")
        if self.console.language.current != language:
            self.console.language.switch(language)
        self.console.theme.switch(dark=theme == "dark")
        self.window.resize(*SIZES[width])
        scene.go(self.window)
        self.settle()
        over = scene.over(self.window)
        self.settle()
        file = self._to / f"{scene.name}-{looks}.png"
        self._picture(over).save(str(file), "PNG", 20)
        self._clear(over)
        return file

    def close(self) -> None:
        """Stop what runs, then the engine."""
        service = self.link.service()
        for number in {int(row["instance"]) for row in service.queue()["running"]}:
            service.cancel(number)
        self.window.close()

    def settle(self, seconds: float = 1.5) -> None:
        """Let answers arrive and pictures be painted."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.application.processEvents()
            time.sleep(0.01)

    def wait(self, condition: Callable[[], bool], seconds: float = 60.0) -> None:
        """Until it holds."""
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                raise TimeoutError
            self.settle(0.1)

    def _picture(self, over: QWidget | None) -> QPixmap:
        pixmap = self.window.grab()
        if over is not None:
            place = QPoint(
                (self.window.width() - over.width()) // 2, (self.window.height() - over.height()) // 2
            )
            over.render(pixmap, place)
            painter = QPainter(pixmap)
            painter.setPen(QColor(self.console.theme.colours.muted))
            painter.drawRect(QRect(place, over.size()).adjusted(-1, -1, 0, 0))
            painter.end()
        return pixmap

    def _clear(self, over: QWidget | None) -> None:
        if over is not None:
            over.close()
            over.deleteLater()
        for name in ("Locator",):
            for each in self.window.findChildren(QWidget):
                if type(each).__name__ == name:
                    each.hide()


def main() -> None:
    """Take them."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--only", default="")
    options.add_argument("--looks", default=",".join(LOOKS))
    options.add_argument("--to", type=Path, default=HERE)
    given = options.parse_args()
    chosen = [scene for scene in SCENES if not given.only or scene.name in given.only.split(",")]
    with tempfile.TemporaryDirectory() as folder, private_folder() as place, serving(place) as sshd:
        os.environ["XDG_CONFIG_HOME"] = folder
        given.to.mkdir(parents=True, exist_ok=True)
        photographer = Photographer(Path(folder), given.to)
        looks_of = given.looks.split(",")
        for looks in looks_of if not given.only or "welcome" in given.only else ():
            photographer.take(Scene("welcome", _mode("home")), looks)
        photographer.fill(sshd)
        for looks in looks_of:
            for scene in chosen:
                sys.stdout.write(f"{photographer.take(scene, looks).name}\n")
                sys.stdout.flush()
        photographer.close()


if __name__ == "__main__":
    main()
