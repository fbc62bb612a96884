"""The published list of ways to get away from a cancel: nothing survives, or nobody says that it is verified."""

from __future__ import annotations

from pathlib import Path

from tests.effort import effort
from tests.soak.kill_tricks import Round, possible
from tests.soak.tricks import UNVERIFIED


def test_no_published_trick_survives_a_cancel_that_is_called_verified(tmp_path: Path) -> None:
    tricks = {**possible(), **UNVERIFIED}
    fast = {name: script for name, script in tricks.items() if "as fast as it can" in name}
    rest = {name: script for name, script in tricks.items() if name not in fast}
    assert len(tricks) >= 40

    some = dict(list(rest.items())[:: effort(3, all=1)]) | UNVERIFIED
    wrong = [*Round(tmp_path / "fast", fast).run(), *Round(tmp_path / "rest", some).run()]

    assert wrong == []
