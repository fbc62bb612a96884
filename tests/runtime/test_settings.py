"""``workspace.yaml``: every mistake at once, with its place and what was probably meant."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from engine.model.codes.runtime import SETTINGS_INVALID
from engine.model.codes.store import DISK_FULL
from engine.model.errors import Invalid, SkerryError
from engine.runtime.settings import Settings, read_settings
from engine.runtime.workspace import Workspace


def messages(file: Path, text: str) -> list[str]:
    """What is found in such settings, without the name of the file."""
    file.write_text(text)
    with pytest.raises(Invalid) as caught:
        read_settings(file)
    assert caught.value.code == SETTINGS_INVALID.number
    return caught.value.message.replace(f"{file}:", "").split("; ")


def test_every_mistake_is_reported_at_once_with_its_place_and_a_hint(tmp_path: Path) -> None:
    found = messages(
        tmp_path / "workspace.yaml",
        "place: 4\nlanguage: english\ngrace: soon\nretention:\n  tasks: {t: {dayz: 3}}\ntimezone: Mars/Olympus\n",
    )

    assert [each.partition(": ")[0] for each in found if ":" in each] == [
        "1:1", "2:11", "3:8", "5:15", "6:11",
    ]  # fmt: skip
    assert found[:2] == ["1:1: unknown key `place`", "did you mean `places`?"]
    assert "did you mean `days`?" in found
    assert not any("pydantic" in each for each in found)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("places: 2\nplaces: 3\n", "2:1"),
        ("- a\n", "1:1"),
        ("places: [\n", "2:1"),
        ("grace: 1\n\tx: 2\n", "2:1"),
    ],
)
def test_what_is_no_map_of_settings_is_reported_with_its_place(tmp_path: Path, text: str, place: str) -> None:
    assert messages(tmp_path / "workspace.yaml", text)[0].startswith(f"{place}: ")


def test_all_findings_are_there_for_programs_too(tmp_path: Path) -> None:
    file = tmp_path / "workspace.yaml"
    file.write_text("".join(f"key{number}: 1\n" for number in range(9)))

    with pytest.raises(Invalid) as caught:
        read_settings(file)

    assert caught.value.message.endswith("and 4 more")
    assert len(caught.value.details["findings"]) == 9  # type: ignore[arg-type]
    assert caught.value.where == f"{file}:1:1"


@pytest.mark.parametrize("text", ["", "# nothing\n\n", "\n"])
def test_every_key_may_be_left_out(tmp_path: Path, text: str) -> None:
    file = tmp_path / "workspace.yaml"
    file.write_text(text)

    assert read_settings(file) == Settings()


def test_settings_follow_yaml_1_2(tmp_path: Path) -> None:
    file = tmp_path / "workspace.yaml"
    file.write_text("places: 012\ngrace: 1m30s\nenvironment: [no]\n")

    assert read_settings(file) == Settings(places=12, grace=90.0, environment=("no",))


def test_a_full_disk_is_named_when_the_workspace_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "mkdir", refuse)

    with pytest.raises(SkerryError) as caught:
        Workspace.open(tmp_path / "w")

    assert caught.value.code == DISK_FULL.number
