"""The workers as the window knows them: what definitions are compared with; no widgets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.model.worker import Worker

Row = Mapping[str, Any]


def registered(rows: Iterable[Row]) -> list[Worker]:
    """By their lines in the list, as far as ``on`` of a job may mean them."""
    return [
        Worker(str(row["name"]), row["kind"], groups=tuple(row["groups"]), labels=dict(row["labels"]))
        for row in rows
    ]
