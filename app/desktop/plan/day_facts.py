"""Below the timeline: the selected instance in words, and the way to it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.link import Request
from app.desktop.kernel.reasons import what_is_wrong
from app.desktop.plan.day_axis import Day
from app.desktop.plan.day_rows import DayInstance
from app.desktop.plan.day_words import times_of
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.pane_widgets import StatusLabel, button, plain
from engine.api.documents import RunDocument

_HINT = "Select an instance to see its times, what it waits for and why it was skipped."


class DayFacts(QFrame):
    """What a day shows of one instance is there at once; the rest is read."""

    def __init__(
        self, console: Console, open_it: Callable[[], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._console = console
        self._day: Day | None = None
        self._instance: DayInstance | None = None
        self._document: RunDocument | None = None
        self._request: Request | None = None
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.name, self.status = plain(bold=True, wrap=False), StatusLabel(console)
        self.times, self.why = plain(), plain()
        self.open = button("Open (Enter)", open_it, "Show this instance in Run")
        head = hbox(self.name, self.status, 1, self.open, margins=0, spacing=12)
        vbox(head, self.times, self.why, 1, inside=self, margins=(12, 8, 12, 8), spacing=4)
        translated(self, self._word)

    def show_instance(self, day: Day, instance: DayInstance | None) -> None:
        """Show an instance; None: nothing is selected."""
        known = self._instance is not None and instance is not None
        if not known or self._instance != instance:
            self._read(instance)
        self._day, self._instance = day, instance
        self._word()

    def _read(self, instance: DayInstance | None) -> None:
        if self._request is not None:
            self._request.cancel()
        if instance is None or self._instance is None or self._instance.instance != instance.instance:
            self._document = None
        if instance is not None:
            number = instance.instance
            self._request = self._console.link.ask(
                lambda service: service.instance(number), self._show, owner=self, failed=lambda _: None
            )

    def _show(self, document: RunDocument) -> None:
        self._document = document
        self._word()

    def _word(self) -> None:
        instance, day = self._instance, self._day
        self.setAccessibleName(tr("About the selected instance"))
        shown = instance is not None and day is not None
        self.name.setText(f"{instance.task} #{instance.instance}" if instance is not None else "")
        self.status.show_status(instance.status if instance is not None else None)
        self.open.setEnabled(shown)
        self.times.setText("  ·  ".join(times_of(day, instance)) if instance and day else tr(_HINT))
        self.why.setText(what_is_wrong(self._document) if self._document is not None and shown else "")
