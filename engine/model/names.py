"""What may be an id, and the name that somebody probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

ID: Final = r"(?:[A-Za-z_][A-Za-z0-9_.-]*|[0-9]+)"  # it names directories too
LONGEST_ID: Final = 64  # characters
_ID = re.compile(ID)
_MOST = 2000  # names that are compared


def is_id(text: str) -> bool:
    """Whether something may be called so: a job, a task, a secret …"""
    return len(text) <= LONGEST_ID and _ID.fullmatch(text) is not None


def near(name: object, known: Iterable[str]) -> str | None:
    """The known name nearest to ``name``, None when none is near."""
    from difflib import get_close_matches

    found = get_close_matches(str(name).lower(), sorted(known)[:_MOST], n=1, cutoff=0.6)
    return found[0] if found else None
