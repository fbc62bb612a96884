"""The typed client: an engine in another process, over the workspace's socket.

>>> with Client(Path("workspace/engine.sock")) as engine:  # doctest: +SKIP
...     number = engine.run(RunRequest(task="merge", texts={"first": "/tmp/a"}))
...     for event in engine.events(number): print(event)
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from engine.api import sockets
from engine.api.exchange import Exchange
from engine.api.faults import error_of, no_definition
from engine.api.operation import Arguments, Operation
from engine.api.remote_stream import RemoteStream
from engine.api.service import Service
from engine.model.closing import Closing
from engine.model.codes.commands import NO_ANSWER
from engine.model.errors import SkerryError
from engine.model.plain_words import wording
from engine.model.request_key import current_key

_PATIENCE = 60.0  # seconds for an answer; what may rightly take longer has no limit
_FAILED = 400  # the first status of HTTP that is an error


class Client(Closing, Service):
    """An engine's service; every method is that of ``engine.api.service.Service``.

    Raises the same errors as the engine itself (``SkerryError``, ``Refused``, ``Invalid`` with
    their codes), and ``NO_ANSWER`` when no engine answers on the socket.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = Path(path)

    def alive(self) -> bool:
        """Whether an engine listens; asks nothing of it."""
        with suppress(OSError):
            sockets.connect(self._path, 1.0).close()
            return True
        return False

    def perform(self, operation: Operation, arguments: Arguments) -> Any:
        """One question on a connection of its own; the answer, or the error that it carries."""
        request = operation.request(arguments)
        _check_names(operation, request)
        path = operation.path.format(**{name: quote(str(each), safe="") for name, each in request.items()})
        rest = {name: each for name, each in request.items() if f"{{{name}}}" not in operation.path}
        if operation.method == "GET":
            given = {name: _spelt(each) for name, each in rest.items() if each is not None}
            target = f"{path}?{urlencode(given, doseq=True)}" if given else path
            patience = None if operation.slow else _PATIENCE
            status, answer = self._exchange(lambda exchange: exchange.ask(target), patience)
        else:
            status, answer = self._change(operation.method, path, json.dumps(rest).encode())
        if status >= _FAILED:
            raise error_of(answer)
        return answer[operation.wrapped] if operation.wrapped else answer

    def events(
        self, instance: int | None = None, pause: Callable[[float], None] = time.sleep
    ) -> RemoteStream:
        """Connected when this returns: nothing that happens from now on is missed.

        ``pause`` is called before each try to take up a broken stream; it may raise to give up.
        """
        target = "/v1/events" + ("" if instance is None else f"?instance={instance}")
        return RemoteStream(lambda: self._open(target), pause)

    def _open(self, target: str) -> Exchange:
        with ExitStack() as unless_it_streams:
            try:
                exchange = unless_it_streams.enter_context(closing(Exchange(self._path, _PATIENCE)))
                exchange.ask(target)
                if exchange.status() >= _FAILED:
                    raise error_of(json.loads(exchange.body()))
            except (OSError, ValueError) as problem:
                raise self._silent(problem) from problem
            unless_it_streams.pop_all()
            return exchange

    def _change(self, method: str, target: str, body: bytes) -> tuple[int, Any]:
        """What may change something: by its key it is asked again when the answer got lost, and done once."""
        key = current_key() or os.urandom(16).hex()

        def change(exchange: Exchange) -> None:
            exchange.change(method, target, body, key)

        try:
            return self._exchange(change)
        except SkerryError as error:
            if not error.details.get("unheard"):
                raise
        return self._exchange(change)

    def _exchange(self, ask: Callable[[Exchange], None], patience: float | None = None) -> tuple[int, Any]:
        try:
            with closing(Exchange(self._path, patience)) as exchange:
                ask(exchange)
                return exchange.status(), json.loads(exchange.body())
        except (OSError, ValueError) as problem:
            late = isinstance(problem, TimeoutError)  # it may have received the request, but does not answer
            raise self._silent(problem, unheard=not late) from problem

    def _silent(self, problem: Exception, *, unheard: bool = False) -> SkerryError:
        details: dict[str, object] = {"unheard": unheard}
        message = "no engine answers: {problem}"
        return SkerryError(
            NO_ANSWER, message, where=str(self._path), details=details, problem=_spoken(problem)
        )


def _check_names(operation: Operation, request: Mapping[str, Any]) -> None:
    """Invalid for a name that no path of HTTP can hold, which nothing has."""
    kind = request.get("kind") or operation.path.split("/")[2].removesuffix("s")
    for name, value in request.items():
        if f"{{{name}}}" in operation.path and isinstance(value, str) and (not value or "/" in value):
            raise no_definition(kind, value)


def _spoken(problem: Exception) -> str:
    reason = problem.strerror if isinstance(problem, OSError) else None
    return reason or wording(problem, "it hung up")


def _spelt(value: Any) -> Any:
    """A value of a query."""
    return str(value).lower() if isinstance(value, bool) else value
