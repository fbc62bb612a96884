"""Shows within seconds why a command waits: an engine that cannot write, is busy, silent or stopped."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from app.cli.cli_context import CliContext
from app.cli.terminal_text import clock_time, visible
from engine.api.service import Service
from engine.model.errors import SkerryError
from engine.model.message import message_in

_LOOK = 1.0  # seconds between two looks
_SILENT = 2.0  # seconds for an answer that takes an engine no time


@contextmanager
def watching(cli: CliContext, service: Service) -> Iterator[None]:
    """Look at the engine now and then meanwhile, and report what holds it up."""
    over = threading.Event()
    thread = threading.Thread(target=_watch, args=(cli, service, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()


def _watch(cli: CliContext, service: Service, over: threading.Event) -> None:
    noted: set[str] = set()

    def report(now: str) -> None:
        if now and not noted and not over.is_set():
            cli.note(now)
            noted.add(now)

    while not over.wait(_LOOK):
        silent = threading.Timer(
            _SILENT, report, [cli.tell("the engine does not answer yet: waiting for it")]
        )
        silent.daemon = True
        silent.start()
        with suppress(SkerryError):
            now = _what_holds_it_up(cli, service)
            silent.cancel()
            report(now)
            if noted and not now and not over.is_set():
                cli.note(cli.tell("it goes on"))
                noted.clear()
        silent.cancel()


def _what_holds_it_up(cli: CliContext, service: Service) -> str:
    try:
        about = service.about()
    except SkerryError as error:
        if error.details.get("stopped"):
            return visible(cli.failure(error.code, error.message))
        raise
    if found := about.get("hold_up"):
        return held_up(cli, found)
    busy = about.get("busy_for")
    return (
        cli.tell("the engine is at one thing for {n} s and hears nothing else: waiting", n=busy)
        if busy
        else ""
    )


def held_up(cli: CliContext, found: Mapping[str, Any]) -> str:
    """Since when, for how many, and why."""
    since, why = clock_time(found["since"]), visible(cli.failure(None, message_in(found, "reason")))
    message = "nothing can be written down since {since}, {n} instances wait: {why}"
    return cli.tell(message, since=since, n=found["instances"], why=why)
