"""The page of each condition that lasts until it is over: what it means, what to do, where; no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.desktop.kernel.console import Target

Do = Target | str  # a place, or the id of an action


@dataclass(frozen=True, slots=True)
class ConditionPage:
    """English source texts; ``buttons``: the word on each, and what it does."""

    title: str
    meaning: str
    remedy: str
    buttons: tuple[tuple[str, Do], ...] = ()


_ROOM: Final = ("See what takes the room", Target("admin", "room"))
_REPORT: Final = ("Save a report for support…", "help.report")
PAGES: Final[Mapping[str, ConditionPage]] = {
    "full": ConditionPage(
        "The disk is full",
        "What happens cannot be written down, so nothing further begins. What runs goes on, and its end is "
        "kept until there is room. Nothing is lost.",
        "Make room on this disk: clean up old instances, or move other files away. The engine notices by "
        "itself and goes on; this line goes then.",
        (_ROOM, ("Settings of the workspace", Target("admin", "settings"))),
    ),
    "little": ConditionPage(
        "Little room on the disk",
        "Jobs still run. When the disk is full, nothing further begins until there is room again.",
        "Clean up old instances, or let retention keep fewer of them.",
        (_ROOM, ("Settings of the workspace", Target("admin", "settings"))),
    ),
    "stopped": ConditionPage(
        "No engine runs",
        "Schedules do not fire and no job begins. Jobs that were running go on by themselves and are "
        "taken up by the next engine. What you see is what was written down before.",
        "The window tries again by itself. If it says that another program holds the workspace, end that; if "
        "the reason is another one, send a report to support.",
        (_REPORT,),
    ),
    "silent": ConditionPage(
        "The engine does not answer",
        "Its process is there, but it was stopped or the machine is overloaded. Jobs that run go on; nothing "
        "new begins.",
        "Look in Monitor what keeps the machine busy. A process that was stopped by hand goes on with "
        "'kill -CONT' and its number.",
        (("Show the machine", Target("mode", "monitor")), _REPORT),
    ),
    "clock": ConditionPage(
        "The clock is not trusted",
        "The time of this machine has jumped, so all schedules are held: nothing fires at a wrong time.",
        "Set the clock right; schedules go on by themselves then. If what it shows is right, accept it.",
        (("Accept the clock…", "home.accept_clock"), ("Show the day", Target("mode", "plan"))),
    ),
    "damaged": ConditionPage(
        "Something that is kept is damaged",
        "What is stored does not fit its checksum: the disk or another program has changed it. It is shown "
        "as damaged and never taken for the truth; everything else goes on.",
        "Check the disk. The records in the directories of the instances are whole in most cases: an "
        "administrator can have the database made again from them while no engine runs.",
        (("Everything about this error code", "code"), _REPORT),
    ),
}
