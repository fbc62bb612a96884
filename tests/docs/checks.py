"""What the tests of the documentation ask of a definition."""

from __future__ import annotations

from app import wiring
from engine.api.examine import examine


def findings(text: str, severity: str = "error") -> list[str]:
    """The errors (or warnings) of a definition file."""
    sources = [{"name": "page", "text": text}]
    found = examine(sources, wiring.job_types(), wiring.resource_types()).findings  # type: ignore[arg-type]
    return [str(each) for each in found if each.severity == severity]
