"""Watching a backfill until it has ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from app.cli.across_engines import across_engines
from app.cli.terminal_text import clock_time, visible
from engine.model.message import Message
from engine.model.states import INSTANCE_ENDED, BackfillState

if TYPE_CHECKING:
    from app.cli.cli_context import CliContext
    from engine.api.documents import Document
    from engine.api.service import Service


def finished(document: Mapping[str, Any]) -> bool:
    """Whether it begins nothing more."""
    return BackfillState(document["status"]).ended


def follow_through(cli: CliContext, service: Service, number: int) -> Document:
    """Until its end, across engines."""
    lines = EndedTimes(cli)
    gone = Message.of("no engine stays to run backfill {number}", number=number)
    return across_engines(cli, service, lambda each: _follow(lines, each, number), gone)


def _follow(lines: EndedTimes, service: Service, number: int) -> Document:
    stream = service.events()  # first listen, then look: nothing is missed in between
    try:
        document = lines.of_all(service.backfill(number))
        for event in stream if not finished(document) else ():
            if event["kind"] in ("tick", "resync"):
                document = lines.of_all(service.backfill(number))
            elif event["kind"] == "backfill" and event["backfill"] == number:
                document = {**document, "status": event["status"]}
                if outcome := event.get("outcome"):
                    lines.show(event["time"], event["task"], event["of"], outcome)
            if finished(document):
                break
    finally:
        stream.close()
    return lines.of_all(service.backfill(number))


class EndedTimes:
    """A line for each time that has come to its end; none with ``--json``."""

    def __init__(self, cli: CliContext) -> None:
        self._cli = cli
        self._shown: set[int] = set()

    def of_all(self, document: Document) -> Document:
        """Those of a document that were not shown yet."""
        for each in document["instances"]:
            if each["decision"] != "leave" and each["instance"] and each["status"] in INSTANCE_ENDED:
                self.show(each["time"], each["task"], each["instance"], each["status"])
        return document

    def show(self, time: str, task: str, instance: int, status: str) -> None:
        """One of them, once."""
        if self._cli.json or instance in self._shown:
            return
        self._shown.add(instance)
        text = self._cli.tell("{time} {task}: instance {n} {status}")
        facts = {"time": clock_time(time), "task": visible(task), "n": instance}
        self._cli.say(text.format(**facts, status=self._cli.tell(status)))
