"""Jobs that were ended, or cut, by a limit: output, memory, CPU, time."""

from __future__ import annotations

from collections.abc import Iterator

from engine.model.catalogue import entry_number
from engine.model.codes import processes
from engine.model.codes.runtime import QUEUE_TIMEOUT, TASK_TIMED_OUT
from export_import.desk.findings import Bilingual, CaseFinding, FindingPlace, Study

_LIMITS = {
    entry.number
    for entry in (
        processes.OUTPUT_LIMIT,
        processes.MEMORY_LIMIT,
        processes.CPU_LIMIT,
        processes.TIMED_OUT,
        processes.OUTPUT_TOO_BIG,
        QUEUE_TIMEOUT,
        TASK_TIMED_OUT,
    )
}


def analyze(study: Study) -> Iterator[CaseFinding]:
    """From the failures of the latest run."""
    for each in study.exceptions:
        if entry_number(each.code) in _LIMITS:
            title = Bilingual.of("A limit was reached: {message}", "达到限制：{message}", message=each.words)
            detail = Bilingual(
                "Either the job does more than its author thought, or the limit is too low: see 'limits' and "
                "'timeout' of the job, and its monitor.csv.",
                "可能是作业的工作量超出预期，也可能是限制过低：请查看作业的 limits、timeout 及 monitor.csv。",
            )
            where = FindingPlace(study.instance, each.node, job_instance=each.job_instance)
            yield CaseFinding("warning", title, detail, where, each.code)
