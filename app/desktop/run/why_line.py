"""“Why is it not running?”, answered in a line with a link to what blocks it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.reasons import in_words
from app.desktop.kernel.visible_text import visible
from app.desktop.run.why import Why
from app.desktop.widgets.layouts import hbox
from app.desktop.widgets.pane_widgets import link_button, plain


def said(why: Why) -> str:
    """The reason in the language that is on."""
    return visible(in_words(why.reason))


class WhyLine(QFrame):
    """``gone`` brings the Target that blocks."""

    gone = Signal(object)

    def __init__(self, console: Console, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._console = console
        self._why: Why | None = None
        self.icon = QLabel()
        self.text = plain()
        self.link = link_button(self._go)
        hbox(self.icon, (self.text, 1), self.link, inside=self, margins=0, spacing=8)
        console.theme.changed.connect(self._word)
        translated(self, self._word)

    def show_why(self, why: Why | None) -> None:
        """Show a reason; None: hide."""
        self._why = why
        self._word()

    def _word(self) -> None:
        why = self._why
        self.setVisible(why is not None)
        if why is None:
            return
        self.icon.setPixmap(self._console.icons.get("info").pixmap(18, 18))
        self.text.setText(said(why))
        self.link.setVisible(why.blocker is not None and bool(why.link))
        values = {name: visible(str(value)) for name, value in why.values.items()}
        self.link.setText(tr(why.link, **values) if why.link else "")
        self.link.setIcon(self._console.icons.get("forward"))
        self.setAccessibleName(tr("Why it does not run"))
        self.setAccessibleDescription(self.text.text())

    def _go(self) -> None:
        if self._why is not None and self._why.blocker is not None:
            self.gone.emit(self._why.blocker)
