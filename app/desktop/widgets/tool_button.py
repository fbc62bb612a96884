"""A small button with an icon, named for those who cannot see it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QToolButton, QWidget

from app.desktop.kernel.icons import Icons
from app.desktop.widgets.pane_widgets import tipped
from app.desktop.widgets.roomy_buttons import ToolButton


def tool_button(
    icons: Icons, icon: str, name: str, do: Callable[[], object] | SignalInstance, parent: QWidget,
    size: int = 26,
) -> QToolButton:  # fmt: skip
    """``name`` is its tool tip, an English source text; ``size`` its least width and height in pixels."""
    button = ToolButton(parent, size)
    button.setAutoRaise(True)
    button.setIcon(icons.get(icon))
    button.clicked.connect(do)
    return tipped(button, name)
