"""The vault keeps values unreadable without its key, and never half written."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.model.codes import secrets as codes
from engine.model.errors import ErrorCode, Invalid, Refused, SkerryError
from engine.secrets import sealing
from engine.secrets import vault as vaults
from engine.secrets.sealing import Sealed
from engine.secrets.vault import Vault

PASSPHRASE = "correct horse 马"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "secrets.json"


@pytest.fixture
def vault(path: Path) -> Vault:
    vault = Vault(path)
    vault.unlock(passphrase=PASSPHRASE)
    vault.set("ftp_password", "hunter2-Secret")
    return vault


def _reopened(path: Path) -> Vault:
    vault = Vault(path)
    vault.unlock(passphrase=PASSPHRASE)
    return vault


def _refusal(action: object, kind: type[SkerryError] = SkerryError) -> ErrorCode:
    with pytest.raises(kind) as caught:
        action()  # type: ignore[operator]
    return caught.value.entry


def test_a_stored_secret_is_read_back_by_another_process_with_the_passphrase(
    vault: Vault, path: Path
) -> None:
    assert _reopened(path).get("ftp_password") == "hunter2-Secret"


def test_no_two_files_have_the_same_salt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vaults, "random_salt", sealing.random_salt)  # tests have one for all

    for name in "ab":
        made = Vault(tmp_path / name)
        made.unlock(passphrase=PASSPHRASE)
        made.set("token", "value")

    one, two = (json.loads((tmp_path / name).read_bytes())["slots"][0]["salt"] for name in "ab")
    assert one != two


def test_names_are_listed_without_a_key(vault: Vault, path: Path) -> None:
    vault.set("api", "another value")

    assert Vault(path).names() == ("api", "ftp_password")


def test_neither_value_nor_key_is_on_the_disk_in_clear(vault: Vault, path: Path) -> None:
    everything = b"".join(each.read_bytes() for each in path.parent.iterdir())

    assert b"hunter2" not in everything
    assert PASSPHRASE.encode() not in everything
    assert (vault._key or b"?").hex().encode() not in everything


def test_the_file_is_its_owners_alone_whatever_the_umask(path: Path) -> None:
    old = os.umask(0)
    try:
        vault = Vault(path)
        vault.unlock(passphrase=PASSPHRASE)
        vault.set("a", "value")
    finally:
        os.umask(old)

    assert {stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()} == {0o600}


def test_a_wrong_passphrase_is_refused(vault: Vault, path: Path) -> None:
    other = Vault(path)

    assert _refusal(lambda: other.unlock(passphrase="guess"), Refused) is codes.WRONG_PASSPHRASE
    assert other.locked


def test_a_locked_vault_tells_how_to_open_it(vault: Vault, path: Path) -> None:
    with pytest.raises(Refused, match=r"SKERRY_PASSPHRASE.*SKERRY_KEY_FILE") as caught:
        Vault(path).get("ftp_password")

    assert caught.value.entry is codes.VAULT_LOCKED
    assert _refusal(lambda: Vault(path).set("b", "value"), Refused) is codes.VAULT_LOCKED
    assert _refusal(lambda: Vault(path).remove("ftp_password"), Refused) is codes.VAULT_LOCKED


def test_locking_forgets_the_key(vault: Vault) -> None:
    vault.lock()

    assert _refusal(lambda: vault.get("ftp_password")) is codes.VAULT_LOCKED


def test_a_key_file_opens_what_was_made_with_it_and_nothing_else_does(path: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(os.urandom(32))
    vault = Vault(path)
    vault.unlock(key_file=key)
    vault.set("a", "the value")

    again = Vault(path)
    again.unlock(key_file=key)

    assert again.get("a") == "the value"
    assert _refusal(lambda: Vault(path).unlock(passphrase="x"), Refused) is codes.WRONG_PASSPHRASE


@pytest.mark.parametrize("variable", ["SKERRY_PASSPHRASE", "SKERRY_PASSPHRASE_FILE"])
def test_the_environment_opens_it_when_the_first_value_is_needed(
    vault: Vault, path: Path, tmp_path: Path, variable: str
) -> None:
    (tmp_path / "phrase").write_text(PASSPHRASE + "\n")
    given = {
        "SKERRY_PASSPHRASE": PASSPHRASE,
        "SKERRY_PASSPHRASE_FILE": str(tmp_path / "phrase"),
    }[variable]
    lazy = Vault(path, {variable: given})

    assert lazy.locked
    assert lazy.get("ftp_password") == "hunter2-Secret"


def test_the_environment_may_name_a_key_file(path: Path, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("what the operator keeps")
    environ = {"SKERRY_KEY_FILE": str(tmp_path / "key")}

    Vault(path, environ).set("a", "the value")

    assert Vault(path, environ).get("a") == "the value"


def test_an_empty_environment_leaves_it_locked(vault: Vault, path: Path) -> None:
    assert Vault(path).unlock(env={"SKERRY_PASSPHRASE": ""}) is False


@pytest.mark.parametrize("content", [None, b"", b"x" * 70_000], ids=["missing", "empty", "huge"])
def test_an_unusable_key_file_is_refused(path: Path, tmp_path: Path, content: bytes | None) -> None:
    key = tmp_path / "key"
    if content is not None:
        key.write_bytes(content)

    assert _refusal(lambda: Vault(path).unlock(key_file=key), Refused) is codes.KEY_FILE


def test_a_passphrase_file_must_be_text(path: Path, tmp_path: Path) -> None:
    (tmp_path / "phrase").write_bytes(b"\xff\xfe")

    refusal = _refusal(lambda: Vault(path).unlock(env={"SKERRY_PASSPHRASE_FILE": str(tmp_path / "phrase")}))

    assert refusal is codes.KEY_FILE


def test_an_unknown_name_is_an_error_with_the_near_one(vault: Vault) -> None:
    with pytest.raises(Invalid, match="did you mean 'ftp_password'") as caught:
        vault.get("ftp_pasword")

    assert caught.value.entry is codes.SECRET_UNKNOWN


def test_a_removed_secret_is_gone(vault: Vault, path: Path) -> None:
    vault.remove("ftp_password")

    assert _reopened(path).names() == ()
    assert _refusal(lambda: vault.remove("ftp_password")) is codes.SECRET_UNKNOWN


@pytest.mark.parametrize("name", ["", "../x", "a b", "-a", "x" * 65, "a\n"])
def test_a_name_that_is_no_id_is_refused(vault: Vault, name: str) -> None:
    assert _refusal(lambda: vault.set(name, "value"), Invalid) is codes.SECRET_NAME


@pytest.mark.parametrize("value", ["", "x" * 70_000, "\ud800"], ids=["empty", "huge", "surrogate"])
def test_a_value_that_cannot_be_kept_is_refused(vault: Vault, value: str) -> None:
    assert _refusal(lambda: vault.set("a", value), Invalid) is codes.SECRET_VALUE


def test_rekeying_voids_the_old_passphrase_and_every_open_vault(
    vault: Vault, path: Path, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("a key file")
    other = _reopened(path)

    vault.rekey(passphrase="a new one", key_file=tmp_path / "key")

    assert vault.get("ftp_password") == "hunter2-Secret"
    assert _refusal(lambda: other.get("ftp_password")) is codes.VAULT_LOCKED
    assert _refusal(lambda: other.unlock(passphrase=PASSPHRASE)) is codes.WRONG_PASSPHRASE
    assert Vault(path, {"SKERRY_KEY_FILE": str(tmp_path / "key")}).get("ftp_password") == "hunter2-Secret"
    assert Vault(path, {"SKERRY_PASSPHRASE": "a new one"}).get("ftp_password") == "hunter2-Secret"
    assert _refusal(lambda: vault.rekey()) is codes.WRONG_PASSPHRASE


def test_a_record_moved_to_another_name_does_not_open(vault: Vault, path: Path) -> None:
    vault.set("other", "some value")
    tree = json.loads(path.read_bytes())
    tree["records"]["other"] = tree["records"]["ftp_password"]
    path.write_text(json.dumps(tree))
    vault.accept()

    assert _refusal(lambda: vault.get("other")) is codes.VAULT_DAMAGED
    assert vault.get("ftp_password") == "hunter2-Secret"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "nonsense", '{"skerry_secrets": 1, "slots": [1]}', "[" * 100_000]
)
def test_a_file_that_is_none_of_ours_is_reported(path: Path, text: str) -> None:
    path.write_text(text)

    assert _refusal(lambda: Vault(path).unlock(passphrase="x")) is codes.VAULT_DAMAGED


def test_a_newer_format_is_refused(path: Path) -> None:
    path.write_text('{"skerry_secrets": 3}')

    assert _refusal(lambda: Vault(path).names(), Refused) is codes.VAULT_NEWER


def test_what_is_not_sealed_is_never_stored(
    vault: Vault, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()
    monkeypatch.setattr("engine.secrets.vault.seal", lambda key, plain, label: Sealed(b"", plain))

    assert _refusal(lambda: vault.set("b", "in clear")) is codes.VAULT_UNWRITTEN
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.glob("*.tmp")] == []


def test_a_failing_disk_leaves_the_old_file(
    vault: Vault, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("engine.secrets.vault_file.os.fsync", full)

    assert _refusal(lambda: vault.set("b", "value")) is codes.VAULT_UNWRITTEN
    assert path.read_bytes() == before


def test_a_missing_folder_is_a_coded_error(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "missing" / "secrets.json")
    vault.unlock(passphrase="x")

    assert _refusal(lambda: vault.set("a", "value")) is codes.VAULT_UNWRITTEN


def test_writers_at_the_same_time_lose_nothing(vault: Vault, path: Path) -> None:
    others = [_reopened(path) for _ in range(4)]

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: others[n % 4].set(f"s{n}", f"value {n}"), range(20)))

    assert {vault.get(f"s{n}") for n in range(20)} == {f"value {n}" for n in range(20)}
