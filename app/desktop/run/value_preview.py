"""A value or file of a run, looked at and saved: always as plain text, never more than fits the eye."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QPlainTextEdit, QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.visible_text import visible
from app.desktop.run.context_rows import whole
from app.desktop.widgets.layouts import resize_within_screen, vbox
from app.desktop.widgets.pane_widgets import fixed_font, plain
from app.desktop.widgets.reading_order import ReadingDialog

MOST: Final = 1 << 20  # bytes that a preview shows


def head_of(file: Path) -> tuple[str, bool]:
    """The beginning of a file as text, and whether there is more."""
    with file.open("rb") as stream:
        data = stream.read(MOST + 1)
    return data[:MOST].decode("utf-8", "replace"), len(data) > MOST


class ValuePreview(ReadingDialog):
    def __init__(self, title: str, text: str, cut: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        resize_within_screen(self, 760, 520)
        self.text = QPlainTextEdit(visible(text), readOnly=True)
        self.text.setFont(fixed_font())
        self.text.setAccessibleName(title)
        note = plain(tr("Only the beginning is shown; save it to have all of it.") if cut else "")
        note.setVisible(cut)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        vbox(note, self.text, buttons, inside=self)


class Previewer:
    """Shows and saves values without holding the window up."""

    def __init__(self, console: Console, owner: QWidget) -> None:
        self._console, self._owner = console, owner
        self.shown: ValuePreview | None = None

    def show(self, title: str, value: object, file: Path | None) -> None:
        if file is None:
            self._open(title, (whole(value)[:MOST], len(whole(value)) > MOST))
            return
        self._console.link.ask(
            lambda _: head_of(file), lambda read: self._open(title, read), owner=self._owner
        )

    def _open(self, title: str, read: tuple[str, bool]) -> None:
        self.shown = ValuePreview(title, *read, self._owner)
        self.shown.open()

    def save(self, name: str, value: object, file: Path | None) -> None:
        """Ask where to, then write it there."""
        chosen, _ = QFileDialog.getSaveFileName(self._owner, tr("Save {name} as", name=name), name)
        if chosen:
            self.save_to(Path(chosen), value, file)

    def save_to(self, target: Path, value: object, file: Path | None) -> None:

        def write(_: object) -> None:
            if file is not None:
                shutil.copyfile(file, target)
            else:
                target.write_text(whole(value), "utf-8")

        def done(_: object) -> None:
            self._console.navigator.notify(tr("Saved as {path}", path=str(target)))

        self._console.link.ask(write, done, owner=self._owner)
