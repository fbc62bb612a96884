"""Directories for attempts that wait: made with one that begins, removed once no attempt can have them."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.execution.ssh.removals import Removal
from engine.execution.ssh.spare_folders import SpareFolders


@dataclass
class Line:
    """Who waits, and whose mark was given to an attempt by now."""

    waiting: list[str]
    given: set[str] = field(default_factory=set)

    def marks(self) -> list[str]:
        return list(self.waiting)

    def release(self, mark: str) -> bool:
        return mark not in self.given


def test_those_that_wait_have_theirs_made_with_one_that_begins() -> None:
    line, removed = Line(["b", "c"]), list[Removal]()
    spare = SpareFolders(line, removed.append)

    assert spare.begins("a", "/root") == ("b", "c")

    line.waiting = ["d"]
    assert spare.begins("b", "/root") == ()  # its own is there: nothing has to be made
    assert spare.begins("c", "/root") == ()
    assert spare.begins("x", "/root") == ("d",)
    assert removed == []


def test_who_waits_no_longer_has_it_removed_unless_it_is_just_about_to_begin() -> None:
    line, removed = Line(["b", "c"]), list[Removal]()
    spare = SpareFolders(line, removed.append)
    spare.begins("a", "/root")

    line.waiting, line.given = ["d"], {"c"}
    assert spare.begins("x", "/other") == ("d",)

    assert removed == [Removal("/root", "b")]
    assert spare.all() == [Removal("/root", "c"), Removal("/other", "d")]


def test_a_request_that_is_sent_again_makes_none_for_who_began_since() -> None:
    spare = SpareFolders(Line(["b", "c"]), lambda removal: None)
    wanted = spare.begins("a", "/root")
    spare.begins("b", "/root")

    assert spare.still(wanted) == ["c"]
