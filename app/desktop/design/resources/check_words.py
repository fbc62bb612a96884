"""How the answer of a resource's check is called, and whether it leaves a doubt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.desktop.kernel.language import tr


def check_word(found: Mapping[str, Any]) -> str:
    """``found``: the answer of ``check_resource`` or ``try_resource``."""
    if is_doubtful(found):
        return tr("Nothing is there yet")
    return tr("In order") if found["ok"] else tr("Not in order")


def is_doubtful(found: Mapping[str, Any]) -> bool:
    """Whether it is in order though its path leads to nothing, as where only room was asked for."""
    return bool(found["ok"]) and (found.get("details") or {}).get("there") is False
