"""Making the parts that every mode uses, as the person left them the last time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app import wiring
from app.desktop.kernel.actions import Actions
from app.desktop.kernel.console import Console
from app.desktop.kernel.garbage import collected_here
from app.desktop.kernel.icons import Icons
from app.desktop.kernel.language import LANGUAGES, Language
from app.desktop.kernel.link import Link
from app.desktop.kernel.settings import WindowSettings
from app.desktop.kernel.theme import Theme
from app.desktop.kernel.times import show_zone
from app.desktop.shell.engine_link import EngineLink
from app.desktop.shell.fonts import load_fonts
from engine.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.api.service import Service


def settings_file() -> Path:
    """Where the window's own settings are kept, apart from any workspace."""
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(folder) / "skerry" / "console.ini"


def link_to(workspace: Workspace) -> EngineLink:
    """A link to the workspace's engine, not started yet."""
    return EngineLink(workspace, lambda each: wiring.spawn_engine(each, until_idle=False), open_reader)


def open_reader(workspace: Workspace) -> tuple[Service, Callable[[], None]]:
    """The service while no engine runs, and how to close it."""
    from engine.api.read_only import ReadOnlyService

    store = wiring.open_reader(workspace.root)
    return ReadOnlyService(store, workspace, types=wiring.installed_types()), store.close


def make_console(application: QApplication, workspace: Path, link: Link, settings: WindowSettings) -> Console:
    """Everything together; fonts, language and looks are on when this returns."""
    collected_here(application)
    load_fonts(application)
    theme = Theme(application)
    language = Language(application)
    icons = Icons(theme)
    theme.switch(dark=wants_dark(settings), scale=settings.number("text_size", 100) / 100)
    language.switch(chosen_language(settings))
    written = wiring.open_workspace(workspace).written
    show_zone(application, written.timezone if written else None)
    return Console(
        workspace=workspace,
        link=link,
        settings=settings,
        language=language,
        theme=theme,
        icons=icons,
        actions=Actions(icons),
    )


def wants_dark(settings: WindowSettings) -> bool:
    """Dark, light, or as the desktop around it."""
    chosen = settings.text("theme", "system")
    if chosen == "system":
        return QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
    return chosen == "dark"


def chosen_language(settings: WindowSettings) -> str:
    """The chosen language, else that of the machine where it is one of ours."""
    chosen = settings.text("language") or os.environ.get("LC_ALL") or os.environ.get("LANG", "")
    return next((key for key in LANGUAGES if chosen.startswith(key)), "en")
