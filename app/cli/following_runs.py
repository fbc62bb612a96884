"""Watching an instance until it has ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.cli.cli_context import CliContext
from app.cli.engine_access import working
from engine.api.documents import RunDocument
from engine.api.service import Service
from engine.model.codes.commands import NO_ANSWER
from engine.model.errors import SkerryError
from engine.model.states import InstanceState

_OWNERS = 50  # engines that may come and go while one instance is watched


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
    """Follow it across engines: where the one that runs it ends meanwhile, this process may be the next."""
    try:
        return follow(service, instance, display)
    except SkerryError as error:
        if error.entry is not NO_ANSWER:
            raise
    for _ in range(_OWNERS - 1):
        try:
            with working(cli) as another:
                return follow(another, instance, display)
        except SkerryError as error:
            if error.entry is not NO_ANSWER:
                raise
    raise SkerryError(NO_ANSWER, "no engine stays to run instance {instance}", instance=instance)


def _shown(service: Service, instance: int, display: Display) -> bool:
    document = service.instance(instance)
    display.state(document)
    return ended(document)
