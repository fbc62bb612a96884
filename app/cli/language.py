"""The language that people read on this terminal."""

from __future__ import annotations

import os
from pathlib import Path


def language_of(root: Path, asked: str | None = None) -> str:
    """``en`` or ``zh``: what was asked for, the workspace's setting, else the environment's."""
    if asked:
        return asked
    if (root / "workspace.yaml").exists():
        from app.cli.workspace_folder import open_workspace

        setting = open_workspace(root).language
        if setting:
            return setting
    spoken = next(
        (os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), ""
    )
    return "zh" if spoken.startswith("zh") else "en"
