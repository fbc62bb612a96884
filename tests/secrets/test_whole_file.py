"""What is done to the secret file with an editor or an old copy of it is noticed, and can be accepted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes import secrets as codes
from engine.model.errors import ErrorCode, Invalid, SkerryError
from engine.secrets.vault import Vault

PASSPHRASE = "correct horse 马"
# Written by the program before the file had a seal; ftp_password is hunter2-Secret, api is another value.
FORMAT_1 = """
{"skerry_secrets": 1, "key_id": "ff70b45a9a2678a8", "slots": [{"kind": "passphrase", "salt":
"dorUf876VBHAxpLKlGBD/Q==", "key": {"nonce": "mch9yBvQOrQB1Wya", "data":
"AMxZZ+K71copeO27T/4xK1w26FoIPMcsPaQPKmDWV9NMEKZ0YAWjh/8a416TH/5S"}}], "records": {"ftp_password": {"version": 1,
"value": {"nonce": "UGBJVx4LXKSNJzP0", "data": "W6kZp2KM1uD/4r3dAMuzGoRH3RC2gJQYZNQsTDXC"}}, "api": {"version": 1,
"value": {"nonce": "dTxi625L6W4EeScw", "data": "n9ll+J/8j8VQhWIYrh/SSrtLVc3md+zesS4MwMM="}}}}
"""
Tree = dict[str, Any]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "secrets.vault"


@pytest.fixture
def vault(path: Path) -> Vault:
    """Three secrets in four changes; an engine that has it open."""
    vault = _opened(path)
    for name, value in [("a", "first"), ("b", "old"), ("b", "second"), ("c", "third")]:
        vault.set(name, value)
    return vault


def _opened(path: Path) -> Vault:
    vault = Vault(path)
    vault.unlock(passphrase=PASSPHRASE)
    return vault


def _mark(path: Path) -> Path:
    return path.with_name("secrets.vault.known")


def _edit(path: Path, change: Callable[[Tree], object]) -> None:
    tree = json.loads(path.read_bytes())
    change(tree)
    path.write_text(json.dumps(tree))


def _refusal(action: Callable[[], object]) -> ErrorCode:
    with pytest.raises(SkerryError) as caught:
        action()
    return caught.value.entry


def _every_use(vault: Vault) -> list[Callable[[], object]]:
    return [
        vault.check,
        lambda: vault.get("a"),
        lambda: vault.set("new", "value"),
        lambda: vault.remove("a"),
        lambda: vault.rekey(passphrase="another"),
    ]


def _exchange(tree: Tree) -> None:
    records = tree["records"]
    records["a"], records["c"] = records["c"], records["a"]


def _reorder(tree: Tree) -> None:
    tree["records"] = dict(reversed(tree["records"].items()))


def _later(tree: Tree) -> None:
    tree["counter"] += 1


def _other_version(tree: Tree) -> None:
    tree["records"]["b"]["version"] = 1


EDITS = {
    "removed": lambda tree: tree["records"].pop("b"),
    "emptied": lambda tree: tree["records"].clear(),
    "added": lambda tree: tree["records"].update(d=tree["records"]["a"]),
    "exchanged": _exchange,
    "reordered": _reorder,
    "version": _other_version,
    "counter": _later,
    "slot": lambda tree: tree["slots"].append(tree["slots"][0]),
    "seal": lambda tree: tree["seal"].update(data="AAAAAAAAAAAAAAAAAAAAAA=="),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_file_is_noticed_by_every_use_and_left_as_it_is(
    vault: Vault, path: Path, edit: Callable[[Tree], object]
) -> None:
    _edit(path, edit)
    edited = path.read_bytes()

    assert {_refusal(use) for use in _every_use(vault)} == {codes.VAULT_ALTERED}
    assert path.read_bytes() == edited


def test_an_edited_file_is_noticed_by_who_opens_it_later(vault: Vault, path: Path) -> None:
    _edit(path, EDITS["removed"])

    assert {_refusal(use) for use in _every_use(_opened(path))} == {codes.VAULT_ALTERED}


def test_a_job_that_wants_a_removed_secret_hears_that_the_file_was_changed(vault: Vault, path: Path) -> None:
    _edit(path, EDITS["removed"])

    assert _refusal(lambda: vault.get("b")) is codes.VAULT_ALTERED
    assert _refusal(lambda: vault.remove("b")) is codes.VAULT_ALTERED


def test_a_record_put_back_from_an_older_file_is_noticed(path: Path) -> None:
    vault = _opened(path)
    vault.set("a", "before")
    older = json.loads(path.read_bytes())["records"]["a"]
    vault.set("a", "after")
    _edit(path, lambda tree: tree["records"].update(a=older))

    assert _refusal(lambda: vault.get("a")) is codes.VAULT_ALTERED


def test_a_whole_older_file_is_noticed_until_it_is_accepted(vault: Vault, path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "backup")
    vault.set("b", "third")
    vault.remove("c")
    shutil.copy(tmp_path / "backup", path)

    assert {_refusal(use) for use in _every_use(_opened(path))} == {codes.VAULT_OLDER}
    assert _opened(path).accept() == ("a", "b", "c")

    assert _opened(path).get("b") == "second"
    shutil.copy(tmp_path / "backup", path)
    assert _refusal(vault.check) is codes.VAULT_OLDER


def test_a_file_from_before_another_passphrase_was_chosen_is_noticed(
    vault: Vault, path: Path, tmp_path: Path
) -> None:
    shutil.copy(path, tmp_path / "backup")
    vault.rekey(passphrase="another")
    shutil.copy(tmp_path / "backup", path)

    assert _refusal(lambda: vault.get("a")) is codes.VAULT_OLDER
    assert _refusal(lambda: _opened(path).get("a")) is codes.VAULT_OLDER


@pytest.mark.parametrize("content", [None, b"", b"four"], ids=["missing", "empty", "text"])
def test_without_the_mark_beside_it_the_file_has_to_be_accepted(
    vault: Vault, path: Path, content: bytes | None
) -> None:
    _mark(path).unlink()
    if content is not None:
        _mark(path).write_bytes(content)

    assert _refusal(lambda: vault.get("a")) is codes.VAULT_OLDER
    vault.accept()
    assert vault.get("a") == "first"


def test_what_is_accepted_keeps_every_secret_that_is_whole(vault: Vault, path: Path) -> None:
    _edit(path, _exchange)
    vault.accept()

    assert _refusal(lambda: vault.get("a")) is codes.VAULT_DAMAGED
    assert vault.get("b") == "second"
    vault.set("a", "again")
    assert _opened(path).get("a") == "again"


def test_a_cut_between_the_file_and_its_mark_is_no_alarm(vault: Vault, path: Path, tmp_path: Path) -> None:
    shutil.copy(_mark(path), tmp_path / "mark")
    vault.set("a", "after the cut")
    shutil.copy(tmp_path / "mark", _mark(path))

    assert _opened(path).get("a") == "after the cut"
    vault.set("b", "later")
    assert _opened(path).get("b") == "later"


def test_reading_while_others_change_it_is_no_alarm(vault: Vault, path: Path) -> None:
    reader = _opened(path)
    with ThreadPoolExecutor(1) as pool:
        changes = pool.submit(lambda: [vault.set("b", f"value {n}") for n in range(40)])
        seen = {reader.get("a")}
        while not changes.done():
            seen.add(reader.get("a"))
        changes.result()

    assert seen == {"first"}
    assert reader.get("b") == "value 39"


def test_a_file_that_was_moved_away_may_be_made_again(vault: Vault, path: Path, tmp_path: Path) -> None:
    path.rename(tmp_path / "away")
    fresh = _opened(path)
    fresh.set("a", "again")

    assert _opened(path).get("a") == "again"
    shutil.copy(tmp_path / "away", path)
    assert _refusal(lambda: _opened(path).get("a")) is codes.VAULT_OLDER


def test_a_file_of_format_1_opens_and_is_sealed_by_the_next_change(path: Path) -> None:
    path.write_text(FORMAT_1)
    vault = _opened(path)
    assert vault.get("api") == "another value"
    assert json.loads(path.read_bytes())["skerry_secrets"] == 1

    vault.set("new", "a third")

    assert json.loads(path.read_bytes())["skerry_secrets"] == 2
    again = _opened(path)
    assert [again.get(name) for name in again.names()] == ["another value", "hunter2-Secret", "a third"]
    _edit(path, lambda tree: tree["records"].pop("api"))
    assert _refusal(lambda: again.get("ftp_password")) is codes.VAULT_ALTERED
    path.write_text(FORMAT_1)
    assert _refusal(lambda: again.get("ftp_password")) is codes.VAULT_OLDER


def test_a_damaged_secret_of_format_1_hinders_no_other(path: Path) -> None:
    path.write_text(FORMAT_1)
    _edit(path, lambda tree: tree["records"]["api"]["value"].update(data="AAAA"))
    vault = _opened(path)
    vault.set("new", "a third")

    assert _refusal(lambda: vault.get("api")) is codes.VAULT_DAMAGED
    assert vault.get("ftp_password") == "hunter2-Secret"
    vault.set("api", "stored again")
    assert _opened(path).get("api") == "stored again"


def test_taking_the_seal_off_opens_nothing(vault: Vault, path: Path) -> None:
    def as_format_1(tree: Tree) -> None:
        tree["skerry_secrets"] = 1
        del tree["seal"], tree["counter"], tree["records"]["b"]

    _edit(path, as_format_1)
    assert _refusal(lambda: vault.get("a")) is codes.VAULT_OLDER
    _mark(path).unlink()

    assert _refusal(lambda: vault.get("a")) is codes.VAULT_DAMAGED


def test_an_unknown_name_in_a_whole_file_is_only_unknown(vault: Vault) -> None:
    with pytest.raises(Invalid) as caught:
        vault.get("nobody")

    assert caught.value.entry is codes.SECRET_UNKNOWN
