"""Reading, checking and writing ``workspace.yaml``; no Qt."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.execution import files
from engine.model.errors import SkerryError
from engine.runtime.settings import read_settings


def read(file: Path) -> str:
    """Its text; empty when it is not there."""
    with suppress(OSError):
        return file.read_text("utf-8", "replace")
    return ""


def problems(text: str) -> list[str]:
    """What is wrong with it, a line for each finding with its place."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "workspace.yaml"
        file.write_text(text, "utf-8")
        try:
            read_settings(file)
        except SkerryError as error:
            found = error.details.get("findings")
            return [_line(each) for each in found] if isinstance(found, list) else [error.message]
        return []


def _line(finding: Mapping[str, Any]) -> str:
    return f"workspace.yaml:{finding['line']}:{finding['column']}: {finding['message']}"


def write(file: Path, text: str) -> None:
    """Replace it as a whole: nobody sees half of it."""
    files.replace(str(file), text.encode(), durable=True)
