"""A service that reconnects: what an engine that has gone did not receive is asked of the next one."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from engine.api.operation import Arguments, Operation
from engine.api.service import EventStream, Service
from engine.model.codes.commands import NO_ANSWER
from engine.model.errors import SkerryError
from engine.model.request_key import current_key, with_key

T = TypeVar("T")
_OWNERS = 50  # engines that may come and go during one command


def reconnecting(first: Service, another: Callable[[], Service]) -> Service:
    """``first``; when it does not answer a question that nobody can have acted on, what ``another`` gives."""
    return _Reconnecting(first, another)


class _Reconnecting(Service):
    def __init__(self, first: Service, another: Callable[[], Service]) -> None:
        self._now = first
        self._another = another
        self._left = _OWNERS

    def perform(self, operation: Operation, arguments: Arguments) -> Any:
        """One request, whoever answers it: all are given the same key."""
        with with_key(current_key() or os.urandom(16).hex()):
            return self._ask(lambda service: getattr(service, operation.name)(**arguments))

    def events(self, instance: int | None = None) -> EventStream:
        return self._ask(lambda service: service.events(instance))

    def _ask(self, ask: Callable[[Service], T]) -> T:
        while True:
            try:
                return ask(self._now)
            except SkerryError as error:
                if not self._again(error):
                    raise
            self._now = self._another()

    def _again(self, error: SkerryError) -> bool:
        self._left -= 1
        return self._left >= 0 and error.entry is NO_ANSWER and bool(error.details.get("unheard"))
