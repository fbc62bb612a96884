"""Clocks that jumped while the instance ran."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from engine.context.line import ENGINE
from export_import.desk.findings import Bilingual, CaseFinding, Study

_BACK = 0.001  # seconds
_FORWARD = 6 * 3600.0  # a silence within a run that is more likely a clock set or a machine asleep


def analyze(study: Study) -> Iterator[CaseFinding]:
    """Lines that are older than the one before, and very long silences while something ran."""
    before: datetime | None = None
    run = 0
    for cause in study.timeline.causes():
        now = datetime.fromisoformat(cause.time)
        gap = (now - before).total_seconds() if before is not None else 0.0
        if gap < -_BACK or (gap > _FORWARD and cause.run == run and cause.actor == ENGINE):
            yield _finding(study, cause.seq, gap)
        before, run = now, cause.run


def _finding(study: Study, seq: int, gap: float) -> CaseFinding:
    if gap < 0:
        title = Bilingual(f"The clock was set back by {-gap:.1f} s", f"时钟被回拨 {-gap:.1f} 秒")
    else:
        title = Bilingual(f"Nothing happened for {gap / 3600:.1f} h", f"{gap / 3600:.1f} 小时内没有任何动作")
    detail = Bilingual(
        "Times of this run are not to be compared across this line. Look at time synchronisation, and "
        "whether the machine slept or the engine was stopped.",
        "此行前后的时间不可直接比较。请检查时间同步，以及主机是否休眠或引擎是否停止。",
    )
    return CaseFinding("warning", title, detail, study.where(seq=seq))
