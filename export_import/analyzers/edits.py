"""Values and outcomes that people changed by hand, and what ran on them."""

from __future__ import annotations

from collections.abc import Iterator

from engine.context import MISSING
from engine.context.line import ENGINE
from engine.context.timeline import LineCause
from engine.model.expression import compact_json
from export_import.desk.findings import Bilingual, CaseFinding, Study


def analyze(study: Study) -> Iterator[CaseFinding]:
    """One finding for each line that a person wrote."""
    based = [job.node for job in study.jobs if job.based_on_edit]
    for cause in study.timeline.causes():
        if cause.actor != ENGINE and cause.new is not MISSING:
            yield _finding(study, cause, based)


def _finding(study: Study, cause: LineCause, based: list[str]) -> CaseFinding:
    old = "" if cause.old is MISSING else compact_json(cause.old)[:120]
    new = compact_json(cause.new)[:120]
    title = Bilingual(
        f"{cause.actor} changed {cause.path}: {old} -> {new}",
        f"{cause.actor} 修改了 {cause.path}：{old} -> {new}",
    )
    nodes = ", ".join(based)
    detail = Bilingual(
        f"{cause.why or ''}" + (f"\nThese ran on edited values: {nodes}" if nodes else ""),
        f"{cause.why or ''}" + (f"\n以下节点基于修改后的值运行：{nodes}" if nodes else ""),
    )
    return CaseFinding("info", title, detail, study.where(path=cause.path, seq=cause.seq))
