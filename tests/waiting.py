"""How a test waits for what happens in other processes: the one place that looks again and again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

LONGEST = 240.0  # seconds that anything in a test may take, on whatever machine


def until(holds: Callable[[], Any], what: str | Callable[[], str] = "it") -> Any:
    """What ``holds`` gives once it is true; ``what`` says what did not come to pass."""
    end = time.monotonic() + LONGEST
    while not (found := holds()):
        assert time.monotonic() < end, f"{what() if callable(what) else what} did not come to pass"
        time.sleep(0.01)
    return found
