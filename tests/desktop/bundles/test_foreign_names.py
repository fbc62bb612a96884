"""A case whose names and messages are markup, in the window: shown as text wherever they appear."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PySide6 import QtGui
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QSize, Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QGraphicsView, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.bundles.bundle_dialog import plain
from app.desktop.bundles.case_window import CaseWindow, open_case
from app.desktop.history.run_preview import RunPreview
from app.desktop.kernel.link import Link
from app.desktop.kernel.settings import WindowSettings
from app.desktop.shell.startup import make_console
from export_import.importing import import_bundle
from tests.bundles.conftest import CLOCK
from tests.soak.bundle_contents import Sample

SCREEN = QSize(1280, 700)
LONG = 30_000  # milliseconds
NAME = "<b>x</b><img src=file:///etc/passwd>"
ENDLESS = "\n".join([NAME, "word" * 400] * 40)  # neither as wide nor as high as any screen


def hostile_case(folder: Path) -> Path:
    """The folder of a case in which everything that may be any text is markup."""
    sample = Sample(folder)
    rows = json.loads(sample.files["rows/1.json"])
    rows["instance"].update(name=NAME, project=NAME, actor=NAME, worker=NAME)
    rows["instance"].update(error_message=ENDLESS, reason=ENDLESS, params={NAME: ENDLESS})
    for each in rows["jobs"]:
        each.update(node=NAME, job=NAME, worker=NAME, params={NAME: NAME})
        each.update(error_message=ENDLESS, reason=ENDLESS)
    for each in rows["exceptions"]:
        each.update(message=ENDLESS)
    sample.facts.update(site=NAME)
    path = sample.pack(folder / "bundle", {"rows/1.json": json.dumps(rows).encode(), f"logs/{NAME[3]}": b"x"})
    (folder / "desk").mkdir()
    return import_bundle(folder / "desk", [path], clock=CLOCK).folder


def tips(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[str]:
    """What every cell says when the mouse rests on it."""
    for row in range(model.rowCount(parent)):
        for column in range(model.columnCount(parent)):
            yield str(model.index(row, column, parent).data(Qt.ItemDataRole.ToolTipRole) or "")
        yield from tips(model, model.index(row, 0, parent))


def read_by_qt(widget: QWidget) -> Iterator[str]:
    """The texts of a widget that Qt reads as markup when they look like it."""
    yield widget.toolTip()
    if isinstance(widget, QLabel) and widget.textFormat() is not Qt.TextFormat.PlainText:
        yield widget.text()
    if isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from tips(widget.model(), QModelIndex())
    if isinstance(widget, QGraphicsView) and widget.scene() is not None:
        yield from (item.toolTip() for item in widget.scene().items())


def is_markup(text: str) -> bool:
    return bool(QtGui.Qt.mightBeRichText(text)) and ("<img" in text or "<b>x" in text)


def shown(window: QWidget) -> str:
    """All texts of lists and labels."""
    found: list[str] = []
    for view in window.findChildren(QAbstractItemView):
        model: Any = view.model()
        rows = range(model.rowCount()) if model is not None else ()
        found += [str(model.index(row, at).data()) for row in rows for at in range(model.columnCount())]
    return "\n".join([*found, *(label.text() for label in window.findChildren(QLabel))])


def test_markup_in_a_case_is_shown_as_text(looks: QApplication, tmp_path: Path, qtbot: QtBot) -> None:
    folder, link = hostile_case(tmp_path), Link()
    console = make_console(looks, tmp_path / "desk", link, WindowSettings(tmp_path / "desk.ini"))
    window: CaseWindow = open_case(console, folder)
    preview = RunPreview(window.console)
    qtbot.addWidget(preview)
    preview.show_instance(1)
    qtbot.waitUntil(lambda: NAME in shown(window) and preview.jobs.topLevelItemCount() > 0, timeout=LONG)
    window.search.text.setText("rows")
    window.search.search()
    window.check.compute()
    qtbot.waitUntil(lambda: not window.search.task.busy and not window.check.task.busy, timeout=LONG)

    texts = [
        text
        for top in (window, preview)
        for each in (top, *top.findChildren(QWidget))
        for text in read_by_qt(each)
    ]

    assert any("&lt;img" in text for text in texts)
    for top in (window, preview):
        assert top.minimumSizeHint().boundedTo(SCREEN) == top.minimumSizeHint()
    first = window.findings.list.topLevelItem(0)
    assert first is not None
    assert "\n" not in first.text(0)
    assert [text for text in texts if is_markup(text)] == []
    window.close()
    link.close()


def test_a_label_of_the_dialogs_shows_what_would_steer(qtbot: QtBot) -> None:
    label = plain()
    qtbot.addWidget(label)

    label.setText("a\u202eb\x1b[31m\n<b>")

    assert label.text() == "a‹U+202E›b‹U+001B›[31m\n<b>"
    assert label.textFormat() is Qt.TextFormat.PlainText
