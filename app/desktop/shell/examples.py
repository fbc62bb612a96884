"""The examples that come with the program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.api.documents import Loaded, Source
    from engine.api.service import Service

_PLACES = (Path(__file__).parents[1] / "examples", Path(__file__).parents[3] / "examples")
SHOWN = ("tour", "repair", "concat", "loop", "batch", "calendar")


def sources() -> list[Source]:
    """The definition files of the examples; empty where they were not installed."""
    folder = next((place for place in _PLACES if place.is_dir()), None)
    files = [] if folder is None else [folder / f"{name}.yaml" for name in SHOWN]
    return [{"name": str(file), "text": file.read_text("utf-8")} for file in files if file.exists()]


def load(service: Service) -> list[Loaded]:
    """Put them into the workspace; on a worker thread. Each file alone: two of them may have the same id."""
    return [each for source in sources() for each in service.load([source])]
