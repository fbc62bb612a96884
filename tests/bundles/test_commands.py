"""The commands around bundles, as people and scripts give them."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.cli.main import cli
from export_import.importing import import_bundle
from tests.bundles.conftest import CLOCK, Place


@dataclass(frozen=True)
class Output:
    """What a command line gave back."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


def skerry(root: Path, *args: object, given: bytes | None = None) -> Output:
    result = CliRunner().invoke(cli, ["--workspace", str(root), *map(str, args)], input=given)
    return Output(result.exit_code, result.stdout, result.stderr)


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    return tmp_path / "desk"


def test_from_the_site_to_the_desk_and_back(site: Place, desk: Path, tmp_path: Path) -> None:
    card = tmp_path / "vendor.card"
    assert skerry(desk, "keys", "export", "--name", "Vendor", "-o", card).status == 0
    assert skerry(site.root, "keys", "trust", card, "--role", "support").status == 0

    done = skerry(site.root, "export", 1, "-o", tmp_path / "out", "--to", "Vendor", "--json")
    assert done.status == 0, done.err
    assert done.document["encrypted"] is True
    assert done.document["path"] == str(tmp_path / "out")

    seen = skerry(desk, "bundle", "inspect", tmp_path / "out", "--json").document
    assert (seen["trust"], seen["kind"]) == ("unknown", "diagnostic")
    assert skerry(desk, "bundle", "verify", tmp_path / "out").status == 0
    case = skerry(desk, "bundle", "import", tmp_path / "out", "--name", "one", "--json").document
    assert case["instances"] == [1]
    assert "one" in skerry(desk, "bundle", "cases").out
    again = skerry(desk, "bundle", "import", tmp_path / "out", "--name", "one")
    assert again.status == 3

    shown = skerry(Path(case["folder"]), "show", 1, "--json").document
    assert shown["status"] == "failed"
    refused = skerry(Path(case["folder"]), "run", "night")
    assert refused.status == 3
    answer = skerry(Path(case["folder"]), "logs", 1, "read").out
    assert "10.11.12.13" not in answer
    back = skerry(site.root, "bundle", "translate", given=answer.encode())
    assert "rows=12 from 10.11.12.13" in back.out


def test_a_case_is_read_where_nobody_can_write(
    site: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = import_bundle(tmp_path, [site.export(tmp_path / "out").path], clock=CLOCK, name="case")

    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "mkdir", refused)
    shown = skerry(case.folder, "show", 1)

    assert shown.status == 0, shown.err
    assert "load" in shown.out


def test_verify_finds_a_byte_that_is_not_what_was_written(site: Place, desk: Path, tmp_path: Path) -> None:
    assert skerry(site.root, "export", 1, "-o", tmp_path / "out").status == 0
    for part in ("BUNDLE.json", "manifest.zst", "vol-000.tar"):
        path = tmp_path / "out" / part
        whole = path.read_bytes()
        path.write_bytes(whole[:40] + bytes([whole[40] ^ 1]) + whole[41:])
        output = skerry(desk, "bundle", "verify", tmp_path / "out", "--json")
        assert output.status == 1
        assert output.document["intact"] is False
        assert output.document["findings"]
        path.write_bytes(whole)
    assert skerry(desk, "bundle", "verify", tmp_path / "out").status == 0
    assert skerry(desk, "bundle", "verify", tmp_path / "nothing").status == 2


def test_verify_of_a_file_that_is_no_bundle_says_so(desk: Path, tmp_path: Path) -> None:
    other = tmp_path / "letter.txt"
    other.write_text("Dear supporter")

    output = skerry(desk, "bundle", "verify", other)

    assert output.status == 1  # a bundle whose first byte is another one looks the same
    assert "is no bundle" in output.out
    assert output.out.splitlines()[-1] == "no bundle, or damaged at its very beginning"


def test_without_a_key_the_shell_of_a_sealed_bundle_is_verified(
    site: Place, desk: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    recipient = skerry(other, "keys", "show", "--json").document["encryption"]
    assert skerry(site.root, "export", 1, "-o", tmp_path / "out", "--to", recipient).status == 0
    output = skerry(desk, "bundle", "verify", tmp_path / "out")
    assert output.status == 0
    assert "only its outside" in output.out
    assert skerry(desk, "bundle", "inspect", tmp_path / "out").status == 3
    volume = tmp_path / "out" / "vol-000.age"
    volume.write_bytes(volume.read_bytes()[:-1] + b"x")
    assert skerry(desk, "bundle", "verify", tmp_path / "out").status == 1


def test_what_is_plain_is_said_plainly(site: Place, tmp_path: Path) -> None:
    output = skerry(site.root, "export", "1", "-o", tmp_path / "out.skerry", "--no-redact")
    assert "NOT encrypted" in output.out
    assert "NOT redacted" in output.out
    assert (tmp_path / "out.skerry").is_file()
    assert skerry(site.root, "bundle", "verify", tmp_path / "out.skerry").status == 0


def test_a_folder_that_is_there_gets_the_bundle_inside(site: Place, tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    done = skerry(site.root, "export", "1:load", "-o", stick, "--json").document
    assert Path(done["path"]).parent == stick


def test_the_preview_writes_nothing(site: Place, tmp_path: Path) -> None:
    output = skerry(site.root, "export", 1, "--preview", "-o", tmp_path / "out", "--json")
    names = {each["name"] for each in output.document["files"]}
    assert "rows/1.json" in names
    assert any(each["redactions"] for each in output.document["files"])
    assert not (tmp_path / "out").exists()
    assert "before they are compressed" in skerry(site.root, "export", 1, "--preview").out


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (["export", "1"], 2),
        (["export", "77", "-o", "OUT"], 2),
        (["export", "x", "-o", "OUT"], 2),
        (["export", "1", "-o", "OUT", "--to", "nobody"], 2),
        (["export", "1", "-o", "OUT", "--budget", "many"], 2),
        (["export", "1", "-o", "OUT", "--budget", "10 MB"], 0),
        (["bundle", "inspect", "nothing"], 2),
        (["bundle", "import", "nothing"], 2),
        (["keys", "trust", "nothing"], 2),
        (["keys", "revoke", "nobody", "--reason", "x"], 2),
    ],
)
def test_wrong_use_is_said_to_be(site: Place, tmp_path: Path, args: list[str], status: int) -> None:
    output = skerry(site.root, *(each.replace("OUT", str(tmp_path / "out")) for each in args))
    assert output.status == status, output.err
    assert bool(output.err) is (status != 0)


def test_keys_are_shown_listed_rotated_and_revoked(site: Place, desk: Path, tmp_path: Path) -> None:
    first = skerry(desk, "keys", "show", "--json").document
    assert first["fingerprint"].startswith("SHA256:")
    card = tmp_path / "card"
    card.write_text(skerry(desk, "keys", "export", "--name", "Desk").out)
    assert skerry(site.root, "keys", "trust", card, "--role", "support").status == 0
    assert skerry(desk, "keys", "rotate", "-o", card).status == 0
    assert skerry(desk, "keys", "show", "--json").document["fingerprint"] != first["fingerprint"]
    assert skerry(site.root, "keys", "trust", card, "--json").document["name"] == "Desk"
    listed = {
        each["id"]: each["standing"] for each in skerry(site.root, "keys", "list", "--json").document["keys"]
    }
    assert listed[first["fingerprint"]] == "replaced"
    assert skerry(site.root, "keys", "revoke", "Desk", "--reason", "test").status == 0


def test_bundle_commands_do_not_slow_the_start_down() -> None:
    code = "import sys, app.cli.main, app.cli.bundles; print([m for m in sys.modules if m.startswith(('pyrage', 'zstandard', 're2', 'cryptography', 'export_import'))])"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "[]"


def test_a_card_overwrites_nothing_but_a_card(desk: Path, tmp_path: Path) -> None:
    before = skerry(desk, "keys", "show", "--json").document
    (tmp_path / "thesis.txt").write_text("the only copy")
    places = (tmp_path / "thesis.txt", tmp_path / "nothing" / "x.card", tmp_path)
    for command in ("export", "rotate"):
        for place in places:
            output = skerry(desk, "keys", command, "-o", place)
            assert output.status == 3
            assert output.err.startswith("error -15002005000: ")
    assert (tmp_path / "thesis.txt").read_text() == "the only copy"
    assert skerry(desk, "keys", "show", "--json").document == before

    assert skerry(desk, "keys", "export", "-o", tmp_path / "x.card").status == 0
    assert skerry(desk, "keys", "rotate", "-o", tmp_path / "x.card").status == 0


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:40]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_text("[]"),
        lambda path: path.write_text('{"case": 1}'),
        lambda path: path.write_text(path.read_text().replace("imported_at", "imported_aT")),
        lambda path: path.write_text(path.read_text().replace('"instances": [', '"instances": ["x", ')),
        lambda path: path.write_text("[" * 100_000),
        lambda path: path.write_bytes(b"\xff" * 40),
        lambda path: path.unlink(),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: (path.unlink(), os.mkfifo(path)),
    ],
)
def test_a_case_that_cannot_be_read_is_named_beside_the_others(
    site: Place, desk: Path, tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    assert skerry(site.root, "export", 1, "-o", tmp_path / "out").status == 0
    for name in ("one", "two"):
        assert skerry(desk, "bundle", "import", tmp_path / "out", "--name", name).status == 0

    damage(desk / "cases" / "one" / "case.json")

    listed = skerry(desk, "bundle", "cases", "--json")
    assert listed.status == 0
    assert [each["case"] for each in listed.document["cases"]] == ["two"]
    [unreadable] = listed.document["unreadable"]
    assert (unreadable["case"], unreadable["error"]["code"]) == ("one", -15004006000)
    assert str(desk / "cases" / "one" / "case.json") in skerry(desk, "bundle", "cases").err


def test_a_list_of_files_that_cannot_be_read_is_an_error_with_its_code(
    site: Place, desk: Path, tmp_path: Path
) -> None:
    assert skerry(site.root, "export", 1, "-o", tmp_path / "out").status == 0
    assert skerry(desk, "bundle", "import", tmp_path / "out", "--name", "one").status == 0
    case = desk / "cases" / "one"
    (case / "files.json").write_text('{"a": 1}')

    fix = ("fix", "build", case, "-o", tmp_path / "fix", "--title", "t", "--rerun", "all")
    output = skerry(desk, *fix, "--json")

    assert (output.status, json.loads(output.out)["error"]["code"]) == (2, -15004006000), output.err
    assert skerry(case, "show", 1).status == 0
