"""The Gantt chart on the screen: rows are clicked and stepped through, time is zoomed and pointed at."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.kernel.console import Console
from app.desktop.run.gantt_rows import Bar, GanttRow
from app.desktop.run.gantt_view import GanttView
from app.desktop.widgets.time_rows import ROW
from tests.desktop.painted_texts import painted_texts

NONE = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton
ROWS = [
    GanttRow("extract", None, (Bar(100, 104, "succeeded"),), critical=True),
    GanttRow("load", None, (Bar(104, 106, "failed"), Bar(108, 110, "retrying", 2)), critical=True),
    *(GanttRow("each", at, (Bar(100 + at, None, "running"),)) for at in range(40)),
]


def _view(console: Console, qtbot: QtBot) -> GanttView:
    view = GanttView(console)
    qtbot.addWidget(view)
    view.resize(900, 300)
    with qtbot.waitExposed(view):
        view.show()
    view.show_rows(ROWS, 150.0)
    return view


def _pixels(view: GanttView, colour: str) -> int:
    """How many pixels of the first fifty rows of the picture have a colour."""
    image: QImage = view.viewport().grab().toImage()
    wanted = view._console.theme.status(colour).rgb()
    return sum(
        image.pixel(x, y) == wanted for x in range(0, image.width(), 2) for y in range(0, image.height(), 3)
    )


def test_a_click_on_a_row_selects_its_job_and_one_on_the_axis_a_moment(
    console: Console, qtbot: QtBot
) -> None:
    view = _view(console, qtbot)
    rows: list[tuple[str, object]] = []
    times: list[float] = []
    view.chosen.connect(lambda node, index: rows.append((node, index)))
    view.time_chosen.connect(times.append)

    QTest.mouseClick(view.viewport(), LEFT, NONE, QPoint(40, 24 + ROW + 5))
    middle = int(view.names() + view.scale().x(125))
    QTest.mouseClick(view.viewport(), LEFT, NONE, QPoint(middle, 5))

    assert rows == [("load", None)]
    assert abs(times[0] - 125) < 0.2


def test_arrows_step_through_the_rows_and_the_selected_one_comes_into_sight(
    console: Console, qtbot: QtBot
) -> None:
    view = _view(console, qtbot)
    view.chosen.connect(view.select)

    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.current == ("each", 0)
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert view.current == ("load", None)
    view.select("each", 39)

    assert view.verticalScrollBar().value() > 0


def test_keys_and_wheel_zoom_and_the_whole_comes_back(console: Console, qtbot: QtBot) -> None:
    view = _view(console, qtbot)
    whole = view.scale()

    QTest.keyClick(view, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    near = view.scale()
    where = QPointF(600, 100)
    wheel = QWheelEvent(
        where, view.viewport().mapToGlobal(where), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view.viewport(), wheel)
    nearer = view.scale()
    QTest.keyClick(view, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)

    assert nearer.end - nearer.begin < near.end - near.begin < whole.end - whole.begin
    assert view.scale() == whole
    view.zoom(0.01)
    assert view.scale() == whole


def test_at_a_moment_nothing_is_painted_that_came_later(console: Console, qtbot: QtBot) -> None:
    view = _view(console, qtbot)
    assert _pixels(view, "failed") > 0

    view.show_cursor(103.0)

    assert _pixels(view, "failed") == 0
    assert _pixels(view, "running") > 0
    view.show_rows((), 150.0)
    assert _pixels(view, "running") == 0


def test_a_tool_tip_tells_the_attempts_as_text(console: Console, qtbot: QtBot) -> None:
    view = _view(console, qtbot)
    where = QPoint(300, 24 + ROW + 5)

    asked = QHelpEvent(QEvent.Type.ToolTip, where, view.viewport().mapToGlobal(where))

    assert QApplication.sendEvent(view.viewport(), asked)


def test_what_has_begun_and_waits_is_not_shown_as_running(console: Console, qtbot: QtBot) -> None:
    view = _view(console, qtbot)
    view.show_rows([GanttRow("ask", None, (Bar(100, None, "running"),))], 150.0)
    assert _pixels(view, "running") > 100

    view.show_notes({("ask", None): "Waits for an answer."}, {("ask", None): "waiting"})

    assert _pixels(view, "running") == 0
    assert "Waits for an answer." in list(painted_texts(view))
    assert "1: waiting" in view._tip(0)


def test_no_time_of_the_axis_is_cut_by_its_end(console: Console, qtbot: QtBot) -> None:
    view = _view(console, qtbot)
    cut = []
    for width in range(500, 600, 7):
        view.resize(width, 120)
        scale, names = view.scale(), view.names()
        painted = set(painted_texts(view))
        for time, text in view.axis(scale):
            end = names + scale.x(time) + 3 + view.fontMetrics().horizontalAdvance(text)
            if end > view.viewport().width() and text in painted:
                cut.append((width, text))

    assert cut == []
