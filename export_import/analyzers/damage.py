"""What of the record itself is missing or was damaged on its way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from export_import.case import content_of
from export_import.desk.findings import Bilingual, CaseFinding, Severity, Study

_SHOWN = 20
_GONE: tuple[tuple[str, str, str, Severity], ...] = (
    ("lost", "could not be read from the bundle", "无法从数据包读取", "warning"),
    ("omitted", "was left out at the site", "在现场被略去", "info"),
)


def analyze(study: Study) -> Iterator[CaseFinding]:
    """Lost parts of the bundle, what was left out, and a torn context log."""
    case = content_of(study.evidence.root)
    for key, en, zh, severity in _GONE:
        found = [each for each in case.get(key) or () if _concerns(each, study)]
        if found:
            lines = "\n".join(f"{each.get('name')}: {each.get('reason')}" for each in found[:_SHOWN])
            title = Bilingual(f"{len(found)} files: {en}", f"{len(found)} 个文件：{zh}")
            yield CaseFinding(severity, title, Bilingual(lines, lines), study.where())
    if study.timeline.torn is not None:
        message = study.timeline.torn.message
        title = Bilingual("The last line of the context log is torn", "上下文日志的最后一行不完整")
        detail = Bilingual.of("{message}", "{message}", message=message)
        yield CaseFinding("warning", title, detail, study.where(file="ctx.log"))


def _concerns(payload: Mapping[str, Any], study: Study) -> bool:
    name = str(payload.get("name"))
    return (
        not name.startswith("instances/")
        or f"-{study.instance}/" in name
        or name.endswith(f"-{study.instance}")
    )
