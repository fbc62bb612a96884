"""Progress of a run in plain lines, for where nobody watches; and the words for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.cli.cli_context import CliContext, say
from app.cli.following_runs import Display
from app.cli.terminal_text import visible
from engine.api.documents import RunDocument
from engine.execution.progress import ProgressLine
from engine.model.message import message_in
from engine.model.states import JobState

_SHOWN = {"running", "retrying", "checking", *(str(each) for each in JobState if each.ended)}
_AT_WORK = ("running", "checking")


def name_of(job: Mapping[str, Any], language: str = "en") -> str:
    """A node, with its member and its round where it has several: ``fixed[2]``, ``look (round 3)``."""
    index = "" if job.get("index") is None else f"[{job['index']}]"
    round = say(" (round {n})", language).format(n=job["round"]) if (job.get("round") or 1) > 1 else ""
    return f"{visible(job['node'])}{index}{round}"


def reported(event: Mapping[str, Any]) -> str:
    """A line of progress that a job reported: ``40 % half of it``."""
    return visible(str(ProgressLine(event.get("percent"), event.get("text", ""))))


class ProgressLines(Display):
    """A line for every change of a job that matters."""

    def __init__(self, cli: CliContext) -> None:
        self._cli = cli
        self._known: dict[Any, str] = {}
        self._began = False

    def state(self, document: RunDocument) -> None:
        """Print what changed since the last look."""
        if not self._began:
            self._began = True
            head = {"n": document["instance"], "task": visible(document["task"])}
            self._cli.say(self._cli.tell("instance {n}: {task}", **head))
        for job in document["jobs"]:
            self._show(job)

    def event(self, event: Mapping[str, Any]) -> None:
        if event["kind"] == "job":
            self._show(event)
        elif event["kind"] == "progress" and (progress := reported(event)):
            self._cli.say(self._cli.labelled(name_of(event, self._cli.language), progress))

    def _show(self, job: Mapping[str, Any]) -> None:
        key = job.get("job_instance") or job.get("instance")
        status = str(job["status"])
        if status in _SHOWN and self._known.get(key) != status and not is_late(self._known.get(key), status):
            self._known[key] = status
            why = f"  {self._cli.error(code, message_in(job))}" if (code := job.get("error_code")) else ""
            name = name_of(job, self._cli.language)
            self._cli.say(self._cli.labelled(name, f"{self._cli.state(status)}{why}"))


def is_late(known: str | None, status: str) -> bool:
    """Whether an event is older than the look that showed that the job has ended."""
    return known is not None and JobState(known).ended and status in _AT_WORK
