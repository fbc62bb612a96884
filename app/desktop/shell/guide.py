"""The user guide in a window of its own: pages, a search through all of them, links between them."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QTextBrowser, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr, translated
from app.desktop.shell.guide_pages import GuidePage, found, named, pages
from app.desktop.shell.other_words import wordings
from app.desktop.widgets.layouts import resize_within_screen, split, vbox
from app.desktop.widgets.pane_widgets import holder
from app.desktop.widgets.pane_widgets import named as described

_SIZE = (980, 640)
_PAGE = Qt.ItemDataRole.UserRole


class Guide(QDialog):
    """Stays open beside the window; ``page`` is the one that is shown."""

    def __init__(self, console: Console, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._console = console
        self._pages: tuple[GuidePage, ...] = ()
        self._back: list[str] = []
        self.page: GuidePage | None = None
        self.line = described(QLineEdit(clearButtonEnabled=True), "Search the guide", "Search the guide")
        self.list = described(QListWidget(), "Pages")
        self.text = described(QTextBrowser(), "Page")
        self.text.setOpenLinks(False)
        left = holder(vbox(self.line, (self.list, 1), margins=0))
        both = split(left, (self.text, 1), sizes=(250, 730), collapsible=False)
        vbox(both, inside=self, margins=6)
        resize_within_screen(self, *_SIZE)
        self.line.textChanged.connect(lambda _: self._fill())
        self.line.returnPressed.connect(self._next)
        self.list.currentItemChanged.connect(lambda item, _: self._show(item.data(_PAGE)) if item else None)
        self.text.anchorClicked.connect(self._follow)
        translated(self, self._word)
        self.line.setFocus()

    def open_page(self, name: str) -> None:
        """Show a page by its name such as ``job-types/shell``."""
        for row in range(self.list.count()):
            if self.list.item(row).data(_PAGE).name == name:
                self.list.setCurrentRow(row)

    def _word(self) -> None:
        """The pages in the language that is on; the one that is shown stays."""
        self.setWindowTitle(tr("User guide"))
        self._pages = pages(self._console.language.current.startswith("zh"))
        self._fill()

    def _fill(self) -> None:
        name = self.page.name if self.page else ""
        self.list.clear()
        for page in found(self._pages, self.line.text()):
            item = QListWidgetItem(page.title, self.list)
            item.setData(_PAGE, page)
        if not self.list.count():
            none = tr("No page has this.") if self._pages else tr("The guide is not installed here.")
            self.text.setPlainText(none)
            return
        self.list.setCurrentRow(0)
        if not self.line.text():
            self.open_page(name)

    def _show(self, page: GuidePage) -> None:
        self.page = page
        self.text.setSearchPaths([str(page.folder)])  # of its pictures
        self.text.setMarkdown(page.text)
        self.text.moveCursor(QTextCursor.MoveOperation.Start)
        self._next()

    def _next(self) -> None:
        """The next place of what is searched, from the top again after the last one."""
        words = self.line.text().split()
        if not self._find(words):
            self.text.moveCursor(QTextCursor.MoveOperation.Start)
            self._find(words)

    def _find(self, words: list[str]) -> bool:
        """The first of the words that is in the text as it is shown."""
        return any(self.text.find(each) for word in words for each in wordings(word.casefold()))

    def _follow(self, link: QUrl) -> None:
        """Another page, or a place of this one; nothing else is opened: the network is closed."""
        target = named(self._pages, self.page, link.path()) if self.page and link.path() else self.page
        if target is None:
            return
        if target is not self.page:
            self.line.clear()
            self.open_page(target.name)
        if link.fragment():
            self.text.scrollToAnchor(link.fragment())
