"""How long it is until a host is tried again: much longer where it refuses a login."""

from __future__ import annotations

from engine.model.codes.ssh import LOGIN_REFUSED
from engine.model.errors import SkerryError

_SOONEST, _LATEST = 1.0, 30.0  # seconds
# Many hosts lock an account after three logins that they refused in a quarter of an hour.
_REFUSED, _LATEST_REFUSED = 600.0, 3600.0


class Retries:
    """Of one host, since it was last reached, or to be reached in another way."""

    def __init__(self) -> None:
        self._pause = _SOONEST
        self._pause_refused = _REFUSED

    def after(self, problem: SkerryError | None) -> float:
        """Seconds from a try that failed, or a link that was lost (None), to the next try."""
        if is_refused(problem):
            pause, self._pause_refused = self._pause_refused, min(self._pause_refused * 2, _LATEST_REFUSED)
        else:
            pause, self._pause = self._pause, min(self._pause * 2, _LATEST)
        return pause


def is_refused(problem: SkerryError | None) -> bool:
    """Whether the host did not let the user in."""
    return problem is not None and problem.code == LOGIN_REFUSED.number
