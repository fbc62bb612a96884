"""Files of every version of the formats: they are read for ever, and what is written now has their form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.runtime.clock import SystemClock
from export_import.container import BundleWriter, open_bundle
from export_import.delivery.content import CONTENT, read_delivery
from export_import.fix.applying import RECEIPT, read_receipt
from export_import.fix.fix_content import read_fix

GOLDEN = Path(__file__).parent / "golden"
CLOCK = SystemClock()


def golden(name: str) -> bytes:
    return (GOLDEN / name).read_bytes()


def bundle(tmp_path: Path, kind: Any, name: str, data: bytes) -> Any:
    with BundleWriter(tmp_path / kind, kind=kind, clock=CLOCK) as writer:
        writer.add(name, [data])
        path = writer.finish()
    return open_bundle([path], None, clock=CLOCK)


def test_a_fix_of_version_1_is_read_and_written_as_it_was() -> None:
    fix = read_fix(golden("fix-1.json"))

    assert (fix.title, fix.rerun and fix.rerun.nodes, len(fix.definitions)) == (
        "Raise the limit",
        ("load",),
        3,
    )
    assert json.loads(json.dumps(fix.to_json())) == json.loads(golden("fix-1.json"))


def test_a_delivery_of_version_1_is_read(tmp_path: Path) -> None:
    delivery = read_delivery(bundle(tmp_path, "delivery", CONTENT, golden("delivery-1.json")))

    assert list(delivery.definitions) == [
        ("job", "say"), ("task", "daily"), ("error", "-11000001003"), ("rule", "again"),
    ]  # fmt: skip


def test_a_receipt_of_version_1_is_read(tmp_path: Path) -> None:
    answer = read_receipt(bundle(tmp_path, "receipt", RECEIPT, golden("receipt-1.json")))

    assert answer["run"]["status"] == "succeeded"
