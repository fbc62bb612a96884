"""The catalogue of everything installed here, as the reader at this terminal is shown it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from app.cli.language import language_of
from app.wiring import catalogue
from engine.model.errors import SkerryError

if TYPE_CHECKING:
    from app.cli.cli_context import CliContext
    from app.cli.show_text import Reader
    from engine.api.service import Service
    from engine.model.catalogue import Catalogue


__all__ = ["catalogue", "reader", "titles"]


def reader(cli: CliContext, service: Service) -> Reader:
    """The person at this terminal, or whatever standard output leads to."""
    from app.cli.show_text import Reader

    @cache
    def known() -> Catalogue:
        own: Mapping[str, Any] = {}
        with suppress(SkerryError):  # an engine that has just ended: its own texts are enough
            own = service.own_errors()
        return catalogue(own)

    return Reader(lambda code: known().find(code), language_of(cli.root), _room() if cli.terminal else None)


def _room() -> int:
    import shutil  # it brings what packs files

    return shutil.get_terminal_size().columns


def titles(cli: CliContext) -> Callable[[int], str]:
    """``title：`` of a code, to go before an English message; empty where English is spoken."""
    if language_of(cli.root) != "zh":
        return lambda _: ""
    find = catalogue({}).find
    return lambda code: f"{entry.zh.title}：" if (entry := find(code)) else ""
