"""Bundles made by hand: by docs/bundle-format.md, ``ssh-keygen`` and zstd, with nothing of Skerry.

Their maker is a person whose key is trusted, and who writes into them whatever he likes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import zstandard

needs_openssh = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="the package openssh-client is not installed"
)
LIMIT = "$.TASK.PARAMS['limit']"
_BLOCK = 512


@dataclass(frozen=True)
class Hand:
    """A person with a key of OpenSSH's."""

    private: Path

    @classmethod
    def at(cls, folder: Path) -> Hand:
        """A new key in a new folder."""
        folder.mkdir()
        private = folder / "id"
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(private)]
        subprocess.run(words, check=True)
        return cls(private)

    @classmethod
    def of(cls, folder: Path, key: Path) -> Hand:
        """With a copy of a key that a workspace has."""
        folder.mkdir()
        private = folder / "id"
        private.touch(mode=0o600)
        private.write_bytes(key.read_bytes())
        output = subprocess.run(
            ["ssh-keygen", "-y", "-f", str(private)], capture_output=True, text=True, check=True
        )
        private.with_suffix(".pub").write_text(output.stdout)
        return cls(private)

    @property
    def public(self) -> str:
        """``ssh-ed25519 AAAA…``."""
        return self.private.with_suffix(".pub").read_text().strip()

    @property
    def fingerprint(self) -> str:
        """As OpenSSH shows it."""
        output = subprocess.run(
            ["ssh-keygen", "-l", "-f", str(self.private)], capture_output=True, text=True, check=True
        )
        return output.stdout.split()[1]

    def bundle(
        self,
        path: Path,
        kind: str,
        files: dict[str, bytes],
        *,
        created: datetime | None = None,
        namespace: str | None = None,
        facts: dict[str, Any] | None = None,
    ) -> Path:
        """A signed bundle of these files, not encrypted, as a folder."""
        path.mkdir()
        packed = {sha256(data).hexdigest(): (_frame(data), len(data)) for data in files.values()}
        volume = _tape({f"o/{digest}": data for digest, (data, _) in packed.items()})
        manifest = {
            "format": "skerry-bundle/1", "kind": kind, "facts": facts or {}, "omitted": [],
            "files": [
                {"name": name, "size": len(data), "role": "x", "objects": [[sha256(data).hexdigest(), len(data), 0]]}
                for name, data in files.items()
            ],
        }  # fmt: skip
        parts = {"manifest.zst": _frame(canonical(manifest)), "vol-000.tar": volume}
        header = {
            "format": "skerry-bundle/1", "kind": kind, "id": sha256(str(path).encode()).hexdigest()[:32],
            "created": (created or datetime.now(UTC)).isoformat(), "tool": "by hand", "recipients": [],
            "signer": self.fingerprint,
        }  # fmt: skip
        for name, data in parts.items():
            (path / name).write_bytes(data)
        return self.seal(path, header, *parts, namespace=namespace)

    def seal(
        self, path: Path, header: dict[str, Any], manifest: str, volume: str, namespace: str | None = None
    ) -> Path:
        """Put the header over the parts that lie there, and sign it."""
        answer = [_told(name, (path / name).read_bytes()) for name in (manifest, volume)]
        header = {**header, "manifest": answer[0], "volumes": answer[1:]}
        header.pop("sum", None)
        header["sum"] = sha256(canonical(header)).hexdigest()
        (path / "BUNDLE.json").write_bytes(canonical(header))
        (path / "BUNDLE.json.sig").unlink(missing_ok=True)
        words = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(self.private)]
        words += ["-n", namespace or f"skerry-{header['kind']}", str(path / "BUNDLE.json")]
        subprocess.run(words, check=True, capture_output=True)
        return path


def fitting_plan(files: Mapping[str, bytes], facts: Mapping[str, Any], site: str, id: str) -> dict[str, Any]:
    """A fix by docs/fixes.md for instance 1 of a site's bundle, as it was read."""
    log, now = "instances/task-nightly-1/ctx.log", datetime.now(UTC)
    lines = files[log].splitlines()
    return {
        "format": "skerry-fix/1", "id": id, "title": "t", "letter": "l",
        "made_at": now.isoformat(), "expires": (now + timedelta(days=30)).isoformat(),
        "site": site, "definitions": [], "rerun": None,
        "target": {
            "instance": 1, "task": "nightly", "run": 1, "seq": len(lines),
            "time": json.loads(lines[-1])["time"], "site_hash": facts[log]["site_hash"],
            "definitions_hash": facts["definitions/1-1.json"]["site_hash"],
        },
        "values": [{"path": LIMIT, "was": 10, "value": 30, "reason": "r"}],
    }  # fmt: skip


def canonical(tree: Any) -> bytes:
    """The one form of JSON in a header."""
    return json.dumps(tree, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def _told(name: str, data: bytes) -> dict[str, Any]:
    return {"name": name, "size": len(data), "sha256": sha256(data).hexdigest()}


def _frame(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(data)


def _tape(members: dict[str, bytes]) -> bytes:
    blocks = b"".join(
        _head(name, len(data)) + data + bytes(-len(data) % _BLOCK) for name, data in members.items()
    )
    return blocks + bytes(2 * _BLOCK)


def _head(name: str, size: int) -> bytes:
    block = bytearray(_BLOCK)
    block[: len(name)] = name.encode("ascii")
    block[100:124] = b"0000600\0" + b"0000000\0" * 2
    block[124:148] = b"%011o\0" % size + b"00000000000\0"
    block[148:157], block[257:265] = b" " * 8 + b"0", b"ustar\x0000"
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)
