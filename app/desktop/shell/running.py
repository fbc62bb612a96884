"""The life of the window's process: made, shown, run, closed."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app import wiring
from app.desktop.kernel.settings import Settings
from app.desktop.shell.startup import link_to, make_console, settings_file
from app.desktop.shell.window import MainWindow


def run(root: Path) -> int:
    """Open the window on a workspace and stay until it is closed."""
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setApplicationName("Skerry")
    application.setDesktopFileName("skerry")
    workspace = wiring.open_workspace(root)
    link = link_to(workspace)
    console = make_console(application, workspace.root, link, Settings(settings_file()))
    window = MainWindow(console)
    window.show()
    link.start()
    return application.exec()
