"""What a schedule does with a local time that does not exist or comes twice (`dst`)."""

from __future__ import annotations

from datetime import datetime

from engine.model.schedule import DstPolicy
from engine.planning.schedules.zones import LocalMoments

REAL = DstPolicy(gap="skip", overlap="both")  # nothing is made up, nothing left out


def firing(local: LocalMoments, dst: DstPolicy) -> tuple[datetime, ...]:
    """The moments at which a local time fires."""
    if local.kind == "gap":
        return local.moments if dst.gap == "shift" else ()
    if local.kind == "once" or dst.overlap == "both":
        return local.moments
    return local.moments[:1] if dst.overlap == "first" else local.moments[1:]
