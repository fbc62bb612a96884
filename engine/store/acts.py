"""What the audit tells of one thing that was done."""

from __future__ import annotations

from typing import Any, NamedTuple


class Act(NamedTuple):
    """Something that was done: by whom, what (``define``, ``set`` …), to what; ``details`` is JSON."""

    actor: str
    action: str
    subject: str
    details: dict[str, Any]
