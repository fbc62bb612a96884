"""The actions of what is selected, the same in every mode that shows it; and when each makes sense.

Those of the run mode have an entry here for the other modes: there they open the run and ask the same
question. ``OWN`` says which modes have an action of their own for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.subject import Subject
from engine.model.states import INSTANCE_UNFINISHED

_IN_RUN: Final = (
    ActionSpec("thing.retry", "Retry what failed…", ("Ctrl+F5",), "rerun", "Run", 6),
    ActionSpec("thing.rerun", "Run again…", ("Ctrl+Shift+F5",), "replay", "Run", 6),
    ActionSpec("thing.rerun_from", "Rerun from here…", (), None, "Run", 6),
    ActionSpec("thing.cancel", "Cancel the instance…", ("Shift+F5",), "stop", "Run", 6),
    ActionSpec("thing.cancel_job", "Cancel the job…", (), "stop", "Run", 6),
    ActionSpec("thing.force", "Settle it by hand…", (), "force", "Run", 6),
    ActionSpec("thing.priority", "Change the priority…", (), "priority", "Run", 6),
    ActionSpec("thing.pause", "Pause or resume the instance…", (), "pause", "Run", 6),
    ActionSpec("thing.compare", "Compare with another run…", (), "compare", "Run", 6),
    ActionSpec("thing.show_log", "Show the log", (), "log", "Run", 6),
    ActionSpec("thing.definition", "Go to the definition", ("F4",), "job", "Run", 6),
)
START: Final = ActionSpec(
    "thing.start", "Start task…", ("Ctrl+Shift+N",), "run", "Run", 7, tool=True,
    tip="Choose a task and start it, with values if it asks for any",
)  # fmt: skip
OPEN_BUNDLE: Final = ActionSpec(
    "file.open_bundle", "Open bundle…", ("Ctrl+O",), "open", "File", 10,
    tip="Verify and open a diagnostic bundle, a fix or a delivery; it may also be dropped on the window",
)  # fmt: skip
COPY: Final = ActionSpec("thing.copy", "Copy what it says", ("Ctrl+Alt+C",), "copy", "Edit", 7)
FOLDER: Final = ActionSpec("thing.folder", "Open its folder", ("Ctrl+Alt+F",), "folder", "Run", 7)
_EVERYWHERE: Final = (
    START,
    ActionSpec("thing.send", "Send to support…", ("Ctrl+Alt+S",), "export", "Run", 7,
               tip="Write a bundle of what is selected, on the stick that is there"),
    ActionSpec("thing.rule", "Rule from this error…", ("Ctrl+Alt+R",), "rule", "Run", 7,
               tip="A handling rule for this error, with task, code and node filled in"),
    COPY, FOLDER, OPEN_BUNDLE,
)  # fmt: skip
SPECS: Final = (*_IN_RUN, *_EVERYWHERE)
OWN: Final[Mapping[str, tuple[str, ...]]] = {  # the modes that have it by another id
    **{spec.id: ("run",) for spec in _IN_RUN},
    "thing.retry": ("run", "history"),
    "thing.compare": ("run", "history"),
    "thing.priority": ("run", "queue"),
}
MENU: Final = (
    "thing.retry", "thing.rerun", "thing.rerun_from", "thing.cancel", "thing.cancel_job", "thing.force",
    "thing.priority", "thing.pause", None, "thing.compare", "thing.show_log", "thing.definition", None,
    "thing.start", "thing.rule", "thing.send", None, "thing.copy", "thing.folder",
)  # fmt: skip
_AT_WORK = ("running", "checking", "retrying", "starting", "waiting", "queued", "busy", "no_worker")
_CHANGES = ("retry", "rerun", "rerun_from", "cancel", "cancel_job", "force", "priority", "pause", "rule")


def makes_sense(id: str, subject: Subject | None, writable: bool) -> bool:
    """Whether an action can be asked for; of what is not known here the run mode decides."""
    name = id.partition(".")[2]
    if id == OPEN_BUNDLE.id:
        return True
    if name in _CHANGES and not writable:
        return False
    if name == "start":
        return writable
    return subject is not None and _fits(name, subject)


def _fits(name: str, subject: Subject) -> bool:
    instance, node, status = subject.instance is not None, subject.node is not None, subject.status
    over = status is None or status not in (*INSTANCE_UNFINISHED, "planned")
    if name in ("retry", "rerun"):
        return instance and over
    if name == "rerun_from":
        return instance and node and over
    if name in ("cancel", "pause"):
        return instance and (status is None or status in INSTANCE_UNFINISHED)
    if name in ("cancel_job", "priority"):
        return instance and node and (subject.job_status is None or subject.job_status in _AT_WORK)
    if name in ("force", "show_log", "definition"):
        return instance and node
    if name == "rule":
        return subject.code is not None
    if name == "copy":
        return bool(subject.copied())
    return instance
