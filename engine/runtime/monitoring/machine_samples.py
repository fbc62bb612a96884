"""Samples of this machine and of the engine, read from /proc with descriptors that stay open."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from engine.execution.files import close_all
from engine.execution.proc import TICKS, core_ticks, stat

_SECTOR = 512


class EngineLoad(NamedTuple):
    """What only the engine knows of itself; ``delay`` is how late its loop came last, in seconds."""

    queued: int
    running: int
    delay: float


class MachineSample(NamedTuple):
    """One line of ``monitor/YYYY-MM-DD.csv``, without its time.

    Percentages: ``cpu`` of all cores together, ``engine_cpu`` of one. Sizes in bytes, flows in bytes
    per second; the disk is the workspace's, the network everything but the loopback.
    """

    cpu: float
    load_1: float
    load_5: float
    load_15: float
    memory_total: int
    memory_used: int
    swap_used: int
    disk_total: int
    disk_free: int
    disk_read: int
    disk_written: int
    network_received: int
    network_sent: int
    engine_cpu: float
    engine_memory: int
    engine_threads: int
    engine_queued: int
    engine_running: int
    engine_delay: float


class _Counters(NamedTuple):
    """What only grows; a flow is the difference of two."""

    at: float
    busy: int
    total: int
    disk_read: int
    disk_written: int
    received: int
    sent: int
    engine: int


class MachineSampler:
    """Looks at the machine; the first sample's flows are since the sampler was made."""

    def __init__(self, root: Path, now: float) -> None:
        self._root = root
        self._device = _device(root)
        names = ("stat", "loadavg", "meminfo", "diskstats", "net/dev")
        self._fds = {name: fd for name in names if (fd := _open(f"/proc/{name}")) is not None}
        self._before = self._counters(now)

    def sample(self, load: EngineLoad, now: float) -> MachineSample:
        """The machine at ``now`` (monotonic seconds), flows since the last sample."""
        before, self._before = self._before, self._counters(now)
        after, seconds = self._before, max(now - before.at, 0.001)
        ours = stat(os.getpid())
        memory = self._memory()
        disk = os.statvfs(self._root)
        one, five, fifteen = (self._text("loadavg").split() + ["0"] * 3)[:3]
        return MachineSample(
            cpu=_percent(after.busy - before.busy, after.total - before.total),
            load_1=float(one),
            load_5=float(five),
            load_15=float(fifteen),
            memory_total=memory.get("MemTotal", 0),
            memory_used=memory.get("MemTotal", 0) - memory.get("MemAvailable", 0),
            swap_used=memory.get("SwapTotal", 0) - memory.get("SwapFree", 0),
            disk_total=disk.f_blocks * disk.f_frsize,
            disk_free=disk.f_bavail * disk.f_frsize,
            disk_read=int((after.disk_read - before.disk_read) / seconds),
            disk_written=int((after.disk_written - before.disk_written) / seconds),
            network_received=int((after.received - before.received) / seconds),
            network_sent=int((after.sent - before.sent) / seconds),
            engine_cpu=_percent((after.engine - before.engine) / TICKS, seconds),
            engine_memory=ours.rss if ours else 0,
            engine_threads=ours.threads if ours else 0,
            engine_queued=load.queued,
            engine_running=load.running,
            engine_delay=round(load.delay, 6),
        )

    def close(self) -> None:
        """Give the descriptors back."""
        close_all(self._fds.values())
        self._fds = {}

    def _counters(self, now: float) -> _Counters:
        busy, total = core_ticks(self._text("stat"))
        ours = stat(os.getpid())
        read, written = self._disk()
        received, sent = self._network()
        cpu = ours.cpu if ours else 0
        return _Counters(now, busy, total, read, written, received, sent, cpu)

    def _disk(self) -> tuple[int, int]:
        for line in self._text("diskstats").splitlines():
            words = line.split()
            if (words[0], words[1]) == self._device:
                return int(words[5]) * _SECTOR, int(words[9]) * _SECTOR
        return 0, 0

    def _network(self) -> tuple[int, int]:
        received = sent = 0
        for line in self._text("net/dev").splitlines()[2:]:
            name, _, numbers = line.partition(":")
            if name.strip() != "lo":
                words = numbers.split()
                received += int(words[0])
                sent += int(words[8])
        return received, sent

    def _memory(self) -> dict[str, int]:
        lines = (line.split() for line in self._text("meminfo").splitlines()[:20])
        return {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines if len(words) > 1}

    def _text(self, name: str) -> str:
        """The whole of a file of /proc; nothing where the kernel does not offer it."""
        fd = self._fds.get(name)
        if fd is None:
            return ""
        pieces: list[bytes] = []
        while piece := os.pread(fd, 1 << 16, sum(map(len, pieces))):
            pieces.append(piece)
        return b"".join(pieces).decode("ascii", "replace")


def _percent(part: float, whole: float) -> float:
    return round(min(max(100.0 * part / whole, 0.0), 99_999.0), 1) if whole > 0 else 0.0


def _device(root: Path) -> tuple[str, str]:
    """The disk that a folder is on, or is made on when the engine begins."""
    number = next(each for each in (root, *root.parents) if each.exists()).stat().st_dev
    return str(os.major(number)), str(os.minor(number))


def _open(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
