"""What can be done everywhere in the window: find, go back, help, leave."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from app.desktop.kernel.actions import ActionSpec

COMMANDS = (
    ActionSpec("find", "Find…", ("Ctrl+K",), "search", "Tools", 0),
    ActionSpec("find.command", "Find a command…", ("Ctrl+Shift+P",), "keyboard", "Tools", 0),
    ActionSpec("go.back", "Back", ("Ctrl+[",), "back", "Window", 0),
    ActionSpec("go.forward", "Forward", ("Ctrl+]",), "forward", "Window", 0),
    ActionSpec("go.next_pane", "Next pane", ("F6",), "right", "Window", 1),
    ActionSpec("go.previous_pane", "Previous pane", ("Shift+F6",), "left", "Window", 1),
    ActionSpec("view.reset_layout", "Reset the layout", (), None, "View", 99),
    ActionSpec("file.quit", "Quit", ("Ctrl+Q",), "close", "File", 99),
    ActionSpec("help.guide", "User guide", ("F1",), "help", "Help", 0),
    ActionSpec("help.shortcuts", "Shortcuts", ("Ctrl+F1", "Ctrl+Shift+/"), "keyboard", "Help", 0),
    ActionSpec("help.tour", "Take the tour", (), "tour", "Help", 0),
    ActionSpec("help.report", "Save a report for support…", (), "export", "Help", 1),
    ActionSpec("help.about", "About Skerry", (), "info", "Help", 2),
)


def next_pane(mode: QMainWindow, focused: QWidget | None, step: int) -> None:
    """Give the focus to the next dock of a mode, its centre among them."""
    panes = panes_of(mode)
    if not panes:
        return
    here = next((place for place, pane in enumerate(panes) if focused and pane.isAncestorOf(focused)), 0)
    focus_inside(panes[(here + step) % len(panes)])


def panes_of(mode: QMainWindow) -> list[QWidget]:
    """The centre and the visible docks of a mode."""
    docks = [dock for dock in mode.findChildren(QDockWidget) if dock.isVisible()]
    centre = mode.centralWidget()
    return [pane for pane in (centre, *(dock.widget() for dock in docks)) if pane is not None]


def focus_inside(pane: QWidget) -> None:
    """Focus the pane or the first thing in it that takes the focus by Tab."""
    tab = Qt.FocusPolicy.TabFocus
    inside = [pane, *pane.findChildren(QWidget)]
    wanted = next((each for each in inside if each.focusPolicy() & tab and each.isVisible()), pane)
    wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)
