"""secret: values come from standard input only, and never come out again."""

from pathlib import Path

import pytest

from tests.api.fake_service import FakeService
from tests.cli.conftest import Skerry


@pytest.fixture(autouse=True)
def _passphrase(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKERRY_PASSPHRASE", "open sesame")


def test_a_secret_is_set_listed_and_removed(skerry: Skerry, workspace: Path) -> None:
    stored = skerry("secret", "set", "ftp", input="pa ss\nwörd\n")

    assert stored.status == 0
    assert skerry("secret", "list", "--json").document == {"secrets": ["ftp"]}
    assert skerry("secret", "list").out == "ftp\n"
    assert "pa ss" not in stored.out + stored.err
    assert b"pa ss" not in (workspace / "secrets.vault").read_bytes()
    assert skerry("secret", "remove", "ftp", "--json").document == {"secret": "ftp"}
    assert skerry("secret", "list").out == ""


def test_the_value_is_all_of_the_input_but_its_last_newline(skerry: Skerry, workspace: Path) -> None:
    from app import wiring

    skerry("secret", "set", "x", input="a\n\nb\n\n")

    assert wiring.open_vault(wiring.open_workspace(workspace)).get("x") == "a\n\nb\n"


def test_a_value_is_no_argument(skerry: Skerry) -> None:
    assert skerry("secret", "set", "x", "value").status == 2


def test_without_a_passphrase_it_is_refused(skerry: Skerry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SKERRY_PASSPHRASE")

    answer = skerry(
        "secret",
        "set",
        "x",
        input="v",
    )

    assert answer.status == 3
    assert answer.err.startswith("error -160")


def test_an_unknown_secret_is_wrong_use(skerry: Skerry) -> None:
    skerry("secret", "set", "x", input="v")

    assert skerry("secret", "remove", "nobody").status == 2


def test_another_passphrase_voids_the_old_one(skerry: Skerry, monkeypatch: pytest.MonkeyPatch) -> None:
    skerry("secret", "set", "ftp", input="a value")

    answer = skerry("secret", "rekey", input="a new one\n")

    assert answer.status == 0
    assert "skerry secret unlock" in answer.out
    assert skerry("secret", "set", "ftp", input="b").status == 3
    monkeypatch.setenv("SKERRY_PASSPHRASE", "a new one")
    assert skerry("secret", "set", "ftp", input="b").status == 0


def test_a_key_file_may_open_them_instead(
    skerry: Skerry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_bytes(b"0123456789")
    skerry("secret", "set", "ftp", input="a value")

    assert skerry("secret", "rekey", "--key-file", str(tmp_path / "key"), "--json").document == {
        "rekeyed": True
    }
    monkeypatch.delenv("SKERRY_PASSPHRASE")
    monkeypatch.setenv("SKERRY_KEY_FILE", str(tmp_path / "key"))
    assert skerry("secret", "set", "ftp", input="b").status == 0


def test_where_no_secrets_are_nothing_is_sealed_again(skerry: Skerry, workspace: Path) -> None:
    assert skerry("secret", "rekey", "--json", input="new\n").document == {"rekeyed": False}
    assert not (workspace / "secrets.vault").exists()


@pytest.mark.parametrize("given", ["", "\n"])
def test_an_empty_passphrase_changes_nothing(skerry: Skerry, given: str) -> None:
    skerry("secret", "set", "ftp", input="a value")

    assert skerry("secret", "rekey", input=given).status == 3
    assert skerry("secret", "set", "ftp", input="b").status == 0


def test_an_older_file_that_was_put_back_is_used_again_when_it_is_accepted(
    skerry: Skerry, workspace: Path
) -> None:
    skerry("secret", "set", "ftp", input="old")
    older = (workspace / "secrets.vault").read_bytes()
    skerry("secret", "set", "ftp", input="new")
    (workspace / "secrets.vault").write_bytes(older)

    refused = skerry("secret", "set", "mail", input="x")

    assert refused.status == 3
    assert refused.err.startswith("error -16001011000")
    assert "skerry secret accept" in refused.err
    answer = skerry("secret", "accept")
    assert (answer.status, answer.out) == (0, "the secret file is accepted\nftp\n")
    assert skerry("secret", "set", "mail", input="x").status == 0
    assert skerry("secret", "accept", "--json").document == {"secrets": ["ftp", "mail"]}


def test_where_no_secrets_are_there_is_nothing_to_accept(skerry: Skerry) -> None:
    assert skerry("secret", "accept").out == "no secrets are stored\n"


def test_without_an_engine_there_is_nobody_to_unlock_them_for(skerry: Skerry) -> None:
    answer = skerry("secret", "unlock", input="open sesame\n")

    assert answer.status == 3
    assert "no engine runs" in answer.err


def test_the_running_engine_receives_the_passphrase(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("secret", "unlock", "--json", input="open sesame\n")

    assert answer.document == {"stored": 1, "locked": False}
    assert service.asked == [("unlock", "open sesame")]
