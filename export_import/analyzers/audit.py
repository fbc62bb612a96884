"""Whether the site's own record of who changed what was tampered with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from export_import.desk.findings import Bilingual, CaseFinding, Study
from export_import.foreign_json import load

_SHOWN = 20


def analyze(study: Study) -> Iterator[CaseFinding]:
    """Breaks of the chain, as the site found them when it exported."""
    payload: Mapping[str, Any] = {}
    with suppress(OSError, ValueError):
        payload = load(study.evidence.root / "rows" / "audit.json")
    broken = payload.get("broken") if isinstance(payload, dict) else None
    if isinstance(broken, list) and broken:
        lines = "\n".join(f"{each.get('row')}: {each.get('message')}" for each in broken[:_SHOWN])
        title = Bilingual("The site's audit is not what was written", "现场的审计记录与写入时不一致")
        yield CaseFinding("error", title, Bilingual(lines, lines), study.where(file="rows/audit.json"))
