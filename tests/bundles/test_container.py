"""Writing and reading bundles."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from engine.model.errors import Refused
from engine.runtime.clock import SystemClock
from export_import.container import BundleWriter, open_bundle
from export_import.keys import Keys
from tests.servers.private import program

CLOCK = SystemClock()


def keys_at(path: Path) -> Keys:
    path.mkdir(exist_ok=True)
    return Keys(path, CLOCK)


@pytest.mark.parametrize("name", ["out", "out.skerry"])
@pytest.mark.parametrize("sealed", [False, True])
def test_a_bundle_comes_back_as_it_was_written(tmp_path: Path, name: str, sealed: bool) -> None:
    keys = keys_at(tmp_path / "site")
    to = [keys.recipient] if sealed else []
    big = os.urandom(9 << 20)
    with BundleWriter(tmp_path / name, kind="diagnostic", keys=keys, recipients=to, clock=CLOCK) as writer:
        writer.add("case.json", [b"{}"], role="case", some=1)
        writer.add("a/日志.log", [big[:100], big[100:]])
        writer.add("a/same.log", [big])
        writer.add("empty", [])
        writer.omit("x/y", "too large", 7)
        path = writer.finish(site="here")

    bundle = open_bundle([path], keys, clock=CLOCK, must_be_trusted=True)
    assert (bundle.trust, bundle.signer, bundle.facts["site"]) == ("known", keys.fingerprint, "here")
    assert bundle.read("a/日志.log") == big == bundle.read("a/same.log")
    assert bundle.read("empty") == b""
    assert bundle.entries["case.json"].facts == {"some": 1}
    assert [each.name for each in bundle.omitted] == ["x/y"]
    assert bundle.verify() == ()
    assert path.stat().st_mode & 0o077 == 0


def test_stock_openssh_verifies_the_signature(tmp_path: Path) -> None:
    keys = keys_at(tmp_path / "site")
    with BundleWriter(tmp_path / "out", kind="fix", keys=keys, clock=CLOCK) as writer:
        writer.add("plan.json", [b"{}"])
        path = writer.finish()
    allowed = tmp_path / "allowed"
    allowed.write_text(f"site {keys.public}\n")
    command = [
        program("ssh-keygen", "openssh-client"),
        "-Y",
        "verify",
        "-f",
        str(allowed),
        "-I",
        "site",
        "-s",
        str(path / "BUNDLE.json.sig"),
    ]
    header = (path / "BUNDLE.json").read_bytes()
    assert subprocess.run([*command, "-n", "skerry-fix"], input=header, check=False).returncode == 0
    assert subprocess.run([*command, "-n", "skerry-diagnostic"], input=header, check=False).returncode != 0
    assert subprocess.run([*command, "-n", "skerry-fix"], input=header + b" ", check=False).returncode != 0


def test_a_stranger_cannot_open_what_is_encrypted(tmp_path: Path) -> None:
    site, vendor, thief = (keys_at(tmp_path / each) for each in ("site", "vendor", "thief"))
    with BundleWriter(
        tmp_path / "out",
        kind="diagnostic",
        keys=site,
        recipients=[vendor.recipient, site.recipient],
        clock=CLOCK,
    ) as writer:
        writer.add("x", [b"content"])
        path = writer.finish()
    assert open_bundle([path], vendor, clock=CLOCK).trust == "unknown"
    assert open_bundle([path], site, clock=CLOCK).read("x") == b"content"
    with pytest.raises(Refused):
        open_bundle([path], thief, clock=CLOCK)
