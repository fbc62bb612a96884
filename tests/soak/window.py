"""Random clicks and keys over all modes of the window, while the workspace changes underneath.

``python -m tests.soak.window --lives 20 --acts 3000`` opens that many windows one after the other, each in a process
and a scratch workspace of its own with a real engine. A window that dies, an exception that reaches nobody and a
warning of Qt are problems; what the process wrote, with the last acts and the stacks of a crash, is kept, and the core
file if one may be written (``ulimit -c unlimited``, ``core`` in /proc/sys/kernel/core_pattern). It ends with the acts
during which each mode, window and dialog was open, and what never was. QT_QPA_PLATFORM chooses the platform.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from tests.soak.window_sights import said
from tests.soak.window_site import Site

_TROUBLE = ("Traceback", "Fatal Python error", "QObject::", "QThread", "QPainter::", "already deleted")


def main() -> int:
    """The lives; status 1 when one of them had a problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lives", type=int, default=3)
    parser.add_argument("--acts", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=600, help="begin no life after that time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--life", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.life is not None:
        return _life(given.life, given.seed, given.acts)
    counts: Counter[str] = Counter()
    seeds = range(given.seed, given.seed + given.lives)
    until = time.monotonic() + 60 * given.minutes
    lived = {seed: _lived(seed, given.acts, counts) for seed in seeds if time.monotonic() < until}
    bad = [seed for seed, well in lived.items() if not well]
    if counts:
        print(*said(counts), sep="\n")
    print(f"{len(lived)} lives of {given.acts} acts, with problems: {bad or 'none'}")
    return 1 if bad else 0


def _lived(seed: int, acts: int, counts: Counter[str]) -> bool:
    """One window from its beginning to its end; False when something went wrong, with what it wrote."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {
            "QT_QPA_PLATFORM": "offscreen",
            **os.environ,
            "XDG_CONFIG_HOME": name,
            "SKERRY_PASSPHRASE": "correct horse",
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }
        site = Site(folder, environment)
        site.prepare()
        began = time.monotonic()
        command = [sys.executable, "-X", "faulthandler", "-m", "tests.soak.window", "--life", name]
        with (folder / "said").open("w") as said:
            window = subprocess.Popen(
                [*command, "--seed", str(seed), "--acts", str(acts)], env=environment, cwd=folder, stderr=said
            )
        over = threading.Event()
        changing = threading.Thread(target=site.change, args=(over,))
        changing.start()
        status = window.wait()
        over.set()
        changing.join()
        site.stop()
        text = (folder / "said").read_text("utf-8", "replace")
        for core in folder.glob("core*"):
            shutil.move(core, Path(tempfile.gettempdir()) / f"skerry-window-{seed}.core")
        reached = folder / "sights.json"
        seen = Counter(json.loads(reached.read_text())) if reached.exists() else Counter()
    counts.update(seen)
    if not seen:
        text += "\nTraceback: it ended before its last act\n"
    troubles = [line for line in text.splitlines() if line.startswith(_TROUBLE)]
    took = time.monotonic() - began
    print(f"life {seed}: status {status}, {len(troubles)} problems, {took:.0f} s", flush=True)
    if status or troubles:
        kept = Path(tempfile.gettempdir()) / f"skerry-window-{seed}.txt"
        kept.write_text(text)
        print(f"  kept in {kept}", flush=True)
    return not (status or troubles)


def _life(folder: Path, seed: int, acts: int) -> int:
    """In the window's own process."""
    from PySide6.QtWidgets import QApplication

    from app import wiring
    from app.desktop.kernel.console import Target
    from app.desktop.kernel.settings import WindowSettings
    from app.desktop.shell.closing import Choice
    from app.desktop.shell.startup import link_to, make_console, settings_file
    from app.desktop.shell.window import MainWindow
    from app.desktop.shell.window_process import the_application
    from tests.soak.window_hand import PLACES, Hand

    application = the_application()
    workspace = wiring.open_workspace(folder / "workspace")
    link = link_to(workspace)
    window = MainWindow(make_console(application, workspace.root, link, WindowSettings(settings_file())))
    window.choose = lambda *_: Choice.STOP
    window.show()
    link.start()

    def done() -> None:
        (folder / "sights.json").write_text(json.dumps(hand.sights.counts))
        for each in QApplication.topLevelWidgets():
            if each is not window and each.isVisible():
                each.close()
        window.close()
        application.quit()

    bundles = [Target("file", str(each)) for each in sorted(folder.glob("*.skerry"))]
    hand = Hand(window, seed, acts, [*PLACES, *bundles], done)
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
