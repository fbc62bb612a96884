"""What a service that only reads says to whoever wants something done."""

from __future__ import annotations

from typing import NoReturn

from engine.model.codes.commands import ENGINE_NEEDED
from engine.model.errors import Refused


def refuse(what: str) -> NoReturn:
    """Refused: ``what`` (``run a task``) takes an engine."""
    raise Refused(ENGINE_NEEDED, f"no engine runs, so nothing can {what}")
