"""The catalogue of everything installed here, for those who read its texts at this terminal."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from app.wiring import catalogue
from engine.model.errors import ErrorCode, SkerryError

if TYPE_CHECKING:
    from app.cli.cli_context import Find
    from engine.api.service import Service
    from engine.model.catalogue import Catalogue


def finder(service: Service) -> Find:
    """Looks codes up, also among the user's own; the catalogue is made when the first one is."""

    @cache
    def known() -> Catalogue:
        own: Mapping[str, Any] = {}
        with suppress(SkerryError):  # an engine that has just ended: its own texts are enough
            own = service.own_errors()
        return catalogue(own)

    def find(code: int) -> ErrorCode | None:
        return known().find(code)

    return find
