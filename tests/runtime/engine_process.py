"""An engine in a process of its own, which a test can kill at any moment."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from typing import Any

from app import wiring
from engine.definitions.reader import read_raw
from engine.model.states import JobState
from engine.runtime import engine as _engine
from engine.runtime.interventions.question_answers import Reply
from engine.runtime.submission import Submission
from engine.store import opening, sqlite

_LOADED = (_engine, opening, sqlite, wiring.job_types(), wiring.resource_types())
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload([__name__])


class EngineProcess:
    """Owns a workspace until it has nothing more to do, or is killed."""

    def __init__(self, root: Path, raw: Mapping[str, Any] | None = None) -> None:
        self._pipe, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_work, args=(str(root), raw, theirs), daemon=True)
        self._process.start()
        theirs.close()
        self.instance: int | None = None
        self._idle = False

    def until_up(self) -> EngineProcess:
        """Wait until it works; the instance that it submitted is in ``instance``."""
        self.instance = self._pipe.recv()
        return self

    def idle_within(self, seconds: float) -> bool:
        """Whether it has nothing more to do before so much time is over."""
        with suppress(EOFError):
            while not self._idle and self._pipe.poll(seconds):
                self._idle = self._pipe.recv() == "idle"
        return self._idle

    def cancel(self, node: str | None = None) -> None:
        """Have it begin to cancel its instance, or one node of it."""
        self._pipe.send(("cancel", node))

    def force(self, node: str, state: str) -> None:
        """Have it begin to settle a node by hand."""
        self._pipe.send(("force", node, JobState(state), "seen by hand"))

    def approve(self, node: str, choice: str) -> None:
        """Have it take an answer."""
        self._pipe.send(("approve", Reply(node, choice)))

    def kill(self) -> None:
        """SIGKILL, and wait for its end."""
        if self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, signal.SIGKILL)
        self._process.join()
        self._pipe.close()


def _obey(engine: _engine.Engine, instance: int | None, pipe: Connection) -> None:
    with suppress(EOFError):
        while True:
            what, *given = pipe.recv()
            getattr(engine, what)(instance or 0, *given)


def _work(root: str, raw: Mapping[str, Any] | None, pipe: Connection) -> None:
    engine = wiring.open_engine(root).start()
    instance = None
    if raw is not None:
        definitions = read_raw(raw, wiring.job_types(), wiring.resource_types())
        instance = engine.submit(Submission(list(definitions.tasks)[-1], definitions))
    pipe.send(instance)
    Thread(target=_obey, args=(engine, instance, pipe), daemon=True).start()
    while running := list(engine.services.runs):
        engine.wait(running[0], 1.0)
    engine.close()
    pipe.send("idle")
