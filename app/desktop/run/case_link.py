"""A link to a workspace that nobody works in, such as an imported case: everything is read, nothing done."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QObject

from app import wiring
from app.desktop.kernel.link import Link, LinkState
from engine.api.read_only import ReadOnlyService
from engine.api.service import Service

if TYPE_CHECKING:
    from engine.store.sql_store import Store

READ_ONLY = "A case is only looked at: this can be done at the site."


class CaseLink(Link):
    """Reads the store in a folder; opened when it is first asked for something."""

    ACTS: ClassVar[bool] = False

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent, workers=2)
        self.folder = folder
        self._opening = threading.Lock()
        self._store: tuple[Store, ReadOnlyService] | None = None
        self._set_state(LinkState.READ_ONLY)

    @property
    def locked(self) -> str:
        return READ_ONLY

    def service(self) -> Service:
        """See ``Link``; SkerryError when the folder holds no store that can be read."""
        with self._opening:
            if self._store is None:
                workspace = wiring.open_workspace(self.folder)
                store = wiring.open_reader(workspace.root)
                types = wiring.installed_types()
                self._store = store, ReadOnlyService(store, workspace, types=types)
            return self._store[1]

    def close(self, *, stop: bool = False) -> None:
        super().close(stop=stop)
        if self._store is not None:
            self._store[0].close()
            self._store = None
