"""Reading /proc: who lives, who belongs to whom; a few system calls for each process."""

from __future__ import annotations

import os
import select
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

_DEAD = (b"Z", b"X", b"x")
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
MARK = b"SKERRY_ATTEMPT="
_BEGINNING = 0.005  # seconds between two looks at a process that only just becomes another program
_LOOKS = 400


class Proc(NamedTuple):
    """One living process; times in clock ticks, ``rss`` in bytes."""

    pid: int
    parent: int
    group: int
    session: int
    cpu: int  # its own and of children that it has waited for
    threads: int
    started: int
    rss: int


def stat(pid: int) -> Proc | None:
    """One process; None when it is gone or a zombie."""
    data = read(f"/proc/{pid}/stat")
    return None if data is None else parse_stat(pid, data)


def parse_stat(pid: int, data: bytes) -> Proc | None:
    """From the line of the kernel; the name of the program may hold blanks and parentheses.

    A dead first thread is no dead process while others of it run.
    """
    words = data[data.rfind(b")") + 2 :].split()
    if len(words) < 22 or (words[0] in _DEAD and int(words[17]) < 2):
        return None
    return Proc(
        pid,
        parent=int(words[1]),
        group=int(words[2]),
        session=int(words[3]),
        cpu=int(words[11]) + int(words[12]) + int(words[13]) + int(words[14]),
        threads=int(words[17]),
        started=int(words[19]),
        rss=int(words[21]) * PAGE,
    )


def start_ticks(pid: int) -> int | None:
    """When a process started, in clock ticks since boot; with its pid that names it for ever."""
    found = stat(pid)
    return found.started if found else None


def pids() -> Iterator[int]:
    """Every pid that can be seen."""
    return (int(name) for name in os.listdir("/proc") if name[0] in "123456789")


def everybody() -> dict[int, Proc]:
    """Every living process that can be seen, by pid."""
    return {pid: found for pid in pids() if (found := stat(pid)) is not None}


def core_ticks(text: bytes | str) -> tuple[int, int]:
    """From ``/proc/stat``: the ticks that all cores were busy, and all their ticks."""
    times = [int(word) for word in text.split(None, 9)[1:9]]
    return sum(times) - sum(times[3:5]), sum(times)  # idle and waiting for a disk


def program_of(pid: int) -> bytes:
    """The name by which a process was started; empty when it is gone or may not be read."""
    return (read(f"/proc/{pid}/cmdline") or b"").split(b"\0", 1)[0]


def mark_of(pid: int) -> bytes | None:
    """The attempt that a process carries in its environment; None without one, or when it may not be read."""
    environ = read(f"/proc/{pid}/environ")
    if environ == b"":
        _until_it_is(pid)
        environ = read(f"/proc/{pid}/environ")
    return _mark_in(environ) if environ else None


def _until_it_is(pid: int) -> None:
    for _ in range(_LOOKS):
        if not _becomes(pid):
            return
        select.select((), (), (), _BEGINNING)


def read(path: str) -> bytes | None:
    """The whole of a file of /proc; None where there is none, or it may not be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _whole(fd)
    except OSError:
        return None
    finally:
        os.close(fd)


def _becomes(pid: int) -> bool:
    """Whether it has memory, but no place for its environment in it yet.

    So it is within ``execve``, and whoever started it goes on before that is over: to call such a process
    unmarked would be to lose sight of a job that has just begun. A kernel thread has no memory.
    """
    data = read(f"/proc/{pid}/stat") or b""
    words = data[data.rfind(b")") + 2 :].split()
    return len(words) > 48 and words[0] not in _DEAD and int(words[20]) > 0 and int(words[48]) == 0


def below(roots: Iterable[int], all_of_them: Mapping[int, Proc]) -> set[int]:
    """``roots`` and all their descendants among living processes."""
    children: dict[int, list[int]] = {}
    for each in all_of_them.values():
        children.setdefault(each.parent, []).append(each.pid)
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children.get(pid, ())
    return found


def _mark_in(environ: bytes) -> bytes | None:
    place = 0 if environ.startswith(MARK) else environ.find(b"\0" + MARK) + 1
    if place == 0 and not environ.startswith(MARK):
        return None
    start = place + len(MARK)
    return environ[start : environ.find(b"\0", start) % (len(environ) + 1)]


def _whole(fd: int) -> bytes:
    pieces = []
    while piece := os.read(fd, 1 << 16):
        pieces.append(piece)
    return b"".join(pieces)
