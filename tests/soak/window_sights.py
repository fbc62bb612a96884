"""What was open while a hand acted, and what of the window never was."""

from __future__ import annotations

import pkgutil
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import import_module

from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QMenu, QMessageBox, QWidget

import app.desktop


class Sights:
    """Counts, at each look, every kind of pane, dialog and window that can be seen."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def look(self) -> None:
        """Once per act."""
        seen: set[str] = set()
        for top in QApplication.topLevelWidgets():
            if top.isVisible():
                seen.add(_name(top))
                seen |= {
                    _name(each)
                    for each in top.findChildren(QWidget)
                    if _ours(type(each)) and each.isVisible()
                }
        self.counts.update(seen)


def said(counts: Mapping[str, int]) -> Iterator[str]:
    """Modes, windows and dialogs with how many acts saw them; then what was never seen."""
    kinds = {each.__name__: each for each in widgets_of_the_window()}
    tops = {name for name, kind in kinds.items() if issubclass(kind, QDialog | QMainWindow)}
    for name, times in sorted(counts.items(), key=lambda each: -each[1]):
        if name in tops or name not in kinds:
            yield f"{times:8} {name}"
    kinds = {name: kind for name, kind in kinds.items() if not kind.__subclasses__() or name in counts}
    yield f"{sum(each in counts for each in kinds)} of {len(kinds)} kinds of widgets were seen; never: " + (
        ", ".join(sorted(set(kinds) - set(counts))) or "none"
    )


def widgets_of_the_window() -> list[type[QWidget]]:
    """Every kind of widget that the desktop defines."""
    for each in pkgutil.walk_packages(app.desktop.__path__, "app.desktop."):
        import_module(each.name)
    return [each for each in _below(QWidget) if _ours(each)]


def _below(kind: type[QWidget]) -> Iterator[type[QWidget]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def _ours(kind: type[QWidget]) -> bool:
    return kind.__module__.startswith("app.desktop.")


def _name(widget: QWidget) -> str:
    """A question by what it asks: all of them are message boxes."""
    kind = type(widget).__name__
    if isinstance(widget, QMessageBox):
        return f"{kind}: {widget.windowTitle() or widget.text()[:40]}"
    return "QMenu" if isinstance(widget, QMenu) else kind
