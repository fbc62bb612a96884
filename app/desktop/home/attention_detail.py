"""Beside the list of Home: what the selected line means and what can be done about it."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QWidget

from app.desktop.home.attention import Item
from app.desktop.home.attention_list import said
from app.desktop.home.condition_pages import PAGES, ConditionPage, Do
from app.desktop.home.log_end import log_end
from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.error_codes import Codes, Explained
from app.desktop.kernel.language import tr, translated
from app.desktop.kernel.reasons import failure_fact
from app.desktop.widgets.layouts import Item as Placed
from app.desktop.widgets.layouts import vbox
from app.desktop.widgets.pane_widgets import TallText, button, holder, named, worded
from app.desktop.widgets.plain_label import PlainLabel
from app.desktop.widgets.question_card import Asked, QuestionCard

_NAMED = 20
_BUTTONS = max(len(page.buttons) for page in PAGES.values())


class Detail(QFrame):
    """Title, fact, cause and remedy of one line; buttons to the job and to the catalogue."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent)
        self._console = console
        self._item: Item | None = None
        self._nothing = ""
        self._codes: Codes | None = None
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.name, self.title = PlainLabel("", self, bold=True), PlainLabel("", self, bold=True)
        self.fact, self.cause, self.remedy = (PlainLabel("", self) for _ in range(3))
        self.card = QuestionCard(console)
        self.card.answered.connect(console.overview.soon)
        self.open = button("Open (Enter)", lambda: self._go(self._item.target if self._item else None))
        self.code = button("Everything about this error code", self._go_code)
        self.doing = [button("", partial(self._act, at)) for at in range(_BUTTONS)]
        self._causes, self._remedies = _heading("Cause"), _heading("What to do")
        self.tail_title = _heading("End of the log")
        self.tail = named(QPlainTextEdit(self, readOnly=True), "End of the log")
        self.tail.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        words = self.name, self.title, self.fact, self._causes, self.cause, self._remedies, self.remedy
        below: tuple[Placed, ...] = (
            self.card,
            self.open,
            *self.doing,
            self.code,
            self.tail_title,
            (self.tail, 1),
        )
        self.words = TallText(holder(vbox(*words, margins=0)))
        column = vbox(self.words, *below, 0, inside=self, margins=(16, 12, 16, 12))
        column.insertSpacing(1, 8)
        translated(self, lambda: self.show_item(self._item, self._nothing))

    def show_item(self, item: Item | None, nothing: str = "") -> None:
        """Show a line; ``nothing`` is said where none is selected, an English source text."""
        self._ask_for_tail(item)
        self._item, self._nothing = item, nothing
        self.setAccessibleName(tr("About the selected line"))
        page = PAGES.get(item.page) if item else None
        explained = self._explained(item) if page is None else None
        texts = {
            self.name: item.name if item else tr(nothing),
            self.title: tr(page.title) if page else explained.text if explained else "",
            self.fact: _fact(item) if item and item.asked is None else "",
            self.cause: tr(page.meaning) if page else explained.cause if explained else "",
            self.remedy: tr(page.remedy) if page else explained.remedy if explained else "",
        }
        for label, text in texts.items():
            label.setText(text)
            label.setVisible(bool(text))
        self._causes.setText(tr("What it means" if page else "Cause"))
        for part in (self._causes, self._remedies):
            part.setVisible(page is not None or explained is not None)
        self.code.setVisible(explained is not None)
        self._show_buttons(page)
        asked = Asked.of_list(item.asked) if item and item.asked is not None else None
        self.card.ask(asked, self._console.link.writable)
        self.open.setVisible(item is not None and item.target is not None and page is None)

    def _show_buttons(self, page: ConditionPage | None) -> None:
        wanted = page.buttons if page else ()
        for at, each in enumerate(self.doing):
            each.setVisible(at < len(wanted))
            if at < len(wanted):
                each.setText(tr(wanted[at][0]))
                each.setEnabled(self._can(wanted[at][1]))

    def _can(self, do: Do) -> bool:
        """An action that is grey is grey here too."""
        found = self._console.actions.find(do) if isinstance(do, str) and do != "code" else None
        return found is None or found.isEnabled()

    def _act(self, at: int) -> None:
        page = PAGES.get(self._item.page) if self._item else None
        if page is None or at >= len(page.buttons):
            return
        do = page.buttons[at][1]
        if do == "code":
            self._go_code()
        elif isinstance(do, str):
            self._console.actions.get(do).trigger()
        else:
            self._go(do)

    def _ask_for_tail(self, item: Item | None) -> None:
        """The end of the log, read again only for another line."""
        if item is not None and self._item is not None and item.key == self._item.key:
            return
        self._show_tail("")
        target = item.target if item else None
        if target is not None and target.kind == "instance" and target.node is not None:
            number, node = int(target.id), target.node
            ask = self._console.link.ask  # an instance without a log is nothing to complain about
            ask(
                lambda service: log_end(service, number, node),
                self._show_tail,
                owner=self,
                failed=lambda _: None,
            )

    def _show_tail(self, text: str) -> None:
        self.tail.setPlainText(text)
        self.tail.setFont(self._console.theme.mono())
        self.tail_title.setVisible(bool(text))
        self.tail.setVisible(bool(text))
        bar = self.tail.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _explained(self, item: Item | None) -> Explained | None:
        if item is None or item.code is None:
            return None
        self._codes = self._codes or Codes()
        return self._codes.explain(item.code, self._console.language.current)

    def _go(self, target: Target | None) -> None:
        if target is not None:
            self._console.navigator.go(target)

    def _go_code(self) -> None:
        if self._item is not None and self._item.code is not None:
            self._go(Target("code", str(self._item.code)))


def _heading(text: str) -> QLabel:
    return worded(PlainLabel(bold=True), text)


def _fact(item: Item) -> str:
    runs = ", ".join(f"#{each}" for each in item.alike[:_NAMED])
    more = "" if len(item.alike) <= _NAMED else " …"
    alike = tr("Runs: {runs}", runs=runs + more) if len(item.alike) > 1 else ""
    return "\n".join(part for part in (said(item), failure_fact(item.code, item.detail), alike) if part)
