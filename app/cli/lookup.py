"""The catalogue of everything installed here, and the language to show it in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from engine.model.catalogue import Catalogue, engine_codes

if TYPE_CHECKING:
    from app.cli.desk import Desk
    from engine.model.errors import ErrorCode


@cache
def catalogue() -> Catalogue:
    """The engine's entries and those of every job type and resource type."""
    return Catalogue(_entries())


def _entries() -> Iterator[ErrorCode]:
    from app import wiring

    yield from engine_codes()
    for kinds in (wiring.job_types(), wiring.resource_types()):
        for each in kinds.values():
            yield from each.codes


def language(desk: Desk, asked: str | None = None) -> str:
    """``en`` or ``zh``: what was asked for, the workspace's setting, else the environment's."""
    if asked:
        return asked
    if (desk.root / "workspace.yaml").exists():
        from engine.runtime.workspace import Workspace

        setting = Workspace.open(desk.root).settings.language
        if setting:
            return setting
    spoken = next(
        (os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), ""
    )
    return "zh" if spoken.startswith("zh") else "en"
