"""Text without effects: control characters and direction marks are shown by their number."""

from __future__ import annotations

import re

STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]"
)


def visible(text: str) -> str:
    """A text without effects: control characters and direction marks are shown by their number.

    >>> visible("a\\u202eb\\x1b[31m")
    'a‹U+202E›b‹U+001B›[31m'
    """
    return STEERING.sub(lambda found: f"‹U+{ord(found.group()):04X}›", text)
