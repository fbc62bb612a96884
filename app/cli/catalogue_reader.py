"""The catalogue of everything installed here, for those who read its texts at this terminal."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from app.cli.cli_context import Find
from app.wiring import catalogue
from engine.api.service import Service
from engine.model.catalogue import Catalogue, engine_code, own_codes
from engine.model.errors import ErrorCode, SkerryError


def finder(service: Service) -> Find:
    """Looks codes up: the user's own, the engine's, and last those of the types, which are slow to load."""

    @cache
    def own() -> Catalogue:
        with suppress(SkerryError):  # an engine that has just ended: the program's texts are enough
            return Catalogue(own_codes(service.own_errors()))
        return Catalogue(())

    def find(code: int) -> ErrorCode | None:
        return own().find(code) or engine_code(code) or catalogue({}).find(code)

    return find
