"""Two runs beside each other: what differs is marked, what always differs is out of the way."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QBrush, QColor, QFont
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QPlainTextEdit,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.link import Link, Request
from app.desktop.kernel.reasons import error_line
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.times import length_text, time_text
from app.desktop.kernel.visible_text import visible
from app.desktop.run.compare import Pair, RunComparison, Which, compared
from app.desktop.widgets.layouts import resize_within_screen, vbox
from app.desktop.widgets.pane_widgets import fixed_font, line, named, plain, row, tree, worded
from app.desktop.widgets.reading_order import ReadingDialog
from engine.api.documents import InstanceQuery, RunDocument, Summary
from engine.model.errors import SkerryError
from export_import.desk.comparing import Duration

_SECTIONS = (
    ("status", "Outcome"),
    ("definition", "Definition"),
    ("params", "Parameters"),
    ("results", "Results"),
    ("context", "Context"),
    ("durations", "Durations"),
    ("environment", "Environment"),
)
_MOST = 5000  # rows of a section that are shown


class CompareDialog(ReadingDialog):
    """Compares two instances of a task, or two runs of one."""

    def __init__(
        self, console: Console, link: Link, left: Which, right: Which, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._console, self._link = console, link
        self.found: RunComparison | None = None
        self._request: Request | None = None
        self.left, self.right = named(QComboBox(), "Left run"), named(QComboBox(), "Right run")
        self.only = worded(QCheckBox(), "Only what differs")
        self.only.setChecked(True)
        self.tabs = QTabWidget()
        self.said = plain()
        self.diff = named(QPlainTextEdit(readOnly=True), "Difference of the definitions")
        self.tables: dict[str, QTreeWidget] = {}
        self._lay_out()
        resize_within_screen(self, 940, 620)
        self.only.toggled.connect(lambda _: self._fill())
        for box, which in ((self.left, left), (self.right, right)):
            box.addItem(_name(which), which)
            box.activated.connect(lambda _: self.read())
        translated(self, self._word)
        self.read()
        self._link.ask(lambda s: (s.instance(left[0]), s.instance(right[0])), self._know, owner=self)

    def _lay_out(self) -> None:
        self.diff.setFont(fixed_font())
        for key, _ in _SECTIONS:
            if key == "definition":
                self.tabs.addTab(self.diff, "")
                continue
            durations = ("Job", "Left", "Right", "Times as long")
            names = durations if key == "durations" else ("Value", "Left", "Right")
            self.tables[key] = tree("Comparison", names, stretch=1, empty="Nothing was compared yet.")
            self.tables[key].header().setSectionResizeMode(2, self.tables[key].header().ResizeMode.Stretch)
            self.tables[key].header().resizeSection(0, 280)
            self.tabs.addTab(self.tables[key], "")
        head = line(self.left, plain("↔", wrap=False), self.right, self.only)
        vbox(head, self.said, (self.tabs, 1), inside=self, margins=10, spacing=6)

    def _word(self) -> None:
        self.setWindowTitle(tr("Compare two runs"))
        self._fill()

    # -- reading -------------------------------------------------------------------------------

    def _know(self, both: tuple[RunDocument, RunDocument]) -> None:
        """Every run of both instances, and the other instances of the task, can be chosen."""
        choices: list[Which] = []
        for run in both:
            choices += [(run["instance"], number) for number in range(run["run"], 0, -1)]
        task = both[0]["task"]

        def add(others: Sequence[Summary]) -> None:
            more = [(each["instance"], each["run"]) for each in others]
            for box in (self.left, self.right):
                self._offer(box, list(dict.fromkeys((*choices, *more))), others)

        self._link.ask(lambda s: s.instances(InstanceQuery(task=task, limit=100)), add, owner=self)

    def _offer(self, box: QComboBox, choices: Sequence[Which], known: Sequence[Summary]) -> None:
        instance, run = box.currentData()
        payload = {each["instance"]: each for each in known}
        if run is None and instance in payload:
            run = payload[instance]["run"]
        box.clear()
        for which in choices:
            each = payload.get(which[0])
            more = ""
            if each is not None and which[1] == each["run"]:
                more = f" · {tr(look_of(each['status']).word)} · {time_text(each['started_at'])}"
            box.addItem(_name(which) + more, which)
        box.setCurrentIndex(max(0, next((i for i, each in enumerate(choices) if each == (instance, run)), 0)))

    def read(self) -> None:
        """Read both sides and compare them."""
        if self._request is not None:
            self._request.cancel()
        left, right = self.left.currentData(), self.right.currentData()
        self.said.setText(tr("Reading…"))
        self._request = self._link.ask(
            lambda service: compared(service, left, right),
            self._show,
            owner=self,
            failed=self._failed,
        )

    def _failed(self, error: SkerryError) -> None:
        """What was compared before is not what was asked for."""
        self.found = None
        self._fill()
        self.said.setText(visible(error_line(error)))

    def _show(self, found: RunComparison) -> None:
        self.found = found
        self._fill()
        first = next((at for at, (key, _) in enumerate(_SECTIONS) if found.differing(key)), None)
        if first is not None and not found.differing(_SECTIONS[self.tabs.currentIndex()][0]):
            self.tabs.setCurrentIndex(first)

    # -- showing -------------------------------------------------------------------------------

    def _fill(self) -> None:
        found = self.found
        for at, (key, title) in enumerate(_SECTIONS):
            number = found.differing(key) if found is not None else 0
            self.tabs.setTabText(at, f"{tr(title)} ({number})" if number else tr(title))
        if found is None:
            self.diff.clear()
            for table in self.tables.values():
                table.clear()
            return
        differ = [tr(title) for key, title in _SECTIONS if found.differing(key)]
        self.said.setText(
            tr("They differ in: {parts}", parts=", ".join(differ)) if differ else tr("They do not differ.")
        )
        self.diff.setPlainText(visible("\n".join(found.definition)) or tr("The definitions are the same."))
        for key, table in self.tables.items():
            table.clear()
            items = [item for each in getattr(found, key) if (item := self._item(each)) is not None]
            table.addTopLevelItems(items[:_MOST] or [row((tr("Nothing differs here."),))])

    def _item(self, each: Pair | Duration) -> QTreeWidgetItem | None:
        if isinstance(each, Duration):
            return self._duration(each)
        marked = each.differs and not each.expected
        if self.only.isChecked() and not marked:
            return None
        absent = tr("(nothing)")
        item = row((each.name, *(absent if side is None else side for side in (each.left, each.right))))
        return self._marked(item) if marked else item

    def _duration(self, each: Duration) -> QTreeWidgetItem:
        ratio = "" if each.ratio is None else f"{each.ratio:.2f}"
        name = each.node or tr("The whole run")
        item = row((name, length_text(each.a), length_text(each.b), ratio))
        return self._marked(item) if each.notable else item

    def _marked(self, item: QTreeWidgetItem) -> QTreeWidgetItem:
        font = QFont(self.font())
        font.setBold(True)
        for at in range(item.columnCount()):
            item.setFont(at, font)
            item.setForeground(at, QBrush(QColor(self._console.theme.colours.warning)))
        return item


def _name(which: Which) -> str:
    instance, run = which
    return f"#{instance}" if run is None else tr("#{instance}, run {run}", instance=instance, run=run)
