"""A text looked for in everything that a case holds: contexts, logs, code, results, definitions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from engine.model.errors import SkerryError
from export_import.desk.evidence import Evidence
from export_import.packed_logs import opened, packed_paths

_BLOCK = 1 << 20  # bytes that are searched at once
_LONGEST = 1 << 20  # bytes of a line that are looked at together
_AROUND = 100  # characters of an excerpt on each side
_SKIPPED = re.compile(r"^skerry\.db|^packed\.|\.lock$|^engine\.sock$|^keys/|^cases/|^trials/|^secrets\.vault")
_JOB = re.compile(r"instances/task-[^/]+-(\d+)/(?:jobs/job-([^/]+)-(\d+)/)?")


@dataclass(frozen=True, slots=True)
class Hit:
    """Where the text is: a file below the case, the line (from 1) and byte; ``seq`` of a context log."""

    file: str
    line: int
    offset: int
    excerpt: str
    instance: int | None = None
    job: str | None = None
    job_instance: int | None = None
    seq: int | None = None


def search(evidence: Evidence, text: str, *, limit: int = 1000) -> Iterator[Hit]:
    """The first ``limit`` hits, upper and lower case alike."""
    needle = text.encode().lower()
    files = sorted((*_files(evidence.root), *packed_paths(evidence.root)), key=_rank)
    return islice((hit for path in files for hit in _in_file(evidence.root, path, needle)), limit)


def _files(root: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(root, followlinks=False):
        names[:] = [name for name in names if not _SKIPPED.search(f"{_relative(root, folder, name)}/")]
        for name in files:
            path = Path(folder, name)
            if (
                not _SKIPPED.search(_relative(root, folder, name))
                and path.is_file()
                and not path.is_symlink()
            ):
                yield path


def _relative(root: Path, folder: str, name: str) -> str:
    return str(Path(folder, name).relative_to(root))


def _rank(path: Path) -> tuple[int, str]:
    """Logs of errors first, then other logs, then the rest."""
    order = {"job-error.log": 0, "job.log": 1, "ctx.log": 2}
    return order.get(path.name, 3), str(path)


def _in_file(root: Path, path: Path, needle: bytes) -> Iterator[Hit]:
    name = str(path.relative_to(root))
    place = _JOB.match(name)
    instance, job, number = place.groups() if place else (None, None, None)
    ids = (int(instance) if instance else None, job, int(number) if number else None)
    try:
        with opened(path) as file:
            for line, offset, excerpt in _lines(file, needle):
                seq = line if path.name == "ctx.log" and job is None else None
                yield Hit(name, line, offset, excerpt, *ids, seq)
    except (OSError, SkerryError):  # it went meanwhile, or is not what was imported
        return


def _lines(file: BinaryIO, needle: bytes) -> Iterator[tuple[int, int, str]]:
    """The number, the offset of the hit and an excerpt of each line that has one.

    Blocks are searched, not lines: there may be a hundred million empty ones. (A regular expression that
    ignores case takes five times as long.)
    """
    line, offset = 1, 0
    while block := file.read(_BLOCK) + file.readline(_LONGEST):
        lower = block.lower()
        counted = at = 0
        while at < len(block) and (hit := lower.find(needle, at)) >= 0:
            line += block.count(b"\n", counted, hit)
            counted = hit
            yield line, offset + hit, _excerpt(block, hit, hit + len(needle))
            end = block.find(b"\n", hit + len(needle))
            at = end + 1 if end >= 0 else len(block)
        line += block.count(b"\n", counted)
        offset += len(block)


def _excerpt(block: bytes, hit: int, after: int) -> str:
    """The line of a hit, as far as it is near."""
    start = max(block.rfind(b"\n", 0, hit) + 1, hit - _AROUND)
    end = block.find(b"\n", after, after + _AROUND)
    return block[start : end if end >= 0 else after + _AROUND].decode("utf-8", "replace").strip()
