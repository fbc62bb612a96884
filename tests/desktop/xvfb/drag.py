"""Run by ``test_true_drag``: drags a job type onto the canvas with the pointer of a real X server.

    python -m tests.desktop.xvfb.drag WORKSPACE

Prints the ids of the task's nodes afterwards.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from app import wiring
from app.desktop.design.mode import DesignMode
from app.desktop.kernel.console import Target
from app.desktop.kernel.link import LinkState
from app.desktop.kernel.settings import WindowSettings
from app.desktop.shell.closing import Choice
from app.desktop.shell.startup import link_to, make_console
from app.desktop.shell.window import MainWindow
from app.desktop.shell.window_process import the_application
from engine.api.documents import Source
from tests.waiting import until

TASK = "skerry: 1\ntasks:\n  small:\n    nodes:\n      one: {type: shell, process: echo one}\n"
_STEPS = 12
_LOOKS = 10


def pump(condition: Callable[[], bool], what: str) -> None:
    """Let the window live until the condition holds."""
    application = the_application()
    until(lambda: application.processEvents() or condition(), what)


def at_rest(place: Callable[[], QPoint]) -> QPoint:
    """A place on the screen, once several looks agree: nobody grabs what moves."""
    seen: list[tuple[int, int]] = []

    def rests() -> bool:
        seen.append(place().toTuple())  # type: ignore[arg-type]
        return len(seen) >= _LOOKS and len(set(seen[-_LOOKS:])) == 1

    pump(rests, "a place at rest")
    return place()


def drag(start: QPoint, end: QPoint) -> subprocess.Popen[bytes]:
    """Press, move in steps, release: with the server's own pointer, beside this process."""
    way = [start + (end - start) * step / _STEPS for step in range(1, _STEPS + 1)]
    words = ["mousemove", str(start.x()), str(start.y()), "mousedown", "1", "sleep", "0.2"]
    for point in way:
        words += ["mousemove", str(point.x()), str(point.y()), "sleep", "0.05"]
    return subprocess.Popen(["xdotool", *words, "sleep", "0.3", "mouseup", "1"])


def middle(widget: QWidget) -> QPoint:
    """Of a widget, on the screen."""
    return widget.mapToGlobal(widget.rect().center())


def main(root: Path) -> None:
    """Open the window, drag, tell what is on the canvas."""
    application = the_application()
    workspace = wiring.open_workspace(root)
    link = link_to(workspace)
    link.start()
    pump(lambda: link.state is LinkState.CONNECTED, "the connection to the engine")
    link.service().load([Source(name="small.yaml", text=TASK)])
    window = MainWindow(make_console(application, root, link, WindowSettings(root / "console.ini")))
    window.choose = lambda *_: Choice.STOP
    window.show()
    pump(window.isActiveWindow, "the focus, which a window manager must give,")
    window.go(Target("task", "small"))
    mode = window.mode("design")
    assert isinstance(mode, DesignMode)
    pump(
        lambda: mode.tasks.current is not None and len(mode.canvas.items_by_id) == 1, "the task on the canvas"
    )
    entry = mode.palette_list.list
    shown, canvas = entry.viewport(), mode.canvas.viewport()
    begin = at_rest(lambda: shown.mapToGlobal(entry.visualRect(entry.model().index(1, 0)).center()))
    hand = drag(begin, at_rest(lambda: middle(canvas)) + QPoint(40, 90))
    pump(lambda: len(mode.canvas.items_by_id) == 2, "the second node")
    hand.wait()
    sys.stdout.write(" ".join(mode.canvas.items_by_id) + "\n")
    sys.stdout.flush()
    mode.may_close = lambda: True  # type: ignore[method-assign]
    window.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
