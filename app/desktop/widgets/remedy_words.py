"""Remedies of the catalogue for people at the window: what is typed elsewhere is a button or a mode here."""

from __future__ import annotations

import re
from typing import Final

from app.desktop.kernel.language import tr


def in_window(remedy: str) -> str:
    """A remedy without the commands to type: each becomes the button or the mode that does the same.

    >>> in_window("Read the log ('skerry logs INSTANCE NODE'); then 'skerry rerun INSTANCE --from NODE'.")
    'Read the log; then "Rerun from here…".'
    """
    return _COMMAND.sub(_instead, _ASIDE.sub("", remedy))


def _instead(found: re.Match[str]) -> str:
    words = (found[1] or found[2]).split()
    options = [each for each in words[1:] if each.startswith("--")]
    said = (*options, " ".join(words[:2]), words[0])
    place = next((_PLACES[each] for each in said if each in _PLACES), None)
    return tr('"{place}"', place=tr(place)) if place is not None else found[0]


_ASIDE: Final = re.compile(r"\s*\('skerry [^()]*'\)|（skerry [^（）]*）")
_COMMAND: Final = re.compile(r"'skerry ([^']*)'|skerry ((?:[a-z]+)(?: [A-Za-z0-9=.\[\]'$-]+)*)")
_PLACES: Final = {
    "--from": "Rerun from here…", "--failed": "Retry what failed…", "--all": "Run again…",
    "show": "Run", "list": "History", "cancel": "Run", "queue": "Queue",
    "exceptions": "Exceptions", "alerts": "Home", "rules": "Handling rules", "errors": "Error codes",
    "keys trust": "Trust a key card…", "keys": "Keys",
    "bundle": "Bundles", "fix": "Bundles", "delivery": "Bundles",
    "tasks": "Design", "resource": "Check its resource", "offline": "Design",
    "worker trust": "Host key…", "worker": "Workers",
    "secret accept": "Accept …", "secret": "Admin",
}  # fmt: skip
