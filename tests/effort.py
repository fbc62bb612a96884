"""How much a test does: enough for every change (``scripts/test``), more before a release (``scripts/test-all``)."""

from __future__ import annotations

import os

ALL = bool(os.environ.get("SKERRY_TEST_ALL"))


def effort(usual: int, all: int) -> int:
    """A number of rounds, examples or kills."""
    return all if ALL else usual
