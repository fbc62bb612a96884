"""What the dialogs on fixes and deliveries have in common: what they change and do, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QPushButton, QTabWidget, QWidget

from app.desktop.bundles.bundle_dialog import WorkDialog, add_row, kind_word, letter_box
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.link import Link
from app.desktop.kernel.visible_text import visible
from app.desktop.widgets.layouts import resize_within_screen
from app.desktop.widgets.pane_widgets import code_box, named, plain, tabs, tree
from app.desktop.widgets.questions import Asking
from engine.runtime.clock import SystemClock
from export_import.delivery.importing import roll_back

if TYPE_CHECKING:
    from engine.api.service import Service


class PackageDialog(WorkDialog):
    """What lies at ``paths``; ``record`` is that of what was brought in."""

    undone: str  # what is said when it is taken back, an English source text

    def __init__(
        self, console: Console, paths: Sequence[Path], name: str, changes: str, parent: QWidget | None
    ) -> None:
        """``name`` is the title, ``changes`` what the first page shows; both are English source texts."""
        super().__init__(console, parent)
        self.paths = [Path(each) for each in paths]
        self.clock = SystemClock()
        self.record: Any = None
        self.head, self.letter = plain(), plain()
        self.diffs = named(code_box(console.theme, read_only=True), changes)
        columns = ("Definition", "Does", "What")
        widths, none = (220, 200, 340), "Nothing beyond that."
        self.effects = tree("What it does beyond that", columns, widths=widths, empty=none)
        self.tabs: QTabWidget
        self.undo_button: QPushButton
        translated(self, lambda: self.setWindowTitle(tr(name)))

    def lay_out(self, name: str, pages: Mapping[str, QWidget]) -> None:
        """The pages by their titles, that on effects behind them; and the button to take it back."""
        resize_within_screen(self, 820, 620)
        self.body.addWidget(letter_box(self.head, self.letter))
        self.tabs = tabs(name, {**pages, "What it does beyond that": self.effects})
        self.body.addWidget(self.tabs, 1)
        self.undo_button = self.add_action("&Take it back…", self._ask_undo)
        self.undo_button.hide()

    def show_changes(self, head: str, letter: str, diffs: Iterable[Any], nothing: str) -> None:
        """What it is, and how definitions change; ``nothing`` where none does. In the language that is on."""
        self.head.setText(head)
        self.letter.setText(letter)
        self.letter.setVisible(bool(letter))
        changed = ("\n".join([f"{kind_word(each.kind)} {each.id}", *each.lines]) for each in diffs)
        self.diffs.setPlainText(visible("\n\n".join(changed)) or nothing)

    def show_effects(self, found: Sequence[Any]) -> None:
        """What else will run, come online, be read or reached, now or later."""
        words = {
            "node": tr("gets the node"),
            "rule": tr("acts by itself"),
            "online": tr("comes online"),
            "schedule": tr("gets other times or dependencies"),
            "used": tr("changes also for"),
            "secret": tr("reads the secret"),
            "worker": tr("runs on"),
            "group": tr("runs on the group of workers"),
            "reach": tr("may reach"),
        }
        self.effects.clear()
        for each in found:
            add_row(self.effects, visible(each.where), words[each.kind], visible(each.what))
        self.tabs.setTabText(3, tr("What it does beyond that ({n})", n=len(found)))

    def show_error(self, error: Exception) -> None:
        super().show_error(error)
        self.tabs.setVisible(bool(self.head.text()))  # nothing of it was read

    def show_brought_in(self, record: Any, *buttons: QPushButton) -> None:
        """It is done: instead of the ``buttons`` there is the one to take it back."""
        self.record = record
        for each in buttons:
            each.hide()
        self.undo_button.show()

    def _ask_undo(self) -> None:
        root = self.console.workspace
        ask_to_take_back(self, self.console.link, root, self.record, self._show_undone)

    def _show_undone(self, record: Any) -> None:
        self.undo_button.hide()
        self.said.setText(tr(self.undone))


def title_of(record: Mapping[str, Any]) -> str:
    return str((record["origin"] or {}).get("title") or record["id"][:12])


def ask_to_take_back(
    parent: QWidget, link: Link, root: Path, record: Mapping[str, Any], done: Callable[[Any], object]
) -> None:
    """Ask why, and do it; what refuses it is said in the form."""
    asking = Asking(parent, tr("Take it back"), title_of(record), tr("Take it back"))
    reason = asking.line(tr("Reason"), needed=True)

    def make() -> Callable[[Service], object]:
        why = reason.text().strip()
        return lambda service: take_back(service, root, record, why)

    asking.carry_out(link, make, done, reason)


def take_back(service: Service, root: Path, record: Mapping[str, Any], reason: str) -> object:
    """Take back a fix or a delivery; the reason stays with it. On a worker thread."""
    id = str(record["id"])
    if record["kind"] == "delivery":
        return roll_back(service, root, id, reason)
    return service.take_back(id, reason)
