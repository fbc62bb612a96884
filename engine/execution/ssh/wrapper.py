"""The few lines of ``sh`` around a job on another machine: as here, in two parts, and the end is reported.

The outer part is a child of the long-lived shell that has the stage file as standard input. The inner one
begins a session, writes over blanks of the stage file that it began, with its pid, and becomes the
job; then the outer one writes how that ended. Descriptor 8 leads to the engine, if that listens; the job has
neither.
"""

from __future__ import annotations

from engine.execution.ssh.quoting import word
from engine.execution.wrapper import NO_DIRECTORY, steps
from engine.model.job import Limits

# $0 is the script, $1 the folder that it starts in, the rest the command. No variable is set: the job would
# find it changed. A link that is cut ends what writes into it by a signal: not the job.
_INNER = (
    'cd "$1" || exit {gone}; '
    'echo begun $$ >&0; trap "" PIPE; echo "{report} began $$" >&8 2>/dev/null; trap - PIPE; '
    "shift; "
    "exec </dev/null 8>&-; {limits}{run}"
)
_OUTER = (
    's=$?; echo "exit $s $s" >&0; d={directory}; f=-; '
    '[ -s "$d/job.log" ] && f=${{f}}o; [ -s "$d/job-error.log" ] && f=${{f}}e; '
    '[ -e "$d/status" ] && f=${{f}}s; [ -s "$d/.skerry/progress" ] && f=${{f}}p; '
    '[ -e "$d/.skerry/fenced" ] && f=${{f}}f; '
    'for x in "$d"/outputs/* "$d"/outputs/.[!.]* "$d"/outputs/..?*; do '
    'if [ -e "$x" ] || [ -L "$x" ]; then f=${{f}}r; break; fi; done; '
    'echo "{report} end $s $f" >&8'
)


def inner(command: bool, limits: Limits, umask: int, report: str) -> str:
    """The text for ``sh -c``: it sources ``$0``, or with ``command`` executes what follows."""
    return _INNER.format(
        gone=NO_DIRECTORY,
        report=report,
        limits=steps(limits, umask),
        run='exec "$@"' if command else '. "$0"',
    )


def outer(directory: str, report: str) -> bytes:
    """What follows the inner part's command; ``report`` begins its line to the engine."""
    where = word(directory).decode("utf-8", "surrogateescape")
    return _OUTER.format(directory=where, report=report).encode("utf-8", "surrogateescape")
