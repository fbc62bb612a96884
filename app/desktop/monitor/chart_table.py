"""The one table of charts: which columns of the samples each one draws, in which unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.desktop.monitor.samples import Array, Samples

_MIB = 2.0**20
_GIB = 2.0**30


@dataclass(frozen=True, slots=True)
class Curve:
    """One line: its English name, its colours, and how its values come from the samples."""

    name: str
    light: str
    dark: str
    values: Callable[[Samples], Array]


@dataclass(frozen=True, slots=True)
class Figure:
    """One chart."""

    key: str
    title: str
    unit: str
    curves: tuple[Curve, ...]


def _of(column: str, unit: float = 1.0) -> Callable[[Samples], Array]:
    return lambda samples: samples.columns[column] / unit


_BLUE, _ORANGE, _GREEN, _PURPLE = (
    ("#0B5FB0", "#5AA4EA"),
    ("#B85C00", "#F0A04A"),
    ("#176B54", "#4CC49C"),
    ("#7A3FA0", "#C58AE8"),
)

MACHINE = (
    Figure(
        "cpu",
        "CPU",
        "%",
        (Curve("machine", *_BLUE, _of("cpu")), Curve("engine", *_ORANGE, _of("engine_cpu"))),
    ),
    Figure(
        "memory",
        "Memory",
        "GiB",
        (
            Curve("used", *_BLUE, _of("memory_used", _GIB)),
            Curve("swap", *_PURPLE, _of("swap_used", _GIB)),
            Curve("engine", *_ORANGE, _of("engine_memory", _GIB)),
        ),
    ),
    Figure(
        "queue",
        "Jobs",
        "",
        (Curve("running", *_GREEN, _of("engine_running")), Curve("queued", *_ORANGE, _of("engine_queued"))),
    ),
    Figure(
        "disk",
        "Disk",
        "MiB/s",
        (
            Curve("read", *_BLUE, _of("disk_read", _MIB)),
            Curve("written", *_ORANGE, _of("disk_written", _MIB)),
        ),
    ),
    Figure("room", "Disk free", "GiB", (Curve("free", *_GREEN, _of("disk_free", _GIB)),)),
    Figure(
        "network",
        "Network",
        "MiB/s",
        (
            Curve("received", *_BLUE, _of("network_received", _MIB)),
            Curve("sent", *_ORANGE, _of("network_sent", _MIB)),
        ),
    ),
    Figure(
        "load", "Load", "", (Curve("1 min", *_BLUE, _of("load_1")), Curve("15 min", *_PURPLE, _of("load_15")))
    ),
    Figure(
        "delay",
        "Engine delay",
        "s",
        (Curve("delay", *_ORANGE, _of("engine_delay")),),
    ),
)

JOB = (
    Figure("cpu", "CPU", "%", (Curve("job", *_BLUE, _of("cpu")),)),
    Figure("memory", "Memory", "MiB", (Curve("used", *_BLUE, _of("memory", _MIB)),)),
    Figure(
        "disk",
        "Disk",
        "MiB/s",
        (Curve("read", *_BLUE, _of("read", _MIB)), Curve("written", *_ORANGE, _of("written", _MIB))),
    ),
    Figure(
        "processes",
        "Processes",
        "",
        (Curve("processes", *_BLUE, _of("processes")), Curve("threads", *_PURPLE, _of("threads"))),
    ),
)
