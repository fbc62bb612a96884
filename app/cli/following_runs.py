"""Watching an instance until it has ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.cli.across_engines import across_engines
from app.cli.cli_context import CliContext
from engine.api.documents import RunDocument
from engine.api.service import Service
from engine.model.message import Message
from engine.model.states import InstanceState


class Display:
    """How progress is shown; by itself it shows nothing: with ``--json`` only the end counts."""

    def state(self, document: RunDocument) -> None:
        """Everything as it is now."""

    def event(self, event: Mapping[str, Any]) -> None:
        """One thing that happened."""

    def close(self) -> None:
        """Leave the screen in order."""


def ended(document: Mapping[str, Any]) -> bool:
    """Whether nothing more happens to this instance by itself."""
    return InstanceState(document["status"]).ended


def well(document: Mapping[str, Any]) -> bool:
    """Whether it ended as its author intended."""
    return document["status"] in (InstanceState.SUCCEEDED, InstanceState.SKIPPED)


def follow(service: Service, instance: int, display: Display) -> RunDocument:
    """Show what happens until the end; the document of the ended instance."""
    stream = service.events(instance)  # first listen, then look: nothing is missed in between
    try:
        if not _shown(service, instance, display):
            for event in stream:
                if event["kind"] in ("tick", "resync", "instance"):
                    if _shown(service, instance, display):
                        break
                else:
                    display.event(event)
    finally:
        stream.close()
    return service.instance(instance)


def follow_through(cli: CliContext, service: Service, instance: int, display: Display) -> RunDocument:
    """Follow it across engines."""
    gone = Message.of("no engine stays to run instance {instance}", instance=instance)
    return across_engines(cli, service, lambda each: follow(each, instance, display), gone)


def _shown(service: Service, instance: int, display: Display) -> bool:
    document = service.instance(instance)
    display.state(document)
    return ended(document)
