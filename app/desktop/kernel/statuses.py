"""The one table of statuses: colour, shape, border and word of each; never colour alone.

The colours can be distinguished with every kind of colour blindness (distance dE2000 at least 8 between
any two); those under a contrast of 3:1 carry a dark outline and glyph.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Border(StrEnum):
    """How the outline of something with a status is drawn."""

    SOLID = "solid"
    DASHED = "dashed"
    THIN = "thin"
    THICK = "thick"


@dataclass(frozen=True, slots=True)
class StatusLook:
    """How a status looks: colours by theme, the icon of its shape, its outline, its English word."""

    light: str
    dark: str
    icon: str
    border: Border
    word: str
    pale: bool = False  # needs a dark glyph and outline

    def colour(self, dark: bool) -> str:
        """``#rrggbb`` for the theme."""
        return self.dark if dark else self.light


_WAITING = ("#8A8F98", "#8A8F98", "status-waiting", Border.DASHED)
_QUEUED = ("#5AA9E6", "#9CCBF2", "status-queued", Border.THIN)
_RUNNING = ("#0B5FB0", "#3D8FE0", "status-running", Border.SOLID)
_FAILED = ("#C2361B", "#F0603F", "status-failed", Border.THICK)
_RETRY = ("#E8A317", "#E8A317", "status-retrying", Border.SOLID)
_PAUSED = ("#F2E34C", "#F2E34C", "status-paused", Border.SOLID)
_STOPPED = ("#3A3D42", "#5F656E", "status-cancelled", Border.SOLID)
_SKIPPED = ("#C9CDD3", "#C9CDD3", "status-skipped", Border.DASHED)

LOOKS = {
    "pending": StatusLook(*_WAITING, "pending"),
    "planned": StatusLook(*_WAITING, "planned"),
    "waiting": StatusLook("#8A8F98", "#8A8F98", "status-clock", Border.DASHED, "waiting"),
    "queued": StatusLook(*_QUEUED, "queued", pale=True),
    "no_worker": StatusLook("#5AA9E6", "#9CCBF2", "status-no-worker", Border.DASHED, "no worker", pale=True),
    "busy": StatusLook("#5AA9E6", "#9CCBF2", "status-busy", Border.DASHED, "busy", pale=True),
    "starting": StatusLook(*_RUNNING, "starting"),
    "running": StatusLook(*_RUNNING, "running"),
    "checking": StatusLook("#0B5FB0", "#3D8FE0", "status-checking", Border.DASHED, "checking"),
    "retrying": StatusLook(*_RETRY, "retrying", pale=True),
    "paused": StatusLook(*_PAUSED, "paused", pale=True),
    "succeeded": StatusLook("#1B8A6B", "#2FA882", "status-succeeded", Border.SOLID, "succeeded"),
    "failed": StatusLook(*_FAILED, "failed"),
    "timed_out": StatusLook("#C2361B", "#F0603F", "status-timed-out", Border.THICK, "timed out"),
    "lost": StatusLook("#C2361B", "#F0603F", "status-lost", Border.THICK, "lost"),
    "cancelled": StatusLook(*_STOPPED, "cancelled"),
    "discarded": StatusLook("#3A3D42", "#5F656E", "status-discarded", Border.DASHED, "discarded"),
    "offline": StatusLook("#3A3D42", "#5F656E", "status-offline", Border.DASHED, "offline"),
    "skipped": StatusLook(*_SKIPPED, "skipped", pale=True),
    "worker_online": StatusLook("#1B8A6B", "#2FA882", "status-succeeded", Border.SOLID, "ready"),
    "worker_offline": StatusLook("#C2361B", "#F0603F", "status-offline", Border.THICK, "not reached"),
    "worker_untrusted": StatusLook("#E8A317", "#E8A317", "lock", Border.SOLID, "not trusted", pale=True),
    "worker_draining": StatusLook("#E8A317", "#E8A317", "status-clock", Border.SOLID, "draining", pale=True),
    "worker_paused": StatusLook(*_PAUSED, "paused", pale=True),
}
UNKNOWN = StatusLook("#8A8F98", "#8A8F98", "status-waiting", Border.DASHED, "unknown")


def look_of(status: str | None) -> StatusLook:
    """The look of a status of the contract; an unknown one looks unknown, not like another."""
    return LOOKS.get(status or "", UNKNOWN)


def trigger_word(trigger: str) -> str:
    """What made an instance, as an English source text.

    >>> trigger_word("manual"), trigger_word("backfill")
    ('by hand', 'backfill')
    """
    return {"manual": "by hand", "subtask": "sub-task"}.get(trigger, trigger)
