"""The run mode under load: stalls while 1,000 nodes change 5,000 times a second, and the replay.

Run it with ``QT_QPA_PLATFORM=offscreen python -m benchmarks.desktop_run``; times in ms. What happens comes
from a process of its own that writes the context log too, as an engine does; the documents pass through JSON.
"At work" is processor time, which tells what a busy machine hides.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, process_time, sleep, thread_time
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.desktop.kernel.console import Console, Target
from app.desktop.kernel.link import Link, LinkState
from app.desktop.kernel.settings import WindowSettings
from app.desktop.run.mode import RunMode
from app.desktop.shell.startup import make_console
from engine.context.line import body, seal
from engine.model.expression import parse_path

NODES, LAYERS, RATE, SECONDS, EVENTS = 1000, 25, 5000, 10, 100_000
TIME = "2026-11-21T08:00:{:09.6f}+00:00"
STATES = ("queued", "running", "retrying", "running", "succeeded")


def line(seq: int, path: str, new: object) -> str:
    """One line of a context log."""
    time = TIME.format(seq / 5000 % 60)
    begun = body(seq, time, 1, "engine", parse_path(path))
    return seal(f'{begun},"new":{json.dumps(new)}')


def entry(number: int) -> dict[str, Any]:
    """A job as it begins."""
    return {
        "PARAMS": {"n": number},
        "RESULT": {},
        "STATUS": "running",
        "START_TIME": TIME.format(0),
        "ATTEMPT": 1,
    }


def lines(count: int) -> Iterator[str]:
    """A log of so many lines over all nodes."""
    yield line(1, "$.TASK", {"ID": "big", "STATUS": "running", "PARAMS": {}})
    yield line(2, "$.JOB", {})
    chance = random.Random(2)
    for seq in range(3, count + 1):
        node = chance.randrange(NODES)
        if seq <= NODES + 2:
            yield line(seq, f"$.JOB['n{seq - 3}']", entry(seq - 3))
        elif seq % 3:
            yield line(seq, f"$.JOB['n{node}'].STATUS", chance.choice(("retrying", "running", "succeeded")))
        else:
            yield line(seq, f"$.JOB['n{node}'].RESULT['rows']", seq)


def definitions() -> dict[str, Any]:
    """A task of 1,000 nodes in layers."""
    chance = random.Random(1)
    layer = [i * LAYERS // NODES for i in range(NODES)]
    nodes: dict[str, Any] = {}
    for i in range(NODES):
        before = [j for j in range(NODES) if layer[j] == layer[i] - 1]
        after = [f"n{j}" for j in chance.sample(before, min(2, len(before)))]
        nodes[f"n{i}"] = {"type": "shell", "process": "true", "after": after}
    return {"task": "big", "raw": {"tasks": {"big": {"nodes": nodes}}}}


def document(folder: Path) -> dict[str, Any]:
    """The instance."""
    whole: dict[str, Any] = {"instance": 1, "task": "big", "run": 1, "trigger": "manual", "status": "running"}
    whole |= dict.fromkeys(("error_code", "error_message", "ended_at"))
    whole |= dict.fromkeys(("created_at", "scheduled_time", "started_at"), TIME.format(0))
    whole |= {"params": {}, "results": {}, "definition": 1, "edited": [], "directory": str(folder)}
    jobs = [{"node": f"n{i}", "job": f"n{i}", "instance": i + 1, "run": 1, "round": 1, "index": None,
             "status": "running", "attempt": 1, "worker": "local", "pid": None, "exit_code": None,
             "error_code": None, "error_message": None, "created_at": TIME.format(0),
             "started_at": TIME.format(0), "ended_at": None, "params": {"n": i}, "results": {},
             "based_on_edit": False, "directory": None, "reason": None} for i in range(NODES)]  # fmt: skip
    return whole | {"jobs": jobs}


class Played:
    """A service that answers from a text, as a client over a socket does."""

    def __init__(self, folder: Path) -> None:
        self._text = json.dumps(document(folder))
        whole = json.loads(self._text)
        self._list = json.dumps([{name: value for name, value in whole.items() if name != "jobs"}])

    def instance(self, _: int) -> Any:
        return json.loads(self._text)

    def instances(self, _: object) -> Any:
        return json.loads(self._list)

    def queue(self) -> Any:
        return {"waiting": [], "running": [], "paused": False, "places": 2}

    def exceptions(self, _: object) -> Any:
        return []

    def own_errors(self) -> Any:
        return {}

    def captured(self, *_: object) -> Any:
        return {}

    def logs(self, *_: object) -> Any:
        return []


class PlayedLink(Link):
    """Events come from a process, in lines of JSON, each a batch of a thirtieth of a second."""

    def __init__(self, folder: Path) -> None:
        super().__init__(workers=4)
        self._service = Played(folder)
        self._set_state(LinkState.CONNECTED)

    def service(self) -> Any:
        return self._service


def play(folder: Path) -> None:
    """The process behind it: events to standard output, lines to the context log."""
    chance = random.Random(3)
    seq, every = NODES + 3, 1 / 30
    due = monotonic()
    with (folder / "ctx.log").open("a") as log:
        while True:
            events = {}
            for _ in range(int(RATE * every)):
                node = chance.randrange(NODES)
                status = chance.choice(STATES)
                log.write(line(seq, f"$.JOB['n{node}'].STATUS", status) + "\n")
                events[node] = {"kind": "job", "instance": 1, "run": 1, "node": f"n{node}",
                                "job_instance": node + 1, "status": status, "index": None,
                                "round": 1}  # fmt: skip
                seq += 1
            log.flush()
            print(json.dumps(list(events.values())), flush=True)
            due += every
            sleep(max(0.0, due - monotonic()))


def spin(until: Callable[[], bool], seconds: float = 60) -> None:
    """Let the window work until something holds."""
    end = monotonic() + seconds
    while not until() and monotonic() < end:
        QApplication.processEvents()
    assert until()


def beats(mode: RunMode, seconds: float) -> tuple[list[float], float]:
    """How late each beat of a timer of 10 ms came, sorted; the longest that the window worked at once."""
    late: list[float] = []
    last = perf_counter()

    def beat() -> None:
        nonlocal last
        now = perf_counter()
        late.append((now - last) * 1000 - 10)
        last = now

    timer = QTimer(mode, interval=10)
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(beat)
    timer.start()
    end, longest = monotonic() + seconds, 0.0
    while monotonic() < end:
        begun = thread_time()
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        longest = max(longest, (thread_time() - begun) * 1000)
    timer.stop()
    timer.deleteLater()
    return sorted(late), longest


def report(name: str, late: list[float], longest: float) -> None:
    """One line of figures."""
    parts = [late[int(len(late) * part)] for part in (0.5, 0.95, 0.99)]
    print(f"  {name:24} p50 {parts[0]:6.1f}  p95 {parts[1]:6.1f}  p99 {parts[2]:6.1f}  max {late[-1]:6.1f}"
          f"  longest work {longest:5.1f}")  # fmt: skip


def stalls(mode: RunMode, link: PlayedLink, folder: Path) -> None:
    """How late a timer of 10 ms comes: while nothing happens, and while the run changes."""
    still = beats(mode, SECONDS / 2)
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.desktop_run", str(folder)],
                               stdout=subprocess.PIPE, text=True)  # fmt: skip
    batches: list[tuple[Any, ...]] = []
    assert process.stdout is not None
    out = process.stdout

    def read() -> None:
        batches.extend(tuple(json.loads(each)) for each in out)

    threading.Thread(target=read, daemon=True).start()
    count = 0

    def hand_on() -> None:
        nonlocal count
        if batches:
            events = {
                each["job_instance"]: each for batch in batches for each in batch
            }  # as the window's link
            count += sum(map(len, batches))
            batches.clear()
            link.changed.emit(tuple(events.values()))

    timer = QTimer(mode, interval=33)
    timer.timeout.connect(hand_on)
    timer.start()
    spin(lambda: count > 0)
    count = 0
    busy = beats(mode, SECONDS)
    process.terminate()
    timer.stop()
    print(f"{count / SECONDS:.0f} changes a second reported; lateness of a 10 ms timer in ms (limit 100):")
    report("nothing happens", *still)
    report("5,000 changes a second", *busy)


def positions(mode: RunMode) -> None:
    """From asking for a moment until every pane shows it."""
    replay, chance = mode.replay, random.Random(4)
    found, spent = [], []
    for _ in range(60):
        target = chance.randrange(replay.last)
        began, work = perf_counter(), process_time()
        replay.seek(target)
        spin(lambda target=target: mode.session.at is not None and mode.session.at.seq == target)  # type: ignore[misc]
        mode.repaint()
        QApplication.processEvents()
        found.append((perf_counter() - began) * 1000)
        spent.append((process_time() - work) * 1000)
    print(f"replay of {replay.last} events: median {median(found):.1f}, max {max(found):.1f} ms (limit 100); "
          f"of it at work: median {median(spent):.1f}, max {max(spent):.1f} ms")  # fmt: skip


def shown(application: QApplication, root: Path, link: PlayedLink) -> tuple[Console, RunMode]:
    """The mode with everything in sight."""
    console = make_console(application, root, link, WindowSettings(root / "window.ini"))
    mode = RunMode(console)
    mode.resize(1600, 900)
    mode.show()
    QApplication.processEvents()
    return console, mode


def main() -> None:
    """Both parts."""
    application = QApplication([])
    with tempfile.TemporaryDirectory() as name:
        for count, part in ((NODES + 2, "live"), (EVENTS, "replay")):
            folder = Path(name, part)
            (folder / ".skerry").mkdir(parents=True)
            (folder / ".skerry" / "definitions.json").write_text(json.dumps(definitions()))
            (folder / "ctx.log").write_text("".join(f"{each}\n" for each in lines(count)))
            link = PlayedLink(folder)
            _, mode = shown(application, folder, link)
            mode.raise_dock("context" if part == "replay" else "job")
            began = perf_counter()
            mode.open(Target("instance", "1", "n500"))
            spin(lambda mode=mode, count=count: mode.replay.last >= count)  # type: ignore[misc]
            print(f"{part}: opened with {count} lines in {(perf_counter() - began) * 1000:.0f} ms")
            stalls(mode, link, folder) if part == "live" else positions(mode)
            mode.let_go()
            link.close()
            mode.deleteLater()
            QApplication.processEvents()


if __name__ == "__main__":
    play(Path(sys.argv[1])) if len(sys.argv) > 1 else main()
