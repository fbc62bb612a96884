"""Reasons of the engine for people at the window: what is typed elsewhere is a button here."""

from __future__ import annotations

from app.desktop.kernel.language import tr

_TRUST = "skerry worker trust"  # the only command that a reason names


def in_window(reason: str) -> str:
    """A reason in words, with the button in the place of the command."""
    return reason.replace(_TRUST, tr('"{place}"', place=tr("Host key…")))
