"""The service over HTTP: the application around its routes, its refusals, and server-sent events.

Imported at the first connection: the framework costs more to load than a short run takes.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from functools import cache
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute

from engine.api.documents import Document
from engine.api.faults import error_document
from engine.api.requests import LimitedRequest, check_asked
from engine.api.routes import JsonAnswer, add_routes
from engine.api.service import Service
from engine.api.streams import LocalStream
from engine.model.codes.commands import BODY_TOO_BIG, WRONG_USE
from engine.model.errors import Invalid, Refused, SkerryError
from engine.model.plain_words import unforeseen
from engine.model.request_key import with_key

API_VERSION = "1"
_BATCH = 1 / 30  # seconds between two batches of events to one listener


_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"description": "The request is wrong: the error document says what.", "model": Document},
    409: {"description": "It cannot be done now.", "model": Document},
    413: {"description": "The request has more than 16 MiB.", "model": Document},
}


_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "pattern": "^[!-~]{1,200}$"},
    "description": "Delivered twice with the same key it is done once.",
}


class Streams:
    """The event streams that are open, so that closing the server ends them at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[LocalStream] = set()
        self._closed = False

    def add(self, stream: LocalStream) -> None:
        with self._lock:
            self._open.add(stream)
            if self._closed:
                stream.close()

    def drop(self, stream: LocalStream) -> None:
        with self._lock:
            self._open.discard(stream)
        stream.close()

    def close(self) -> None:
        """End all, and every further one."""
        with self._lock:
            self._closed = True
            for stream in self._open:
                stream.close()


def create_app(service: Service, streams: Streams, *, described: bool = False) -> FastAPI:
    """The application around a service whose ``events`` are ``LocalStream``s.

    Models of what it answers cost most of the time and serve its description alone: only that has them.
    """
    app = _application(described)
    app.state.service = service
    app.router.routes += _operations(described)
    _events(app, service, streams)
    if not described:
        _describe(app, lambda: create_app(service, streams, described=True))
    return app


@cache
def _operations(described: bool) -> list[BaseRoute]:
    """The routes of the operations; to make them costs more than to answer many questions."""
    app = _application(described)
    others = len(app.routes)
    add_routes(app, described=described)
    return app.routes[others:]


def _application(described: bool) -> FastAPI:
    app = FastAPI(
        title="Skerry engine",
        version=API_VERSION,
        description="One engine of one workspace. Only the user who owns the workspace can connect.",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        default_response_class=JsonAnswer,
        exception_handlers={HTTPException: _no_such_route},
        responses=_REFUSALS if described else None,
    )
    app.router.route_class = _Route
    return app


def _describe(app: FastAPI, full: Callable[[], FastAPI]) -> None:
    """What is wrong is answered with 400, not with the framework's 422; each change takes a key."""

    def description() -> dict[str, Any]:
        document = full().openapi()
        for path in document["paths"].values():
            for method, operation in path.items():
                operation["responses"].pop("422", None)
                if method != "get":
                    operation.setdefault("parameters", []).append(_KEY)
        return document

    app.openapi = cache(description)  # type: ignore[method-assign]


class _Route(APIRoute):
    """Every failure becomes the error document with its code."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                check_asked(self, request)
                question = LimitedRequest(request.scope, request.receive)
                if "expect" in request.headers:  # even where none is read: who gave up meanwhile sends none
                    await question.body()
                with with_key(request.headers.get("idempotency-key")):
                    return await handler(question)
            except Exception as problem:
                return _refusal(problem, request)

        return answer


def _refusal(problem: Exception, request: Request) -> JsonAnswer:
    if isinstance(problem, RequestValidationError):
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        problem = Invalid.at(WRONG_USE, "{where}: {problem}", where, problem=first["msg"])
    if isinstance(problem, HTTPException):
        unread = Invalid(WRONG_USE, "body: {problem}", where="body", problem=problem.detail)
        problem = problem.__cause__ if isinstance(problem.__cause__, SkerryError) else unread
    if isinstance(problem, UnicodeEncodeError):  # half a surrogate, where a database is asked for it
        problem = Invalid(WRONG_USE, "body: a text in it is no valid Unicode", where="body")
    error = problem if isinstance(problem, SkerryError) else unforeseen(problem)
    answer = JsonAnswer(error_document(error), _status(error))
    if error.entry is BODY_TOO_BIG and "content-length" not in request.headers:
        answer.headers["connection"] = "close"  # else the server takes, and drops, what has no end
    return answer


def _status(error: SkerryError) -> int:
    if error.entry is BODY_TOO_BIG:
        return 413
    return 409 if isinstance(error, Refused) else 400 if isinstance(error, Invalid) else 500


async def _no_such_route(request: Request, problem: Exception) -> Response:
    message = "{method} {path} is no operation of this engine"
    error = Invalid(WRONG_USE, message, method=request.method, path=request.url.path)
    return JsonAnswer(error_document(error), getattr(problem, "status_code", 404))


def _events(app: FastAPI, service: Service, streams: Streams) -> None:
    @app.get("/v1/events", response_class=StreamingResponse)
    async def events(instance: int | None = None) -> StreamingResponse:
        """Server-sent events: one JSON object each, comments while nothing happens."""
        stream = service.events(instance)
        assert isinstance(stream, LocalStream)
        return StreamingResponse(_sent(stream, streams), media_type="text/event-stream")


async def _sent(stream: LocalStream, streams: Streams) -> AsyncIterator[bytes]:
    """Batches of events as they come; a thread of its own waits for them, so no pool runs dry."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Queue[list[Document]] = asyncio.Queue()

    def pump() -> None:
        with suppress(RuntimeError):  # the server's loop is closed: nobody listens
            while not stream.closed:
                loop.call_soon_threadsafe(ready.put_nowait, stream.batch())
                stream.pause(_BATCH)
            loop.call_soon_threadsafe(ready.put_nowait, [])

    streams.add(stream)
    try:
        yield b": listening\n\n"
        threading.Thread(target=pump, name="skerry-events", daemon=True).start()
        while not stream.closed:
            batch = await ready.get()
            yield b"".join(map(_message, batch)) or b": quiet\n\n"
    finally:
        streams.drop(stream)


def _message(event: Document) -> bytes:
    data = json.dumps(event, separators=(",", ":"))
    return f"event: {event['kind']}\ndata: {data}\n\n".encode()
