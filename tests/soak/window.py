"""Random clicks and keys over all modes of the window, while the workspace changes underneath.

``python -m tests.soak.window --lives 20 --acts 3000`` opens that many windows one after the other, each in a process
and a scratch workspace of its own with a real engine. A window that dies, an exception that reaches nobody and a
warning of Qt are problems; what the process wrote, with the last acts and the stacks of a crash, is kept.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
_TROUBLE = ("Traceback", "Fatal Python error", "QObject::", "QThread", "QPainter::", "already deleted")


def main() -> int:
    """The lives; status 1 when one of them had a problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lives", type=int, default=3)
    parser.add_argument("--acts", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--life", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.life is not None:
        return _life(given.life, given.seed, given.acts)
    bad = [seed for seed in range(given.seed, given.seed + given.lives) if not _lived(seed, given.acts)]
    print(f"{given.lives} lives of {given.acts} acts, with problems: {bad or 'none'}")
    return 1 if bad else 0


def _lived(seed: int, acts: int) -> bool:
    """One window from its beginning to its end; False when something went wrong, with what it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        environment = {
            **os.environ,
            "QT_QPA_PLATFORM": "offscreen",
            "XDG_CONFIG_HOME": folder,
            "PYTHONPATH": str(EXAMPLES.parent),
        }
        _skerry(root, environment, "load", str(EXAMPLES / "tour.yaml"), str(EXAMPLES / "repair.yaml"))
        command = [sys.executable, "-X", "faulthandler", "-m", "tests.soak.window", "--life", str(root)]
        with Path(folder, "said").open("w") as said:
            window = subprocess.Popen(
                [*command, "--seed", str(seed), "--acts", str(acts)], env=environment, cwd=folder, stderr=said
            )
        over = threading.Event()
        changing = threading.Thread(target=_change, args=(root, environment, over))
        changing.start()
        status = window.wait()
        over.set()
        changing.join()
        _skerry(root, environment, "stop")
        text = Path(folder, "said").read_text("utf-8", "replace")
    troubles = [line for line in text.splitlines() if line.startswith(_TROUBLE)]
    print(f"life {seed}: status {status}, {len(troubles)} problems", flush=True)
    if status or troubles:
        kept = Path(tempfile.gettempdir()) / f"skerry-window-{seed}.txt"
        kept.write_text(text)
        print(f"  kept in {kept}")
    return not (status or troubles)


def _change(root: Path, environment: dict[str, str], over: threading.Event) -> None:
    """Runs begin and definitions change, by other processes."""
    tour = (EXAMPLES / "tour.yaml").read_text("utf-8")
    turn = 0
    while not over.wait(1):
        turn += 1
        changed = root.parent / "changed.yaml"
        changed.write_text(
            tour.replace("seq 1 4", f"seq 1 {4 + turn % 3}").replace("name: words", f"name: w{turn}")
        )
        _skerry(root, environment, "load", str(changed))
        _skerry(root, environment, "run", "--detach", ("tour", "repair")[turn % 2])


def _skerry(root: Path, environment: dict[str, str], *arguments: str) -> None:
    command = [sys.executable, "-m", "app.cli.main", "--workspace", str(root), *arguments]
    subprocess.run(command, env=environment, cwd=root.parent, capture_output=True, check=False)


def _life(root: Path, seed: int, acts: int) -> int:
    """In the window's own process."""
    from PySide6.QtWidgets import QApplication

    from app import wiring
    from app.desktop.kernel.settings import Settings
    from app.desktop.shell.closing import Choice
    from app.desktop.shell.running import the_application
    from app.desktop.shell.startup import link_to, make_console, settings_file
    from app.desktop.shell.window import MainWindow
    from tests.soak.window_hand import Hand

    application = the_application()
    workspace = wiring.open_workspace(root)
    link = link_to(workspace)
    window = MainWindow(make_console(application, workspace.root, link, Settings(settings_file())))
    window.choose = lambda *_: Choice.STOP
    window.show()
    link.start()

    def done() -> None:
        for each in QApplication.topLevelWidgets():
            if each is not window and each.isVisible():
                each.close()
        window.close()
        application.quit()

    hand = Hand(window, seed, acts, done)
    status = application.exec()
    assert hand is not None
    return status


if __name__ == "__main__":
    sys.exit(main())
