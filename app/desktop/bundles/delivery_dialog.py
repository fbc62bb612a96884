"""A delivery: what it brings, what stands against it, what it needs; brought in whole, taken back whole."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QTabWidget, QWidget

from app import wiring
from app.desktop.bundles.work import WorkDialog, add_row, code_box, plain, table
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated, trn
from app.desktop.kernel.long_task import Cancelled, Report
from engine.runtime.clock import SystemClock

_CHOICES = ("", "take", "keep")


class DeliveryDialog(WorkDialog):
    """The delivery at ``paths``. ``record`` is what was brought in."""

    def __init__(self, console: Console, paths: Sequence[Path], parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self._paths = [Path(each) for each in paths]
        self._clock = SystemClock()
        self._found: Any = None
        self._take: dict[Any, str] = {}
        self._map: dict[Any, str] = {}
        self.record: Any = None
        self.head = plain()
        self.tabs = QTabWidget()
        self.diffs = code_box(console, read_only=True)
        self.conflicts = table((120, 220, 220))
        self.missing = table((120, 220, 220))
        self.bring_button = self.add_action(self.bring_in)
        self.undo_button = self.add_action(self.undo)
        self.undo_button.hide()
        self._fill()
        self.missing.itemChanged.connect(self._map_name)
        translated(self, self._retranslate)
        self.look()

    def _fill(self) -> None:
        self.resize(820, 600)
        self.body.addWidget(self.head)
        for page in (self.diffs, self.conflicts, self.missing):
            self.tabs.addTab(page, "")
        self.body.addWidget(self.tabs, 1)

    def _retranslate(self) -> None:
        self.setWindowTitle(tr("A delivery"))
        for i, text in enumerate((tr("What changes"), tr("Conflicts"), tr("What is missing here"))):
            self.tabs.setTabText(i, text)
        self.diffs.setAccessibleName(tr("What changes"))
        self.conflicts.setHeaderLabels([tr("Kind"), tr("Name"), tr("Decision")])
        self.missing.setHeaderLabels([tr("Kind"), tr("Name"), tr("Use instead")])
        self.bring_button.setText(tr("&Bring it in"))
        self.undo_button.setText(tr("&Take it back…").rstrip("…"))

    # work

    def _decisions(self) -> Any:
        from export_import.delivery.importing import Decisions

        take = frozenset(key for key, choice in self._take.items() if choice == "take")
        keep = frozenset(key for key, choice in self._take.items() if choice == "keep")
        return Decisions(take=take, keep=keep, names=dict(self._map))

    def _arrival(self, decisions: Any) -> Any:
        from export_import.delivery.importing import arrival, open_delivery
        from export_import.keys import Keys

        bundle = open_delivery(self._paths, Keys(self.console.workspace, self._clock), self._clock)
        with closing(wiring.open_reader(self.console.workspace)) as store:
            return arrival(bundle, store, decisions)

    def look(self) -> None:
        """See what it brings, with what was decided so far."""
        decisions = self._decisions()
        self.begin(lambda report, cancelled: self._arrival(decisions), self._show)

    def bring_in(self) -> None:
        """All of it or nothing."""
        from export_import.delivery.importing import bring_in

        decisions, root = self._decisions(), self.console.workspace

        def work(report: Report, cancelled: Cancelled) -> Any:
            return bring_in(self._arrival(decisions), self.console.link.service(), root, decisions)

        self.begin(work, self._brought)

    def undo(self) -> None:
        """As it was before."""
        id = str(self.record["id"])
        service = self.console.link.service
        self.begin(lambda report, cancelled: service().take_back(id, tr("taken back")), self._undone)

    # what is shown

    def _show(self, found: Any) -> None:
        self._found = found
        told = {"title": found.delivery.title, "signer": found.signer}
        self.head.setText(tr("{title}\nSigned by {signer}", **told) + f"\n{found.delivery.letter}")
        blocks = ["\n".join([f"{each.kind} {each.id}", *each.lines]) for each in found.diffs]
        self.diffs.setPlainText("\n\n".join(blocks) or tr("Nothing changes: all of it is here already."))
        self._show_conflicts(found)
        self._show_missing(found)
        waiting = [key for key in found.conflicts if not self._take.get(key)]
        text = trn(len(waiting), "{n} conflict is to be decided", "{n} conflicts are to be decided")
        self.said.setText(text if waiting else "")

    def _show_conflicts(self, found: Any) -> None:
        self.conflicts.clear()
        for key in dict.fromkeys((*found.conflicts, *self._take)):
            item = add_row(self.conflicts, *key, "")
            box = QComboBox()
            for choice, text in zip(
                _CHOICES, (tr("decide…"), tr("take the new one"), tr("keep ours")), strict=True
            ):
                box.addItem(text, choice)
            box.setCurrentIndex(_CHOICES.index(self._take.get(key, "")))
            box.activated.connect(partial(self._decide, key, box))
            self.conflicts.setItemWidget(item, 2, box)

    def _decide(self, key: Any, box: QComboBox, _index: int) -> None:
        self._take[key] = str(box.currentData())
        self.look()

    def _show_missing(self, found: Any) -> None:
        self.missing.clear()
        for each in found.missing:
            name = (each.kind, each.name)
            item = add_row(self.missing, *name, self._map.get(name, ""), data=name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)

    def _map_name(self, item: Any, column: int) -> None:
        name, text = item.data(0, Qt.ItemDataRole.UserRole), item.text(2).strip()
        if column == 2 and text and self._map.get(tuple(name)) != text:
            self._map[tuple(name)] = text
            self.look()

    def _brought(self, record: Any) -> None:
        self.record = record
        self.bring_button.hide()
        self.undo_button.show()
        self.said.setText(tr("The delivery is in place."))

    def _undone(self, record: Any) -> None:
        self.undo_button.hide()
        self.said.setText(tr("The delivery is taken back."))
