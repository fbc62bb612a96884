"""Our own keys and those of others: shown, compared, trusted, revoked, renewed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QInputDialog,
    QMessageBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.desktop.bundles.work import add_row, plain, table
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.times import local
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock


class KeysPage(QWidget):
    """A page of the Admin mode."""

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self.own = plain()
        self.list = table((180, 100, 380, 160))
        self.said = plain()
        self.give = QPushButton()
        self.rotate_button = QPushButton()
        self.trust_button = QPushButton()
        self.revoke_button = QPushButton()
        self._lay_out()
        self.give.clicked.connect(self._ask_card)
        self.rotate_button.clicked.connect(self._ask_rotate)
        self.trust_button.clicked.connect(self._ask_trust)
        self.revoke_button.clicked.connect(self._ask_revoke)
        translated(self, self._retranslate)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.addWidget(self.own)
        column.addLayout(_row(self.give, self.rotate_button))
        column.addWidget(self.list, 1)
        column.addLayout(_row(self.trust_button, self.revoke_button))
        column.addWidget(self.said)

    def _retranslate(self) -> None:
        self.give.setText(tr("Save our key card…"))
        self.rotate_button.setText(tr("Take new keys…"))
        self.trust_button.setText(tr("Trust a key card…"))
        self.revoke_button.setText(tr("Revoke the selected key…"))
        self.list.setHeaderLabels([tr("Name"), tr("Standing"), tr("Fingerprint"), tr("Since")])
        self.list.setAccessibleName(tr("Keys of others"))
        self.refresh()

    def refresh(self) -> None:
        """Read them anew; our own are made when there are none."""
        self.own.setText(
            tr(
                "Our own fingerprint, to be compared by telephone or in person:\n{fingerprint}",
                fingerprint=self._keys().fingerprint,
            )
        )
        self.list.clear()
        for key in self._keys().trusted():
            add_row(self.list, key.name, _standing(key), key.id, local(key.added_at), data=key.id)

    # what is done

    def save_card(self, path: Path) -> None:
        """Write the card that others need to trust us."""
        self._do(
            lambda: path.write_bytes(self._keys().card()), tr("The key card is saved: {path}", path=path)
        )

    def trust(self, path: Path) -> None:
        """Believe the key of a card from now on."""
        self._do(
            lambda: self._keys().trust(path.read_bytes()),
            tr("Compare its fingerprint with its owner before you rely on it."),
        )

    def revoke(self, key: str, reason: str) -> None:
        """Never believe it again."""
        self._do(lambda: self._keys().revoke(key, reason), tr("The key is revoked."))

    def rotate(self) -> None:
        """New keys; the old ones still open what was written to them."""
        self._do(self._keys().rotate, tr("There are new keys: give the new card to the others."))

    def _do(self, what: Callable[[], Any], done: str) -> None:
        try:
            what()
            self.said.setText(done)
        except SkerryError as error:
            self.said.setText(f"{error.code}: {error.message}")
        except OSError as error:
            self.said.setText(str(error))
        self.refresh()

    def _ask_card(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(self, tr("Save our key card…"), "skerry-key.json")
        if chosen:
            self.save_card(Path(chosen))

    def _ask_trust(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, tr("Trust a key card…"))
        if chosen:
            self.trust(Path(chosen))

    def _ask_revoke(self) -> None:
        item = self.list.currentItem()
        if item is None:
            self.said.setText(tr("Select a key first."))
            return
        reason, given = QInputDialog.getText(self, tr("Revoke the selected key…"), tr("Reason"))
        if given and reason.strip():
            self.revoke(str(item.data(0, Qt.ItemDataRole.UserRole)), reason.strip())

    def _ask_rotate(self) -> None:
        question = tr("Take new keys? Everybody who trusts this site needs the new card.")
        answer = QMessageBox.question(self, tr("Take new keys…"), question)
        if answer == QMessageBox.StandardButton.Yes:
            self.rotate()

    def _keys(self) -> Any:
        from export_import.keys import Keys

        return Keys(self._console.workspace, SystemClock())


def _standing(key: Any) -> str:
    if key.revoked_at:
        return tr("revoked")
    return tr("replaced") if key.replaced_by else tr("trusted")


def _row(*buttons: QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    for button in buttons:
        row.addWidget(button)
    row.addStretch()
    return row
