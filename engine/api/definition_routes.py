"""Definitions over HTTP; see ``engine.api.service.Service``."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query, Response

from engine.api.body import Body
from engine.api.documents import Document, Kind, Loaded, Source
from engine.api.service import Service
from engine.model.states import TaskState


class LoadBody(Body):
    """Definition files to store."""

    sources: list[Source]


class StateBody(Body):
    """The life-cycle state to move to."""

    state: TaskState


def definition_routes(app: FastAPI, service: Service, answer: type[Response]) -> None:
    """Add them to the application."""

    @app.post("/v1/load", response_model=list[Loaded])
    def load(body: LoadBody) -> Response:
        """Store definitions, all or none."""
        return answer(service.load(body.sources))

    @app.post("/v1/warnings", response_model=list[Document])
    def warnings(body: LoadBody) -> Response:
        """The warnings of definitions that were loaded or run."""
        return answer(service.warnings(body.sources))

    @app.get("/v1/dump")
    def dump(id: Annotated[list[str], Query()] = []) -> Response:  # noqa: B006 - FastAPI copies it
        """The YAML of these definitions; of all without ids."""
        return answer({"text": service.dump(id)})

    @app.get("/v1/definitions/{kind}", response_model=list[Document])
    def definitions(kind: Kind) -> Response:
        """Every definition of a kind."""
        return answer(service.definitions(kind))

    @app.get("/v1/definitions/{kind}/{id}", response_model=Document)
    def definition(kind: Kind, id: str, revision: int | None = None) -> Response:
        """One definition with its tree."""
        return answer(service.definition(kind, id, revision))

    @app.get("/v1/definitions/{kind}/{id}/history", response_model=list[Document])
    def history(kind: Kind, id: str) -> Response:
        """The revisions of a definition."""
        return answer(service.history(kind, id))

    @app.delete("/v1/definitions/{kind}/{id}", response_model=Document)
    def delete(kind: Kind, id: str) -> Response:
        """Delete a definition."""
        return answer(service.delete(kind, id))

    @app.put("/v1/tasks/{task}/state", response_model=Document)
    def set_state(task: str, body: StateBody) -> Response:
        """Move a task through its life-cycle."""
        return answer(service.set_state(task, body.state))
