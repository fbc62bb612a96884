"""Whether a person sees a widget: a dock behind another one counts as visible for Qt."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget


class UpdatedPane(QWidget):
    """A pane that is refreshed whenever it is shown or its dock comes to the front."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Bring it up to date."""
        raise NotImplementedError


def in_sight(widget: QWidget) -> bool:
    """Whether any of it can be seen: shown, and in front of the docks that share its place."""
    return widget.isVisible() and not widget.visibleRegion().isEmpty()
