"""Instances over HTTP: started, listed, looked into, changed, stopped; see ``engine.api.service.Service``."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Query, Response

from engine.api.body import Body
from engine.api.documents import Document, LogFile, RunDocument, Source, Summary
from engine.api.requests import chosen
from engine.api.service import InstanceQuery, RunRequest, Service
from engine.model.states import InstanceState


class RunBody(Body):
    """See ``engine.api.service.RunRequest``."""

    task: str | None = None
    sources: list[Source] | None = None
    params: dict[str, Any] = {}
    texts: dict[str, str] = {}
    folder: str | None = None


class EditBody(Body):
    """One override of a context value."""

    path: str
    text: str
    reason: str


class CancelBody(Body):
    """What to stop; without ``node`` the whole instance."""

    node: str | None = None


def instance_routes(app: FastAPI, service: Service, answer: type[Response]) -> None:
    """Add them to the application."""
    _instances(app, service, answer)
    _contents(app, service, answer)


def _instances(app: FastAPI, service: Service, answer: type[Response]) -> None:
    @app.post("/v1/instances")
    def run(body: RunBody) -> Response:
        """Start a task by hand."""
        wanted = RunRequest(body.task, body.sources, body.params, body.texts, body.folder)
        return answer({"instance": service.run(wanted)})

    @app.get("/v1/instances", response_model=list[Summary])
    def instances(
        task: str | None = None,
        status: str | None = None,
        since: str | None = None,
        until: str | None = None,
        planned: bool = False,
        limit: Annotated[int, Query(ge=0)] = 100,
    ) -> Response:
        """The instances that fit, the newest first."""
        status = chosen("status", status, InstanceState)
        return answer(service.instances(InstanceQuery(task, status, since, until, planned, limit)))

    @app.get("/v1/instances/{instance}", response_model=RunDocument)
    def show(instance: int) -> Response:
        """One instance with its jobs."""
        return answer(service.instance(instance))

    @app.get("/v1/instances/{instance}/definitions", response_model=Document)
    def captured(instance: int, run: int | None = None) -> Response:
        """The definitions that a run went by."""
        return answer(service.captured(instance, run))


def _contents(app: FastAPI, service: Service, answer: type[Response]) -> None:
    @app.get("/v1/instances/{instance}/logs", response_model=list[LogFile])
    def logs(instance: int, node: str | None = None, attempt: int | None = None) -> Response:
        """Where the logs are; their text is read from the files."""
        return answer(service.logs(instance, node, attempt))

    @app.get("/v1/instances/{instance}/context", response_model=Document)
    def context(instance: int, at: int | None = None) -> Response:
        """The context's tree, now or after one line of its log."""
        return answer(service.context(instance, at))

    @app.put("/v1/instances/{instance}/context", response_model=Document)
    def set_value(instance: int, body: EditBody) -> Response:
        """Override one value of the context."""
        return answer(service.set_value(instance, body.path, body.text, body.reason))

    @app.post("/v1/instances/{instance}/cancel", response_model=Document)
    def cancel(instance: int, body: CancelBody) -> Response:
        """Stop an instance or one node; answers when that is verified."""
        return answer(service.cancel(instance, body.node))
