"""The few lines of ``sh`` around a job on another machine: as here, in two parts, and the end is reported.

The outer part is a child of the long-lived shell: ``begin``, ``undo`` and ``over`` of ``shell.sh``. It has
the stage file as standard input. The inner one, ``INNER`` there, begins a session, writes over blanks of the
stage file that it began, with its pid, and becomes the job; then the outer one writes and reports how that
ended.
"""

from __future__ import annotations

from engine.execution.wrapper import steps
from engine.model.job import Limits


def job_of(command: bool, limits: Limits, umask: int) -> str:
    """How the inner part becomes the job: it sources ``$0``, or with ``command`` executes what follows."""
    return steps(limits, umask) + ('exec "$@"' if command else '. "$0"')
