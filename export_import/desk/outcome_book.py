"""The book of a stand-in run: which recorded outcome a job gets, and what became of every job."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.model.job import Job, JobKeys
from engine.model.names import RECORD, is_handler
from engine.model.reason import Kind, Reason
from engine.planning.shape import Plan
from export_import.desk.recorded_match import Folders, differing, essence, noted_keys
from export_import.desk.records import Recorded
from export_import.desk.stand_in_choices import Choices, ChosenOutcome, How

Records = Mapping[tuple[str, int | None], list[Recorded]]


@dataclass(frozen=True, slots=True)
class JobBeginning:
    """A job that begins: which one, and what it was given."""

    node: str
    index: int | None
    round: int
    attempt: int
    params: Mapping[str, Any]
    settings: JobKeys
    rendered: frozenset[str] = frozenset()
    uri: tuple[str, str] | None = None  # its resource's id and evaluated address


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """The outcome that a job gets; ``why``: what differs from the record."""

    how: How
    why: Reason | None = None
    record: Recorded | None = None
    outcome: ChosenOutcome | None = None


@dataclass
class Book:
    """Answers jobs, from any thread; remembers what it answered."""

    records: Records
    recorded_plan: Plan
    plan: Plan
    site: Folders
    here: Folders
    choices: Choices = field(default_factory=Choices)
    answers: dict[tuple[str, int | None, int, int], RecordedAnswer] = field(default_factory=dict)
    _used: dict[tuple[str, int | None], int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, asked: JobBeginning) -> RecordedAnswer:
        """The recorded outcome where the job is the recorded one, else what was chosen."""
        with self._lock:
            given = self._answer(asked)
            self.answers[asked.node, asked.index, asked.round, asked.attempt] = given
            return given

    def _answer(self, asked: JobBeginning) -> RecordedAnswer:
        by_hand = self.choices.by_hand.get(asked.node)
        if by_hand is not None:
            return RecordedAnswer("by_hand", outcome=by_hand)
        if asked.node in self.choices.run:
            return RecordedAnswer("run")
        record, why = self._record(asked)
        as_recorded = self.choices.others == "recorded" or asked.node in self.choices.recorded
        if record is not None and (not why or as_recorded):
            return RecordedAnswer("recorded", why, record)
        return RecordedAnswer("run" if self._may_run(asked.node) else "unknown", why)

    def _may_run(self, node: str) -> bool:
        """A job with further stages runs here only when it is requested by name: then they run too.

        What a site does when a run has ended, such as to send a message, is never done here.
        """
        job = job_of(self.plan, node)
        if is_handler(node):
            return False
        return self.choices.others == "run" and job is not None and job.ready is None and job.end is None

    def _record(self, asked: JobBeginning) -> tuple[Recorded | None, Reason | None]:
        """The next record of that place, and what differs from it."""
        key = asked.node, asked.index
        group, at = self.records.get(key, []), self._used.get(key, 0)
        if at >= len(group):
            return None, Reason(Kind.NOT_SO_OFTEN if group else Kind.NOT_AT_SITE)
        self._used[key] = at + 1
        record = group[at]
        if self._changed(asked.node):
            return record, Reason(Kind.DEFINITION_DIFFERS)
        keys = noted_keys(asked.rendered, asked.settings, record.notes)
        keys |= {f"resource {asked.uri[0]}: uri": asked.uri[1]} if asked.uri else {}
        names = list(differing(record, asked.params, keys, self.site, self.here))
        return record, Reason.of(Kind.INPUTS_DIFFER, names=names) if names else None

    def _changed(self, node: str) -> bool:
        old, new = job_of(self.recorded_plan, node), job_of(self.plan, node)
        return old is None or new is None or essence(old, self.recorded_plan) != essence(new, self.plan)


def job_of(plan: Plan, node: str) -> Job | None:
    """The definition behind a node, a worker's record of it, or a group's member ``report.0``."""
    own, mark, record = node.partition(RECORD)
    if mark:
        member = record.rpartition(".")[2]
        return (job_of(plan, f"{own}.{member}") if member.isdecimal() else None) or job_of(plan, own)
    if (planned := plan.node(node)) is not None:
        return planned.job
    above, _, place = node.rpartition(".")
    holder = job_of(plan, above) if above else None
    members = getattr(holder.settings, "jobs", ()) if holder is not None else ()
    if not place.isdecimal() or int(place) >= len(members):
        return None
    job = members[int(place)].job
    return job if isinstance(job, Job) else plan.definitions.jobs.get(job)
