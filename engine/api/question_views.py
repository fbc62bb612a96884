"""The documents of open questions: what ``approve`` jobs ask, of whom nobody has answered; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import datetime, tzinfo

from engine.api.documents import Document
from engine.api.views import local_time
from engine.model.question import Question
from engine.store.rows import JobRow

_LAST = "9999"  # after every time that is ISO 8601


def open_questions(
    jobs: Iterable[JobRow], task_of: Callable[[int], str | None], now: datetime, zone: tzinfo
) -> list[Document]:
    """Of these JobInstances, the nearest deadline first; one whose answer waits for an engine is answered."""
    found = [_document(job, question, task_of(job.instance), zone) for job, question in _asking(jobs, now)]
    return sorted(found, key=lambda each: (each["until"] or _LAST, each["since"] or "", each["job_instance"]))


def _asking(jobs: Iterable[JobRow], now: datetime) -> Iterable[tuple[JobRow, Question]]:
    for job in jobs:
        question = Question.of(job.because)
        answered = "answer" in (job.handling.get("question") or {})
        if question is not None and not answered and not question.is_over(now):
            yield job, question


def _document(job: JobRow, question: Question, task: str | None, zone: tzinfo) -> Document:
    kept = job.handling.get("question") or {}
    return {
        "instance": job.instance,
        "task": task,
        "node": job.node,
        "index": job.index,
        "attempt": job.attempt,
        "job_instance": job.id,
        "since": local_time(kept.get("asked") or job.started_at, zone),
        **asdict(question),
        "choices": list(question.choices),
        "fails_on": list(question.fails_on),
    }
