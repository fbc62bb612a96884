"""What a person does to a run: cancel, settle by hand, re-prioritise, pause; each is asked about first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from PySide6.QtWidgets import QWidget

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import failure_fact, in_words, reason_of
from app.desktop.kernel.visible_text import visible
from app.desktop.run.awaited import held_tasks
from app.desktop.run.confirmation import Confirm, Confirmation
from app.desktop.run.reading import RunLook
from app.desktop.run.rerun_model import children_of
from app.desktop.run.session import Session
from app.desktop.widgets.table import Row
from engine.api.documents import JobDocument
from engine.api.service import Service
from engine.model.errors import SkerryError
from engine.model.message import message_in
from engine.model.pausing import PAUSES, holder
from engine.model.reason import SKIPS, Kind
from engine.model.states import JOB_IN_LINE
from engine.planning.dag import reach

_NAMED = 8
_Call = Callable[[Service, Any, str], Any]
_AS_IT_SHOULD = SKIPS - {Kind.PARENT_FAILED, Kind.STOPPED}
_AT_WORK = ("running", "checking", "retrying", "starting")


class RunCommands:
    """``shown`` is the question that is open, for tests and for whoever closes the window."""

    def __init__(self, console: Console, session: Session, owner: QWidget) -> None:
        self._console, self._session, self._owner = console, session, owner
        self.shown: Confirm | None = None

    # -- what each does ------------------------------------------------------------------------

    def cancel(self) -> None:
        """Stop the whole instance."""
        look = self._session.look
        if look is None:
            return
        instance = look.run["instance"]
        question = Confirmation(tr("Cancel the instance"), what_cancel_does(look), tr("Stop it"))
        message = tr("Instance {n} is stopped.", n=instance)
        self._ask(question, lambda s, *_: s.cancel(instance), _stopped(message))

    def cancel_job(self) -> None:
        look, job = self._session.look, self._session.job()
        if look is None or job is None:
            return
        instance, node = look.run["instance"], job["node"]
        question = Confirmation(tr("Cancel the job"), what_cancel_job_does(look, job), tr("Stop it"))
        message = tr("{node} is stopped.", node=node)
        self._ask(question, lambda s, *_: s.cancel(instance, node), _stopped(message))

    def force(self) -> None:
        """Settle the outcome of the selected job by hand."""
        look, job = self._session.look, self._session.job()
        if look is None or job is None:
            return
        instance, node = look.run["instance"], job["node"]
        choices = ((tr("succeeded"), "succeeded"), (tr("failed"), "failed"))
        question = Confirmation(
            tr("Settle the outcome by hand"), what_force_does(look, job), tr("Settle it"), tr("It counts as"),
            choices, reason=True,
        )  # fmt: skip
        message = tr("{node} is settled by hand.", node=node)
        self._ask(question, lambda s, state, reason: s.force(instance, node, state, reason), message)

    def priority(self) -> None:
        """Another place in the queue for the selected job."""
        look, job = self._session.look, self._session.job()
        if look is None or job is None or job["instance"] is None:
            return
        number: int = job["instance"]
        waiting = look.queue.get("waiting", ())
        own = next((each for each in waiting if each["job_instance"] == number), None)
        now = int(own["priority"]) if own else 0
        text = (
            "Of all jobs that wait for a slot, the one with the highest priority starts first. "
            "{node} has priority {now}; jobs that run are not touched."
        )
        what = tr(text, node=job["node"], now=now)
        question = Confirmation(
            tr("Change the priority"), what, tr("Change it"), tr("Priority"), number=(-1000, 1000, now)
        )
        message = tr("The priority is changed.")
        self._ask(question, lambda s, value, _: s.queue_priority(number, int(value)), message)

    def pause(self) -> None:
        """Pause the instance, or let it go on."""
        look = self._session.look
        if look is None:
            return
        if look.run["status"] == "paused":
            return self._resume(look)
        instance = look.run["instance"]
        question = Confirmation(tr("Pause the instance"), what_pause_does(look), tr("Pause it"), note=True)
        message = tr("Instance {n} is paused.", n=instance)
        self._ask(question, lambda s, _, reason: s.pause(instance, reason), message)

    def _resume(self, look: RunLook) -> None:
        """Let it go on, or the instance with which it was paused."""
        above = holder(reason_of(look.run))
        instance = look.run["instance"] if above is None else above
        do = tr("Resume it") if above is None else tr("Resume instance {n}", n=above)
        question = Confirmation(tr("Resume the instance"), what_resume_does(look), do, note=True)

        def goes_on(found: dict[str, Any]) -> str:
            if found["status"] == "paused":
                return in_words(reason_of(found))
            return tr("Instance {n} goes on.", n=instance)

        self._ask(question, lambda s, _, reason: s.resume(instance, reason), goes_on)

    def release(self, rows: Sequence[Row], row: Row | None) -> None:
        """Let an instance that waits to begin begin without one of what it waits for; with a reason."""
        look = self._session.look
        if look is None or row is None:
            return
        instance, task = look.run["instance"], row["task"]
        names = [] if task == look.run["task"] and row["time"] is None else [task]
        question = Confirmation(
            tr("Let it go without {task}", task=visible(task)), what_release_does(look, rows, task),
            tr("Let it go"), reason=True,
        )  # fmt: skip
        message = tr("Instance {n} no longer waits for {task}.", n=instance, task=visible(task))
        self._ask(question, lambda s, _, reason: s.release(instance, names, reason), message)

    def pause_queue(self) -> None:
        """Pause the queue, or let it go on."""
        self._console.link.ask(lambda service: service.queue(), self._ask_pause_queue, owner=self._owner)

    def _ask_pause_queue(self, queue: dict[str, Any]) -> None:
        paused = bool(queue.get("paused"))
        if paused:
            what = tr("Jobs of every task start again; {n} wait for a slot.", n=len(queue.get("waiting", ())))
            question = Confirmation(tr("Resume the queue"), what, tr("Resume it"))
            message = tr("The queue goes on.")
        else:
            running = len(queue.get("running", ()))
            text = (
                "No further job starts, of any task, until the queue is resumed. "
                "{n} running jobs go on to their end."
            )
            what = tr(text, n=running)
            question = Confirmation(tr("Pause the queue"), what, tr("Pause it"))
            message = tr("The queue is paused.")
        self._ask(question, lambda s, *_: s.queue_pause(not paused), message)

    # -- asking and doing ----------------------------------------------------------------------

    def _ask(self, question: Confirmation, call: _Call, message: str | Callable[[Any], str]) -> None:
        """``call`` gets the service, what was chosen and the reason; ``message`` says what it did."""

        def agreed(value: Any, reason: str) -> None:
            self._console.link.ask(lambda s: call(s, value, reason), done, owner=self._owner, failed=failed)

        def done(found: Any) -> None:
            doubtful = isinstance(found, dict) and found.get("verified") is False
            self._console.navigator.notify(
                message if isinstance(message, str) else message(found), bad=doubtful
            )
            self._session.refresh()

        def failed(error: SkerryError) -> None:
            self._console.refused(error)
            self._session.refresh()

        self.shown = Confirm(question, agreed, self._owner)
        self.shown.open()


def _stopped(message: str) -> Callable[[Any], str]:
    """What a cancel says: that it is over, and what nobody can be certain of."""

    def text(done: Any) -> str:
        why = failure_fact(None, message_in(done, "reason"))
        doubt = tr("That nothing of it lives cannot be verified: {why}", why=visible(why))
        return message if done["verified"] else f"{message} {doubt}"

    return text


# -- what will happen, in words --------------------------------------------------------------------


def _nodes(look: RunLook, statuses: Collection[str]) -> list[str]:
    return [job["node"] for job in look.run["jobs"] if job["status"] in statuses]


def what_cancel_does(look: RunLook) -> str:
    running = _nodes(look, _AT_WORK)
    waiting = _nodes(look, ("pending", "waiting", *JOB_IN_LINE))
    lines = [
        tr("Instance {n} of task {task} is stopped.", n=look.run["instance"], task=visible(look.run["task"]))
    ]
    if running:
        lines.append(tr("Stopped with everything they started: {nodes}.", nodes=_named(running)))
    if waiting:
        lines.append(tr("Will not start: {nodes}.", nodes=_named(waiting)))
    lines.append(tr("What has ended keeps its outcome; you can rerun the rest later."))
    return "\n".join(lines)


def what_pause_does(look: RunLook) -> str:
    running = _nodes(look, _AT_WORK)
    waiting = _nodes(look, ("pending", *JOB_IN_LINE))
    text = "Nothing more of instance {n} of task {task} starts until it is resumed, also after a restart."
    lines = [tr(text, n=look.run["instance"], task=visible(look.run["task"]))]
    if running:
        lines.append(tr("Goes on to its end: {nodes}.", nodes=_named(running)))
    if waiting:
        lines.append(tr("Waits until then: {nodes}.", nodes=_named(waiting)))
    if _has_sub_tasks(look):
        lines.append(
            tr("The sub-tasks that it has started are paused with it, and all that these have started.")
        )
    lines.append(tr("Its time limit goes on counting. Other instances are not touched."))
    return "\n".join(lines)


def what_resume_does(look: RunLook) -> str:
    """What letting the instance go on does."""
    above = holder(reason_of(look.run))
    if above is not None:
        text = (
            "Instance {n} was paused with instance {above}, of which it is a sub-task. "
            "When that one goes on, so does all that was paused with it."
        )
        return tr(text, n=look.run["instance"], above=above)
    jobs = look.run["jobs"]
    held = [job["node"] for job in jobs if (why := reason_of(job)) is not None and why.kind in PAUSES]
    lines = [
        tr("Instance {n} of task {task} goes on.", n=look.run["instance"], task=visible(look.run["task"]))
    ]
    if held:
        lines.append(tr("Starts as soon as there is a slot: {nodes}.", nodes=_named(held)))
    if _has_sub_tasks(look):
        lines.append(tr("So do its sub-tasks, except those that were paused separately."))
    return "\n".join(lines)


def what_release_does(look: RunLook, rows: Iterable[Row], task: str) -> str:
    """What letting it go without a task does; ``rows``: all that it waits for."""
    lines = [tr("Instance {n} no longer waits for {task}, whatever becomes of it.", n=look.run["instance"],
                task=visible(task))]  # fmt: skip
    rest = [each for each in held_tasks(rows) if each != task]
    lines.append(tr("It still waits for: {tasks}.", tasks=_named(rest)) if rest else tr("It begins at once."))
    lines.append(tr("Results of {task} that it reads may be missing.", task=visible(task)))
    return "\n".join(lines)


def _has_sub_tasks(look: RunLook) -> bool:
    return any(isinstance(job["results"].get("instance"), int) for job in look.run["jobs"])


def what_cancel_job_does(look: RunLook, job: JobDocument) -> str:
    lines = [tr("{node} is stopped with everything it started, and counts as failed.", node=job["node"])]
    after = _after(look, job["node"])
    if after:
        lines.append(tr("What comes after it may not run: {nodes}.", nodes=_named(after)))
    lines.append(tr("Other branches go on."))
    return "\n".join(lines)


def what_force_does(look: RunLook, job: JobDocument) -> str:
    lines = [
        tr(
            "Nothing is run; {node} only counts as what you say, and the log keeps who said so and why.",
            node=job["node"],
        )
    ]
    after = _after(look, job["node"])
    if look.unfinished:
        lines.append(tr("If it still runs, it is stopped first."))
        if after:
            lines.append(tr("What comes after it goes on accordingly: {nodes}.", nodes=_named(after)))
    else:
        lines.append(
            tr("The run has ended: it counts for the outcome of the instance and for the next rerun.")
        )
    return "\n".join(lines)


def _after(look: RunLook, node: str) -> list[str]:
    children = children_of(look.outline.parents)
    return [each for each in reach([node], children) if each != node] if node in children else []


def _named(nodes: Iterable[str]) -> str:
    names = list(dict.fromkeys(nodes))
    shown = ", ".join(names[:_NAMED])
    return shown if len(names) <= _NAMED else tr("{nodes} and {n} more", nodes=shown, n=len(names) - _NAMED)


def may_retry(jobs: Iterable[JobDocument]) -> bool:
    """Whether anything of a run failed, or did not run because of it."""
    return any(job["status"] != "succeeded" and not _left_out(job) for job in jobs)


def _left_out(job: JobDocument) -> bool:
    """Whether it was skipped as it should be."""
    reason = reason_of(job)
    return job["status"] == "skipped" and reason is not None and reason.kind in _AS_IT_SHOULD
