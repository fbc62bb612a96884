"""A service that reconnects: what an engine that has gone did not receive is asked of the next one."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from engine.model.codes.commands import NO_ANSWER
from engine.model.errors import SkerryError
from engine.model.request_key import current_key, with_key

if TYPE_CHECKING:
    from engine.api.service import Service

_OWNERS = 50  # engines that may come and go during one command


def reconnecting(first: Service, another: Callable[[], Service]) -> Service:
    """``first``; when it does not answer a question that nobody can have acted on, what ``another`` gives."""
    return cast("Service", _Reconnecting(first, another))


class _Reconnecting:
    def __init__(self, first: Service, another: Callable[[], Service]) -> None:
        self._now = first
        self._another = another
        self._left = _OWNERS

    def __getattr__(self, name: str) -> Any:
        def ask(*args: Any, **more: Any) -> Any:
            with with_key(current_key() or os.urandom(16).hex()):
                return self._ask(name, *args, **more)

        return ask

    def _ask(self, name: str, *args: Any, **more: Any) -> Any:
        """One request, whoever answers it: all are given the same key."""
        while True:
            try:
                return getattr(self._now, name)(*args, **more)
            except SkerryError as error:
                if not self._again(error):
                    raise
            self._now = self._another()

    def _again(self, error: SkerryError) -> bool:
        self._left -= 1
        return self._left >= 0 and error.entry is NO_ANSWER and bool(error.details.get("unheard"))
