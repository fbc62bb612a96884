"""``skerry watch``: a live table of an instance, until it has ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from app.cli.cli_context import CliContext, as_json
from app.cli.engine_access import reading
from app.cli.following_runs import Display, ended, follow, well
from app.cli.last_lines import LastLines
from app.cli.run_progress import ProgressLines
from app.cli.shell import BAD, OK, CliCommand
from app.cli.value_types import INSTANCE
from engine.api.documents import RunDocument
from engine.api.service import Service

_SHOWN = ("node", "instance", "index", "round", "status", "worker", "error_code", "error_message", "reason")
_SEEN = ("job", "progress", "instance")


@click.command(cls=CliCommand)
@click.argument("instance", type=INSTANCE)
@click.pass_obj
def watch(cli: CliContext, instance: int) -> int:
    """Watch INSTANCE until it has ended: its jobs, their progress, the last line of their output.

    It ends with the run's exit status. Where no engine runs it shows how far the instance is.
    """
    with reading(cli) as service:
        display = _display(cli, service, instance)
        try:
            document = follow(service, instance, display)
        finally:
            display.close()
    if cli.json:
        cli.write(as_json({"kind": "end", "instance": instance, "status": document["status"]}))
    elif not ended(document):
        cli.note(cli.tell("no engine runs: nothing of it goes on"))
    else:
        cli.say(cli.tell("instance {n}: {state}", n=instance, state=cli.state(document["status"])))
    return OK if well(document) or not ended(document) else BAD


def _display(cli: CliContext, service: Service, instance: int) -> Display:
    if cli.json:
        return JsonLines(cli)
    if not cli.terminal:
        return ProgressLines(cli)
    from app.cli.progress_picture import ProgressPicture  # it brings what draws on terminals

    return ProgressPicture(cli, LastLines(service, instance))


class JsonLines(Display):
    """Every change as a line; first the state that was found."""

    def __init__(self, cli: CliContext) -> None:
        self._cli = cli
        self._known: dict[int | None, str] = {}

    def state(self, document: RunDocument) -> None:
        """Jobs that are in another state than at the last look."""
        for job in document["jobs"]:
            if self._known.get(job["instance"]) != job["status"]:
                self._known[job["instance"]] = job["status"]
                self._cli.write(as_json({"kind": "job", **{name: job.get(name) for name in _SHOWN}}))

    def event(self, event: Mapping[str, Any]) -> None:
        """What happened between two looks."""
        if event["kind"] not in _SEEN:
            return
        if (job := event.get("job_instance")) is not None and "status" in event:
            self._known[job] = str(event["status"])
        own = {name: value for name, value in event.items() if name not in ("instance", "job_instance")}
        self._cli.write(as_json({**own, "instance": event.get("job_instance")}))
