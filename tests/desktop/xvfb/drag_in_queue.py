"""Run by ``test_true_drag``: drags the last waiting job before the first with the pointer of a real X server.

    python -m tests.desktop.xvfb.drag_in_queue WORKSPACE

Prints the nodes of the jobs that wait afterwards, the next first.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QPoint, QRect

from app import wiring
from app.desktop.kernel.link import LinkState
from app.desktop.kernel.settings import WindowSettings
from app.desktop.queue.mode import QueueMode
from app.desktop.shell.closing import Choice
from app.desktop.shell.startup import link_to, make_console
from app.desktop.shell.window import MainWindow
from app.desktop.shell.window_process import the_application
from engine.api.documents import RunRequest, Source
from tests.desktop.xvfb.drag import at_rest, drag, pump

TASK = """
skerry: 1
tasks:
  wide:
    nodes:
      a: {type: shell, process: sleep 600}
      b: {type: shell, process: 'true'}
      c: {type: shell, process: 'true'}
      d: {type: shell, process: 'true'}
"""


def main(root: Path) -> None:
    """Open the window, drag, tell the order."""
    application = the_application()
    link = link_to(wiring.open_workspace(root))
    link.start()
    pump(lambda: link.state is LinkState.CONNECTED, "the connection to the engine")
    service = link.service()
    service.queue_size(1)
    service.load([Source(name="wide.yaml", text=TASK)])
    number = service.run(RunRequest(task="wide"))
    window = MainWindow(make_console(application, root, link, WindowSettings(root / "console.ini")))
    window.choose = lambda *_: Choice.STOP
    window.show()
    pump(window.isActiveWindow, "the focus, which a window manager must give,")
    mode = window.show_mode("queue")
    assert isinstance(mode, QueueMode)
    line = mode.waiting
    pump(lambda: len(line.shown) == 3, "three jobs that wait")

    def row(at: int) -> QRect:
        found = line.visualRect(line.model().index(at, 0))
        return QRect(line.viewport().mapToGlobal(found.topLeft()), found.size())

    begin = at_rest(lambda: row(2).center())
    hand = drag(begin, at_rest(lambda: row(0).topLeft() + QPoint(row(0).width() // 2, 2)))
    pump(lambda: line.shown[0]["node"] == "d", "the last one in the first place")
    hand.wait()
    sys.stdout.write(" ".join(str(row["node"]) for row in service.queue()["waiting"]) + "\n")
    sys.stdout.flush()
    service.cancel(number)
    window.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
