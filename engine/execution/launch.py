"""What a host is given to start a stage of an attempt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.execution.wrapper import NO_LIMITS
from engine.model.job import Limits, StageName


@dataclass(frozen=True, slots=True)
class Launch:
    """One stage, ready to start.

    ``argv`` None: ``script`` (relative to ``directory``) is sourced by the shell of :mod:`.wrapper`.
    ``working_dir`` None: it starts in ``directory``. ``env`` is complete. ``umask`` is the program's: what it
    leaves in its directory is private.
    """

    argv: tuple[str, ...] | None
    script: str
    directory: Path | str
    stage: StageName
    mark: str
    env: Mapping[str, str]
    limits: Limits = NO_LIMITS
    secrets: tuple[str, ...] = ()
    umask: int = 0o077
    working_dir: str | None = None
