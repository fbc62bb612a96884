"""What a fix is called, what it says, what it runs again, for whom it is and where it goes."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QLineEdit, QPlainTextEdit, QSpinBox, QWidget

from app.desktop.bundles.bundle_dialog import recipients
from app.desktop.bundles.removable import LAST, medium, mounted, place_for
from app.desktop.kernel.console import Console
from app.desktop.kernel.dropped_files import Takes, takes_files
from app.desktop.kernel.language import tr, translated
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import button, choices, form, holder, plain
from app.desktop.widgets.questions import open_on
from engine.runtime.clock import SystemClock

_MODES = {"failed": "What failed", "all": "Everything", "none": "Nothing"}


class FixPage(QWidget):
    """``root`` is the desk's own workspace, ``site`` the fingerprint of who sent the case."""

    def __init__(self, console: Console, root: Path, instance: int, site: str | None) -> None:
        super().__init__()
        self._console, self._site = console, site
        self._suggested = ""
        self.title, self.letter = QLineEdit(), QPlainTextEdit()
        self.letter.setTabChangesFocus(True)
        self.again = choices(_MODES)
        self.recipient = recipients(root)
        self.recipient.setCurrentIndex(max(0, self.recipient.findData(site)))
        self.warning = plain()
        self.days = QSpinBox()
        self.days.setRange(1, 3650)
        self.days.setValue(30)
        place = place_for(console, root, medium(mounted()))
        self.target = QLineEdit(str(place / f"fix-{instance}-{SystemClock().now():%Y%m%d-%H%M%S}.skerry"))
        takes_files(self.target, Takes.PATH)
        self._lay_out()
        self.recipient.currentIndexChanged.connect(lambda _: self._warn())
        translated(self, self._word)

    def _lay_out(self) -> None:
        choose = button("Choose…", self._choose)
        choose.setAutoDefault(False)  # Enter writes the fix
        where = holder(hbox((self.target, 1), choose, margins=0))
        whom = holder(vbox(self.recipient, self.warning, margins=0, spacing=2))
        self.setLayout(form(
            ("Title", self.title), ("Letter", self.letter), ("Run again", self.again),
            ("For", whom), ("Good for days", self.days), ("Write to", where),
        ))  # fmt: skip

    @property
    def good_for(self) -> timedelta:
        return timedelta(days=self.days.value())

    def open(self, title: str) -> None:
        """Begin with the title: what is suggested, until a person has written another one."""
        if self.title.text() in ("", self._suggested):
            self.title.setText(title)
        self._suggested = title
        open_on(self.title)

    def keep_place(self, path: Path) -> None:
        """The next bundle goes where this fix went."""
        self._console.settings.set(LAST, str(path.parent))

    def _choose(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(self, tr("Write the fix to"), self.target.text())
        if chosen:
            self.target.setText(chosen)

    def _warn(self) -> None:
        lines = []
        if self.recipient.findData(self._site) < 0:
            lines.append(tr("The key of the site that sent the case is not trusted here: ask for its card."))
        if not self.recipient.currentData():
            lines.append(tr("It is not encrypted: whoever finds the stick can read it."))
        self.warning.setText("\n".join(lines))
        self.warning.setVisible(bool(lines))

    def _word(self) -> None:
        self.letter.setPlaceholderText(tr("What happened, and what this fix does, in plain words"))
        self.recipient.setAccessibleName(tr("For"))
        self._warn()
