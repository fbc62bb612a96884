"""Exceptions, alerts, rules, reruns and outcomes over HTTP; see ``troubles`` and ``repairing``."""

from __future__ import annotations

from typing import Literal

from fastapi import FastAPI, Response

from engine.api.body import Body, Number
from engine.api.documents import Document
from engine.api.repairing import Rerun
from engine.api.requests import chosen
from engine.api.service import Service
from engine.api.troubles import ExceptionQuery


class RerunBody(Body):
    """See ``engine.api.repairing.Rerun``."""

    instance: Number
    mode: Literal["all", "from", "failed", "only"]
    nodes: list[str] = []
    with_upstream: bool = False
    downstream: bool = False
    edits: list[tuple[str, str]] = []
    reason: str = ""
    current: bool = False

    def asked(self) -> Rerun:
        """The same as the service takes it."""
        return Rerun(**{**self.model_dump(), "nodes": tuple(self.nodes), "edits": tuple(self.edits)})


class RerunsBody(Body):
    """Several at once: all or none."""

    reruns: list[RerunBody]


class ForceBody(Body):
    """The outcome of a node, and why."""

    node: str
    state: Literal["succeeded", "failed"]
    reason: str


class PauseBody(Body):
    """Why."""

    reason: str = ""


class HandleBody(Body):
    """What is done about an exception."""

    answer: Literal["retry", "skip", "succeed", "fail", "discard"] | None = None
    reason: str


class SeenBody(Body):
    """Alerts; null: all."""

    alerts: list[Number] | None = None


class EnabledBody(Body):
    """Whether a rule acts."""

    enabled: bool


def trouble_routes(app: FastAPI, service: Service, answer: type[Response]) -> None:
    """Add them to an application; ``answer`` makes the responses."""
    _repairs(app, service, answer)
    _exceptions(app, service, answer)
    _rules(app, service, answer)


def _repairs(app: FastAPI, service: Service, answer: type[Response]) -> None:
    @app.post("/v1/reruns", response_model=Document)
    def rerun(body: RerunsBody) -> Response:
        """Start further runs of ended instances, all or none."""
        return answer({"runs": service.rerun([each.asked() for each in body.reruns])})

    @app.post("/v1/reruns/preview", response_model=Document)
    def preview(body: RerunBody) -> Response:
        """What a rerun would run, keep and skip."""
        return answer(service.preview(body.asked()))

    @app.post("/v1/instances/{instance}/force", response_model=Document)
    def force(instance: int, body: ForceBody) -> Response:
        """Settle the outcome of a node by hand."""
        return answer(service.force(instance, body.node, body.state, body.reason))

    @app.post("/v1/instances/{instance}/pause", response_model=Document)
    def pause(instance: int, body: PauseBody) -> Response:
        """Begin no further attempt of its jobs; what runs goes on."""
        return answer(service.pause(instance, body.reason))

    @app.post("/v1/instances/{instance}/resume", response_model=Document)
    def resume(instance: int, body: PauseBody) -> Response:
        """Let a paused instance go on."""
        return answer(service.resume(instance, body.reason))


def _exceptions(app: FastAPI, service: Service, answer: type[Response]) -> None:
    @app.get("/v1/exceptions", response_model=list[Document])
    def exceptions(
        instance: int | None = None,
        task: str | None = None,
        code: int | None = None,
        status: str | None = None,
        since: str | None = None,
        limit: int = 100,
    ) -> Response:
        """The exceptions that fit, the newest first."""
        status = chosen("status", status, ("open", "handled"))
        return answer(service.exceptions(ExceptionQuery(instance, task, code, status, since, limit)))

    @app.get("/v1/exceptions/{id}", response_model=Document)
    def exception(id: int) -> Response:
        """One exception, how its job stands, and what can be done about it."""
        return answer(service.exception(id))

    @app.post("/v1/exceptions/{id}/handle", response_model=Document)
    def handle(id: int, body: HandleBody) -> Response:
        """Close an exception, or answer for a job that waits."""
        return answer(service.handle(id, body.answer, body.reason))

    @app.get("/v1/alerts", response_model=list[Document])
    def alerts(instance: int | None = None, seen: bool = False, limit: int = 100) -> Response:
        """What recovery and rules have raised."""
        return answer(service.alerts(instance, seen, limit))

    @app.post("/v1/alerts/acknowledge", response_model=Document)
    def acknowledge(body: SeenBody) -> Response:
        """Somebody has seen them."""
        return answer(service.acknowledge(body.alerts))


def _rules(app: FastAPI, service: Service, answer: type[Response]) -> None:
    @app.put("/v1/rules/{id}/enabled", response_model=Document)
    def enable_rule(id: str, body: EnabledBody) -> Response:
        """Switch a rule on or off."""
        return answer(service.enable_rule(id, body.enabled))

    @app.get("/v1/rules/{id}/test", response_model=Document)
    def test_rule(id: str, limit: int = 1000) -> Response:
        """Which of the newest exceptions a rule would have matched."""
        return answer(service.test_rule(id, limit))
