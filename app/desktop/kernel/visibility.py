"""Whether a person sees a widget: a dock behind another one counts as visible for Qt."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from PySide6.QtWidgets import QWidget


@runtime_checkable
class Comes(Protocol):
    """A pane that brings itself up to date when it comes in sight."""

    def come(self) -> None:
        """Its dock has come to the front."""


def in_sight(widget: QWidget) -> bool:
    """Whether any of it can be seen: shown, and in front of the docks that share its place."""
    return widget.isVisible() and not widget.visibleRegion().isEmpty()
