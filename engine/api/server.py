"""The service over HTTP: an OpenAPI document, JSON both ways, and server-sent events.

Imported only when somebody connects: the framework costs more to load than a short run takes.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException

from engine.api.amending_routes import amending_routes
from engine.api.documents import Document, Kind, Loaded, LogFile, RunDocument, Source, Summary
from engine.api.faults import error_document, unexpected
from engine.api.queue_routes import queue_routes
from engine.api.secret_routes import secret_routes
from engine.api.service import InstanceQuery, RunRequest, Service
from engine.api.streams import LocalStream
from engine.api.trouble_routes import trouble_routes
from engine.model.codes.commands import WRONG_USE
from engine.model.errors import Invalid, Refused, SkerryError

API_VERSION = "1"
_BATCH = 1 / 30  # seconds between two batches of events to one listener


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class LoadBody(_Body):
    """Definition files to store."""

    sources: list[Source]


class RunBody(_Body):
    """See ``engine.api.service.RunRequest``."""

    task: str | None = None
    sources: list[Source] | None = None
    params: dict[str, Any] = {}
    texts: dict[str, str] = {}
    folder: str | None = None


class StateBody(_Body):
    """The life-cycle state to move to."""

    state: str


class EditBody(_Body):
    """One override of a context value."""

    path: str
    text: str
    reason: str


class CancelBody(_Body):
    """What to stop; without ``node`` the whole instance."""

    node: str | None = None


class CleanBody(_Body):
    """Whether it is only looked at."""

    dry_run: bool = False


class CheckBody(_Body):
    """Values for the expressions of a dynamic resource."""

    params: dict[str, str] = {}


class Answer(Response):
    """Any JSON value, also with texts that are no valid Unicode."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":")).encode()


class Streams:
    """The event streams that are open, so that closing the server ends them at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[LocalStream] = set()
        self._closed = False

    def add(self, stream: LocalStream) -> None:
        """Count one in."""
        with self._lock:
            self._open.add(stream)
            if self._closed:
                stream.close()

    def drop(self, stream: LocalStream) -> None:
        """Close one."""
        with self._lock:
            self._open.discard(stream)
        stream.close()

    def close(self) -> None:
        """End all, and every further one."""
        with self._lock:
            self._closed = True
            for stream in self._open:
                stream.close()


def create_app(service: Service, streams: Streams) -> FastAPI:
    """The application around a service whose ``events`` are ``LocalStream``s."""
    app = FastAPI(
        title="Skerry engine",
        version=API_VERSION,
        description="One engine of one workspace. Only the user who owns the workspace can connect.",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        default_response_class=Answer,
        exception_handlers={HTTPException: _no_such_route},
    )
    app.router.route_class = _Route
    _definitions(app, service)
    _instances(app, service)
    _others(app, service)
    queue_routes(app, service, Answer)
    trouble_routes(app, service, Answer)
    amending_routes(app, service, Answer)
    secret_routes(app, service, Answer)
    _cleaning(app, service)
    _events(app, service, streams)
    return app


class _Route(APIRoute):
    """Every failure becomes the error document with its code."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except Exception as problem:
                return _refusal(problem)

        return answer


def _refusal(problem: Exception) -> Answer:
    if isinstance(problem, RequestValidationError):
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return Answer(error_document(Invalid(WRONG_USE, f"{where}: {first['msg']}", where=where)), 422)
    error = problem if isinstance(problem, SkerryError) else unexpected(problem)
    status = 409 if isinstance(error, Refused) else 400 if isinstance(error, Invalid) else 500
    return Answer(error_document(error), status)


async def _no_such_route(request: Request, problem: Exception) -> Response:
    told = Invalid(WRONG_USE, f"{request.method} {request.url.path} is no operation of this engine")
    return Answer(error_document(told), getattr(problem, "status_code", 404))


def _definitions(app: FastAPI, service: Service) -> None:
    @app.post("/v1/load", response_model=list[Loaded])
    def load(body: LoadBody) -> Response:
        """Store definitions, all or none."""
        return Answer(service.load(body.sources))

    @app.get("/v1/dump")
    def dump(id: Annotated[list[str], Query()] = []) -> Response:  # noqa: B006 - FastAPI copies it
        """The YAML of these definitions; of all without ids."""
        return Answer({"text": service.dump(id)})

    @app.get("/v1/definitions/{kind}", response_model=list[Document])
    def definitions(kind: Kind) -> Response:
        """Every definition of a kind."""
        return Answer(service.definitions(kind))

    @app.get("/v1/definitions/{kind}/{id}", response_model=Document)
    def definition(kind: Kind, id: str, revision: int | None = None) -> Response:
        """One definition with its tree."""
        return Answer(service.definition(kind, id, revision))

    @app.get("/v1/definitions/{kind}/{id}/history", response_model=list[Document])
    def history(kind: Kind, id: str) -> Response:
        """The revisions of a definition."""
        return Answer(service.history(kind, id))

    @app.delete("/v1/definitions/{kind}/{id}", response_model=Document)
    def delete(kind: Kind, id: str) -> Response:
        """Delete a definition."""
        return Answer(service.delete(kind, id))

    @app.put("/v1/tasks/{task}/state", response_model=Document)
    def set_state(task: str, body: StateBody) -> Response:
        """Move a task through its life-cycle."""
        return Answer(service.set_state(task, body.state))


def _instances(app: FastAPI, service: Service) -> None:
    @app.post("/v1/instances")
    def run(body: RunBody) -> Response:
        """Start a task by hand."""
        wanted = RunRequest(body.task, body.sources, body.params, body.texts, body.folder)
        return Answer({"instance": service.run(wanted)})

    @app.get("/v1/instances", response_model=list[Summary])
    def instances(
        task: str | None = None,
        status: str | None = None,
        since: str | None = None,
        until: str | None = None,
        planned: bool = False,
        limit: int = 100,
    ) -> Response:
        """The instances that fit, the newest first."""
        return Answer(service.instances(InstanceQuery(task, status, since, until, planned, limit)))

    @app.get("/v1/instances/{instance}", response_model=RunDocument)
    def show(instance: int) -> Response:
        """One instance with its jobs."""
        return Answer(service.instance(instance))

    @app.get("/v1/instances/{instance}/definitions", response_model=Document)
    def captured(instance: int, run: int | None = None) -> Response:
        """The definitions that a run went by."""
        return Answer(service.captured(instance, run))

    @app.get("/v1/instances/{instance}/logs", response_model=list[LogFile])
    def logs(instance: int, node: str | None = None, attempt: int | None = None) -> Response:
        """Where the logs are; their text is read from the files."""
        return Answer(service.logs(instance, node, attempt))

    @app.get("/v1/instances/{instance}/context", response_model=Document)
    def context(instance: int, at: int | None = None) -> Response:
        """The context's tree, now or after one line of its log."""
        return Answer(service.context(instance, at))

    @app.put("/v1/instances/{instance}/context", response_model=Document)
    def set_value(instance: int, body: EditBody) -> Response:
        """Override one value of the context."""
        return Answer(service.set_value(instance, body.path, body.text, body.reason))

    @app.post("/v1/instances/{instance}/cancel", response_model=Document)
    def cancel(instance: int, body: CancelBody) -> Response:
        """Stop an instance or one node; answers when that is verified."""
        return Answer(service.cancel(instance, body.node))


def _others(app: FastAPI, service: Service) -> None:
    @app.get("/v1/about", response_model=Document)
    def about() -> Response:
        """Who answers."""
        return Answer(service.about())

    @app.post("/v1/resources/{id}/check", response_model=Document)
    def check_resource(id: str, body: CheckBody) -> Response:
        """Look at a resource without changing anything."""
        return Answer(service.check_resource(id, body.params))

    @app.get("/v1/errors", response_model=Document)
    def own_errors() -> Response:
        """The user's own catalogue entries by code."""
        return Answer(service.own_errors())

    @app.get("/v1/stats", response_model=list[Document])
    def stats(task: str | None = None, job: str | None = None) -> Response:
        """Counts, failures, times and error codes."""
        return Answer(service.stats(task, job))


def _cleaning(app: FastAPI, service: Service) -> None:
    @app.post("/v1/clean", response_model=Document)
    def clean(body: CleanBody) -> Response:
        """Take away what is no longer kept, or only tell what."""
        return Answer(service.clean(body.dry_run))


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
