"""Names of files on a site as names in a bundle: what some system could not hold is escaped."""

from __future__ import annotations

import os
import unicodedata

from export_import.container.form import fault_of_name, folded

_LONGEST = 900


class Namer:
    """Gives each file of a site a name in the bundle; equal or similar ones get a number."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def name(self, given: str) -> str:
        """The name of a file whose path, with ``/`` between its parts, is ``given``."""
        safe = given if fault_of_name(given) is None else "/".join(map(_escaped, given.split("/")))
        if len(safe.encode()) > _LONGEST or fault_of_name(safe) is not None:
            safe = f"long-names/{len(self._taken)}"
        found, number = safe, 2
        while folded(found) in self._taken:
            found, number = f"{safe}~{number}", number + 1
        self._taken.add(folded(found))
        return found


def _escaped(part: str) -> str:
    """Each character that may not be there as ``%XX`` of its bytes."""
    part = "".join(each if _is_fine(each) else _percent(each) for each in unicodedata.normalize("NFC", part))
    if not part or fault_of_name(part) is None:
        return part or "%"
    return part[:-1] + _percent(part[-1]) if part[-1] in ". " else _percent(part[0]) + part[1:]


def _is_fine(character: str) -> bool:
    return fault_of_name(f"x{character}x") is None and character != "%"


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in os.fsencode(character))
