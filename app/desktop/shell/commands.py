"""What can be done everywhere in the window: find, go back, help, leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDockWidget, QWidget

from app.desktop.kernel.actions import ActionSpec

if TYPE_CHECKING:
    from app.desktop.shell.window import MainWindow


def add_commands(window: MainWindow) -> None:
    """Put them into the table of actions."""
    table = (
        (ActionSpec("find", "Find …", ("Ctrl+K",), "search", "Tools", 0), lambda: window.locate()),
        (ActionSpec("find.command", "Find a command …", ("Ctrl+Shift+P",), "keyboard", "Tools", 0),
         lambda: window.locate("> ")),
        (ActionSpec("go.back", "Back", ("Ctrl+[",), "back", "Window", 0), window.back),
        (ActionSpec("go.forward", "Forward", ("Ctrl+]",), "forward", "Window", 0), window.forward),
        (ActionSpec("go.next_pane", "Next pane", ("F6",), "right", "Window", 1),
         lambda: next_pane(window, 1)),
        (ActionSpec("go.previous_pane", "Previous pane", ("Shift+F6",), "left", "Window", 1),
         lambda: next_pane(window, -1)),
        (ActionSpec("file.quit", "Quit", ("Ctrl+Q",), "close", "File", 99), window.close),
        (ActionSpec("help.shortcuts", "Shortcuts", ("F1", "Ctrl+Shift+/"), "keyboard", "Help", 0),
         window.show_shortcuts),
        (ActionSpec("help.tour", "Take the tour", (), "tour", "Help", 0), window.take_tour),
        (ActionSpec("help.report", "Save a report for support …", (), "export", "Help", 1),
         window.save_report),
        (ActionSpec("help.about", "About Skerry", (), "info", "Help", 2), window.show_about),
    )  # fmt: skip
    for spec, do in table:
        window.console.actions.add(spec, window, do)


def next_pane(window: MainWindow, step: int) -> None:
    """Give the focus to the next dock of the mode in front, its centre among them."""
    panes = panes_of(window)
    if not panes:
        return
    focused = window.focusWidget()
    here = next((place for place, pane in enumerate(panes) if focused and pane.isAncestorOf(focused)), 0)
    focus_inside(panes[(here + step) % len(panes)])


def panes_of(window: MainWindow) -> list[QWidget]:
    """The centre and the visible docks of the mode in front."""
    mode = window.mode(window.front)
    docks = [dock for dock in mode.findChildren(QDockWidget) if dock.isVisible()]
    centre = mode.centralWidget()
    return [pane for pane in (centre, *(dock.widget() for dock in docks)) if pane is not None]


def focus_inside(pane: QWidget) -> None:
    """Focus the pane or the first thing in it that takes the focus by Tab."""
    from PySide6.QtCore import Qt

    tab = Qt.FocusPolicy.TabFocus
    inside = [pane, *pane.findChildren(QWidget)]
    wanted = next((each for each in inside if each.focusPolicy() & tab and each.isVisible()), pane)
    wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)
