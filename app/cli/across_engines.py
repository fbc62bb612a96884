"""Watching what outlives the engine that runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from app.cli.engine_access import working
from engine.model.codes.commands import NO_ANSWER
from engine.model.errors import SkerryError

if TYPE_CHECKING:
    from app.cli.cli_context import CliContext
    from engine.api.service import Service
    from engine.model.message import Message

Answer = TypeVar("Answer")
_OWNERS = 50  # engines that may come and go meanwhile


def across_engines(
    cli: CliContext, service: Service, watch: Callable[[Service], Answer], gone: Message
) -> Answer:
    """What ``watch`` gives. Where the engine that it watches ends, this process may be the next one.

    SkerryError with ``gone`` where one engine after the other ends.
    """
    try:
        return watch(service)
    except SkerryError as error:
        if error.entry is not NO_ANSWER:
            raise
    for _ in range(_OWNERS - 1):
        try:
            with working(cli) as another:
                return watch(another)
        except SkerryError as error:
            if error.entry is not NO_ANSWER:
                raise
    raise SkerryError(NO_ANSWER, gone)
