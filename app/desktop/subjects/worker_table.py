"""What can be done to a worker, wherever one is selected; and why one of it cannot be done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.subject import Subject
from engine.model.worker import LOCAL

ADD_WORKER: Final = ActionSpec(
    "worker.add", "Add a worker…", (), "machine", "Run", 9,
    tip="Register a machine that is reached by SSH, so that jobs can run there",
)  # fmt: skip
OF_WORKERS: Final = (
    ActionSpec("worker.drain", "Drain…", (), "down", "Run", 9,
               tip="Begin nothing more there, so that it becomes empty; what runs goes on"),
    ActionSpec("worker.pause", "Pause the worker…", (), "pause", "Run", 9,
               tip="Begin nothing more there until it is resumed; what runs goes on"),
    ActionSpec("worker.resume", "Resume the worker", (), "resume", "Run", 9,
               tip="Let jobs begin there again"),
    ActionSpec("worker.check", "Check the worker", (), "check", "Run", 9,
               tip="Look whether jobs can run there: login, folder, programs, disk, clock"),
    ActionSpec("worker.trust", "Host key…", (), "key", "Run", 9,
               tip="Compare the key that it shows with the one that a person vouched for"),
    ActionSpec("worker.edit", "Change the worker…", (), "edit", "Run", 9),
    ActionSpec("worker.gone", "It is gone…", (), "stop", "Run", 9,
               tip="Vouch that nothing of its jobs lives any more, so that they may begin elsewhere"),
    ActionSpec("worker.remove", "Remove the worker…", (), "delete", "Run", 9,
               tip="Forget it; refused while attempts on it have not ended"),
)  # fmt: skip
NO_WORKER: Final = "No worker is selected."
IS_DRAINING: Final = "It is draining already."
IS_PAUSED: Final = "It is paused already."
GOES_ON: Final = "It is neither paused nor draining."
THIS_MACHINE: Final = "This machine is always a worker."


def worker_refusal(name: str, row: Mapping[str, Any] | None) -> str:
    """Why an action cannot be asked for, an English source text; ``row``: the worker that is selected."""
    if name == "add":
        return ""
    if row is None:
        return NO_WORKER
    if name in ("check", "trust", "gone", "remove"):
        return THIS_MACHINE if row["name"] == LOCAL else ""
    return _is_so(name, str(row["state"]))


def _is_so(name: str, state: str) -> str:
    if name == "drain":
        return IS_DRAINING if state == "draining" else ""
    if name == "pause":
        return IS_PAUSED if state == "paused" else ""
    return GOES_ON if name == "resume" and state not in ("paused", "draining") else ""


def is_offered(id: str, subject: Subject | None) -> bool:
    """Whether menus have it at all: what is done to a worker only while one is selected."""
    of_worker = subject is not None and subject.worker is not None
    return of_worker or id == ADD_WORKER.id or not id.startswith("worker.")
