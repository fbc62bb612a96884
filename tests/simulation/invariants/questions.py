"""What must hold about questions to people: asked once in an attempt, for as long as they say, one answer each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from engine.model.reason import Kind
from engine.planning.uses import definition_of
from engine.store.changes import Changes

if TYPE_CHECKING:
    from engine.runtime.engine import Engine
    from tests.simulation.invariants.durations import Timing, Trouble
    from tests.simulation.invariants.life import Life
    from tests.simulation.invariants.starts import Known

_LATE, _EARLY = 5.0, 0.05  # seconds: a turn, a look; moments are kept in hundredths
_ENDED = frozenset({"succeeded", "failed", "timed_out"})


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
        for id, row in changes.updates.get("job_instance", {}).items():
            job = self._known.job(id)
            if job.get("type") != "approve":
                continue
            if "handling" in row:
                self._tell(
                    self.a_question_is_asked_and_answered_once(id, json.loads(row["handling"] or "{}"))
                )
            if str(row.get("status")) in _ENDED:
                self._tell(self.a_deadline_is_kept(job, engine))

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

    def a_deadline_is_kept(self, job: Mapping[str, Any], engine: Engine | None) -> Iterator[str]:
        """Without an answer it ends when that passes, by the wall clock; not before, not much later."""
        question = self._asked.get(job["id"], {})
        since = self._since.get((job["id"], question.get("attempt", 0)))
        deadline = _deadline(job, engine)
        stopped = job.get("stop") not in (None, "null", "{}") or "by_hand" in str(job.get("why"))
        if deadline is None or since is None or not self._timing.is_exact or "answer" in question or stopped:
            return
        passed, free = self._trouble.now - since, self._trouble.usable(since)
        if passed < deadline - _EARLY or free > deadline + _LATE:
            yield f"{job['node']} ({job['id']}) ends after {passed:.2f} s, {free:.2f} s of them usable: {deadline} s"


def _deadline(job: Mapping[str, Any], engine: Engine | None) -> float | None:
    """In seconds; None where the definition has none, or nobody knows it."""
    run = engine.services.runs.get(job["instance"]) if engine is not None else None
    definition = definition_of(run.facts.plan, job["node"]) if run is not None else None  # type: ignore[attr-defined]
    return getattr(definition.settings, "deadline", None) if definition is not None else None


def an_answer_decides(life: Life) -> Iterator[str]:
    """What a person was told to have chosen is what the job has, unless it was stopped, settled or asked again."""
    for answered in (value for _, value in life.history.answers("approve") if value is not None):
        rows = [row for row in life.engine.store.jobs(answered["instance"]) if row.node == answered["node"]]
        choices = [row.handling.get("question", {}).get("answer", {}).get("choice") for row in rows]
        last = rows[-1] if rows else None
        if last is None or (last.attempt == 1 and len(rows) == 1 and choices != [answered["choice"]]):
            yield f"{answered} was answered, and the job has {choices}"


def a_choice_that_fails_fails(life: Life) -> Iterator[str]:
    """A job does not succeed with one of ``fails_on``, whoever or whatever chose it; people may settle it so."""
    store = life.engine.store
    for instance in life.instances():
        for row in store.jobs(instance):
            by_hand = row.because is not None and row.because.kind is Kind.BY_HAND
            task = store.instance(instance) if row.type == "approve" and not by_hand else None
            if task is not None and row.status == "succeeded":
                node = (store.snapshot(instance, row.run) or {})["tasks"][task.task]["nodes"][row.node]
                if row.results.get("choice") in node.get("fails_on", ("reject",)):
                    yield f"{row.node} ({row.id}) has succeeded with {row.results['choice']}"


def a_question_holds_no_slot(life: Life) -> Iterator[str]:
    """Who waits for a person lets others work."""
    jobs = life.starts.known.tables["job_instance"]
    for claim in life.engine.services.queue.holders():
        if jobs.get(claim.job, {}).get("type") == "approve":
            yield f"job_instance {claim.job} asks, and has a slot"
