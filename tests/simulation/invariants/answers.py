"""What must hold about the answers of people: they decide, and who waits for one holds up nobody."""

from __future__ import annotations

from collections.abc import Iterator

from engine.model.reason import Kind
from tests.simulation.invariants.life import Life


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
