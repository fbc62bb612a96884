"""Notes that supporters write into a case: they stay beside the record and never change it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.execution.files import append_all, open_log
from engine.model.clock import Clock
from engine.model.codes.desk import NO_EVIDENCE
from engine.model.errors import Invalid

FILE = "notes.jsonl"


@dataclass(frozen=True, slots=True)
class CaseNote:
    """A text, its author and time, and what it is about: ``where`` as a finding has it."""

    time: str
    author: str
    text: str
    where: Mapping[str, Any] | None = None


def add_note(
    case: Path, text: str, author: str, clock: Clock, where: Mapping[str, Any] | None = None
) -> CaseNote:
    """Write a note; Invalid when the folder is no case or the note is empty."""
    if not text.strip():
        raise Invalid(NO_EVIDENCE, "the note is empty", where=str(case))
    if not (case / "case.json").exists():
        raise Invalid.at(NO_EVIDENCE, "{where} is no case", case)
    note = CaseNote(clock.now().isoformat(timespec="seconds"), author, text, where)
    line = json.dumps(asdict(note), ensure_ascii=False) + "\n"
    fd = open_log(str(case / FILE))
    try:
        append_all(fd, line.encode("utf-8", "replace"))
    finally:
        os.close(fd)
    return note


def notes_of(case: Path) -> list[CaseNote]:
    """The notes of a case, the first one first; a torn last one is left out."""
    try:
        lines = (case / FILE).read_text("utf-8").split("\n")[:-1]
    except FileNotFoundError:
        return []
    return [CaseNote(**json.loads(line)) for line in lines]
