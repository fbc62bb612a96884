"""The audit's extract: what was changed around the chosen runs, and whether its chain is whole here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import partial

from engine.store.rows import time_text
from export_import.collecting import BundleItem
from export_import.export_source import Chosen, Site

DEADLINE = 60.0
NAME = "rows/audit.json"
_AROUND = timedelta(days=1)


def items(site: Site) -> Iterator[BundleItem]:
    """``rows/audit.json``: the head, the breaks of the chain, and rows from a day before the first run on."""
    if site.chosen:
        yield BundleItem(NAME, "audit", 1, 4000, partial(_written, site), "json")


def _written(site: Site) -> Iterator[bytes]:
    head = site.store.audit_head()
    broken = [{"row": each.key[0], "message": each.message} for each in site.store.verify_audit()]
    if broken:
        site.remarks.append("the audit is not what was written: see rows/audit.json")
    since = min(_before(each) for each in site.chosen)
    rows = [asdict(each) for each in site.audit() if each.time >= since]
    payload = {"rows": head[0] if head else None, "head": head[1] if head else None, "broken": broken}
    yield json.dumps({**payload, "extract": rows}, ensure_ascii=False, separators=(",", ":")).encode()


def _before(chosen: Chosen) -> str:
    return time_text(datetime.fromisoformat(chosen.row.created_at) - _AROUND)
