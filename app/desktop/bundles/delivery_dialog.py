"""A delivery: what it brings, what it conflicts with, what it needs; brought in whole, taken back whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from app import wiring
from app.desktop.bundles.bundle_dialog import add_row, keys_at, kind_word, signed_by
from app.desktop.bundles.package_dialog import PackageDialog
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, trn
from app.desktop.kernel.worker_thread import Cancelled, Report
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import holder, plain, tree, worded
from app.desktop.widgets.questions import Asking
from export_import.delivery.decisions import Decisions
from export_import.delivery.importing import arrival, bring_in, known_here, open_delivery

_CHOICES = ("", "take", "keep", "rename")
_INSTEAD = 3  # the column for another name


class DeliveryDialog(PackageDialog):
    """The delivery at ``paths``. ``record`` is what was brought in."""

    undone = "The delivery is taken back."

    def __init__(self, console: Console, paths: Sequence[Path], parent: QWidget | None = None) -> None:
        super().__init__(console, paths, "A delivery", "What changes", parent)
        self._found: Any = None
        self._take: dict[Any, str] = {}
        self._map: dict[Any, str] = {}
        self._rename: dict[Any, str] = {}
        self.conflicts = tree(
            "Conflicts", ("Kind", "Name", "Decision"), widths=(120, 220, 220), empty="No conflicts."
        )
        columns = ("Kind", "Name", "Used by", "Use instead")
        self.missing = tree(
            "What is missing here", columns, widths=(120, 220, 180, 220), empty="Nothing is missing here."
        )
        self.allow = worded(QCheckBox(), "Bring it in although names are missing")
        self.older = worded(QCheckBox(), "Replace what a later delivery brought")
        self.try_button = self.add_action(
            "&Try without changing anything", lambda: self.bring_in(dry_run=True)
        )
        self.bring_button = self.add_action("&Bring it in", self.bring_in)
        self._fill()
        self.missing.itemChanged.connect(self._map_name)
        for box in (self.allow, self.older):
            box.toggled.connect(lambda _: self.look())
        self.look()

    def _fill(self) -> None:
        hint = worded(plain(), "Double-click in the last column to give the name that is used here.")
        lacking = holder(vbox(hint, (self.missing, 1), self.allow, margins=0))
        pages = {"What changes": self.diffs, "Conflicts": self.conflicts, "What is missing here": lacking}
        self.lay_out("A delivery", pages)
        self.body.addWidget(self.older)
        self.older.hide()

    # work

    def _decisions(self) -> Any:
        take = frozenset(key for key, choice in self._take.items() if choice == "take")
        keep = frozenset(key for key, choice in self._take.items() if choice == "keep")
        rename = {key: self._rename[key] for key, choice in self._take.items() if choice == "rename"}
        return Decisions(take, keep, rename, dict(self._map), self.allow.isChecked(), self.older.isChecked())

    def _arrival(self, decisions: Any) -> Any:
        root = self.console.workspace
        keys = keys_at(root)
        bundle = open_delivery(self.paths, keys, self.clock)
        with closing(wiring.open_reader(root)) as store:
            known = known_here(wiring.open_vault(wiring.open_workspace(root)), store)
            key = keys.trusted_key(bundle.signer or "")
            return arrival(bundle, store, decisions, known, now=self.clock.now(), key=key, paths=self.paths)

    def look(self) -> None:
        """See what it brings, with what was decided so far."""
        decisions = self._decisions()
        self.begin(lambda report, cancelled: self._arrival(decisions), self._show)

    def bring_in(self, *, dry_run: bool = False) -> None:
        """All of it or nothing; ``dry_run`` only tells whether it could be."""
        decisions, root = self._decisions(), self.console.workspace
        seen = self._found.seen if self._found is not None else None

        def work(report: Report, cancelled: Cancelled) -> Any:
            found, service = self._arrival(decisions), self.console.link.service()
            return bring_in(found, service, root, decisions, dry_run=dry_run, seen=seen)

        self.begin(work, lambda record: self._brought(record, dry_run))

    # what is shown

    def _show(self, found: Any) -> None:
        self._found = found
        payload = {"title": found.delivery.title, "signer": signed_by(found.signer, self.console)}
        nothing = tr("Nothing changes: all of it is here already.")
        head = tr("{title}\nSigned by {signer}", **payload)
        self.show_changes(head, found.delivery.letter, found.diffs, nothing)
        self.show_effects(found.effects)
        self._show_conflicts(found)
        self._show_missing(found)
        self.older.setVisible(bool(found.newer))
        self.said.setText("\n".join(self._open_questions(found)))

    def show_error(self, error: Exception) -> None:
        super().show_error(error)
        if self._found is None:
            for button in (self.try_button, self.bring_button):
                button.setEnabled(False)

    def _open_questions(self, found: Any) -> Iterator[str]:
        if n := len([key for key in found.conflicts if not self._take.get(key)]):
            yield trn(n, "{n} conflict is to be decided", "{n} conflicts are to be decided")
        for kind, name in found.newer if not self.older.isChecked() else ():
            text = "It is older: a later delivery has brought {kind} {name} here already"
            yield tr(text, kind=kind_word(kind), name=name)
        for each in found.missing if not self.allow.isChecked() else ():
            yield tr("Missing here: {kind} {name}", kind=kind_word(each.kind), name=each.name)

    def _show_conflicts(self, found: Any) -> None:
        self.conflicts.clear()
        for key in dict.fromkeys((*found.conflicts, *self._take)):
            item = add_row(self.conflicts, kind_word(key[0]), key[1], "")
            box = QComboBox()
            new = self._rename.get(key)
            texts = (
                tr("decide…"),
                tr("take the new one"),
                tr("keep ours"),
                tr("take it as {name}", name=new) if new else tr("take it under another name…"),
            )
            for choice, text in zip(_CHOICES, texts, strict=True):
                box.addItem(text, choice)
            box.setCurrentIndex(_CHOICES.index(self._take.get(key, "")))
            box.activated.connect(partial(self._decide, key, box))
            self.conflicts.setItemWidget(item, 2, box)

    def _decide(self, key: Any, box: QComboBox, _index: int) -> None:
        choice = str(box.currentData())
        if choice == "rename":
            self._ask_name(key)
            choice = choice if self._rename.get(key) else ""
        self._take[key] = choice
        self.look()

    def _ask_name(self, key: Any) -> None:
        title = tr("take it under another name…").rstrip("…")
        asking = Asking(self, title, " ".join(key), tr("Use this name"))
        name = asking.line(tr("Name"), self._rename.get(key, ""), needed=True)
        if asking.wanted:
            self._rename[key] = name.text().strip()

    def _show_missing(self, found: Any) -> None:
        """Names as the author has them, also those for which another one was given."""
        given = {(kind, here): name for (kind, name), here in self._map.items()}
        rows = dict.fromkeys(self._map, "")
        for each in found.missing:
            kind, _, user = each.used_by.partition(" ")
            rows[each.kind, given.get((each.kind, each.name), each.name)] = f"{kind_word(kind)} {user}"
        self.missing.clear()
        for name, used_by in rows.items():
            item = add_row(
                self.missing, kind_word(name[0]), name[1], used_by, self._map.get(name, ""), data=name
            )
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)

    def _map_name(self, item: Any, column: int) -> None:
        name, text = tuple(item.data(0, Qt.ItemDataRole.UserRole)), item.text(_INSTEAD).strip()
        if column == _INSTEAD and self._map.get(name, "") != text:
            self._map[name] = text
            if not text:
                del self._map[name]
            self.look()

    def _brought(self, record: Any, dry_run: bool) -> None:
        if dry_run:
            return self.said.setText(tr("It could be brought in. Nothing was changed."))
        self.show_brought_in(record, self.try_button, self.bring_button)
        return self.said.setText(tr("The delivery is in place."))
