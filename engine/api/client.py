"""The typed client: an engine in another process, over the workspace's socket.

>>> with Client(Path("workspace/engine.sock")) as engine:  # doctest: +SKIP
...     number = engine.run(RunRequest(task="merge", texts={"first": "/tmp/a"}))
...     for event in engine.events(number): print(event)
"""

from __future__ import annotations

import http.client
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlencode

from engine.api import sockets
from engine.api.faults import error_of
from engine.api.operation import Arguments, Operation
from engine.api.remote_stream import RemoteStream
from engine.api.service import Service
from engine.api.silence import await_word, wants_body
from engine.model.codes.commands import NO_ANSWER
from engine.model.errors import SkerryError
from engine.model.plain_words import wording
from engine.model.request_key import current_key

_PATIENCE = 60.0  # seconds for an answer; what may rightly take longer has no limit


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: Path, timeout: float | None, key: str | None = None) -> None:
        super().__init__("skerry", timeout=timeout)
        self._path = path
        self.patience = timeout
        self.key = key

    def connect(self) -> None:
        self.sock = sockets.connect(self._path, self.patience)


class Client(Service):
    """An engine's service; every method is that of ``engine.api.service.Service``.

    Raises the same errors as the engine itself (``SkerryError``, ``Refused``, ``Invalid`` with
    their codes), and ``NO_ANSWER`` when no engine answers on the socket.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = Path(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing stays open between calls."""

    def alive(self) -> bool:
        """Whether an engine listens; asks nothing of it."""
        with suppress(OSError):
            sockets.connect(self._path, 1.0).close()
            return True
        return False

    def perform(self, operation: Operation, arguments: Arguments) -> Any:
        """One question on a connection of its own; the answer, or the error that it carries."""
        request = operation.request(arguments)
        path = operation.path.format(**{name: quote(str(each), safe="") for name, each in request.items()})
        rest = {name: each for name, each in request.items() if f"{{{name}}}" not in operation.path}
        if operation.method == "GET":
            given = {name: _spelt(each) for name, each in rest.items() if each is not None}
            target = f"{path}?{urlencode(given, doseq=True)}" if given else path
            status, answer = self._exchange("GET", target, None, None if operation.slow else _PATIENCE)
        else:
            status, answer = self._change(operation.method, path, rest)
        if status >= http.HTTPStatus.BAD_REQUEST:
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

    def _open(self, target: str) -> tuple[Connection, http.client.HTTPResponse]:
        connection = Connection(self._path, _PATIENCE)
        try:
            connection.request("GET", target)
            await_word(connection.sock, _PATIENCE)
            response = connection.getresponse()
        except (OSError, http.client.HTTPException) as problem:
            connection.close()
            raise self._silent(problem) from problem
        except SkerryError:
            connection.close()
            raise
        if response.status != http.HTTPStatus.OK:
            raise error_of(json.loads(response.read()))
        return connection, response

    def _change(self, method: str, target: str, body: Any) -> tuple[int, Any]:
        """What may change something: by its key it is asked again when the answer got lost, and done once."""
        key = current_key() or os.urandom(16).hex()
        try:
            return self._exchange(method, target, body, None, key)
        except SkerryError as error:
            if not error.details.get("unheard"):
                raise
        return self._exchange(method, target, body, None, key)

    def _exchange(
        self, method: str, target: str, body: Any, patience: float | None, key: str | None = None
    ) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        connection = Connection(self._path, patience, key)
        try:
            connection.connect()
            if not self._say(connection, method, target, data):
                await_word(connection.sock, patience)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as problem:
            late = isinstance(problem, TimeoutError)  # it may have received the request, but does not answer
            raise self._silent(problem, unheard=not late) from problem
        finally:
            connection.close()

    def _say(self, connection: Connection, method: str, target: str, data: bytes | None) -> bool:
        """Ask; what changes something is told only to an engine that listens. Whether it answered by then.

        One that was stopped meanwhile never receives a request whose sender has given up.
        """
        connection.putrequest(method, target)
        if data is None:
            connection.endheaders()
            return False
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(len(data)))
        connection.putheader("Expect", "100-continue")
        if connection.key is not None:
            connection.putheader("Idempotency-Key", connection.key)
        connection.endheaders()
        await_word(connection.sock, connection.patience)
        if not wants_body(connection.sock):
            return True
        self._skip_interim(connection)
        connection.send(data)
        return False

    @staticmethod
    def _skip_interim(connection: Connection) -> None:
        """Take the word "100 Continue" in, which ends in an empty line."""
        taken = b""
        while not taken.endswith(b"\r\n\r\n") and (piece := connection.sock.recv(1)):
            taken += piece

    def _silent(self, problem: Exception, *, unheard: bool = False) -> SkerryError:
        details: dict[str, object] = {"unheard": unheard}
        return SkerryError(
            NO_ANSWER, f"no engine answers: {_spoken(problem)}", where=str(self._path), details=details
        )


def _spoken(problem: Exception) -> str:
    told = problem.strerror if isinstance(problem, OSError) else None
    return told or wording(problem, "it hung up")


def _spelt(value: Any) -> Any:
    """A value of a query."""
    return str(value).lower() if isinstance(value, bool) else value
