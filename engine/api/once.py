"""What changes something in an engine of this process: done once for each key of a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from engine.runtime.engine import Engine

T = TypeVar("T")


class Once:
    """A part of the local service; ``engine.runtime.request_keys`` has the rules."""

    _engine: Engine

    def _once(self, asked: Any, act: Callable[[], T]) -> T:
        """``act``'s answer, a JSON tree, or that of the first delivery; ``asked`` tells it from others."""
        return self._engine.services.request_keys.delivered(asked, act)
