"""What reading a bundle's content may raise: it is whatever somebody made of it."""

from __future__ import annotations

from typing import Final

from engine.model.errors import SkerryError

STRANGE: Final = (
    SkerryError, OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError,
)  # fmt: skip
