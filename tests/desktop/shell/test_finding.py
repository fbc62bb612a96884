"""What the locator finds, and in which order."""

from __future__ import annotations

from app.desktop.kernel.console import Target
from app.desktop.shell.locator_search import LocatorEntry, find

ENTRIES = [
    LocatorEntry("task", "nightly", "Nightly load", Target("task", "nightly")),
    LocatorEntry("task", "tour", "The tour"),
    LocatorEntry("job", "load_rows", ""),
    LocatorEntry("node", "load", "nightly", Target("task", "nightly", node="load")),
    LocatorEntry("instance", "12", "nightly failed"),
    LocatorEntry("command", "Load the examples", "Ctrl+L", command="load"),
    LocatorEntry("code", "-11000001000", "The program ended with an error status"),
]


def names(query: str) -> list[str]:
    return [entry.name for entry in find(ENTRIES, query)]


def test_an_exact_name_comes_first() -> None:
    assert names("load")[:2] == ["load", "load_rows"]


def test_a_prefix_keeps_one_kind() -> None:
    assert names(">load") == ["Load the examples"]
    assert names("@nightly") == ["nightly", "load"]
    assert names("! program error") == ["-11000001000"]


def test_every_word_must_fit() -> None:
    assert names("nightly failed") == ["12"]


def test_letters_in_their_order_are_enough() -> None:
    assert "nightly" in names("ngtly")


def test_a_number_is_an_instance_also_when_it_is_not_listed() -> None:
    assert find(ENTRIES, "#99")[0].target == Target("instance", "99")


def test_nothing_typed_shows_everything() -> None:
    assert len(names("")) == len(ENTRIES)
