"""Fixtures: a site whose engine works, and the examples that fail there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from engine.model.errors import SkerryError
from tests.runtime.site import Site, close_quietly

REPAIR = Path(__file__).parents[2] / "examples" / "repair.yaml"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A workspace whose engine works."""
    site = Site(tmp_path / "site").start()
    yield site
    with suppress(SkerryError):
        close_quietly(site)
