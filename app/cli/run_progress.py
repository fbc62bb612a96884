"""Progress of a run in plain lines, for where nobody watches; and the words for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.cli.cli_context import CliContext, say
from app.cli.following_runs import Display
from app.cli.terminal_text import in_words, visible
from engine.api.documents import RunDocument
from engine.execution.progress import ProgressLine
from engine.model.message import message_in
from engine.model.names import RECORD
from engine.model.reason import HOLDS_UP, Reason
from engine.model.states import JobState
from engine.model.worker import LOCAL

_HELD = {"no_worker", "busy"}  # whoever watches would wait without a word
_SHOWN = {"running", "retrying", "checking", *_HELD, *(str(each) for each in JobState if each.ended)}
_AT_WORK = ("running", "checking")


def name_of(job: Mapping[str, Any], language: str = "en") -> str:
    """A node, with its member and its round where it has several: ``fixed[2]``, ``look (round 3)``."""
    index = "" if job.get("index") is None else f"[{job['index']}]"
    round = say(" (round {n})", language).format(n=job["round"]) if (job.get("round") or 1) > 1 else ""
    return f"{visible(job['node'])}{index}{round}"


def reported(event: Mapping[str, Any]) -> str:
    """A line of progress that a job reported: ``40 % half of it``."""
    return visible(str(ProgressLine(event.get("percent"), event.get("text", ""))))


def on_worker(cli: CliContext, job: Mapping[str, Any]) -> str:
    """On which other worker it runs; a record's name says it already."""
    worker = job.get("worker")
    if job["status"] != "running" or worker in (None, LOCAL) or RECORD in job["node"]:
        return ""
    return cli.tell("on {worker}", worker=visible(worker))


class ProgressLines(Display):
    """A line for every change of a job that matters, also when something holds it up."""

    def __init__(self, cli: CliContext) -> None:
        self._cli = cli
        self._known: dict[Any, tuple[str | None, bool]] = {}  # state, and whether it is held up
        self._began = False

    def state(self, document: RunDocument) -> None:
        """Print what changed since the last look, in the order in which it did."""
        if not self._began:
            self._began = True
            head = {"n": document["instance"], "task": visible(document["task"])}
            self._cli.say(self._cli.tell("instance {n}: {task}", **head))
        for job in sorted(document["jobs"], key=_last_change):
            self._show(job)

    def event(self, event: Mapping[str, Any]) -> None:
        if event["kind"] == "job":
            self._show(event)
        elif event["kind"] == "progress" and (progress := reported(event)):
            self._cli.say(self._cli.labelled(name_of(event, self._cli.language), progress))

    def _show(self, job: Mapping[str, Any]) -> None:
        key = job.get("job_instance") or job.get("instance")
        status = str(job["status"])
        shown = status, is_held_up(job)
        known, _ = before = self._known.get(key, (None, False))
        if status in _SHOWN and before != shown and not is_late(known, status):
            self._known[key] = shown
            name = name_of(job, self._cli.language)
            self._cli.say(self._cli.labelled(name, f"{self._cli.state(status)}{self._more(job)}"))

    def _more(self, job: Mapping[str, Any]) -> str:
        """Its error, what holds it up, or on which other worker it runs."""
        if (job["status"] in _HELD or is_held_up(job)) and (why := in_words(job, self._cli.language)):
            return f"  {visible(why)}"
        if code := job.get("error_code"):
            return f"  {self._cli.error(code, message_in(job))}"
        return f"  {there}" if (there := on_worker(self._cli, job)) else ""


def _last_change(job: Mapping[str, Any]) -> str:
    return str(job.get("ended_at") or job.get("started_at") or job.get("created_at") or "")


def is_held_up(job: Mapping[str, Any]) -> bool:
    """Whether it runs on a worker that is not reached now, or its files wait for room."""
    reason = Reason.read(job.get("why"), job.get("reason"))
    return job["status"] == "running" and reason is not None and reason.kind in HOLDS_UP


def is_late(known: str | None, status: str) -> bool:
    """Whether an event is older than the look that showed that the job has ended."""
    return known is not None and JobState(known).ended and status in _AT_WORK
