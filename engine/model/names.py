"""The name that somebody probably meant."""

from __future__ import annotations

from collections.abc import Iterable

_MOST = 2000  # names that are compared


def near(name: object, known: Iterable[str]) -> str | None:
    """The known name nearest to ``name``, None when none is near."""
    from difflib import get_close_matches

    found = get_close_matches(str(name).lower(), sorted(known)[:_MOST], n=1, cutoff=0.6)
    return found[0] if found else None
