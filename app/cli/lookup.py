"""The catalogue of everything installed here, and the language to show it in."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from app.wiring import catalogue
from engine.model.errors import SkerryError

if TYPE_CHECKING:
    from app.cli.desk import Desk
    from app.cli.show_text import Reader
    from engine.api.service import Service


__all__ = ["catalogue", "language", "reader", "titles"]


def reader(desk: Desk, service: Service) -> Reader:
    """The person at this terminal, or whatever standard output leads to."""
    from app.cli.show_text import Reader

    room = shutil.get_terminal_size().columns if desk.terminal else None
    own: Mapping[str, Any] = {}
    with suppress(SkerryError):  # an engine that has just ended: its own texts are enough
        own = service.own_errors()
    return Reader(catalogue(own).find, language(desk), room)


def titles(desk: Desk) -> Callable[[int], str]:
    """``title：`` of a code, to go before an English message; empty where English is spoken."""
    if language(desk) != "zh":
        return lambda _: ""
    find = catalogue({}).find
    return lambda code: f"{entry.zh.title}：" if (entry := find(code)) else ""


def language(desk: Desk, asked: str | None = None) -> str:
    """``en`` or ``zh``: what was asked for, the workspace's setting, else the environment's."""
    if asked:
        return asked
    if (desk.root / "workspace.yaml").exists():
        from app.cli.connect import workspace_of

        setting = workspace_of(desk).settings.language
        if setting:
            return setting
    spoken = next(
        (os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), ""
    )
    return "zh" if spoken.startswith("zh") else "en"
