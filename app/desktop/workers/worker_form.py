"""The assistant that adds a worker behind SSH, or changes one; what is refused keeps it open at its field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtWidgets import QCheckBox, QWidget

from app import wiring
from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import error_line
from app.desktop.widgets.layouts import resize_within_screen
from app.desktop.widgets.pane_widgets import button
from app.desktop.widgets.questions import Asking
from app.desktop.workers.host_keys import Vouching
from app.desktop.workers.worker_fields import WorkerFields
from engine.api.service import Service
from engine.model.codes import secrets as secret_codes
from engine.model.codes import ssh, workers
from engine.model.errors import SkerryError

_OF_ROOT = (ssh.ROOT_FOREIGN, ssh.ROOT_FULL, ssh.ROOT_NOEXEC, ssh.ROOT_READ_ONLY)
_SIZE = (620, 640)  # pixels
_ADD = (
    "Nothing is installed there: the host needs Linux, sh and a login by SSH. "
    "Jobs run as the user of that login."
)


class WorkerForm(Asking):
    """``done`` brings the name once everything is registered, and trusted if a connection was tried."""

    def __init__(
        self,
        console: Console,
        parent: QWidget,
        done: Callable[[str], None],
        found: Mapping[str, Any] | None = None,
    ) -> None:
        if found is None:
            title, text, do = tr("Add a worker"), tr(_ADD), tr("Add")
        else:
            title, text, do = tr("Change the worker {name}", name=found["name"]), "", tr("Change")
        super().__init__(parent, title, text, do, tall=True)
        self._console, self._new, self._then = console, found is None, done
        self._vouched: dict[str, str] = {}  # fingerprints by address: what the person has vouched for
        self.fields = WorkerFields(self, _secrets(console), found)
        self.text.setVisible(bool(text))
        self.attempt = self._go
        if self.fields.remote:
            self._add_test()
        resize_within_screen(self, *_SIZE)

    def _add_test(self) -> None:
        text = tr("Without a connection now: it takes no jobs until its key is trusted")
        self.untested = QCheckBox(text, self)
        self.untested.setVisible(self._new)
        if self._new:
            self.add("", self.untested)
            self.untested.setAccessibleName(self.untested.text())
        self.test = button("Test the connection", self._test)
        self.test.setAutoDefault(False)
        self.buttons.addButton(self.test, self.buttons.ButtonRole.ActionRole)

    # -- one step after the other --------------------------------------------------------------

    def _test(self) -> None:
        self._vouch(self._tested)

    def _tested(self) -> None:
        self._free()
        self.inform(tr("The connection works: {address} lets the user in.", address=self.fields.ssh))

    def _go(self) -> None:
        if not self.fields.remote or (self._new and self.untested.isChecked()):
            if self._valid():
                self._register({})
        else:
            self._vouch(lambda: self._register(self._vouched))

    def _vouch(self, done: Callable[[], None]) -> None:
        """Have every key on the way vouched for, and log in."""
        if not self._valid():
            return
        self._busy()
        Vouching(
            self._console, self, self._name, self.fields.request(), new=self._new, done=done,
            failed=self._refused, left=self._not_trusted, vouched=self._vouched,
        ).begin()  # fmt: skip

    def _register(self, vouched: Mapping[str, str]) -> None:
        """Written down at last; trusted with the keys that a person has seen."""
        name, request, new, vouched = self._name, self.fields.request(), self._new, dict(vouched)
        self._busy()

        def work(service: Service) -> None:
            (service.add_worker if new else service.set_worker)(name, request)
            if vouched:
                service.trust_worker(name, None, vouched)

        self._console.link.ask(work, lambda _: self._registered(), owner=self, failed=self._refused)

    def _registered(self) -> None:
        self.done(self.DialogCode.Accepted.value)
        self._then(self._name)

    # -- what stops it ---------------------------------------------------------------------------

    def _valid(self) -> bool:
        found = self.fields.refused()
        if found is not None:
            self.refuse(error_line(found[1]), found[0])
        return found is None

    def _refused(self, error: SkerryError) -> None:
        self._free()
        self.refuse(error_line(error), self._field_of(error))

    def _not_trusted(self) -> None:
        self._free()
        self.refuse(tr("Its key is not trusted, so nothing is sent there."), self.fields.host)

    def _field_of(self, error: SkerryError) -> QWidget:
        """The field that the refusal is about; that of the host for all that concerns the way."""
        fields = self.fields
        if not fields.remote:
            return fields.slots
        where = error.where or ""
        if where and any(where.endswith(each) for each in fields.jumps.text().replace(",", " ").split()):
            return fields.jumps
        login = fields.key if fields.login.currentData() == "key" else fields.login
        known: dict[object, QWidget] = {
            workers.WORKER_EXISTS: fields.name if fields.name.isEnabled() else fields.host,
            workers.KEY_MISSING: fields.key,
            workers.KEY_READABLE: fields.key,
            ssh.KEY_UNUSABLE: fields.key,
            ssh.LOGIN_REFUSED: fields.user if fields.login.currentData() == "agent" else login,
            secret_codes.SECRET_UNKNOWN: fields.password,
            secret_codes.VAULT_LOCKED: fields.password,
            **dict.fromkeys(_OF_ROOT, fields.root),
        }  # fmt: skip
        return known.get(error.entry, fields.host)

    @property
    def _name(self) -> str:
        return self.fields.name.text().strip()

    def _busy(self) -> None:
        self.do.setEnabled(False)
        self.problem.setVisible(False)
        if self.fields.remote:
            self.test.setEnabled(False)
            self.inform(tr("Connecting to {address}…", address=self.fields.ssh))

    def _free(self) -> None:
        self.inform("")
        self._judge()
        if self.fields.remote:
            self.test.setEnabled(True)


def _secrets(console: Console) -> Sequence[str]:
    """The names of the secrets that are stored."""
    return wiring.open_vault(wiring.open_workspace(console.workspace)).names()
