"""What a power cut took of an instance's files: a record in ``.skerry/missing.json`` of its directory.

``{"time": ISO 8601, "files": {"jobs/job-a-1/job.log": {"had": bytes, "left": bytes}}}``; ``had`` is null
where nobody knows. Only files that nothing can restore are in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

RECORD = ".skerry/missing.json"
_LEVELS = 8  # from a result of an earlier attempt on one of several workers up to its instance


class MissingFile(NamedTuple):
    """One file: the bytes that it had (None: unknown), and those that are left."""

    had: int | None
    left: int

    def worded(self, tell: Callable[..., str]) -> str:
        """In the reader's language, by ``tell(text, **values)``."""
        if self.had is None:
            return tell("a power cut may have taken what was in it")
        return tell(
            "a power cut took {lost} of {had} bytes", lost=f"{self.had - self.left:,}", had=f"{self.had:,}"
        )

    def __str__(self) -> str:
        return self.worded(str.format)


def missing(instance: Path | str) -> dict[str, MissingFile]:
    """By path below the directory of an instance; empty when nothing is missing."""
    try:
        record: Any = json.loads(Path(instance, RECORD).read_bytes())
        return {name: MissingFile(each["had"], int(each["left"])) for name, each in record["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def missing_of(file: Path | str) -> MissingFile | None:
    """The same of one file below the directory of an instance; None when all of it is there."""
    path = Path(file)
    for folder in path.parents[:_LEVELS]:
        if (folder / RECORD).exists():
            return missing(folder).get(path.relative_to(folder).as_posix())
    return None


def moved(files: Mapping[str, MissingFile], folder: str, attempt: int) -> dict[str, MissingFile]:
    """The same when the files of an ``attempt`` have made room in ``folder`` for those of the next one."""
    here, aside = f"{folder}/", f"{folder}/attempts/{attempt}/"
    known = f"{folder}/attempts/"
    return {
        aside + name.removeprefix(here)
        if name.startswith(here) and not name.startswith(known)
        else name: each
        for name, each in files.items()
    }


def record(files: Mapping[str, MissingFile], time: str) -> bytes:
    """The content of the record."""
    entries = {name: each._asdict() for name, each in sorted(files.items())}
    return f"{json.dumps({'time': time, 'files': entries}, ensure_ascii=False)}\n".encode()
