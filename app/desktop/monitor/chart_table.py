"""The one table of charts: which columns of the samples each one draws, in which unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.desktop.monitor.samples import Array, MonitorSamples

_MIB = 2.0**20
_GIB = 2.0**30


@dataclass(frozen=True, slots=True)
class Curve:
    """One line: its English name, its colours, and how its values come from the samples."""

    name: str
    light: str
    dark: str
    values: Callable[[MonitorSamples], Array]


@dataclass(frozen=True, slots=True)
class Figure:
    key: str
    title: str
    unit: str
    curves: tuple[Curve, ...]


def _curve(name: str, colours: tuple[str, str], column: str, unit: float = 1.0) -> Curve:
    return Curve(name, *colours, lambda samples: samples.columns[column] / unit)


_BLUE, _ORANGE = ("#0B5FB0", "#5AA4EA"), ("#B85C00", "#F0A04A")
_GREEN, _PURPLE = ("#176B54", "#4CC49C"), ("#7A3FA0", "#C58AE8")

MACHINE = (
    Figure("cpu", "CPU", "%", (_curve("machine", _BLUE, "cpu"), _curve("engine", _ORANGE, "engine_cpu"))),
    Figure("memory", "Memory", "GiB", (
        _curve("used", _BLUE, "memory_used", _GIB), _curve("swap", _PURPLE, "swap_used", _GIB),
        _curve("engine", _ORANGE, "engine_memory", _GIB),
    )),
    Figure("queue", "Jobs", "", (
        _curve("running", _GREEN, "engine_running"), _curve("queued", _ORANGE, "engine_queued"),
    )),
    Figure("disk", "Disk", "MiB/s", (
        _curve("read", _BLUE, "disk_read", _MIB), _curve("written", _ORANGE, "disk_written", _MIB),
    )),
    Figure("room", "Disk free", "GiB", (_curve("free", _GREEN, "disk_free", _GIB),)),
    Figure("network", "Network", "MiB/s", (
        _curve("received", _BLUE, "network_received", _MIB), _curve("sent", _ORANGE, "network_sent", _MIB),
    )),
    Figure("load", "Load", "", (_curve("1 min", _BLUE, "load_1"), _curve("15 min", _PURPLE, "load_15"))),
    Figure("delay", "Engine delay", "s", (_curve("delay", _ORANGE, "engine_delay"),)),
)  # fmt: skip

JOB = (
    Figure("cpu", "CPU", "%", (_curve("job", _BLUE, "cpu"),)),
    Figure("memory", "Memory", "MiB", (_curve("used", _BLUE, "memory", _MIB),)),
    Figure("disk", "Disk", "MiB/s", (
        _curve("read", _BLUE, "read", _MIB), _curve("written", _ORANGE, "written", _MIB),
    )),
    Figure("processes", "Processes", "", (
        _curve("processes", _BLUE, "processes"), _curve("threads", _PURPLE, "threads"),
    )),
)  # fmt: skip
