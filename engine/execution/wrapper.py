"""The few lines of ``sh`` that become a job's process.

They are started with the locked stage file as standard input and the job's logs as output, and write their
pid over blanks of the stage file as soon as they are in the job's directory: what never began is known.
Only built-ins are used: nothing is executed, and a full disk cannot stop them. Below a supervisor, which
writes down how it ended, the shell is the job itself. Without one it has to outlive the job: it moves its
own error output away (so that the shell's "Killed" never lands in a log), runs the job in a subshell that has
neither the lock nor that descriptor, and writes the exit status after the pid.
"""

from __future__ import annotations

import math
from functools import lru_cache

from engine.model.job import Limits

NO_LIMITS = Limits()
NO_DIRECTORY = 125  # the wrapper's status when the folder is not there
_CPU_MERCY = 5  # seconds between SIGXCPU and SIGKILL

# $0 is the script, $1 the folder that it starts in, the rest the command.
_BEGIN = f'cd "$1" 2>/dev/null || exit {NO_DIRECTORY}; echo begun $$ >&0; shift; '
_SUPERVISED = _BEGIN + "exec </dev/null; {limits}{run}"
_ALONE = _BEGIN + (
    "exec 9>&2 2>/dev/null; ( exec </dev/null 2>&9 9>&-; {limits}{run} ); "
    's=$?; echo "exit $s $s" >&0; exit $s'
)


def wrapper(command: bool, limits: Limits, umask: int, *, supervised: bool) -> str:
    """The text for ``sh -c``: it sources ``$0``, or with ``command`` executes what follows."""
    return _text(command, limits.cpu, limits.memory, limits.files, umask, supervised)


@lru_cache(maxsize=256)
def _text(
    command: bool, cpu: float | None, memory: int | None, files: int | None, umask: int, supervised: bool
) -> str:
    run = 'exec "$@"' if command else '. "$0"'
    limits = _steps(cpu, memory, files, umask)
    return (_SUPERVISED if supervised else _ALONE).format(limits=limits, run=run)


def steps(limits: Limits, umask: int) -> str:
    """What the shell does to itself before it becomes the job."""
    return _steps(limits.cpu, limits.memory, limits.files, umask)


def _steps(cpu: float | None, memory: int | None, files: int | None, umask: int) -> str:
    return "".join(f"{step}; " for step in (*_limits(cpu, memory, files), f"umask {umask:03o}"))


def _limits(cpu: float | None, memory: int | None, files: int | None) -> list[str]:
    """``memory`` limits data, not address space: what a JVM only reserves does not count."""
    steps = []
    if cpu is not None:
        most = max(math.ceil(cpu), 1)
        steps += [f"ulimit -S -t {most}", f"ulimit -H -t {most + _CPU_MERCY}"]
    if memory is not None:
        steps.append(f"ulimit -d {max(memory // 1024, 1)}")
    if files is not None:
        steps.append(f"ulimit -n {files}")
    return [f"{step} 2>/dev/null" for step in steps]
