"""Why something does not run, as a sentence in the language that is on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.desktop.kernel.language import code
from app.desktop.kernel.times import local
from engine.model.reason import Reason
from engine.model.reason_words import sentence


def reason_of(document: Mapping[str, Any]) -> Reason | None:
    """Of a job or an instance."""
    return Reason.read(document.get("why"), document.get("reason"))


def in_words(reason: Reason | None) -> str:
    """The sentence; empty without a reason."""
    return sentence(reason, code(), local) if reason is not None else ""
