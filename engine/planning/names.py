"""Names: hints for those that do not exist, and which job lies within which."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from engine.model.message import Message
from engine.model.names import near


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What to append to a message: the nearest known name, else all of them when they are few."""
    names = sorted(known)
    meant = near(name, names)
    if meant:
        return Message.of("; did you mean '{name}'?", name=meant)
    return Message.of("; there are: {names}", names=", ".join(names)) if 0 < len(names) <= 12 else ""


def is_within(name: str, nodes: Collection[str]) -> bool:
    """Whether a job is one of these nodes or lies in one of them, as ``report.0`` and ``load.ready.0`` do.

    So does its record of one worker, ``report@build``.

    >>> is_within("report.0.1", {"report"}), is_within("reports", {"report"}), is_within("sum@a", {"sum"})
    (True, False, True)
    """
    return name in nodes or any(name[:at] in nodes for at, sign in enumerate(name) if sign in ".@")
