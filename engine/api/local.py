"""The service of an engine in this process."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.api.engine_operations import EngineOperations
from engine.api.examine import Examiner
from engine.api.operation import Arguments, Operation
from engine.api.service import Service
from engine.api.sockets import account
from engine.api.streams import LocalStream

if TYPE_CHECKING:
    from typing import Self

    from engine.runtime.engine import Engine


class LocalService(Service):
    """See ``engine.api.service.Service``; every method may be called from any thread."""

    def __init__(self, engine: Engine, actor: str | None = None, examiner: Examiner | None = None) -> None:
        self._engine = engine
        self._examiner = examiner or Examiner(engine.services, engine.store, engine.services.clock)
        self.operations = EngineOperations(engine, actor or user(), self._examiner)

    def perform(self, operation: Operation, arguments: Arguments) -> Any:
        """What changes something is done once for a request's key."""
        act = partial(getattr(self.operations, operation.name), **arguments)
        if not operation.keyed or arguments.get("dry_run"):
            return act()
        return self._engine.services.request_keys.delivered(operation.fingerprint(arguments), act)

    def asked_by(self, actor: str) -> Self:
        return type(self)(self._engine, actor, self._examiner)

    def events(self, instance: int | None = None) -> LocalStream:
        return LocalStream(self._engine.subscribe(), instance)

    def idle(self) -> bool:
        """Whether the engine has nothing to do."""
        return self._engine.idle()


def user() -> str:
    """Who asks: the account that this process runs as."""
    return account(os.geteuid())
