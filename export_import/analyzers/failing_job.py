"""The jobs that failed first, and where every value that they read came from."""

from __future__ import annotations

from collections.abc import Iterator

from engine.context import MISSING
from engine.model.expression import compact_json
from engine.model.message import Message
from engine.model.states import JobState
from engine.store.rows import JobRow
from export_import.desk.findings import Bilingual, CaseFinding, Study
from export_import.packed_logs import tail

_TAIL = 4096  # bytes of a log
_LINES = 8
_ENDED = {
    "failed": "失败",
    "discarded": "被放弃",
    "cancelled": "被取消",
    "timed_out": "超时",
    "lost": "结果不明",
}


def analyze(study: Study) -> Iterator[CaseFinding]:
    """One finding for each job that ended badly by itself, the first one first."""
    bad = [job for job in study.jobs if JobState(job.status).bad and job.attempt]
    for job in sorted(bad, key=lambda job: job.ended_at or ""):
        yield _finding(study, job)


def _finding(study: Study, job: JobRow) -> CaseFinding:
    name = job.node if job.index is None else f"{job.node}[{job.index}]"
    message = job.error or Message.of(job.status)
    read, seq = _read(study, job)
    file = study.evidence.job_folder(study.row, job) / "job-error.log"
    last_lines = "".join(f"\n  {line}" for line in tail(file, _TAIL).strip().splitlines()[-_LINES:])
    detail = Bilingual.of(
        "attempt {attempt}, error {code}: {message}"
        + ("\nIt read: {read}" if read else "")
        + ("\nLast lines of job-error.log:{lines}" if last_lines else ""),
        "第 {attempt} 次尝试，错误 {code}：{message}"
        + ("\n它读取了：{read}" if read else "")
        + ("\njob-error.log 的最后几行：{lines}" if last_lines else ""),
        attempt=job.attempt,
        code=job.error_code,
        message=message,
        read="; ".join(read),
        lines=last_lines,
    )
    relative = str(file.relative_to(study.evidence.folder(study.row))) if last_lines else None
    ended = _ENDED.get(job.status, job.status)
    facts = {"name": name, "status": job.status.replace("_", " "), "ended": ended, "message": message}
    title = Bilingual.of("Job {name!r} {status}: {message}", "作业 {name!r} {ended}：{message}", **facts)
    where = study.where(job, seq=seq, file=relative)
    return CaseFinding("error", title, detail, where, job.error_code)


def _read(study: Study, job: JobRow) -> tuple[list[str], int | None]:
    """``limit = 10 ← $.TASK.PARAMS['limit']`` for each parameter; the line of the failure."""
    index = "" if job.index is None else f"[{job.index}]"
    place = f"$.JOB['{job.node}']{index}"
    read: dict[str, str] = {}
    seq = None
    for cause in study.timeline.causes():
        if cause.path.startswith(f"{place}.PARAMS") and cause.new is not MISSING:
            name = cause.path.removeprefix(f"{place}.PARAMS")
            origin = f" ← {cause.expression}" if cause.expression else ""
            read[name] = f"{name.strip(chr(91) + chr(93) + chr(39))} = {_short(cause.new)}{origin}"
        elif cause.path == f"{place}.STATUS":
            seq = cause.seq
    return list(read.values()), seq


def _short(value: object) -> str:
    text = compact_json(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
