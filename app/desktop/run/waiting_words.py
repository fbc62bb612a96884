"""What a node says of itself where it is shown small: why it waits, which attempt, until when; pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from app.desktop.kernel.language import tr
from app.desktop.kernel.reasons import in_words, reason_of, what_is_wrong
from app.desktop.kernel.statuses import look_of
from app.desktop.kernel.times import when
from app.desktop.kernel.visible_text import visible
from app.desktop.run.node_states import ENDED, member_name
from engine.api.documents import JobDocument
from engine.model.reason import HOLDS_UP

_TIMES = ("at", "until")
_NAMED = 5  # members of a batch in a tip


class NextMoment(NamedTuple):
    """What is short enough for a badge: ``2/4`` of attempts, and the time at which something happens."""

    attempts: str
    time: str

    @property
    def badge(self) -> str:
        return " ".join(part for part in self if part)


def next_moment(job: JobDocument) -> NextMoment | None:
    """Of a job that waits for a time; None of any other."""
    reason = reason_of(job)
    if reason is None or job["status"] in ENDED or reason.kind in HOLDS_UP:
        return None
    facts = reason.facts
    time = next((str(facts[name]) for name in _TIMES if facts.get(name)), "")
    if not time or "by" in facts:  # of a pause it is when that began
        return None
    attempts = f"{facts['attempt']}/{facts['of']}" if {"attempt", "of"} <= facts.keys() else ""
    return NextMoment(attempts, when(time))


def waits_because(job: JobDocument) -> str:
    """Why a job that has not ended does not run; empty of one that runs or has run."""
    return "" if job["status"] in ENDED else visible(in_words(reason_of(job)))


def tip_of(jobs: Iterable[JobDocument]) -> str:
    """The lines of a tip on a node: each of its jobs with its state, and why it waits or what went wrong."""
    lines = []
    for job in jobs:
        name = member_name(job["node"], job["index"])
        why = visible(what_is_wrong(job))
        words = f"{name}: {tr(look_of(job['status']).word)}"
        lines.append(f"{words}\n{why}" if why else words)
    more = [f"… {len(lines) - _NAMED}"] if len(lines) > _NAMED else []
    return "\n".join(lines[:_NAMED] + more)
