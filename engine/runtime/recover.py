"""Taking up what an earlier engine left, and waking an instance that does not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.runtime.run import Run

if TYPE_CHECKING:
    from engine.runtime.engine import Engine


def take_up(engine: Engine) -> None:
    """Go on with every unfinished instance."""


def sleeping(engine: Engine, instance: int) -> Run:
    """An instance that does not run, with its context."""
    raise NotImplementedError
