"""What a check says of a path that leads to nothing, although what was asked for holds."""

from __future__ import annotations

from app.desktop.design.resources.check_words import check_word, is_doubtful


def test_room_for_what_is_not_there_is_a_doubt() -> None:
    found = {"ok": True, "details": {"path": "/no/such", "free": 10, "there": False}}

    assert (check_word(found), is_doubtful(found)) == ("Nothing is there yet", True)


def test_what_is_there_or_is_wrong_is_no_doubt() -> None:
    assert (check_word({"ok": True, "details": None}), is_doubtful({"ok": True})) == ("In order", False)
    assert check_word({"ok": False, "details": {"there": False}}) == "Not in order"
