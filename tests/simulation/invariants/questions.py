"""What must hold about questions to people: asked once in an attempt, for as long as they say, one answer each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from engine.model.states import ATTEMPT_OVER
from engine.planning.uses import definition_of
from engine.store.changes import Changes
from tests.simulation.workload.timetable import BEGIN

if TYPE_CHECKING:
    from engine.runtime.engine import Engine
    from tests.simulation.invariants.durations import Timing, Trouble
    from tests.simulation.invariants.known import Known

_LATE, _EARLY = 5.0, 0.05  # seconds: a turn, a look; moments are kept in hundredths


class Questions:
    """Hears of every commit of a life, after ``known`` has taken it."""

    def __init__(self, known: Known, timing: Timing, trouble: Trouble, wrong: Callable[[str], None]) -> None:
        self._known = known
        self._timing = timing
        self._trouble = trouble
        self._wrong = wrong
        self._asked: dict[int, dict[str, Any]] = {}  # by job, as it is durable
        self._since: dict[tuple[int, int], float] = {}  # by job and attempt

    def committed(self, changes: Changes, engine: Engine | None) -> None:
        """Look at what is asked, answered and ended."""
        made, moved = changes.inserts.get("job_instance", {}), changes.updates.get("job_instance", {})
        for id, row in chain(made.items(), moved.items()):
            job = self._known.job(id)
            if job.get("type") != "approve":
                continue
            if "handling" in row:
                handling = json.loads(row["handling"] or "{}")
                if "answer" in handling.get("question", {}) and "answer" not in self._asked.get(id, {}):
                    self._tell(self.nobody_answers_after_the_deadline(job, engine))
                self._tell(self.a_question_is_asked_and_answered_once(id, handling))
        for (id, attempt), row in changes.updates.get("job_run", {}).items():
            if (id, attempt) in self._since and row.get("status") in ATTEMPT_OVER:
                self._tell(self.a_deadline_is_kept(self._known.job(id), attempt, engine))

    def _tell(self, promise: Iterator[str]) -> None:
        for each in promise:
            self._wrong(f"{promise.__name__}: {each}")

    def a_question_is_asked_and_answered_once(self, id: int, handling: Mapping[str, Any]) -> Iterator[str]:
        """Within one attempt neither the moment of its asking changes nor its answer, whatever engines do."""
        was, now = self._asked.get(id, {}), dict(handling.get("question") or {})
        self._asked[id] = now
        if was.get("attempt") != now.get("attempt"):
            if not self._trouble.is_recent:
                self._since[id, now.get("attempt", 0)] = self._trouble.now
            return
        for name in ("asked", "answer"):
            if name in was and was[name] != now.get(name):
                yield f"{name} of job_instance {id} was {was[name]}, and is {now.get(name)}"

    def a_deadline_does_not_pass_unnoticed(self, engine: Engine) -> Iterator[str]:
        """Whoever waits for an answer waits no longer than that; asked whenever the engine has nothing to do."""
        for id, question in self._asked.items() if self._timing.is_exact else ():
            job, since = self._known.job(id), self._since.get((id, question.get("attempt", 0)))
            attempt = self._known.tables["job_run"].get((id, question.get("attempt", 0)), {})
            is_over = attempt.get("status") in ATTEMPT_OVER  # then it waits for what follows the failure
            if since is None or is_over or job["status"] != "waiting" or "answer" in question:
                continue
            deadline = _deadline(job, engine)
            if deadline is not None and self._trouble.usable(since) > deadline + _LATE:
                yield f"{job['node']} ({id}) still waits for an answer: {deadline} s"

    def nobody_answers_after_the_deadline(
        self, job: Mapping[str, Any], engine: Engine | None
    ) -> Iterator[str]:
        """What counts when it passes is the answer from then on."""
        since = self._since.get((job["id"], self._asked.get(job["id"], {}).get("attempt", 0)))
        deadline = _deadline(job, engine)
        if deadline is None or since is None or not self._timing.is_exact:
            return
        if (free := self._trouble.usable(since)) > deadline + _LATE:
            yield f"{job['node']} ({job['id']}) is answered after {free:.2f} usable s: {deadline} s"

    def a_deadline_is_kept(
        self, job: Mapping[str, Any], attempt: int, engine: Engine | None
    ) -> Iterator[str]:
        """Without an answer the attempt ends when that passes, by the wall clock; not before, not much later.

        It is asked up to a second before that is durable: what is decided after a commit waits for the next one.
        """
        question, since = self._asked.get(job["id"], {}), self._since[job["id"], attempt]
        deadline = _deadline(job, engine)
        stopped = job.get("stop") not in (None, "null", "{}") or "by_hand" in str(job.get("why"))
        if deadline is None or not self._timing.is_exact or "answer" in question or stopped:
            return
        asked = (datetime.fromisoformat(question["asked"]) - BEGIN).total_seconds()
        passed, free = self._trouble.now - asked, self._trouble.usable(since)
        if passed < deadline - _EARLY or free > deadline + _LATE:
            yield f"{job['node']} ({job['id']}) ends after {passed:.2f} s, {free:.2f} s of them usable: {deadline} s"


def _deadline(job: Mapping[str, Any], engine: Engine | None) -> float | None:
    """In seconds; None where the definition has none, or nobody knows it."""
    run = engine.services.runs.get(job["instance"]) if engine is not None else None
    definition = definition_of(run.facts.plan, job["node"]) if run is not None else None  # type: ignore[attr-defined]
    return getattr(definition.settings, "deadline", None) if definition is not None else None
