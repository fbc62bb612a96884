"""Progress of a run as a living picture, on a terminal."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from app.cli.cli_context import CliContext
from app.cli.following_runs import Display
from app.cli.run_progress import is_held_up, is_late, name_of, on_worker, reported
from app.cli.terminal_text import in_words, visible
from app.durations import duration
from engine.api.documents import JobDocument, RunDocument
from engine.model.message import message_in
from engine.model.states import JobState

if TYPE_CHECKING:
    from app.cli.last_lines import LastLines

_COLOURS = {"running": "cyan", "retrying": "yellow", "succeeded": "green", "skipped": "dim"}
_MOST_LINES = 12  # nodes in the picture of a large task


class ProgressPicture(Display):
    """A bar and the nodes at work; what has ended well makes room for what runs."""

    def __init__(self, cli: CliContext, output: LastLines | None = None) -> None:
        self._cli = cli
        self._output = output
        self._spinner = Spinner("dots")
        self._jobs: dict[Any, dict[str, Any]] = {}
        self._reports: dict[Any, str] = {}
        self._since: dict[Any, float] = {}
        self._title = ""
        self._live = Live(
            console=Console(highlight=False, markup=False),
            get_renderable=self._render,
            refresh_per_second=8,
            transient=True,
        )
        self._live.start()

    def state(self, document: RunDocument) -> None:
        self._title = f"{self._cli.tell('instance')} {document['instance']}  {visible(document['task'])}"
        for job in document["jobs"]:
            self._note(job["instance"], job)
        if self._output is not None:
            self._output.look()

    def event(self, event: Mapping[str, Any]) -> None:
        """A job's change, or a line of progress that it reported."""
        key = event.get("job_instance")
        if event["kind"] == "job":
            self._note(key, event)
        elif event["kind"] == "progress":
            self._reports[key] = reported(event)

    def close(self) -> None:
        """Take the picture held_up; the result is printed after it."""
        self._live.stop()

    def _note(self, key: Any, job: JobDocument | Mapping[str, Any]) -> None:
        if is_late(self._jobs.get(key, {}).get("status"), job["status"]):
            return
        if job["status"] == "running" and self._jobs.get(key, {}).get("status") != "running":
            self._since[key] = time.monotonic()
        self._jobs[key] = {**self._jobs.get(key, {}), **job}

    def _render(self) -> RenderableType:
        jobs = [*self._jobs.items()]
        done = sum(JobState(job["status"]).ended for _, job in jobs)
        head = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=max(len(jobs), 1), completed=done, width=30, complete_style="cyan")
        head.add_row(self._spinner, Text(self._title), bar, Text(f"{done}/{len(jobs)}"))
        table = Table.grid(padding=(0, 2))
        for key, job in self._most_telling(jobs):
            status = Text(self._cli.tell(job["status"]), style=_COLOURS.get(job["status"], ""))
            if JobState(job["status"]).bad:
                status.stylize("bold red")
            detail = Text(self._detail(key, job), no_wrap=True, overflow="ellipsis")
            table.add_row(Text("  " + name_of(job, self._cli.language)), status, detail)
        return Group(head, table)

    def _most_telling(self, jobs: list[tuple[Any, dict[str, Any]]]) -> list[tuple[Any, dict[str, Any]]]:
        """All of a small task; of a large one what is at work or went wrong."""
        if len(jobs) <= _MOST_LINES:
            return jobs
        quiet = {"succeeded", "skipped", "pending", "queued"}
        return [each for each in jobs if each[1]["status"] not in quiet][-_MOST_LINES:]

    def _detail(self, key: Any, job: Mapping[str, Any]) -> str:
        if job["status"] == "running":
            now = time.monotonic()
            spent = duration(now - self._since.get(key, now), self._cli.language)
            last = self._output.of(key) if self._output is not None else ""
            held_up = visible(in_words(job, self._cli.language)) if is_held_up(job) else ""
            parts = (spent, on_worker(self._cli, job), held_up, self._reports.get(key, ""), last)
            return "  ".join(each for each in parts if each)
        if JobState(job["status"]).bad and job.get("error_code"):
            return self._cli.error(job["error_code"], message_in(job))
        return visible(in_words(job, self._cli.language))
