"""Secrets over HTTP; see ``unlocking``. No value is ever sent."""

from __future__ import annotations

from fastapi import FastAPI, Response
from pydantic import ConfigDict, SecretStr

from engine.api.body import Body
from engine.api.documents import Document
from engine.api.service import Service


class UnlockBody(Body):
    """What opens the secrets; it appears in no log and no error."""

    model_config = ConfigDict(hide_input_in_errors=True)
    passphrase: SecretStr


def secret_routes(app: FastAPI, service: Service, answer: type[Response]) -> None:
    """Add them to the application."""

    @app.get("/v1/secrets", response_model=Document)
    def secrets() -> Response:
        """Whether the engine can read the secrets."""
        return answer(service.secrets())

    @app.post("/v1/secrets/unlock", response_model=Document)
    def unlock(body: UnlockBody) -> Response:
        """Let the engine read the secrets until it ends."""
        return answer(service.unlock(body.passphrase.get_secret_value()))
