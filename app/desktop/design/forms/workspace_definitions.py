"""The workspace's own definitions and the names of its secrets, read again when they change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.desktop.design.definition_library import DefinitionLibrary, read_library
from app.desktop.kernel.console import Console
from app.desktop.kernel.link import LinkState
from app.wiring import open_vault, open_workspace


class WorkspaceDefinitions(QObject):
    """``library`` has the definitions, ``secrets`` the names of the stored secrets."""

    changed = Signal()

    def __init__(self, console: Console, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self.library = DefinitionLibrary()
        self.secrets: tuple[str, ...] = ()
        self.zone = "UTC"
        console.link.state_changed.connect(self._turned)
        console.link.changed.connect(self._happened)

    @property
    def known(self) -> tuple[object, ...]:
        """All that was read."""
        return self.library.raw, self.secrets, self.zone

    def _turned(self, state: LinkState) -> None:
        if state in (LinkState.CONNECTED, LinkState.READ_ONLY):
            self.refresh()

    def _happened(self, events: Sequence[Mapping[str, Any]]) -> None:
        if any(each.get("kind") == "resync" for each in events):
            self.refresh()

    def refresh(self) -> None:
        """Read them; ``changed`` follows, even if nothing is."""
        workspace = self._console.workspace
        # without an engine the form goes on with what the document itself has
        self._console.link.ask(
            lambda service: (read_library(service), *_settings(workspace)),
            self._found,
            owner=self,
            failed=lambda _error: None,
        )

    def _found(self, found: tuple[DefinitionLibrary, tuple[str, ...], str]) -> None:
        self.library, self.secrets, self.zone = found
        self.changed.emit()


def _settings(workspace: Any) -> tuple[tuple[str, ...], str]:

    opened = open_workspace(workspace)
    return tuple(open_vault(opened).names()), opened.zone.key
