"""The host keys of a worker and of the machines on the way: each is shown to a person before it counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.widgets.questions import Asking
from engine.model.errors import SkerryError
from engine.model.worker_request import WorkerRequest

_UNKNOWN = (
    "Nobody has vouched for the key of {address} yet, and nothing was sent there. Compare the fingerprint "
    "with what the administrator of that machine says."
)
_CHANGED = (
    "{address} shows another key than the one that a person vouched for. It was installed again, or another "
    "machine answers in its place. Nothing was sent there."
)


class HostKeyQuestion(Asking):
    """One key; of a changed one the old one too, and a tick before it can be trusted."""

    def __init__(self, parent: QWidget, key: Mapping[str, Any]) -> None:
        changed = key["pinned"] is not None
        text = tr(_CHANGED if changed else _UNKNOWN, address=key["address"])
        title = tr("The host key has changed") if changed else tr("An unknown host key")
        super().__init__(parent, title, text, tr("Trust this key"))
        self.setMinimumWidth(560)
        self._shown(tr("Kind"), key["kind"])
        self.fingerprint = self._shown(tr("Fingerprint now"), key["fingerprint"])
        self.confirmed: QCheckBox | None = None
        if changed:
            self.pinned = self._shown(tr("Fingerprint before"), key["pinned"])
            self.confirmed = self.ticks(
                "", [("confirmed", tr("Its administrator says that it was changed"))]
            )[0]
        self.begin = self.leave
        self.do.setDefault(False)
        self.leave.setDefault(True)

    def _shown(self, label: str, text: str) -> QLineEdit:
        """A line that can be copied, not changed."""
        field = self.line(label, text)
        field.setReadOnly(True)
        return field


class Vouching:
    """Ask for each key on the way that nobody vouches for, then log in; nothing is registered by it.

    ``vouched`` has what was vouched for (fingerprints by address) and gets what is now, also when something
    goes wrong later: nobody is asked twice. ``done`` is called once the worker was logged in to, ``failed``
    brings what went wrong; ``left`` is called when the person does not trust a key.
    """

    def __init__(
        self,
        console: Console,
        owner: QWidget,
        name: str,
        request: WorkerRequest,
        *,
        new: bool,
        done: Callable[[], None],
        failed: Callable[[SkerryError], None],
        left: Callable[[], None],
        vouched: dict[str, str],
    ) -> None:
        self._console, self._owner = console, owner
        self._name, self._request, self._new = name, request, new
        self._done, self._failed, self._left = done, failed, left
        self._vouched = vouched

    def begin(self) -> None:
        """Reach it as far as its keys are vouched for."""
        name, request, vouched, new = self._name, self._request, dict(self._vouched), self._new
        self._console.link.ask(
            lambda service: service.try_worker(name, request, vouched, new), self._came,
            owner=self._owner, failed=self._failed,
        )  # fmt: skip

    def _came(self, found: Mapping[str, Any]) -> None:
        if found["reached"]:
            return self._done()
        key = found["host_keys"][-1]
        if HostKeyQuestion(self._owner, key).wanted:
            self._vouched[key["address"]] = key["fingerprint"]
            self.begin()
        else:
            self._left()
