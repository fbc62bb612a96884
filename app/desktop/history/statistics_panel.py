"""Statistics of what the history shows: durations over time, failures, error codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QTreeWidgetItem, QWidget

from app.desktop.history.statistics import Statistics
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.theme import Theme
from app.desktop.kernel.times import length_text
from app.desktop.kernel.visibility import UpdatedPane, in_sight
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import tree
from app.desktop.widgets.plain_label import PlainLabel
from engine.model.states import INSTANCE_BAD

if TYPE_CHECKING:
    from app.desktop.widgets.charts import Chart, Dots

_SETTLED = 50  # milliseconds: a dock behind another one is in front for a moment at first
_GROUPS = ("succeeded", "failed", "cancelled")


class StatisticsPanel(UpdatedPane):
    """``seen``: it came in sight; ``code_chosen``, ``run_chosen``: what the operator clicked."""

    seen = Signal()
    code_chosen = Signal(object)
    run_chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: Statistics | None = None
        self.summary = PlainLabel()
        self.chart: Chart | None = None  # made when it is first seen: charts cost 60 MB
        self.codes = tree("Error codes", ("Code", "How often"), stretch=0, empty="No errors.")
        self._column = vbox(self.summary, (self.codes, 1), 0, inside=self)
        self.codes.itemActivated.connect(lambda item: self.code_chosen.emit(item.text(0)))
        theme.changed.connect(self._draw)
        translated(self, self._draw)

    def show_statistics(self, found: Statistics) -> None:
        self._shown = found
        self._draw()

    def refresh(self) -> None:
        QTimer.singleShot(_SETTLED, self, self._in_sight)

    def _in_sight(self) -> None:
        if not in_sight(self):
            return
        if self.chart is None:
            self._make_chart()
        self.seen.emit()

    def _make_chart(self) -> None:
        from app.desktop.widgets.charts import Chart

        self.chart = Chart(self._theme, of_lengths=True)
        self.chart.dot_chosen.connect(self.run_chosen.emit)
        self._column.insertWidget(1, self.chart, 2)
        self._draw()

    def _draw(self) -> None:
        self.codes.setVisible(self._shown is not None and self._shown.runs > 0)
        if self._shown is None or not self._shown.runs:
            self.codes.clear()
            if self.chart is not None:
                self.chart.hide()
            self.summary.setText(tr("No runs yet."))
            return
        self.summary.setText(_summary(self._shown))
        self.codes.clear()
        for code, often in self._shown.codes:
            self.codes.addTopLevelItem(QTreeWidgetItem([str(code), str(often)]))
        if self.chart is not None:
            self.chart.setVisible(bool(self._shown.points))  # axes without a point mislead
            self._draw_chart(self.chart, self._shown)

    def _draw_chart(self, chart: Chart, found: Statistics) -> None:
        chart.setAccessibleName(tr("Durations over time"))
        chart.show_dots([self._dots(found, group) for group in _GROUPS])

    def _dots(self, found: Statistics, group: str) -> Dots:
        from app.desktop.widgets.charts import Dots

        points = [each for each in found.points if _group(each.status) == group]
        return Dots(
            look_of(group).colour(self._theme.dark),
            "x" if group == "failed" else "o" if group == "succeeded" else "s",
            [each.started for each in points],
            [each.seconds for each in points],
            [each.instance for each in points],
        )


def _group(status: str) -> str:
    if status in INSTANCE_BAD:
        return "failed"
    return "succeeded" if status == "succeeded" else "cancelled"


def _summary(found: Statistics) -> str:
    lines = [
        tr("The last {n} runs of what is shown", n=found.runs),
        tr("{share} % of those that ended went wrong", share=f"{found.failures * 100:.1f}"),
    ]
    if found.median is not None:
        lengths = {"median": length_text(found.median), "most": length_text(found.longest)}
        lines.append(tr("Usually {median}, at most {most}", **lengths))
    return "\n".join(lines)
