"""What a task waits for: its window, the partner of the next time, and which task is added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QWidget

from app.desktop.design.forms.coming_times import coming_times
from app.desktop.design.forms.dependency_fields import (
    ITSELF,
    OF_SELF,
    WINDOW_WORDS,
    UpstreamOffer,
    chosen_window,
    task_offers,
    window_offers,
)
from app.desktop.design.forms.fields import Field
from app.desktop.design.forms.form_context import Editor, FormContext
from app.desktop.design.forms.kinds.choosing import Combo
from app.desktop.design.forms.plain_text import tinted_label
from app.desktop.design.tree import REMOVE
from app.desktop.kernel.language import tr
from app.desktop.widgets.layouts import hbox, vbox
from app.desktop.widgets.plain_label import tip_text
from engine.planning.outline import map_of

_PAUSE = 150  # ms without a change


class OfferCombo(Combo):
    """Offers what is possible; the rest stands below it, greyed, each with the reason."""

    def offer(self, first: Sequence[str], offers: Iterable[tuple[str, UpstreamOffer]]) -> None:
        """Entries that are always there, then the offers with their words."""
        self.clear()
        self.addItems(first)
        model = self.model()
        for words, each in offers:
            self.addItem(f"{words}  –  {each.reason}" if each.reason else words)
            at = self.count() - 1
            self.setItemData(at, tip_text(each.reason), Qt.ItemDataRole.ToolTipRole)
            if isinstance(model, QStandardItemModel):
                model.item(at).setEnabled(not each.reason)
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + 24)  # for the longest reason


class WindowEditor(Editor):
    """Which instances of one task are waited for; its value is the entry of ``depends_on``."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.combo = OfferCombo(self)
        self.combo.setMinimumContentsLength(8)
        self.combo.setSizeAdjustPolicy(Combo.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.combo.activated.connect(self._took)
        self.out = self.tool("close", tr("Wait for it no longer"), lambda: self.settle(REMOVE))
        self.partner = tinted_label(context.console.theme, "muted", "", self)
        self.row.addLayout(vbox(hbox((self.combo, 1), self.out, spacing=4), self.partner, spacing=2), 1)
        self._offers: list[UpstreamOffer] = []
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE)
        self._timer.timeout.connect(self._show_partner)
        self.show_field(field)

    def show_field(self, field: Field) -> None:
        super().show_field(field)
        scope, spec = self.context.scope(), map_of(field.value)
        chosen = chosen_window(scope, spec)
        self._offers = window_offers(scope, spec)
        known = [each.value for each in self._offers]
        if chosen not in known:
            self._offers.append(UpstreamOffer(chosen))
        self.combo.offer((), ((self._words(each), each) for each in self._offers))
        self.combo.setCurrentIndex([each.value for each in self._offers].index(chosen))
        self._timer.start()

    def main(self) -> QWidget:
        return self.combo

    def _words(self, offer: UpstreamOffer) -> str:
        if map_of(self.field.value).get("self") and offer.value == "latest":
            return tr(OF_SELF)
        written = str(offer.value)
        words = WINDOW_WORDS.get(written.removeprefix("all_in_period "))
        return tr(words) if words else written

    def _took(self, index: int) -> None:
        window, _, period = str(self._offers[index].value).partition(" ")
        rest = {
            key: each for key, each in map_of(self.field.value).items() if key not in ("window", "period")
        }
        given = {} if window == "latest" else {"window": window}
        self.settle({**rest, **given, **({"period": period} if period else {})})

    def _show_partner(self) -> None:
        spec = map_of(self.field.value)
        self.partner.setText(_partner_words(self.context, spec))
        self.partner.setVisible(bool(self.partner.text()))


def _partner_words(context: FormContext, spec: Mapping[str, Any]) -> str:
    """What the next time of the task waits for."""
    found = coming_times(context, 1)
    following = found.following
    if following is None:
        return ""
    own = _time(following)
    partners = [_time(time) for _task, time in found.partners(spec)]
    upstream = map_of(context.scope().section("tasks").get(str(spec.get("task"))))
    if upstream.get("schedule") == "manual":
        return tr("Next time, {time}: the newest one that was started by hand", time=own)
    if not partners:
        return tr("Next time, {time}: nothing to wait for", time=own)
    if len(partners) == 1:
        return tr("Next time, {time}: that of {partner}", time=own, partner=partners[0])
    return tr(
        "Next time, {time}: {n} from {first} to {last}",
        time=own, n=len(partners), first=partners[0], last=partners[-1],
    )  # fmt: skip


def _time(moment: datetime) -> str:
    return moment.isoformat(" ", "minutes" if moment.second == 0 else "seconds")


class UpstreamAdder(Editor):
    """Adds a task to those that are waited for."""

    def __init__(self, context: FormContext, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(context, field, parent)
        self.combo = OfferCombo(self)
        self.combo.addItem(tr("Choose a task…"))
        self.combo.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.combo.opening.connect(self._offer)
        self.combo.activated.connect(self._add)
        self.row.addWidget(self.combo, 1)
        self._offers: list[UpstreamOffer] = []

    def main(self) -> QWidget:
        return self.combo

    def _offer(self) -> None:
        """Found when the list is opened: what may be added follows from every task."""
        self._offers = task_offers(self.context.scope())
        words = ((each.value or tr(ITSELF), each) for each in self._offers)
        self.combo.offer((tr("Choose a task…"),), words)

    def _add(self, index: int) -> None:
        if index > 0:
            task = self._offers[index - 1].value
            before = self.field.value if isinstance(self.field.value, list) else []
            self.settle([*before, {"task": task} if task is not None else {"self": True}])
            self.combo.setCurrentIndex(0)
