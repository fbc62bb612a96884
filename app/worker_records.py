"""The records of a job that runs on several workers: one for each, beside its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from engine.model.names import RECORD, is_part

Job = TypeVar("Job", bound=Mapping[str, object])  # a document of a job


def records_of(node: str, jobs: Iterable[Job], round: object, index: object) -> list[Job]:
    """Those of that job among ``jobs``, in their order; none where it has but itself."""
    found = {
        str(job["node"]): job
        for job in jobs
        if str(job["node"]).startswith(f"{node}{RECORD}") and (job["round"], job["index"]) == (round, index)
    }
    return [job for name, job in found.items() if not is_part(name, found)]
