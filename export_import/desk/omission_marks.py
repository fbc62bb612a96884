"""How a value shows that something of it was left out: masked at the site, or redacted in a bundle."""

from __future__ import annotations

import re
from typing import Any

# What the engine writes for a secret, and what replaces in a bundle what was redacted.
_MARK = re.compile(r"\*{6}|\[redacted[^\]]*\]|\*\*\*[A-Z_-]+\*\*\*")
# Names that stand for hosts, workers, addresses, users … in a redacted bundle (redaction/pseudonyms).
_RENAMED = re.compile(
    r"\b(?:host|domain|user|worker|mail)-[0-9a-f]{6}\b|\b198\.1[89]\.\d{1,3}\.\d{1,3}\b|\b2001:db8:|\b02(?::[0-9a-f]{2}){5}\b"
)


def is_marked(value: Any) -> bool:
    """Whether a JSON value has a mark anywhere, in texts or keys."""
    return _any_text(value, _MARK)


def is_renamed(value: Any) -> bool:
    """Whether a value has a pseudonym for a name or an address in it."""
    return _any_text(value, _RENAMED)


def _any_text(value: Any, pattern: re.Pattern[str]) -> bool:
    if isinstance(value, str):
        return pattern.search(value) is not None
    if isinstance(value, dict):
        return any(_any_text(key, pattern) or _any_text(each, pattern) for key, each in value.items())
    return isinstance(value, (list, tuple)) and any(_any_text(each, pattern) for each in value)
