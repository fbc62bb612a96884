"""Jobs whose outcome is unknown, and what had not ended when the bundle was made."""

from __future__ import annotations

from collections.abc import Iterator

from engine.model.reason_words import words
from engine.model.states import JobState
from export_import.desk.findings import Bilingual, CaseFinding, Study


def analyze(study: Study) -> Iterator[CaseFinding]:
    """One finding for each such job."""
    for job in study.jobs:
        if job.status == JobState.LOST:
            title = Bilingual(
                f"{job.node!r} is lost: its outcome cannot be known", f"{job.node!r} 已丢失：结果无法得知"
            )
            detail = Bilingual.of(
                "{message}\nSee on the site what it did, then settle it by hand "
                "('skerry force {instance} {node} succeeded --reason …') or rerun it.",
                "{message}\n请在现场确认其实际结果，然后手工设定"
                "（skerry force {instance} {node} succeeded --reason …）或重新执行。",
                message=job.error or "",
                instance=study.instance,
                node=job.node,
            )
            yield CaseFinding("error", title, detail, study.where(job), job.error_code)
        elif not JobState(job.status).ended:
            title = Bilingual(
                f"{job.node!r} had not ended: {job.status}", f"{job.node!r} 尚未结束：{job.status}"
            )
            why = job.because
            detail = Bilingual(words(why), words(why, "zh")) if why is not None else Bilingual("", "")
            yield CaseFinding("info", title, detail, study.where(job))
