"""Opening the folder of a workspace, whatever its state."""

from __future__ import annotations

import os
from pathlib import Path

from engine.model.codes.commands import WORKSPACE_UNUSABLE
from engine.model.errors import Invalid, Refused
from engine.runtime.workspace import Workspace


def open_workspace(root: Path) -> Workspace:
    """The workspace, made when it is not there; Invalid or Refused when its folder cannot be used."""
    check_path(root)
    try:
        return Workspace.open(root)
    except OSError as problem:
        made = Refused if isinstance(problem, PermissionError) else Invalid
        message = f"{problem.filename or root}: {problem.strerror or problem}"
        raise made(WORKSPACE_UNUSABLE, message, where=str(root)) from problem


def check_path(root: Path) -> None:
    """Invalid where the path is not UTF-8 text."""
    path = os.path.abspath(root)
    if path.encode("utf-8", "replace") != os.fsencode(path):
        raise Invalid.at(WORKSPACE_UNUSABLE, "{where}: the path is not UTF-8 text", path)
