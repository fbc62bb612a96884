"""What files that are dropped on a window are: definitions, bundles, or text for a field that takes paths."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject
from PySide6.QtGui import QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from export_import.container.form import HEADER, SUFFIX

DEFINITIONS = (".yaml", ".yml", ".json")  # the endings of files with definitions
_TAKES = "takesFiles"  # a property of widgets
_DRAGGED = frozenset({QEvent.Type.DragEnter, QEvent.Type.DragMove})


class Takes(StrEnum):
    """Which files become part of the text of a field; the others are for what is around it."""

    PATH = "path"  # any: the text is a path, which is replaced
    PLAIN = "plain"  # neither definitions nor bundles


def files_of(data: QMimeData) -> list[Path]:
    """The files and folders of this machine in a drop."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def definitions_of(data: QMimeData) -> list[Path]:
    """Those that may have definitions, where the first one may; whatever else lies beside them is left."""
    found = files_of(data)
    if not found or not _defines(found[0]):
        return []
    return [each for each in found if _defines(each)]


def quoted(paths: Iterable[Path], language: str) -> str:
    """Paths as one writes them into a script; ``language`` is how it is coloured, empty for a command."""
    return " ".join(_QUOTES.get(language, _literal)(str(each)) for each in paths)


def takes_files(field: QWidget, which: Takes) -> None:
    """Let a field have the paths of files that are dropped on it."""
    field.setProperty(_TAKES, which.value)


def taken_by(field: QObject | None) -> object:
    """A member of ``Takes``; None where it takes none."""
    return None if field is None else field.property(_TAKES)


class FileDrops(QObject):
    """Watches fields of text: of themselves they would write the address of any file into their text."""

    def watch(self, field: QLineEdit | QTextEdit | QPlainTextEdit) -> None:
        """From now on a field has only the files that it takes (see ``takes_files``)."""
        (field if isinstance(field, QLineEdit) else field.viewport()).installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _DRAGGED and isinstance(event, QDragMoveEvent):
            return not self._takes(watched, event)
        if kind is QEvent.Type.Drop and isinstance(event, QDropEvent) and isinstance(watched, QLineEdit):
            return _replaced(watched, event)
        return False

    def _takes(self, watched: QObject, event: QDragMoveEvent) -> bool:
        """Whether the field goes on with what is dragged; else it is marked so that others may."""
        files = files_of(event.mimeData())
        which = taken_by(watched if isinstance(watched, QLineEdit) else watched.parent())
        taken = which == Takes.PATH or (which == Takes.PLAIN and not any(map(_opens, files)))
        if files and not taken:
            event.ignore()
            return False
        return True


def _replaced(field: QLineEdit, event: QDropEvent) -> bool:
    """The path in a line, in the place of what was there; text is left to the line."""
    if files := files_of(event.mimeData()):
        field.selectAll()
        field.insert(str(files[0]))
        event.acceptProposedAction()
    return bool(files)


def _literal(path: str) -> str:
    return json.dumps(path, ensure_ascii=False)


def _sql_literal(path: str) -> str:
    return "'" + path.replace("'", "''") + "'"


_QUOTES: Mapping[str, Callable[[str], str]] = {"": shlex.quote, "bash": shlex.quote, "sql": _sql_literal}


def _opens(path: Path) -> bool:
    """Whether the window has something to show for it."""
    return _defines(path) or path.suffix.lower() == SUFFIX or path.name == HEADER or (path / HEADER).is_file()


def _defines(path: Path) -> bool:
    return path.suffix.lower() in DEFINITIONS and path.name != HEADER
