"""Bundles that no Skerry writes: each part can be made as one likes, with every outer hash and sum in order."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import zstandard

from export_import.container import form, tape
from export_import.container.pieces import compress
from export_import.keys import Keys


def manifest_of(**other: Any) -> dict[str, Any]:
    """A proper manifest, with some entries replaced."""
    usual = {
        "format": form.FORMAT,
        "kind": "diagnostic",
        "facts": {"instances": []},
        "files": [],
        "omitted": [],
    }
    return {**usual, **other}


def file_of(name: str, data: bytes = b"content", **other: Any) -> dict[str, Any]:
    """A proper file of one object in the first volume."""
    ref = [sha256(data).hexdigest(), len(data), 0]
    return {"name": name, "size": len(data), "role": "file", "objects": [ref], **other}


def member(name: str, data: bytes) -> bytes:
    return tape.member(name, len(data)) + data + tape.padding(len(data))


def volume_of(*objects: bytes) -> bytes:
    """A proper volume."""
    return b"".join(member(f"o/{sha256(each).hexdigest()}", compress(each)) for each in objects) + tape.END


@dataclass
class Forged:
    """A bundle to be: proper, unless something is given."""

    manifest: bytes | None = None
    tree: Mapping[str, Any] = field(default_factory=manifest_of)
    volumes: Sequence[bytes] = (volume_of(b"content"),)
    header: Mapping[str, Any] = field(default_factory=dict)
    keys: Keys | None = None

    def write(self, path: Path) -> Path:
        path.mkdir()
        stored = self.manifest if self.manifest is not None else compress(json.dumps(self.tree).encode())
        (path / "manifest.zst").write_bytes(stored)
        for number, data in enumerate(self.volumes):
            (path / f"vol-{number:03d}.tar").write_bytes(data)
        header = {
            "format": form.FORMAT,
            "kind": "diagnostic",
            "id": "0" * 32,
            "created": "2026-11-21T08:00:00+00:00",
            "tool": "forge",
            "recipients": [],
            "signer": self.keys.fingerprint if self.keys else None,
            "manifest": _told("manifest.zst", stored),
            "volumes": [_told(f"vol-{n:03d}.tar", data) for n, data in enumerate(self.volumes)],
            **self.header,
        }
        data = form.canonical({**header, "sum": form.header_sum(header)})
        (path / "BUNDLE.json").write_bytes(data)
        if self.keys:
            (path / "BUNDLE.json.sig").write_bytes(self.keys.sign("skerry-diagnostic", data))
        return path


def _told(name: str, data: bytes) -> dict[str, Any]:
    return {"name": name, "size": len(data), "sha256": sha256(data).hexdigest()}


def frame(data: bytes, **how: Any) -> bytes:
    """A zstd frame of another form than ours."""
    return zstandard.ZstdCompressor(level=3, **how).compress(data)
