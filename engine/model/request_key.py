"""The key of a request that creates something: whoever may deliver it twice gives both the same."""

from __future__ import annotations

import re

from engine.model.codes.commands import WRONG_USE
from engine.model.errors import Invalid

_KEY = re.compile(r"[!-~]{1,200}")


def checked_key(key: str) -> str:
    """``key``; Invalid unless it has 1 to 200 visible ASCII characters, as a header of HTTP may have."""
    if not _KEY.fullmatch(key):
        raise Invalid(WRONG_USE, "a request's key has 1 to 200 visible ASCII characters", where="key")
    return key
