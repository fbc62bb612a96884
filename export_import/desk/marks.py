"""How a value tells that something of it was left out: masked at the site, or redacted in a bundle."""

from __future__ import annotations

import re
from typing import Any

# What the engine writes for a secret, and what stands in a bundle for something that was redacted.
_MARK = re.compile(r"\*{6}|\[redacted[^\]]*\]|\*\*\*[A-Z_-]+\*\*\*")


def is_marked(value: Any) -> bool:
    """Whether a JSON value has a mark anywhere, in texts or keys."""
    if isinstance(value, str):
        return _MARK.search(value) is not None
    if isinstance(value, dict):
        return any(is_marked(key) or is_marked(each) for key, each in value.items())
    return isinstance(value, (list, tuple)) and any(map(is_marked, value))
