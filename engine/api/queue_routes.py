"""The queue over HTTP; see ``engine.api.queueing.QueueService``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import FastAPI, Response
from pydantic import Field

from engine.api.body import Body, Number
from engine.api.documents import Document
from engine.api.queueing import QueueService


class SizeBody(Body):
    """A number of places, ``auto``, or null: what workspace.yaml says."""

    size: Annotated[int, Field(ge=1)] | Literal["auto"] | None


class PauseBody(Body):
    """Whether nothing more starts."""

    paused: bool


class CleanBody(Body):
    """How long a job may have been running."""

    minutes: Annotated[float, Field(ge=0)]


class AddBody(Body):
    """A reusable Job; see ``engine.api.service.RunRequest`` for the values."""

    job: str
    params: dict[str, Any] = {}
    texts: dict[str, str] = {}


class PriorityBody(Body):
    """The highest comes first."""

    priority: Number


def queue_routes(app: FastAPI, service: QueueService, answer: type[Response]) -> None:
    """The operations on the queue."""

    @app.get("/v1/queue", response_model=Document)
    def queue() -> Response:
        """Who waits for a place and who has one."""
        return answer(service.queue())

    @app.post("/v1/queue", response_model=Document)
    def add(body: AddBody) -> Response:
        """Queue a reusable Job by hand."""
        return answer(service.queue_add(body.job, body.params, body.texts))

    @app.put("/v1/queue/size", response_model=Document)
    def size(body: SizeBody) -> Response:
        """How many jobs run at once."""
        return answer(service.queue_size(body.size))

    @app.put("/v1/queue/paused", response_model=Document)
    def paused(body: PauseBody) -> Response:
        """Start nothing more, or start again."""
        return answer(service.queue_pause(body.paused))

    @app.post("/v1/queue/clear", response_model=Document)
    def clear() -> Response:
        """Take out everything that waits."""
        return answer(service.queue_clear())

    @app.post("/v1/queue/clean", response_model=Document)
    def clean(body: CleanBody) -> Response:
        """End what has been running for longer; answers when it is gone."""
        return answer(service.queue_clean(body.minutes))

    @app.delete("/v1/queue/{job_instance}", response_model=Document)
    def remove(job_instance: int) -> Response:
        """Take one waiting job out."""
        return answer(service.queue_remove(job_instance))

    @app.put("/v1/queue/{job_instance}/priority", response_model=Document)
    def priority(job_instance: int, body: PriorityBody) -> Response:
        """Another priority for a waiting job."""
        return answer(service.queue_priority(job_instance, body.priority))
