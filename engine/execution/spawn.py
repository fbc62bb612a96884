"""Starting a stage of an attempt: the hot path of the engine.

``posix_spawn`` rather than ``subprocess.Popen``: it costs 50 µs less of the engine's one thread. It
has no ``close_fds``; Python's own descriptors close by themselves, and ``inheritable()`` gives
those that the engine was itself started with, which are then closed in each child.
"""

from __future__ import annotations

import errno
import os
import signal
from contextlib import suppress

from engine.execution import masking, stage_file
from engine.execution.child import Child
from engine.execution.code import SHELL
from engine.execution.files import close_all, directory_errors, open_log
from engine.execution.launch import Launch
from engine.execution.programs import runnable
from engine.execution.supervisor import NAME, Supervisor
from engine.execution.wrapper import wrapper
from engine.model.codes import processes as codes
from engine.model.disk import no_room
from engine.model.errors import SkerryError

_FULL = {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE}
_DEFAULT_SIGNALS = tuple(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})


def inheritable() -> tuple[int, ...]:
    """The descriptors above 2 that a child would inherit; to be asked once, when the engine starts."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            if int(name) > 2 and os.get_inheritable(int(name)):
                found.append(int(name))
    return tuple(found)


def spawn(launch: Launch, strays: tuple[int, ...] = (), supervisor: Supervisor | None = None) -> Child:
    """Start it in a session of its own, output straight into its logs. ``strays``: see ``inheritable``.

    Without a ``supervisor`` it runs all the same, but what leaves its session may get away at its end.
    Raises SkerryError: the program cannot be run, arguments or values too big or unpassable, the stage
    was started before, the directory cannot be written, no room for another process.
    """
    directory = os.fspath(launch.directory)
    argv = launch.argv
    if argv is not None:
        argv = runnable(argv, launch.env, launch.working_dir or directory)
    record = f"{directory}/.skerry/{launch.stage}"
    lock = stage_file.create(record, launch.mark, supervised=supervisor is not None)
    opened = [lock]
    masker = pid = None
    try:
        out, err = _logs(directory, opened)
        if launch.secrets:
            out, err, masker = _masked(launch.secrets, (out, err, lock), opened)
        pid = _start(launch, argv, directory, (lock, out, err), strays, supervisor)
        child = Child(pid, _pidfd(pid), record, launch.mark, own=True, masker=masker)
        stage_file.note_pid(lock, pid)
        return child
    except BaseException as error:
        if pid is None and no_room(error):  # it may be tried again when there is some
            with suppress(OSError):
                os.unlink(record)
        close_all(opened)
        opened.clear()
        if masker is not None:
            masker.bury()
        raise
    finally:
        close_all(opened)


def _logs(directory: str, opened: list[int]) -> tuple[int, int]:
    with directory_errors(directory):
        opened.append(out := open_log(f"{directory}/job.log"))
        opened.append(err := open_log(f"{directory}/job-error.log"))
    return out, err


def _masked(secrets: tuple[str, ...], logs: tuple[int, int, int], opened: list[int]) -> masking.Masked:
    try:
        masked = masking.start(secrets, *logs)
    except OSError as error:
        message = "the masking process did not start: {error}"
        raise SkerryError(codes.MASKING_FAILED, message, error=error.strerror) from error
    opened += [masked.out, masked.err]
    return masked


def _start(
    launch: Launch,
    argv: tuple[str, ...] | None,
    directory: str,
    standard: tuple[int, int, int],
    strays: tuple[int, ...],
    supervisor: Supervisor | None,
) -> int:
    text = wrapper(argv is not None, launch.limits, launch.umask, supervised=supervisor is not None)
    folder = launch.working_dir or directory
    name = f"./{launch.script}" if folder == directory else f"{directory}/{launch.script}"
    actions: list[tuple[int, int] | tuple[int, int, int]] = [
        (os.POSIX_SPAWN_DUP2, fd, place) for place, fd in enumerate(standard)
    ]
    actions += [(os.POSIX_SPAWN_CLOSE, fd) for fd in strays]
    started: tuple[str, ...] = ("sh", "-c", text, name, folder, *(argv or ()))
    if supervisor is not None:
        actions.append(supervisor.action)
        started = (NAME, SHELL, *started)
    try:
        return os.posix_spawn(
            SHELL if supervisor is None else supervisor.path,
            started,
            launch.env,
            file_actions=actions,
            setsid=True,
            setsigmask=(),
            setsigdef=_DEFAULT_SIGNALS,
        )
    except OSError as error:
        raise _refused(error) from error
    except ValueError as error:  # a NUL, or what UTF-8 cannot say
        message = "a value cannot be handed to a program: it has a NUL, or is no text in UTF-8"
        raise SkerryError(codes.UNPASSABLE_VALUE, message) from error


def _pidfd(pid: int) -> int:
    """The handle to wait for; a process that cannot be waited for is not left alone."""
    try:
        return os.pidfd_open(pid)
    except OSError as error:
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise _refused(error) from error


def _refused(error: OSError) -> SkerryError:
    if error.errno == errno.E2BIG:
        message = "arguments and parameters together are too big for the system"
        return SkerryError(codes.ARGUMENTS_TOO_BIG, message)
    entry = codes.NO_ROOM_FOR_PROCESS if error.errno in _FULL else codes.NOT_STARTED
    return SkerryError(entry, "no process could be started: {error}", error=error.strerror)
