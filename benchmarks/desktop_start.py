"""How long ``skerry`` takes until its window is painted, warm, beside an empty window of Qt's.

    python -m benchmarks.desktop_start [--rounds 7]

Median seconds of interleaved rounds, from the start of the process to the first paint, CPU seconds of all its
threads until then, and the ratio of these to those of the empty window in the same round. To reach: 0.5 s.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TARGET = 0.5
_FLOOR = "an empty window"
_EMPTY = """
import sys, time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
class Window(QMainWindow):
    def paintEvent(self, event):
        print(time.time(), time.process_time(), flush=True); QTimer.singleShot(0, self.close)
application = QApplication([]); window = Window(); window.resize(1280, 800); window.show(); application.exec()
"""
_OURS = """
import sys, time
from app.cli.main import main
from app.desktop.shell import window_process
from PySide6.QtCore import QTimer
class Window(window_process.MainWindow):
    painted = False
    def paintEvent(self, event):
        super().paintEvent(event)
        if not self.painted:
            self.painted = True; QTimer.singleShot(0, self.close)
            print(time.time(), time.process_time(), flush=True)
window_process.MainWindow = Window
sys.argv[:] = ["skerry", "--workspace", sys.argv[1]]
main()
"""


def measure(program: str, workspace: str) -> tuple[float, float]:
    """Seconds from starting the process to its first paint, and of CPU."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": workspace}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else nothing is ever warm
    began = time.time()
    command = [sys.executable, "-c", program, workspace]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    painted, cpu = done.stdout.split()[:2]
    return float(painted) - began, float(cpu)


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--rounds", type=int, default=7)
    rounds = options.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        serve = [sys.executable, "-m", "app.cli.main", "--workspace", folder, "serve"]
        engine = subprocess.Popen(serve, stdout=subprocess.PIPE)
        assert engine.stdout is not None
        engine.stdout.readline()
        programs = {_FLOOR: _EMPTY, "skerry": _OURS}
        each = [
            {name: measure(program, folder) for name, program in programs.items()} for _ in range(rounds + 1)
        ]
        engine.terminate()
        engine.wait()
    for name in programs:
        walls, cpus = zip(*(one[name] for one in each[1:]), strict=True)  # the first round warms up
        best = f"(best {min(walls):.2f}), {statistics.median(cpus):.2f} s of CPU (best {min(cpus):.2f})"
        ratio = statistics.median(one[name][1] / one[_FLOOR][1] for one in each[1:])
        print(f"{name:16} {statistics.median(walls):6.2f} s {best}, {ratio:.2f} times {_FLOOR}")
    print(
        f"{'to reach':16} {TARGET:6.2f} s, on {Path('/proc/loadavg').read_text('ascii').split()[0]} of load"
    )


if __name__ == "__main__":
    main()
