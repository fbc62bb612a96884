"""Alerts about schedules and the clock: of no instance."""

from __future__ import annotations

import logging
from typing import Literal

from engine.model.errors import ErrorCode
from engine.model.message import Message
from engine.runtime.services import EngineServices


def alert(
    services: EngineServices,
    entry: ErrorCode,
    kind: Literal["schedule", "clock"],
    level: Literal["warning", "error"],
    message: Message,
) -> None:
    """A row that an operator acknowledges, an event, and a line of the execution log."""
    id = services.next_id("alert")
    text = services.mask(message)
    row = {"id": id, "created_at": services.now(), "kind": kind, "level": level}
    services.changes.insert("alert", {**row, "code": entry.number, "message": text})
    told = {"kind": "alert", "alert": id, "reason": kind, "level": level}
    services.events.tell({**told, "code": entry.number, "message": text})
    services.say(f"alert {id}: {text}", logging.WARNING)
