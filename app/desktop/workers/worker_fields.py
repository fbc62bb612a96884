"""The fields of a worker, as a person fills them, and the request that they make; no engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QWidget,
)

from app.desktop.kernel.dropped_files import Takes, takes_files
from app.desktop.kernel.language import tr
from app.desktop.widgets.pane_widgets import button, choices
from app.desktop.widgets.questions import Asking
from engine.model.codes.workers import WORKER_INVALID
from engine.model.errors import Invalid
from engine.model.worker import PORT, Worker
from engine.model.worker_request import (
    MOST_SLOTS,
    WorkerRequest,
    address,
    changed,
    worker_name,
)

_LABELS_HEIGHT = 64  # pixels: three lines
_DEFAULT_FENCE = 60
_LOGINS = {"key": "A key file", "agent": "The SSH agent", "password": "A password that is a stored secret"}
_SLOTS = {"auto": "As many as it has cores", "number": "A fixed number"}
_FENCES = {"never": "Never: a job whose host is not reached is waited for",
           "after": "After so many seconds without its engine"}  # fmt: skip
_SECRETS = {
    "refuse": "Not here: nothing masks them there",
    "allow": "Here too: masked when their output arrives",
}
Part = tuple[QWidget, WorkerRequest]


class WorkerFields:
    """Filled from the document of a worker, if it is given; ``local`` has but some of them."""

    def __init__(self, form: Asking, secrets: Sequence[str], found: Mapping[str, Any] | None = None) -> None:
        self.remote = found is None or found["ssh"] is not None
        self._form = form
        self.name = form.line(tr("Name"), found["name"] if found else "", needed=True)
        self.name.setEnabled(found is None)
        if self.remote:
            self._add_way(found)
            self._add_login(secrets, found)
        self._add_slots(found)
        self.groups = form.line(tr("Groups"), ", ".join(found["groups"]) if found else "")
        self.groups.setPlaceholderText(tr("separated by commas; jobs choose workers by them"))
        self._add_labels(found)
        self.application = form.line(tr("Application"), (found["application"] or "") if found else "")
        self.handlers = form.line(tr("Handlers"), ", ".join(found["handlers"]) if found else "")
        self.handlers.setPlaceholderText(tr("names of what that application can do, separated by commas"))
        if self.remote:
            self._add_limits(found)

    @property
    def ssh(self) -> str:
        """``USER@HOST:PORT`` as it is filled in."""
        host, user, port = self.host.text().strip(), self.user.text().strip(), self.port.value()
        shown = f"[{host}]" if ":" in host and not host.startswith("[") else host
        at = f"{user}@{shown}" if user else shown
        return at if port == PORT else f"{at}:{port}"

    def parts(self) -> Iterator[Part]:
        """What each field asks for, alone: so what is refused is known to be that field's."""
        if self.remote:
            yield self.host, WorkerRequest(ssh=self.ssh)
            yield self.jumps, WorkerRequest(jumps=_listed(self.jumps.text()))
            yield self._login_part()
            yield self.root, WorkerRequest(root=self.root.text().strip())
            yield self.fence_after, WorkerRequest(fence=self._fence())
            yield self.secrets, WorkerRequest(secrets=self.secrets.currentData())
        yield self.slots, WorkerRequest(slots=self._slots())
        yield self.groups, WorkerRequest(groups=_listed(self.groups.text()) or [""])
        yield self.labels, WorkerRequest(labels=self.labels.toPlainText().splitlines() or [""])
        yield self.application, WorkerRequest(application=self.application.text().strip())
        yield self.handlers, WorkerRequest(handlers=_listed(self.handlers.text()) or [""])

    def refused(self) -> tuple[QWidget, Invalid] | None:
        """The first field that holds what cannot be, and why."""
        worker = Worker("x") if self.remote else Worker("x", "local")
        try:
            worker_name(self.name.text().strip())
        except Invalid as problem:
            return self.name, problem
        for field, request in self.parts():
            try:
                changed(worker, request)
            except Invalid as problem:
                return field, problem
        return self._login_missing() if self.remote else None

    def _login_missing(self) -> tuple[QWidget, Invalid] | None:
        """Of a way to log in that needs to know with what."""
        kind = self.login.currentData()
        if kind == "key" and not self.key.text().strip():
            return self.key, Invalid(WORKER_INVALID, "a key file is needed for this way to log in")
        if kind == "password" and not self.password.currentText().strip():
            return self.password, Invalid(WORKER_INVALID, "a stored secret is needed for this way to log in")
        return None

    def request(self) -> WorkerRequest:
        """All fields together."""
        whole = WorkerRequest()
        for _, part in self.parts():
            given = {name: getattr(part, name) for name in WorkerRequest.__dataclass_fields__}
            whole = replace(whole, **{name: value for name, value in given.items() if value is not None})
        return whole

    def _add_way(self, found: Mapping[str, Any] | None) -> None:
        known = address(found["ssh"]) if found else None
        self.host = self._form.line(tr("Host"), known.host if known else "", needed=True)
        self.host.setPlaceholderText(tr("name or address of the machine"))
        self.user = self._form.line(tr("User"), (known.user or "") if known else "")
        self.user.setPlaceholderText(tr("the account that the engine runs as"))
        self.port = QSpinBox(self._form)
        self.port.setRange(1, 65535)
        self.port.setValue(known.port if known else PORT)
        self._form.add(tr("Port"), self.port)
        self.jumps = self._form.line(tr("By way of"), ", ".join(found["jumps"]) if found else "")
        self.jumps.setPlaceholderText(tr("jump hosts in their order: USER@HOST:PORT, USER@HOST"))

    def _add_login(self, secrets: Sequence[str], found: Mapping[str, Any] | None) -> None:
        self.login = choices(_LOGINS)
        self._form.add(tr("Login with"), self.login)
        self.key = QLineEdit((found["key"] or "") if found else "", self._form)
        takes_files(self.key, Takes.PATH)
        self.key.setPlaceholderText(tr("a private key without passphrase that only you can read"))
        self.browse = button("Choose…", self._browse)
        self.browse.setAutoDefault(False)
        self._form.add(tr("Key file"), self.key, self.browse)
        self.password = QComboBox(self._form)
        self.password.setEditable(True)
        self.password.addItems(list(secrets))
        self.password.setCurrentText((found["password_secret"] or "") if found else "")
        self._form.add(tr("Secret"), self.password)
        self.login.currentIndexChanged.connect(lambda _: self._show_login())
        kind = (
            "password"
            if found and found["password_secret"]
            else "agent"
            if found and found["agent"]
            else "key"
        )
        self.login.setCurrentIndex(list(_LOGINS).index(kind))
        self._show_login()

    def _add_slots(self, found: Mapping[str, Any] | None) -> None:
        size = found["size"] if found else "auto"
        self.slots, self.number = choices(_SLOTS), QSpinBox(self._form)
        self.number.setRange(1, MOST_SLOTS)
        self.number.setValue(size if isinstance(size, int) else 4)
        self._form.add(tr("Slots"), self.slots, self.number)
        self.number.setAccessibleName(tr("Number of slots"))
        self.slots.currentIndexChanged.connect(
            lambda _: self.number.setVisible(self.slots.currentData() == "number")
        )
        self.slots.setCurrentIndex(int(size != "auto"))
        self.number.setVisible(size != "auto")

    def _add_labels(self, found: Mapping[str, Any] | None) -> None:
        labels = found["labels"] if found else {}
        self.labels = QPlainTextEdit("\n".join(f"{key}={value}" for key, value in labels.items()), self._form)
        self.labels.setPlaceholderText(tr("KEY=VALUE, one on each line"))
        self.labels.setTabChangesFocus(True)
        self.labels.setFixedHeight(_LABELS_HEIGHT)
        self._form.add(tr("Labels"), self.labels)

    def _add_limits(self, found: Mapping[str, Any] | None) -> None:
        self.root = self._form.line(tr("Folder there"), (found["root"] or "") if found else "")
        self.root.setPlaceholderText(tr("~/.skerry-jobs/ and the name of the workspace with its id"))
        fence = found["fence"] if found else None
        self.fence, self.fence_after = choices(_FENCES), QDoubleSpinBox(self._form)
        self.fence_after.setRange(0, 1e6)
        self.fence_after.setDecimals(0)
        self.fence_after.setSuffix(" s")
        self.fence_after.setValue(fence or _DEFAULT_FENCE)
        self.fence_after.setAccessibleName(tr("Seconds without its engine"))
        self._form.add(tr("End what runs there"), self.fence, self.fence_after)
        self.fence.currentIndexChanged.connect(
            lambda _: self.fence_after.setVisible(self.fence.currentData() == "after")
        )
        self.fence.setCurrentIndex(int(fence is not None))
        self.fence_after.setVisible(fence is not None)
        self.secrets = choices(_SECRETS)
        self.secrets.setCurrentIndex(int(bool(found) and found is not None and found["secrets"] == "allow"))
        self._form.add(tr("Jobs with secrets run"), self.secrets)

    def _show_login(self) -> None:
        kind = self.login.currentData()
        self._form.show_row(self.key, kind == "key")
        self._form.show_row(self.password, kind == "password")

    def _login_part(self) -> Part:
        kind = self.login.currentData()
        if kind == "agent":
            return self.login, WorkerRequest(key="", agent=True, password_secret="")
        if kind == "password":
            return self.password, WorkerRequest(
                key="", agent=False, password_secret=self.password.currentText().strip()
            )
        path = self.key.text().strip()
        whole = str(Path(path).expanduser().absolute()) if path else ""
        return self.key, WorkerRequest(key=whole, agent=False, password_secret="")

    def _slots(self) -> str:
        return "auto" if self.slots.currentData() == "auto" else str(self.number.value())

    def _fence(self) -> str:
        return "never" if self.fence.currentData() == "never" else f"{self.fence_after.value():.0f}s"

    def _browse(self) -> None:
        start = str(Path("~/.ssh").expanduser())
        chosen, _ = QFileDialog.getOpenFileName(self._form, tr("The private key"), start)
        if chosen:
            self.key.setText(chosen)


def _listed(text: str) -> list[str]:
    """``a, b`` as its parts.

    >>> _listed("a, b c,")
    ['a', 'b', 'c']
    """
    return text.replace(",", " ").split()
