"""A Resource: something outside that a job needs or changes, with a check (contract 2.1)."""

from __future__ import annotations

from typing import Any, Literal

from engine.model.base import Frozen, Id


class Resource(Frozen):
    """``request`` and ``check`` are validated by the resource type's own models."""

    id: Id
    type: str
    uri: str = ""
    request: dict[str, Any] = {}
    check: dict[str, Any] = {}
    at: Literal["engine", "worker"] = "engine"  # where a file is looked at
    name: str | None = None
    description: str | None = None
