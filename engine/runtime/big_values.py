"""Values too big for the context: each is kept in a file of the instance, the context has a reference."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from engine.context import reference
from engine.context.line import json_text
from engine.execution.files import directory_errors
from engine.runtime.journal import Journal

BIGGEST = 256 * 1024  # bytes of a value that is kept in the context itself


def is_big(value: Any) -> bool:
    """Whether a JSON value is too big for the context."""
    if value.__class__ not in (str, dict, list, tuple):
        return False
    text = value if isinstance(value, str) else json_text(value)
    return len(text) * 4 > BIGGEST and len(text.encode("utf-8", "replace")) > BIGGEST


def kind_of(value: Any) -> str | None:
    """How a big value is read back from its file: as JSON, or (None) as text."""
    return {dict: "map", list: "list", tuple: "list"}.get(value.__class__)


class BigValues:
    """The folder ``.skerry/values`` of one instance; a file is named by the checksum of its content."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def kept(self, value: Any) -> Any:
        """``value``, or the reference to a new file when it is big: durable before anything refers to it."""
        if not is_big(value):
            return value
        data = (value if isinstance(value, str) else json_text(value)).encode("utf-8", "replace")
        found = reference("", data, kind_of(value))
        found["$file"] = f".skerry/values/{found['sha256']}"
        self._write(Path(self._journal.folder.path, found["$file"]), data)
        return found

    def _write(self, file: Path, data: bytes) -> None:
        self._journal.create()
        with directory_errors(str(file)):
            file.parent.mkdir(mode=0o700, exist_ok=True)
            fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(fd, "wb") as out:
                out.write(data)
                out.flush()
                os.fsync(fd)
