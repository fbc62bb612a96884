"""Alerts that are raised with a turn: their row, an event, and a line of the execution log."""

from __future__ import annotations

import logging
from typing import Any

from engine.runtime.services import EngineServices


def raised_alert(
    services: EngineServices, kind: str, level: str, code: int, message: str, **of: int
) -> dict[str, Any]:
    """The row of an alert ``of`` something, and the line of the execution log; gives what listeners get."""
    row = alert_row(services, kind, level, code, message, **of)
    services.say(f"alert {row['id']}: {row['message']}", logging.WARNING)
    return {"alert": row["id"], "reason": kind, "level": level, "code": code, "message": row["message"]}


def alert_row(
    services: EngineServices, kind: str, level: str, code: int, message: str, **of: int
) -> dict[str, Any]:
    """The row alone, for what is reported already."""
    row = {"id": services.next_id("alert"), "created_at": services.now(), "kind": kind, "level": level}
    row |= {"code": code, "message": services.mask(message), **of}
    services.changes.insert("alert", row)
    return row
