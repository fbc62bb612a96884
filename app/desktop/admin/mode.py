"""Admin: the window's and the workspace's settings, secrets, keys, bundles, room on the disk."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.desktop.admin.bundles_page import BundlesPage
from app.desktop.admin.room_page import RoomPage
from app.desktop.admin.secrets_page import SecretsPage
from app.desktop.admin.settings_page import SettingsPage
from app.desktop.admin.window_page import WindowPage
from app.desktop.bundles.keys_page import KeysPage
from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.mode import Mode
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import holder, tabs

EXPORT = ActionSpec("admin.export", "Export runs…", (), "export", "File", 10, "admin", tool=True,
                    tip="Write a diagnostic bundle for support")  # fmt: skip


class AdminMode(Mode):
    """One page for each."""

    KEY = "admin"

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(console, parent)
        self.window_page = WindowPage(console, self)
        self.settings, self.secrets = SettingsPage(console, self), SecretsPage(console, self)
        self.keys, self.bundles = KeysPage(console, self), BundlesPage(console, self)
        self.room = RoomPage(console, self)
        self.tabs = tabs("Admin", {
            "This window": self.window_page, "Workspace": self.settings, "Secrets": self.secrets,
            "Keys": self.keys, "Bundles": self.bundles, "Room on the disk": self.room,
        })  # fmt: skip
        self.tabs.setDocumentMode(True)
        self.setCentralWidget(holder(vbox(self.tabs, margins=8)))
        console.actions.add(EXPORT, self, self.bundles.export)

    def open(self, target: Target) -> None:
        """Open a bundle (``target.id`` is its path), a page, or the export of the runs in ``detail``."""
        if target.kind == "admin":
            return self._open_page(target)
        self.tabs.setCurrentWidget(self.bundles)
        if target.id:
            self.bundles.open_paths([Path(target.id)])

    def _open_page(self, target: Target) -> None:
        pages = {"secrets": self.secrets, "room": self.room, "settings": self.settings}
        self.tabs.setCurrentWidget(pages.get(target.id, self.bundles))
        if target.id == "export":
            self.bundles.export([target.detail] if target.detail else [])

    def entered(self) -> None:
        """Read again what others may have changed."""
        self.secrets.refresh()
        self.bundles.refresh()

    def may_close(self) -> bool:
        """Unsaved settings ask first."""
        return self.settings.may_close()
