"""The error catalogue as the window shows it: everything installed and the user's own entries."""

from __future__ import annotations

from typing import NamedTuple

from app.desktop.kernel.console import Console
from app.desktop.widgets.remedy_words import in_window
from engine.api.service import Service
from engine.model.catalogue import Catalogue, codes_of, engine_codes, own_codes
from engine.model.errors import SkerryError, Text


def catalogue(console: Console, service: Service) -> Catalogue:
    """All entries; called on a worker thread."""
    try:
        own = service.own_errors()
    except SkerryError:  # without them the installed ones still help
        own = {}
    jobs, resources = console.job_types.values(), console.resource_types.values()
    return Catalogue([*own_codes(own), *engine_codes(), *codes_of(jobs), *codes_of(resources)])


class Explained(NamedTuple):
    """An error code in words."""

    code: int
    text: Text


def explained(found: Catalogue | None, code: int | None, language: str) -> Explained | None:
    """The entry of a code in a language; None for no code, empty words for one that nobody knows."""
    if code is None:
        return None
    entry = found.find(code) if found is not None else None
    if entry is None:
        return Explained(code, Text("", "", ""))
    text = entry.zh if language.startswith("zh") else entry.en
    return Explained(code, text._replace(remedy=in_window(text.remedy)))
