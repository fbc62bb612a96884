"""What changed since the task last succeeded: definitions, parameters, environment, settings."""

from __future__ import annotations

from collections.abc import Iterator

from engine.model.expression import compact_json
from export_import.desk.comparing import ChangedValue, compare
from export_import.desk.findings import Bilingual, CaseFinding, Study

_LINES = 30


def analyze(study: Study) -> Iterator[CaseFinding]:
    """Nothing for a run that succeeded; without an earlier success one that says so."""
    if study.row.status == "succeeded":
        return
    success = study.last_success
    if success is None:
        title = Bilingual("No earlier success is here to compare with", "此处没有更早的成功实例可供比较")
        detail = Bilingual("Export one beside the failed run.", "请与失败的实例一并导出。")
        yield CaseFinding("info", title, detail, study.where())
        return
    found = compare(study.evidence, success.id, study.evidence, study.instance)
    if found.definitions:
        yield _definitions(study, success.id, found.definitions)
    for change in found.params:
        yield _value(study, "parameter", "参数", change, success.id)
    for change in (*found.environment, *found.configuration):
        yield _value(study, "environment", "环境", change, success.id)


def _definitions(study: Study, success: int, lines: tuple[str, ...]) -> CaseFinding:
    title = Bilingual(
        f"The definitions changed since instance {success} succeeded", f"自实例 {success} 成功以来定义有变化"
    )
    shown = "\n".join(lines[:_LINES])
    return CaseFinding("warning", title, Bilingual(shown, shown), study.where())


def _value(study: Study, what: str, zh: str, change: ChangedValue, success: int) -> CaseFinding:
    old, new = (compact_json(each)[:200] for each in (change.a, change.b))
    title = Bilingual(
        f"{what} {change.name} changed: {old} -> {new}", f"{zh} {change.name} 有变化：{old} -> {new}"
    )
    detail = Bilingual(f"Compared with instance {success}.", f"与实例 {success} 相比。")
    return CaseFinding("warning", title, detail, study.where())
