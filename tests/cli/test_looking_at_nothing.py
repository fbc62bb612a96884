"""Commands that only look make nothing: a mistyped workspace is an error, an empty one is empty."""

from pathlib import Path

import pytest

from tests.cli.conftest import Skerry

LOOKS = [("list",), ("show", "1"), ("logs", "1"), ("tasks", "list"), ("dump",), ("stats",), ("audit", "list")]


@pytest.mark.parametrize("command", LOOKS, ids=" ".join)
def test_a_workspace_that_is_not_there_is_not_made(
    skerry: Skerry, tmp_path: Path, command: tuple[str, ...]
) -> None:
    answer = skerry(*command, "--workspace", str(tmp_path / "mistyped"), "--json")

    assert answer.status == 2
    assert answer.document["error"]["code"] == -10190031000
    assert not (tmp_path / "mistyped").exists()


def test_a_folder_with_other_things_is_no_workspace_and_stays_as_it_is(
    skerry: Skerry, tmp_path: Path
) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "sea.jpg").touch()

    answer = skerry("list", "--workspace", str(tmp_path / "photos"))

    assert answer.status == 2
    assert [each.name for each in (tmp_path / "photos").iterdir()] == ["sea.jpg"]


def test_an_empty_folder_is_an_empty_workspace(skerry: Skerry, tmp_path: Path) -> None:
    (tmp_path / "fresh").mkdir()

    answer = skerry("list", "--workspace", str(tmp_path / "fresh"), "--json")

    assert (answer.status, answer.document) == (0, {"instances": []})


def test_the_users_own_workspace_needs_no_making(
    skerry: Skerry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("SKERRY_WORKSPACE", "")

    assert skerry("list", "--json").document == {"instances": []}
