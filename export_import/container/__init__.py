"""Bundles as containers of files: signed, encrypted, verified (docs/bundle-format.md)."""

from __future__ import annotations

from export_import.container.form import Entry, Finding, Kind, Limits, Omission, Ref, Trust
from export_import.container.reader import Bundle, Unpacked, open_bundle
from export_import.container.writer import Writer

__all__ = [
    "Bundle",
    "Entry",
    "Finding",
    "Kind",
    "Limits",
    "Omission",
    "Ref",
    "Trust",
    "Unpacked",
    "Writer",
    "open_bundle",
]
