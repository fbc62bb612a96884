"""What a host is given to start a stage of an attempt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from engine.execution.wrapper import NO_LIMITS
from engine.model.job import Limits, StageName


class InputFile(NamedTuple):
    """A file of this machine that a program elsewhere reads: the parameter that names it, and its path here.

    ``below``: the folder that it must lie in, where it is not to be read by way of a link out of that.
    """

    param: str
    path: str
    below: str | None = None


@dataclass(frozen=True, slots=True)
class Launch:
    """One stage, ready to start.

    ``argv`` None: ``script`` (relative to ``directory``) is sourced by the shell of :mod:`.wrapper`.
    ``working_dir`` None: it starts in ``directory``. ``env`` is complete. ``umask`` is the program's: what it
    leaves in its directory is private. ``inputs``: what another machine needs of this one's files; here the
    paths are good as they are. ``alone``: nothing else may run on its worker meanwhile. ``secrets`` are
    masked in what it prints; ``has_secret``: it is given one.
    """

    argv: tuple[str, ...] | None
    script: str
    directory: Path | str
    stage: StageName
    mark: str
    env: Mapping[str, str]
    limits: Limits = NO_LIMITS
    secrets: tuple[str, ...] = ()
    has_secret: bool = False
    umask: int = 0o077
    working_dir: str | None = None
    inputs: tuple[InputFile, ...] = ()
    alone: bool = False
