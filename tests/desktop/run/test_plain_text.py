"""What a job says is shown as it is: no markup, no escapes, no marks that turn the text around."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Target
from app.desktop.log.ansi import shown
from app.desktop.run.mode import RunMode
from engine.api.documents import RunRequest, Source
from engine.api.service import Service

PATIENCE = 20_000
HOSTILE = r"""
skerry: 1
tasks:
  hostile:
    params: {markup: "<img src=x onerror=alert(1)>"}
    nodes:
      shout:
        type: shell
        params: {said: "$.TASK.PARAMS['markup']"}
        process: |
          printf '<b>bold</b> <script>alert(1)</script>\n'
          printf '\033[2J\033[31mred\033[0m \033]0;title\007 end\n'
          printf 'user\342\200\256txt.exe\n'
          printf '<h1>result</h1>\342\200\256' > "${SKERRY_OUTPUTS}/page"
          printf '<i>oh no</i>\n' >&2
          exit 4
        results: {page: {kind: text}}
"""


def _hostile(mode: RunMode, service: Service, qtbot: QtBot) -> int:
    service.load([Source(name="hostile.yaml", text=HOSTILE)])
    number = service.run(RunRequest(task="hostile"))
    qtbot.waitUntil(lambda: service.instance(number)["status"] == "failed", timeout=PATIENCE)
    mode.open(Target("instance", str(number), "shout"))
    qtbot.waitUntil(lambda: mode.log.model.text.size > 60, timeout=PATIENCE)
    return number


def test_markup_escapes_and_direction_marks_of_a_log_are_shown_as_text(
    mode: RunMode, engine_service: Service, qtbot: QtBot
) -> None:
    _hostile(mode, engine_service, qtbot)

    text = mode.log.model.text
    lines = [shown(line).text for line in bytes(text.read(0, text.size)).splitlines()]

    assert "<b>bold</b> <script>alert(1)</script>" in lines
    assert any("^[[2J" in line and "red" in line and "^[]0;title^G" in line for line in lines)
    assert "user‹U+202E›txt.exe" in lines
    assert "<i>oh no</i>" in lines
    assert mode.log.full.grab().toImage().width() > 100  # it was painted


def test_values_and_names_are_shown_as_text(mode: RunMode, engine_service: Service, qtbot: QtBot) -> None:
    _hostile(mode, engine_service, qtbot)
    qtbot.waitUntil(lambda: mode.job.inputs.topLevelItemCount() == 1, timeout=PATIENCE)
    qtbot.waitUntil(lambda: mode.job.results.topLevelItemCount() > 0, timeout=PATIENCE)
    given = mode.job.inputs.topLevelItem(0)
    assert given is not None
    assert given.text(1) == "<img src=x onerror=alert(1)>"
    names = [mode.job.results.topLevelItem(at) for at in range(mode.job.results.topLevelItemCount())]
    page = next(item for item in names if item is not None and item.text(0) == "page")
    assert page.text(1) == "<h1>result</h1>‹U+202E›"
    assert "<h1>" not in page.toolTip(1)
    mode.job.results.setCurrentItem(page)

    mode.job._result(mode.job.previewer.show)

    qtbot.waitUntil(lambda: mode.job.previewer.shown is not None, timeout=PATIENCE)
    assert mode.job.previewer.shown is not None
    assert mode.job.previewer.shown.text.toPlainText() == "<h1>result</h1>‹U+202E›"
    mode.job.previewer.shown.reject()

    job, look = mode.session.job(), mode.session.look
    assert job is not None
    assert look is not None
    mode.job._show_trouble({**job, "unverified": "<b>who</b> knows"}, look)
    assert mode.job.doubt.text() == "That nothing of it lives cannot be verified: <b>who</b> knows"
    for label in mode.findChildren(QLabel):
        assert label.textFormat() is Qt.TextFormat.PlainText or "<" not in label.text()
