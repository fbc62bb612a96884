"""A chip: what a value is bound to, in a shape that can be clicked, cleared and hovered."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.desktop.design.forms.form_context import FormContext
from app.desktop.design.picker.binding_labels import icon_of, label_of
from app.desktop.design.picker.bindings import PathBinding
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import hbox
from app.desktop.widgets.plain_label import tip_text
from app.desktop.widgets.roomy_buttons import ToolButton
from app.desktop.widgets.tool_button import tool_button


class BindingChip(QWidget):
    """``opened``: the person wants to change it; ``cleared``: to take it away."""

    opened = Signal()
    cleared = Signal()

    def __init__(self, context: FormContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._label = ""
        self.binding: PathBinding | None = None
        self.body = ToolButton(self)
        self.body.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.body.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.body.setIconSize(QSize(16, 16))
        self.body.setMinimumWidth(60)
        self.body.clicked.connect(self.opened)
        away, icons = tr("Take the link away"), context.console.icons
        self._clear = tool_button(icons, "close", away, self.cleared, self, 24)
        hbox(self.body, self._clear, inside=self, margins=0, spacing=2)
        self.setFocusProxy(self.body)
        self._dress()

    def show_binding(self, binding: PathBinding) -> None:
        self.binding = binding
        self._label = label_of(self._context, binding)
        self.body.setIcon(self._context.console.icons.get(icon_of(binding)))
        self.body.setToolTip(tip_text(f"{self._label}\n{binding.text}"))
        self.body.setAccessibleName(tr("taken from {source}", source=self._label))
        self._elide()

    def _dress(self) -> None:
        colours = self._context.console.theme.colours
        self.body.setStyleSheet(
            f"QToolButton {{ background: {colours.selection}; color: {colours.text}; text-align: left;"
            f" border: 1px solid {colours.accent}; border-radius: 12px; padding: 1px 10px; }}"
            f"QToolButton:focus {{ border: 2px solid {colours.accent}; }}"
        )

    def _elide(self) -> None:
        room = max(40, self.width() - self._clear.width() - 50)
        text = self.fontMetrics().elidedText(self._label, Qt.TextElideMode.ElideMiddle, room)
        self.body.setText(text.replace("&", "&&"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.cleared.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        if self.binding and self.binding.node:
            self._context.hover.node.emit(self.binding.node)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._context.hover.node.emit("")
