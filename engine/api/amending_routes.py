"""Fixes and deliveries over HTTP; see ``amending``."""

from __future__ import annotations

from fastapi import FastAPI, Response

from engine.api.body import Body
from engine.api.documents import Document
from engine.api.service import Service


class AmendBody(Body):
    """See ``engine.api.amending.AmendingService``."""

    package: Document
    dry_run: bool = False


class TakeBackBody(Body):
    """Which one, and why."""

    id: str
    reason: str


def amending_routes(app: FastAPI, service: Service, answer: type[Response]) -> None:
    """Add them to the application."""

    @app.post("/v1/amendments", response_model=Document)
    def amend(body: AmendBody) -> Response:
        """Verify a fix or a delivery and apply it, as a whole, once, and as it was shown."""
        return answer(service.amend(body.package, body.dry_run))

    @app.get("/v1/amendments", response_model=list[Document])
    def amendments() -> Response:
        """What was applied here so far."""
        return answer(service.amendments())

    @app.post("/v1/amendments/take-back", response_model=Document)
    def take_back(body: TakeBackBody) -> Response:
        """Restore what one of them changed."""
        return answer(service.take_back(body.id, body.reason))
