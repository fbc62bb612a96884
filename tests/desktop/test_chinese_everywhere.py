"""In Chinese nothing on the screen is English: every mode, pane, menu and dialog, with runs of every kind of ending."""

from __future__ import annotations

import pprint
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QPlainTextEdit, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from app import wiring
from app.desktop.design.questions import QuestionDialog
from app.desktop.kernel.console import Target
from app.desktop.kernel.theme import Theme
from app.desktop.run.confirmation import Confirm
from app.desktop.run.mode import RunMode
from app.desktop.shell.guide import Guide
from app.desktop.shell.modes import MODES
from app.desktop.shell.window import MainWindow
from app.desktop.widgets.charts import Chart
from app.desktop.widgets.questions import Asking
from engine.api.documents import RunRequest, Source
from engine.api.service import Service
from tests.desktop import test_dialog_sizes
from tests.desktop.conftest import EXAMPLES
from tests.desktop.dialogs import DIALOGS, LONG, Room
from tests.desktop.painted_texts import painted_texts
from tests.desktop.screen_texts import screen_texts
from tests.texts.source import ROOT
from tests.waiting import until

# every name in it has at most two letters, so that each English word on the screen is the window's own
TASKS = """
skerry: 1
resources:
  r1: {type: file, uri: /no/r1}
tasks:
  t1:
    nodes:
      a: {type: shell, process: "true"}
      b: {type: shell, after: [a], process: "exit 3"}
      c: {type: shell, after: [b], process: "true"}
      d: {type: shell, process: "true", resources: [r1]}
      e: {type: python, after: [a], process: "raise 1"}
      f: {type: read_file, params: {path: /no/f}}
      g: {type: command, argv: [/no/g]}
      h: {type: shell, process: "sleep 9", timeout: 100ms}
      i: {type: http, after: [a], url: "http://127.0.0.1:9/"}
      j: {type: sql_query, resource: r1, statement: "select 1"}
      k: {type: shell, process: "true", params: {p: "$.JOB['a'].RESULT['no']"}}
      l: {type: condition, value: "$.TASK.ID", branches: {"x": [m], default: [n]}}
      m: {type: shell, process: "true"}
      n: {type: shell, process: "true"}
  t2:
    nodes:
      a: {type: shell, process: "sleep 60"}
      b: {type: shell, after: [a], process: "true"}
  t3:
    nodes:
      a: {type: shell, process: "exit 1", retry: {times: 3, interval: 1h}}
      b: {type: wait, for: 1h}
      c: {type: approve, question: "?", deadline: 1h}
      d: {type: shell, process: "true", on: {workers: [w1]}}
      e: {type: task, task: t2, wait: true}
      f: {type: shell, process: "sleep 60"}
      g: {type: shell, after: [f], process: "true"}
      h: {type: group, jobs: [{type: shell, process: "sleep 60"}, {type: shell, process: "true"}]}
      i: {type: shell, process: "true", on: {labels: {l1: v1}}}
  t4:
    schedule: {cron: "0 3 * * *", start: "2026-01-01"}
    nodes: {a: {type: shell, process: "true"}}
"""
NAMES = {  # names of things outside, and of what is measured, which Chinese texts write in Latin letters
    "Skerry", "English", "CPU", "GiB", "MiB", "KiB", "UTC", "Etc", "SSH", "SFTP", "FTP", "JSON", "YAML", "CSV",
    "UTF", "ASCII", "NUL", "SHA", "Web", "Shell", "Python", "Java", "SQL", "SQLite", "HTTP", "HTTPS", "URL", "URI",
    "TLS", "XML", "ZIP", "TERM", "KILL", "root", "local", "cron", "PATH", "MySQL", "MariaDB", "PostgreSQL",
    "OpenSSH", "Linux",  "Ed", "workspace",
}  # fmt: skip
# in a Chinese sentence, besides the words of definition files: what programs read or are called
WORDS_OF_PROGRAMS = {"null", "true", "false", "fence", "sha", "base", "check"}
# the ways to a place, and what is typed: paths, addresses, expressions, variables, commands, keys, tags, times
NO_WORDS = re.compile(
    r"<[^>]*>|https?://\S+|sqlite:\S*|/[\w./-]+|\$\.[\w.\[\]'\"]+|\bSKERRY_\w+|\{[\w.]+\}|[\w-]+\.(?:yaml|log|py|csv|sh)\b"
    r"|SHA256:\S+|age1\S+|'[^']*'|`[^`]*`|(?:(?:Ctrl|Shift|Alt|Meta)\+)+(?:Pg(?:Up|Down)|Page ?(?:Up|Down)|Return|Space|Left|Right|Home|End|Del|Up|Down|Backspace|\S)"
    r"|\((?:Esc|Del|Return|Enter|Home|End|F\d+)\)|Page (?:Up|Down)|&nbsp;|^skerry .*$",
    re.MULTILINE,
)
WORD = re.compile(r"[A-Za-z]{3,}")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
DATA = {  # what is shown there is written by the engine for programs, or by the person
    "ContextPane", "LogPane", "TextView", "SettingsPage",
}  # fmt: skip
DATA_TABLES = {"输入", "结果", "步骤"}  # the names in them are those of parameters
KEYS = [entry.key for entry in MODES]
room, service = test_dialog_sizes.room, test_dialog_sizes.service  # fixtures


def keys_of_the_format() -> set[str]:
    """The words of definition files: allowed within a Chinese sentence, which speaks of them."""
    found = set(re.findall(r'"([A-Za-z_]+)":', (ROOT / "docs/definition.schema.json").read_text("utf-8")))
    found |= {*wiring.job_types(), *wiring.resource_types(), *WORDS_OF_PROGRAMS}
    return {part for word in found for part in (word, *word.split("_"))}


@dataclass
class Walk:
    """What was seen, and where."""

    texts: dict[str, str] = field(default_factory=dict)
    painted: dict[str, str] = field(default_factory=dict)
    data: set[str] = field(default_factory=set)

    def look(self, place: str, widget: QWidget) -> None:
        hidden = [each for each in widget.findChildren(QWidget) if is_data(each)]
        self.data |= {text for each in hidden for _, text in screen_texts(each)}
        own = {text for each in hidden for _, text in screen_texts(each)}
        for edit in widget.findChildren(QPlainTextEdit):
            self.data |= set(edit.toPlainText().splitlines())
        for where, text in screen_texts(widget):
            if text not in own:
                self.texts.setdefault(text, f"{place}: {where}")
        for text in painted_texts(widget):
            self.painted.setdefault(text, place)

    def english(self) -> dict[str, str]:
        """Each text with a word that is neither a name nor, in a Chinese sentence, a key of the format."""
        keys = keys_of_the_format()
        known = "\n".join([*self.texts, *self.data])
        bad = {text: where for text, where in self.texts.items() if english_words(text, keys)}
        for text, where in self.painted.items():
            shown = text.rstrip("…").strip(" ，。：；（）、")
            if english_words(text, keys) and shown not in known:
                bad[text] = f"{where}: painted"
        return bad


def is_data(widget: QWidget) -> bool:
    return type(widget).__name__ in DATA or (widget.accessibleName() in DATA_TABLES)


def english_words(text: str, keys: set[str]) -> set[str]:
    rest = NO_WORDS.sub(" ", text)
    allowed = NAMES | keys if CHINESE.search(text) else NAMES
    return {word for word in WORD.findall(rest) if word not in allowed}


def load(service: Service) -> dict[str, int]:
    """Runs of every kind of ending, and what waits, is held, is tried again."""
    service.load([Source(name="t.yaml", text=TASKS)])
    found = {name: service.run(RunRequest(task=name)) for name in ("t1", "t2", "t3")}
    until(lambda: service.instance(found["t1"])["status"] == "failed", "the failure")
    until(lambda: _status(service, found["t2"], "a") == "running", "a start")
    service.cancel(found["t2"])
    until(lambda: service.instance(found["t2"])["status"] == "cancelled", "the cancel")
    until(lambda: _status(service, found["t3"], "a") == "retrying", "the retry")
    return found


def _status(service: Service, instance: int, node: str) -> str | None:
    return next((job["status"] for job in service.instance(instance)["jobs"] if job["node"] == node), None)


def turned(mode: QWidget) -> Iterator[str]:
    """Each page of its tabs is in front once, without and with others beside it."""
    for tabs in (each for each in mode.findChildren(QTabWidget) if each.isVisible()):
        for at in range(tabs.count()):
            tabs.setCurrentIndex(at)
            yield tabs.tabText(at)


def test_no_mode_is_english_whatever_became_of_the_runs(
    engine_window: MainWindow, engine_service: Service, qtbot: QtBot
) -> None:
    runs = load(engine_service)
    walk, window = Walk(), engine_window
    window.console.language.switch("zh_CN")
    window.resize(1900, 1000)
    for key in KEYS:
        mode = window.show_mode(key)
        qtbot.wait(300)
        for page in turned(mode):
            qtbot.wait(50)
            walk.look(f"{key}/{page}", mode)
        for name in mode.docks:
            mode.raise_dock(name)
            qtbot.wait(50)
            walk.look(f"{key}:{name}", window)
    run = window.show_mode("run")
    assert isinstance(run, RunMode)
    for task, number in runs.items():
        for job in engine_service.instance(number)["jobs"]:
            run.open(Target("instance", str(number), job["node"]))
            qtbot.waitUntil(lambda: run.session.job() is not None)
            qtbot.wait(20)
            walk.look(f"run/{task}.{job['node']}", run)
        for name in run.docks:
            run.raise_dock(name)
            qtbot.wait(100)
            walk.look(f"run/{task}:{name}", run)

    assert walk.english() == {}, pprint.pformat(walk.english(), width=200)


# what the dialogs are filled with: the words of the example and of the played engine, and one long sentence
PLAYED = set(WORD.findall((EXAMPLES / "tour.yaml").read_text("utf-8"))) | {
    "nightly", "tides", "index", "load", "day", "limit", "instance", "Script", "USER", "HOST", "PORT",
    "weekly", "manual", "schedule", "backfill", "info", "warning", "error",
}  # fmt: skip
EMPTY = {
    Asking,
    Confirm,
    QuestionDialog,
    Guide,
}  # their texts are given to them; a page of the guide may have no twin


@pytest.mark.parametrize(
    "kind", [each for each in DIALOGS if each not in EMPTY], ids=lambda kind: kind.__name__
)
def test_no_dialog_is_english(room: Room, qtbot: QtBot, kind: type[QDialog]) -> None:
    room.console.language.switch("zh_CN")
    dialog = DIALOGS[kind](room)
    with qtbot.waitExposed(dialog):
        dialog.show()
    walk = Walk()
    for page in (*turned(dialog), ""):
        qtbot.wait(20)
        walk.look(page, dialog)
    dialog.close()
    keys = keys_of_the_format()

    helps = [each.help[1][:40] for each in room.console.job_types.values()]  # pages of documentation, as tips

    texts = {text.replace(LONG, "") for text in walk.texts if not any(each in text for each in helps)}
    found = {text: english_words(text, keys) - PLAYED for text in texts}
    assert {text: words for text, words in found.items() if words} == {}


def test_a_dialog_of_files_is_not_english(room: Room, qtbot: QtBot) -> None:
    room.console.language.switch("zh_CN")
    dialog = QFileDialog(room.over, "", str(room.folder))
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    (room.folder / "f").mkdir()
    with qtbot.waitExposed(dialog):
        dialog.show()
    qtbot.wait(50)  # the folder is read

    found = {text for _, text in screen_texts(dialog) if not text.startswith("/")}

    dialog.close()
    folders = {*room.folder.parts, *Path.cwd().parts}
    assert {text for text in found if english_words(text, set())} <= folders


@pytest.mark.parametrize("days", [0.01, 0.5, 3, 20, 90, 400, 4000])
def test_no_time_axis_is_english(looks: QApplication, qtbot: QtBot, days: float) -> None:
    chart = Chart(Theme(looks))
    qtbot.addWidget(chart)
    chart.resize(900, 200)
    with qtbot.waitExposed(chart):
        chart.show()
    chart.show_span(1.7e9, 1.7e9 + days * 86_400)
    qtbot.wait(1)

    found = list(painted_texts(chart))

    assert len(found) > 4
    assert [text for text in found if WORD.search(text)] == []
