"""Why a command waits, said within seconds: an engine that has no room to write, or that is stopped."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from app.cli.text import clock_time, visible
from engine.model.errors import SkerryError

if TYPE_CHECKING:
    from app.cli.desk import Desk
    from engine.api.service import Service

_LOOK = 1.0  # seconds between two looks


@contextmanager
def watching(desk: Desk, service: Service) -> Iterator[None]:
    """Look at the engine now and then for as long as this lasts, and tell what holds it up."""
    over = threading.Event()
    thread = threading.Thread(target=_watch, args=(desk, service, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()


def _watch(desk: Desk, service: Service, over: threading.Event) -> None:
    told = False
    while not over.wait(_LOOK):
        with suppress(SkerryError):
            now = _what_holds_it_up(desk, service)
            if over.is_set():
                return
            if now and not told:
                desk.note(now)
            elif told and not now:
                desk.note(desk.tell("it goes on"))
            told = bool(now)


def _what_holds_it_up(desk: Desk, service: Service) -> str:
    try:
        found = service.about().get("hold_up")
    except SkerryError as error:
        if error.details.get("stopped"):
            return visible(error.message)
        raise
    return held_up(desk, found) if found else ""


def held_up(desk: Desk, found: Mapping[str, Any]) -> str:
    """Since when, for how many, and why."""
    since, why = clock_time(found["since"]), visible(found["reason"])
    told = "nothing can be written down since {since}, {n} instances wait: {why}"
    return desk.tell(told, since=since, n=found["instances"], why=why)
