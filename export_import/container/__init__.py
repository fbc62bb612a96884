"""Bundles as containers of files: signed, encrypted, verified (docs/bundle-format.md)."""

from __future__ import annotations

from export_import.container.form import BundleFinding, Entry, Kind, Omission, ReadLimits, Ref, Trust
from export_import.container.reader import Bundle, Unpacked, open_bundle
from export_import.container.writer import BundleWriter

__all__ = [
    "Bundle",
    "BundleFinding",
    "BundleWriter",
    "Entry",
    "Kind",
    "Omission",
    "ReadLimits",
    "Ref",
    "Trust",
    "Unpacked",
    "open_bundle",
]
