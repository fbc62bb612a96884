"""Jobs that took much longer than they use to."""

from __future__ import annotations

from collections.abc import Iterator

from engine.store.rows import JobRow, StatRow
from export_import.desk.comparing import seconds
from export_import.desk.findings import Bilingual, CaseFinding, Study

_TIMES = 3.0
_LEAST = 5.0  # seconds
_ENOUGH = 3  # executions that make a habit


def analyze(study: Study) -> Iterator[CaseFinding]:
    """Against the averages that the site's statistics tell."""
    stats = {each.id: each for each in study.evidence.store.stats("job")}
    for job in study.jobs:
        took = seconds(job)
        # A reusable Job is counted by its id, an inline one with its task.
        stat = stats.get(job.job) or stats.get(f"{study.row.task}.{job.job}")
        if took is None or stat is None or stat.counts < _ENOUGH:
            continue
        usual = stat.avg_execute_time
        if took > usual * _TIMES and took - usual > _LEAST:
            yield _finding(study, job, took, stat)


def _finding(study: Study, job: JobRow, took: float, stat: StatRow) -> CaseFinding:
    usual = stat.avg_execute_time
    title = Bilingual(
        f"{job.node!r} took {took:.1f} s, {usual:.1f} s are usual",
        f"{job.node!r} 用时 {took:.1f} 秒，平时为 {usual:.1f} 秒",
    )
    detail = Bilingual(
        f"The average of {stat.counts} executions; the longest so far took {stat.max_execute_time:.1f} s. "
        "The job's monitor.csv shows what it waited for.",
        f"共执行 {stat.counts} 次的平均值；最长为 {stat.max_execute_time:.1f} 秒。"
        "作业的 monitor.csv 显示其等待的内容。",
    )
    return CaseFinding("warning", title, detail, study.where(job))
