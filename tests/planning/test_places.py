"""How many places there are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.planning.places import AUTO, Load, first_places, next_places

CALM = Load(cores=2, cpu=0.3, memory_free=0.6)

loads = st.builds(Load, st.integers(1, 64), st.floats(0, 1), st.floats(0, 1))


def test_it_grows_by_one_when_all_places_are_taken_and_the_machine_is_calm() -> None:
    assert next_places(2, 2, CALM) == 3
    assert next_places(3, 2, CALM) == 3


@pytest.mark.parametrize("load", [Load(2, 0.99, 0.6), Load(2, 0.3, 0.05)])
def test_it_shrinks_when_the_machine_is_busy_or_short_of_memory(load: Load) -> None:
    assert next_places(4, 4, load) == 3
    assert next_places(4, 2, load) == 1, "places that nobody uses go first"


def test_between_the_marks_nothing_changes() -> None:
    assert next_places(3, 3, Load(2, 0.85, 0.15)) == 3


@given(st.integers(1, 300), st.integers(0, 300), loads)
def test_there_is_always_one_place_and_never_more_than_four_for_a_core(
    places: int, taken: int, load: Load
) -> None:
    found = next_places(places, taken, load)
    assert 1 <= found <= 4 * load.cores
    assert found <= max(places + 1, 1)


def test_a_command_goes_before_the_settings_and_these_before_the_cores() -> None:
    assert first_places(None, None, 8) == 8
    assert first_places(None, 3, 8) == 3
    assert first_places(5, 3, 8) == 5
    assert first_places(AUTO, 3, 8) == 8, "by load: begins with the cores"
