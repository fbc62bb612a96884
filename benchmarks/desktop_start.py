"""How long the window takes until it is painted, warm, beside an empty window of Qt's.

    python -m benchmarks.desktop_start [--rounds 7]

Median seconds of interleaved rounds, from the start of the process to the first paint. To reach: 1 s.
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

TARGET = 1.0
_EMPTY = """
import sys, time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
class Window(QMainWindow):
    def paintEvent(self, event):
        print(time.time(), flush=True); QTimer.singleShot(0, self.close)
application = QApplication([]); window = Window(); window.resize(1280, 800); window.show(); application.exec()
"""
_OURS = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QTimer
from app.desktop.shell import window_process
class Window(window_process.MainWindow):
    painted = False
    def paintEvent(self, event):
        super().paintEvent(event)
        if not self.painted:
            self.painted = True; print(time.time(), flush=True); QTimer.singleShot(0, self.close)
window_process.MainWindow = Window
sys.exit(window_process.run(Path(sys.argv[1])))
"""


def measure(program: str, workspace: str) -> float:
    """Seconds from starting the process to its first paint."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": workspace}
    began = time.time()
    command = [sys.executable, "-c", program, workspace]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    return float(done.stdout.split()[0]) - began


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
        times = {
            name: [measure(program, folder) for _ in range(rounds + 1)][1:]  # the first one warms up
            for name, program in (("an empty window", _EMPTY), ("skerry", _OURS))
        }
        engine.terminate()
        engine.wait()
    for name, own in times.items():
        print(f"{name:16} {statistics.median(own):6.2f} s (best {min(own):.2f})")
    print(
        f"{'to reach':16} {TARGET:6.2f} s, on {Path('/proc/loadavg').read_text('ascii').split()[0]} of load"
    )


if __name__ == "__main__":
    main()
