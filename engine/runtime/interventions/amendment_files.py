"""Files of the workspace that record the amendments applied here; they outlive its database."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.execution.files import replace
from engine.model.disk import read_file
from engine.model.summed_json import summed, unsummed

FOLDER = "amendments"
_NOBODY_KNOWS = -1  # of which revision a definition was made
Record = dict[str, Any]


def file_record(root: Path, record: Record) -> None:
    """Write it down beside the database; what cannot be written now is written at the next start."""
    with suppress(OSError):
        (root / FOLDER).mkdir(0o700, exist_ok=True)
        replace(str(_place(root, record)), summed(record))


def recovered(root: Path, known: Sequence[Record]) -> list[Record]:
    """The records that the database has lost, the first one first; whatever it has is in a file afterwards.

    A new database counts revisions from the beginning: a recovered record is not taken back any more.
    """
    for record in known:
        if _whole(_place(root, record)) != record:
            file_record(root, record)
    ids = {each["id"] for each in known}
    lost = [each for each in _read(root) if each["id"] not in ids]
    return sorted(lost, key=lambda each: str(each["applied_at"]))


def _read(root: Path) -> Iterator[Record]:
    """What the files tell; one that is damaged keeps its id, which is its name."""
    for path in sorted((root / FOLDER).glob("*.json")):
        record = _whole(path)
        yield {**record, "definitions": [{**each, "made": _NOBODY_KNOWS} for each in record["definitions"]]}


def _whole(path: Path) -> Record:
    empty: Record = {
        "id": path.stem, "kind": "fix", "applied_at": "", "by": "", "instance": None, "origin": {},
        "definitions": [], "values": [], "undone_at": None, "undone_by": None, "undone_why": None,
    }  # fmt: skip
    with suppress(OSError, ValueError):
        found = unsummed(read_file(path))
        if isinstance(found, dict) and isinstance(found.get("definitions"), list):
            return {**empty, **found, "id": path.stem}
    return empty


def _place(root: Path, record: Record) -> Path:
    return root / FOLDER / f"{os.path.basename(str(record['id']))}.json"
