"""Error codes that the catalogue knows, with their remedies."""

from __future__ import annotations

from collections.abc import Iterator

from export_import.desk.findings import Bilingual, CaseFinding, FindingPlace, Study


def analyze(study: Study) -> Iterator[CaseFinding]:
    """One finding for each code of the latest run."""
    places: dict[int, list[str]] = {}
    for each in study.exceptions:
        places.setdefault(each.code, []).append(each.node or "-")
    for code, nodes in places.items():
        entry = study.catalogue.find(code)
        if entry is None:
            continue
        at = ", ".join(dict.fromkeys(nodes))
        title = Bilingual(f"{code}: {entry.en.title}", f"{code}：{entry.zh.title}")
        detail = Bilingual(
            f"{entry.en.cause}\nRemedy: {entry.en.remedy}\nAt: {at} ({len(nodes)} times)",
            f"{entry.zh.cause}\n处理：{entry.zh.remedy}\n位置：{at}（{len(nodes)} 次）",
        )
        node = nodes[0] if nodes[0] != "-" else None
        yield CaseFinding("warning", title, detail, FindingPlace(study.instance, node), code)
