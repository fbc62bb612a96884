"""The error catalogue as the window shows it: everything installed and the user's own entries."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from app.desktop.kernel.console import Console
from app.desktop.kernel.language import tr
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


def in_window(remedy: str) -> str:
    """A remedy for people at the window: commands to type become the button or the mode that does the same.

    >>> in_window("Read the log ('skerry logs INSTANCE NODE'); then 'skerry rerun INSTANCE --from NODE'.")
    'Read the log; then “Rerun from here…”.'
    """
    return _COMMAND.sub(_instead, _ASIDE.sub("", remedy))


def _instead(found: re.Match[str]) -> str:
    words = (found[1] or found[2]).split()
    options = [each for each in words[1:] if each.startswith("--")]
    place = next((_PLACES[each] for each in (*options, words[0]) if each in _PLACES), None)
    return f"“{tr(place)}”" if place is not None else found[0]


_ASIDE: Final = re.compile(r"\s*\('skerry [^()]*'\)|（skerry [^（）]*）")
_COMMAND: Final = re.compile(r"'skerry ([^']*)'|skerry ((?:[a-z]+)(?: [A-Za-z0-9=.\[\]'$-]+)*)")
_PLACES: Final = {
    "--from": "Rerun from here…", "--failed": "Retry what failed…", "--all": "Run again…",
    "show": "Run", "list": "History", "cancel": "Run", "queue": "Queue",
    "exceptions": "Codes", "alerts": "Home", "rules": "Codes", "errors": "Codes",
    "tasks": "Design", "resource": "Check its resource", "offline": "Design", "secret": "Admin",
}  # fmt: skip
