"""A service that lasts: engines come and go, and the next one answers what the last one did not hear."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from engine.model.codes.commands import NO_ANSWER
from engine.model.errors import SkerryError

if TYPE_CHECKING:
    from engine.api.service import Service

_OWNERS = 50  # engines that may come and go during one command


def lasting(first: Service, another: Callable[[], Service]) -> Service:
    """``first``; when it does not answer a question that nobody can have acted on, what ``another`` gives."""
    return cast("Service", _Lasting(first, another))


class _Lasting:
    def __init__(self, first: Service, another: Callable[[], Service]) -> None:
        self._now = first
        self._another = another
        self._left = _OWNERS

    def __getattr__(self, name: str) -> Any:
        def ask(*args: Any, **more: Any) -> Any:
            while True:
                try:
                    return getattr(self._now, name)(*args, **more)
                except SkerryError as error:
                    if not self._again(error):
                        raise
                self._now = self._another()

        return ask

    def _again(self, error: SkerryError) -> bool:
        self._left -= 1
        return self._left >= 0 and error.entry is NO_ANSWER and bool(error.details.get("unheard"))
