"""Secrets: their names, set and removed; a value is typed unseen and never shown."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QLineEdit, QWidget

from app import wiring
from app.desktop.bundles.bundle_dialog import code_text
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import error_line
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import button, plain, worded
from app.desktop.widgets.questions import Asking, confirm
from app.desktop.widgets.table import Row, TableColumn, TableView
from engine.api.documents import Document
from engine.api.service import Service
from engine.model.codes.secrets import VAULT_ALTERED, VAULT_OLDER
from engine.model.errors import SkerryError
from engine.model.message import Message

COLUMNS = (TableColumn("Name", lambda row: str(row["name"]), 0),)
_REMEDY = Message.of("put the latest file back, or accept this one with the button")


class SecretsPage(QWidget):
    """Works on the workspace's vault; what unlocks it is asked for once."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        self._vault = wiring.open_vault(wiring.open_workspace(console.workspace))
        self.table = TableView(console, "Secrets", COLUMNS, lambda row: row["name"], self)
        self.table.empty.say("No secrets are stored.")
        head = "Encrypted in the workspace. The engine opens them with SKERRY_PASSPHRASE or SKERRY_KEY_FILE."
        self.set, self.remove = button("Set…", self._set), button("Remove…", self._remove)
        self.unlock, self.accept = button("Unlock…", self._unlock), button("Accept…", self._accept)
        self.altered = plain()
        self.closed = worded(plain(), "The engine cannot read them yet: jobs that use a secret fail.")
        self.table.looked_at.connect(self._enable)
        row = hbox((worded(plain(), head), 1), self.set, self.remove)
        state = hbox((self.closed, 1), self.unlock)
        change = hbox((self.altered, 1), self.accept)
        vbox(row, state, change, (self.table, 1), inside=self)
        self._show_altered("")
        self.refresh()

    def refresh(self) -> None:

        def look(service: Service) -> tuple[tuple[str, ...], Document]:
            return self._vault.names(), service.secrets()

        self._console.link.ask(look, self._came, owner=self)

    def _came(self, found: tuple[tuple[str, ...], Document]) -> None:
        names, state = found
        self.table.show_rows([{"name": name} for name in names])
        self._enable(self.table.current)
        for part in (self.closed, self.unlock):
            part.setVisible(bool(state["locked"]))

    def _unlock(self) -> None:
        text = tr(
            "The engine can then read the secrets until it ends; what failed for want of them can be rerun."
        )
        asked = Asking(self, tr("Unlock the secrets"), text, tr("Unlock"))
        field = asked.line(tr("Passphrase of the secrets"), needed=True, unseen=True)
        self._carry_out(asked, lambda: lambda: None, field, field)

    def _enable(self, row: Row | None) -> None:
        self.remove.setEnabled(row is not None)

    def _set(self) -> None:
        text = tr(
            "A secret of this name is replaced. Nobody can read the value again but the jobs that use it."
        )
        asked = Asking(self, tr("Set a secret"), text, tr("Keep it"))
        current = self.table.current
        name = asked.line(tr("Name"), str(current["name"]) if current else "", needed=True)
        value = asked.line(tr("Value"), unseen=True)
        asked.begin = value if current else name
        opened = self._passphrase(asked)

        def make() -> Callable[[], object]:
            wanted, typed = name.text().strip(), value.text()
            return lambda: self._vault.set(wanted, typed)

        self._carry_out(asked, make, name, opened)

    def _remove(self) -> None:
        row = self.table.current
        if row is None:
            return
        name = str(row["name"])
        text = tr("The secret {name} is forgotten. Jobs that use it will fail.", name=name)
        if not self._vault.closed:
            if confirm(self, tr("Remove a secret"), text, tr("Remove")):
                ask = self._console.link.ask
                ask(lambda _: self._vault.remove(name), self._done, owner=self, failed=self._failed)
            return
        asked = Asking(self, tr("Remove a secret"), text, tr("Remove"))
        self._carry_out(asked, lambda: lambda: self._vault.remove(name), asked.do, self._passphrase(asked))

    def _accept(self) -> None:
        """A person chooses to go on with what is in the file now; its names are shown before."""
        text = tr("Take the secret file as it is, after it was put back or changed by something else.")
        names = ", ".join(self._vault.names())
        listed = tr("It has: {names}. Store again what is missing or may be outdated.", names=names)
        asked = Asking(self, tr("Accept the secret file"), f"{text}\n\n{listed}", tr("Accept"))
        self._carry_out(asked, lambda: self._vault.accept, asked.do, self._passphrase(asked))

    def _failed(self, error: SkerryError) -> None:
        if not self._offers_to_accept(error):
            self._console.link.failed.emit(error)

    def _offers_to_accept(self, error: SkerryError) -> bool:
        """Whether the file is not what it was: a person may take it as it is."""
        if error.entry not in (VAULT_ALTERED, VAULT_OLDER):
            return False
        said = Message.of(error.message.template, **{**error.message.facts, "remedy": _REMEDY})
        self._show_altered(code_text(error.code, said, self._console))
        return True

    def _words(self, error: SkerryError) -> str:
        return self.altered.text() if self._offers_to_accept(error) else error_line(error)

    def _done(self, _: None) -> None:
        self._show_altered("")
        self.refresh()

    def _show_altered(self, text: str) -> None:
        self.altered.setText(text)
        for part in (self.altered, self.accept):
            part.setVisible(bool(text))

    def _passphrase(self, asked: Asking) -> QLineEdit | None:
        """A further field where the vault is closed; None without it."""
        if not self._vault.closed:
            return None
        new = not self._vault.exists
        label = tr("New passphrase for all secrets") if new else tr("Passphrase of the secrets")
        return asked.line(label, unseen=True)

    def _carry_out(
        self,
        asked: Asking,
        make: Callable[[], Callable[[], object]],
        field: QWidget,
        opened: QLineEdit | None,
    ) -> None:
        """What is wrong is said at the passphrase while the vault is closed, else at ``field``."""

        def call() -> Callable[[Service], None]:
            do, passphrase = make(), opened.text() if opened is not None else None
            return lambda service: self._work(service, do, passphrase)

        at = opened if opened is not None else field
        asked.carry_out(self._console.link, call, self._done, at, self._words)

    def _work(self, service: Service, do: Callable[[], object], passphrase: str | None) -> None:
        """On a worker thread: the engine is given what opens the vault too."""
        if passphrase is not None:
            self._vault.unlock(passphrase=passphrase)
        do()
        if passphrase is not None:
            service.unlock(passphrase)
