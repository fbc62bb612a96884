"""Modules are imported by Python's own ``import``, not by the one that PySide puts in front of it."""

from __future__ import annotations

import builtins

import shiboken6  # noqa: F401  (puts its own in front)


def import_without_features() -> None:
    """From now on an import of any module costs what it costs without Qt.

    PySide's reads the source of each module to see whether it may want another spelling of Qt's names
    (``from __feature__ import snake_case``), which nothing here does: a tenth of the CPU until the first
    paint.
    """
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
