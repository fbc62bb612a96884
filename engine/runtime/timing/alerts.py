"""Alerts about schedules and the clock: of no instance."""

from __future__ import annotations

from typing import Literal

from engine.model.errors import ErrorCode
from engine.model.message import Message
from engine.runtime.alerts import raised_alert
from engine.runtime.services import EngineServices


def alert(
    services: EngineServices,
    entry: ErrorCode,
    kind: Literal["schedule", "clock"],
    level: Literal["warning", "error"],
    message: Message,
) -> None:
    """A row that an operator acknowledges, an event, and a line of the execution log."""
    services.events.publish({"kind": "alert", **raised_alert(services, kind, level, entry.number, message)})
