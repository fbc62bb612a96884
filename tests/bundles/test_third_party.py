"""The document is enough: a reader written from it alone reads every kind, and refuses what was altered."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pyrage
import pytest

from export_import.container import BundleWriter
from tests.bundles import third_party
from tests.bundles.conftest import CLOCK, Place, Write
from tests.bundles.make_golden import FILES

GOLDEN = Path(__file__).parent / "golden" / "v1"
READER = Path(third_party.__file__)


def identities() -> list[pyrage.x25519.Identity]:
    expected = json.loads((GOLDEN / "expected.json").read_text())
    return [pyrage.x25519.Identity.from_str(expected["age"])]


def test_it_imports_nothing_of_the_program() -> None:
    tree = ast.parse(READER.read_text("utf-8"))
    roots = {each.names[0].name for each in ast.walk(tree) if isinstance(each, ast.Import)}
    roots |= {
        (each.module or "").split(".")[0] for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)
    }
    assert roots - set(sys.stdlib_module_names) == {"pyrage", "zstandard"}


@pytest.mark.parametrize("name", ["plain", "one.skerry", "sealed"])
def test_it_reads_the_golden_bundles(name: str) -> None:
    header, manifest, files = third_party.read(GOLDEN / name, identities())
    assert files == FILES
    assert header["kind"] == "diagnostic"
    assert manifest["omitted"][0]["name"] == "outputs/big"


def test_it_reads_what_a_site_exports_now(site: Place, tmp_path: Path) -> None:
    path = site.export(tmp_path / "out.skerry", recipients=(site.keys.recipient,)).path
    command = [sys.executable, "-I", str(READER), str(path), str(site.keys.folder / "age.txt")]
    output = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert "rows/1.json" in output["files"]
    assert "rows/audit.json" in output["files"]


@pytest.mark.parametrize("kind", ["fix", "receipt", "delivery"])
def test_it_reads_every_other_kind(kind: str, site: Place, tmp_path: Path) -> None:
    with BundleWriter(tmp_path / kind, kind=kind, clock=CLOCK, keys=site.keys) as writer:  # type: ignore[arg-type]
        writer.add("a.json", [b"{}"])
        path = writer.finish()
    assert third_party.read(path, [])[2] == {"a.json": b"{}"}


def test_it_refuses_what_was_altered(write: Write) -> None:
    path = write("out.skerry", {"instances/a": b"abc" * 50})
    whole = path.read_bytes()
    read = third_party.read(path, [])[2]
    for place in range(0, len(whole), 97):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        try:
            assert third_party.read(path, [])[2] == read
        except (third_party.NotABundle, ValueError, KeyError):
            continue
