"""The actions of what is selected, the same in every mode that shows it; and why one cannot be done.

Those of the run mode have an entry here for the other modes: there they open the run and ask the same
question. ``OWN`` says which modes have an action of their own for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.desktop.kernel.actions import ActionSpec
from app.desktop.kernel.subject import Subject
from app.desktop.subjects.worker_table import ADD_WORKER, NO_WORKER, OF_WORKERS, worker_refusal
from engine.model.states import INSTANCE_UNFINISHED, JOB_ENDED, JOB_IN_LINE

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
RUNS: Final = (
    ActionSpec("thing.last_run", "Show its last run", ("Ctrl+Alt+L",), "instance", "Run", 7,
               tip="The last run of the task that is selected, at the node that is selected"),
    ActionSpec("thing.runs", "All its runs", ("Ctrl+Alt+H",), "mode-history", "Run", 7,
               tip="The history of the task that is selected"),
)  # fmt: skip
COPY: Final = ActionSpec("thing.copy", "Copy what it says", ("Ctrl+Alt+C",), "copy", "Edit", 7)
FOLDER: Final = ActionSpec("thing.folder", "Open its folder", ("Ctrl+Alt+F",), "folder", "Run", 7)
_EVERYWHERE: Final = (
    START,
    ActionSpec("thing.send", "Send to support…", ("Ctrl+Alt+S",), "export", "Run", 7,
               tip="Write a bundle of what is selected, on the stick that is there"),
    ActionSpec("thing.rule", "Rule from this error…", ("Ctrl+Alt+R",), "rule", "Run", 7,
               tip="A handling rule for this error, with task, code and node filled in"),
    *RUNS, COPY, FOLDER, OPEN_BUNDLE,
)  # fmt: skip
SPECS: Final = (*_IN_RUN, *_EVERYWHERE, ADD_WORKER, *OF_WORKERS)
OWN: Final[Mapping[str, tuple[str, ...]]] = {  # the modes that have it by another id
    **{spec.id: ("run",) for spec in _IN_RUN},
    "thing.retry": ("run", "history"),
    "thing.compare": ("run", "history"),
    "thing.priority": ("run", "queue"),
    "thing.definition": ("run", "design"),
    "thing.runs": ("history",),
}
MENU: Final = (
    "thing.retry", "thing.rerun", "thing.rerun_from", "thing.cancel", "thing.cancel_job", "thing.force",
    "thing.priority", "thing.pause", None, "thing.compare", "thing.show_log", "thing.definition",
    "thing.last_run", "thing.runs", None,
    "thing.start", "thing.rule", "thing.send", None, *(spec.id for spec in OF_WORKERS), None,
    "thing.copy", "thing.folder",
)  # fmt: skip
_CHANGES = ("retry", "rerun", "rerun_from", "cancel", "cancel_job", "force", "priority", "pause", "rule")
_OF_TASK = ("runs", "last_run", "definition")
_OF_JOB = ("rerun_from", "cancel_job", "force", "priority", "show_log")
NOTHING: Final = "Nothing is selected."
NO_RUN: Final = "No run is selected."
NO_JOB: Final = "No job is selected."
NO_TASK: Final = "No task is selected."
OF_ANOTHER_KIND: Final = frozenset({NOTHING, NO_RUN, NO_JOB, NO_TASK, NO_WORKER})  # a menu leaves these out
PAST: Final = "The past is shown: go back to the present first."
NO_ERROR: Final = "It has no error."
GOES_ON: Final = "The run has not ended."
ENDED: Final = "The run has ended."
NOT_BEGUN: Final = "Its time has not come."
NONE_FAILED: Final = "Nothing of the run failed."
JOB_ENDED_ALREADY: Final = "The job has ended."
JOB_NOT_BEGUN: Final = "The job has not begun."
NOT_IN_QUEUE: Final = "The job does not wait in the queue."


def refusal(id: str, subject: Subject | None, locked: str = "") -> str:
    """Why an action cannot be asked for, an English source text; empty when it can.

    ``locked``: why nothing can be changed at all. Of what is not known here the run mode decides.
    """
    kind, _, name = id.partition(".")
    if id == OPEN_BUNDLE.id:
        return ""
    if kind == "worker":
        return locked or worker_refusal(name, subject.worker if subject is not None else None)
    if name in (*_CHANGES, "start") and locked:
        return locked
    if name == "start":
        return ""
    return NOTHING if subject is None else _missing(name, subject) or _too_late(name, subject)


def _missing(name: str, subject: Subject) -> str:
    """What the action needs and the subject does not have."""
    if name in _OF_TASK:
        return "" if subject.task is not None else NO_TASK
    if name == "copy":
        return "" if subject.copied() else NOTHING
    if name == "rule" and subject.code is None:
        return NO_ERROR if subject.instance is not None else NO_RUN
    if name in _OF_JOB and subject.node is None:
        return NO_JOB
    return "" if subject.instance is not None or name == "rule" else NO_RUN


def _too_late(name: str, subject: Subject) -> str:
    """What has already happened to the run or the job, or has not yet."""
    status, unfinished = subject.status, subject.status in INSTANCE_UNFINISHED
    if name in ("retry", "rerun", "rerun_from"):
        if status == "planned":
            return NOT_BEGUN
        if unfinished:
            return GOES_ON
        return NONE_FAILED if name == "retry" and subject.failed is False else ""
    if name in ("cancel", "pause", "cancel_job"):
        if status == "planned":
            return NOT_BEGUN
        if status is not None and not unfinished:
            return ENDED
    return _of_job(name, subject.job_status)


def _of_job(name: str, status: str | None) -> str:
    if status is None or name not in ("cancel_job", "priority"):
        return ""
    if status in JOB_ENDED:
        return JOB_ENDED_ALREADY
    if name == "priority":
        return "" if status in JOB_IN_LINE else NOT_IN_QUEUE
    return JOB_NOT_BEGUN if status == "pending" else ""
