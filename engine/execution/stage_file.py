"""The file ``.skerry/<stage>``: lock, pid, exit block and mark of one stage of an attempt.

Its bytes are all written before the process starts, so that the exit status later replaces blanks
and needs no room on the disk. The supervisor (where there is none: the wrapper) holds it open and locked as
its standard input: as long as the kernel says locked, it (or the masking process) lives, whatever pids say.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.execution.files import close_all, put_all, read_beginning, trouble
from engine.model.codes.processes import ALREADY_STARTED
from engine.model.errors import SkerryError

_LINE = 32  # what the shell writes (that it began), pid, masking process, what the supervisor writes
_BLANKS = (b" " * (_LINE - 1) + b"\n") * 4
_MOST = 8192
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_OPEN = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class StageRecord:
    """What the file says. ``exit`` is a shell's exit status; ``masker`` is (pid, start ticks).

    ``begun``: a process came to life. If not, nothing of the job can ever have been done. ``pid`` is the
    supervisor's, or the wrapper's where there is none; ``leader`` leads the job's session: below a supervisor
    it is the job's own process, else the wrapper. ``clean``: the supervisor has seen that nothing is left.
    """

    exit: int | None = None
    pid: int | None = None
    masker: tuple[int, int] | None = None
    boot: str = ""
    mark: str = ""
    begun: bool = True
    leader: int | None = None
    supervised: bool = False
    clean: bool = False

    @property
    def wrapper(self) -> int | None:
        """The shell that has to outlive the job and write down its end, where no supervisor does."""
        return None if self.supervised else self.leader

    def damaged(self, mark: str) -> bool:
        """Whether it is that attempt's (``job.attempt.random``), but not as it was written.

        One that names a process and whose mark breaks off was cut: it is made whole before one starts.
        """
        if self.torn(mark):
            return self.begun
        (place, _, random), (ours, _, wanted) = self.mark.rpartition("."), mark.rpartition(".")
        return bool(self.mark) and self.mark != mark and (place == ours) != (random == wanted)

    def torn(self, mark: str) -> bool:
        """Whether only the beginning of that mark is there, or nothing of it."""
        return self.mark != mark and mark.startswith(self.mark)


def create(path: str, mark: str, *, supervised: bool = False, boot: str | None = None, more: str = "") -> int:
    """Make the file and take its lock; a descriptor whose offset is the exit block.

    ``boot`` is that of another machine, ``more`` are further lines.
    Raises SkerryError: the stage was started before, or the directory cannot be written.
    """
    try:
        fd = os.open(path, _FLAGS, 0o600)
    except FileExistsError:
        raise SkerryError.at(ALREADY_STARTED, "it is there already: {where}", path) from None
    except OSError as error:
        raise trouble(error, path) from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        extra = "supervised yes\n" if supervised else ""
        put_all(fd, _BLANKS + f"boot {boot or boot_id()}\n{extra}{more}mark {mark}\n".encode())
    except OSError as error:
        os.unlink(path)
        close_all([fd])
        raise trouble(error, path) from error
    return fd


def note_pid(fd: int, pid: int) -> None:
    """Write down the pid that was started; the offset stays at the exit block.

    Best effort: the process runs already, and can be found by its mark.
    """
    try:  # noqa: SIM105  suppress() costs as much as the write
        os.pwrite(fd, b"pid %d" % pid, _LINE)
    except OSError:
        pass


def note_pid_in(path: str, pid: int) -> None:
    """The same in a file that is there, best effort."""
    with suppress(OSError):
        fd = os.open(path, _OPEN)
        note_pid(fd, pid)
        os.close(fd)


def note_masker(fd: int, pid: int, ticks: int) -> None:
    """Write down the masking process: pid and start ticks."""
    os.pwrite(fd, b"masker %d %d" % (pid, ticks), 2 * _LINE)


def read(path: str) -> StageRecord | None:
    """What is written there, or None when there is no such plain file."""
    data = read_beginning(path, _MOST)
    return None if data is None else _parsed(data.decode("utf-8", "replace"))


def locked(path: str) -> bool:
    """Whether some process still holds the lock."""
    try:
        fd = os.open(path, _OPEN)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


@cache
def boot_id() -> str:
    """What is different after each start of the machine."""
    return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()


def _parsed(text: str) -> StageRecord:
    found = {row[0]: row[1:] for row in map(str.split, text.splitlines()) if len(row) > 1}
    masker = _numbers(found.get("masker", []))
    leader = next(iter(_numbers(found.get("begun", []))), None)
    pid = next(iter(_numbers(found.get("pid", []))), leader)
    return StageRecord(
        exit=_twice(_numbers(found.get("exit", []))),
        pid=pid,
        masker=(masker[0], masker[1]) if len(masker) == 2 else None,
        boot=" ".join(found.get("boot", [])),
        mark=" ".join(found.get("mark", [])),
        begun=pid is not None or "exit" in found,
        leader=leader,
        supervised="supervised" in found,
        clean="clean" in found,
    )


def _twice(numbers: list[int]) -> int | None:
    """The exit status is written twice: a bit that flipped in it is no other status."""
    return numbers[0] if len(set(numbers)) == 1 else None


def _numbers(words: list[str]) -> list[int]:
    return [int(word) for word in words] if all(word.isascii() and word.isdigit() for word in words) else []
