"""A small button with an icon, named for those who cannot see it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QToolButton, QWidget

from app.desktop.kernel.icons import Icons


def tool_button(
    icons: Icons, icon: str, name: str, do: Callable[[], object] | SignalInstance, parent: QWidget,
    size: int = 26,
) -> QToolButton:  # fmt: skip
    """``name`` is its tool tip, ``size`` its least width and height in pixels."""
    button = QToolButton(parent)
    button.setAutoRaise(True)
    button.setIcon(icons.get(icon))
    button.setMinimumSize(size, size)
    button.setToolTip(name)
    button.setAccessibleName(name)
    button.clicked.connect(do)
    return button
