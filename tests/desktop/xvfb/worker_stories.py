"""A worker from nothing: ``python -m tests.desktop.xvfb.worker_stories STORY FOLDER LOOK``; FOLDER has ``sshd.json``.

``sshd.json``: ``{"port", "key", "root"}`` of a server of SSH that is there.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from app.desktop.shell.window import MainWindow
from tests.desktop.xvfb.looks import LOOKS
from tests.desktop.xvfb.person import Person
from tests.desktop.xvfb.stage import Stage, Story, play

READY = ("load {here}/far.yaml",)


def worker_from_nothing(person: Person, stage: Stage) -> None:
    """Added with its key looked at, a job run there, drained."""
    person.click("Queue")
    person.click("Add a worker")
    _fill(person, stage)
    person.click("Test the connection")
    person.click("Trust this key")
    person.waits(lambda: stage.shows("lets the user in"), "the login")
    person.click("Add")
    person.sees("ready")
    person.waits(lambda: state(stage, "build") == "online", "the worker")
    person.click("Start task")
    person.double_click("far")
    person.waits(lambda: stage.shows("far #1"), "the run")
    person.waits(lambda: stage.shows("succeeded"), "its end")
    person.click("Queue")
    person.right_click("build")
    person.click("Drain")
    person.type("a new disk")
    person.click("Drain")
    person.waits(lambda: state(stage, "build") == "draining", "the drain")


def worker_from_nothing_by_keys(person: Person, stage: Stage) -> None:
    """The same without a pointer."""
    person.waits(lambda: stage.window.console.link.writable, "the engine")
    person.press("ctrl+5")
    _command(person, "add a worker")
    _fill(person, stage, by_keys=True)
    person.press("Return")
    person.sees("Trust this key")
    person.press("shift+Tab", "space")
    person.waits(lambda: state(stage, "build") == "online", "the worker")
    person.press("ctrl+shift+n")
    person.is_at("Find a task")
    person.type("far")
    person.press("Return")
    person.waits(lambda: stage.shows("far #1"), "the run")
    person.waits(lambda: stage.shows("succeeded"), "its end")
    person.press("ctrl+5", "alt+1")
    person.waits(lambda: selected(stage) == "build", "the worker that was added last")
    _command(person, "drain")
    person.is_at("Reason")
    person.type("a new disk")
    person.press("Return")
    person.waits(lambda: state(stage, "build") == "draining", "the drain")


def state(stage: Stage, name: str) -> str:
    """Of a worker as the window knows it (window's thread only)."""
    latest = stage.window.console.overview.latest
    rows = latest.workers if latest is not None else ()
    return next((str(row["state"]) for row in rows if row["name"] == name), "")


def selected(stage: Stage) -> str:
    """The worker that actions are for (window's thread only)."""
    subject = _window(stage)._subject()
    return "" if subject is None or subject.worker is None else str(subject.worker["name"])


def _window(stage: Stage) -> MainWindow:
    return stage.window


def _command(person: Person, words: str) -> None:
    person.press("ctrl+k")
    person.is_at("Find")
    person.type(f"> {words}")
    person.press("Return")


def _fill(person: Person, stage: Stage, *, by_keys: bool = False) -> None:
    """The form opens on its first field; name, host, port, key file and folder are what has to be said."""
    sshd = json.loads((stage.folder / "sshd.json").read_text("utf-8"))
    person.is_at("Name")
    person.type("build")
    person.press("Tab")
    person.is_at("Host")
    person.type("127.0.0.1")
    person.press("Tab", "Tab")
    person.is_at("Port")
    person.type(str(sshd["port"]))
    if by_keys:
        person.press("Tab", "Tab", "Tab")
    else:
        person.click("Key file")
    person.is_at("Key file")
    person.type(sshd["key"])


STORIES: dict[str, Story] = {
    "worker from nothing": Story(worker_from_nothing, READY),
    "worker from nothing by keys": Story(worker_from_nothing_by_keys, READY),
}


if __name__ == "__main__":
    sys.exit(play(STORIES[sys.argv[1]], Path(sys.argv[2]), LOOKS[sys.argv[3]]))
