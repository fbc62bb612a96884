"""A workspace whose folder others can write is closed to them before anything is read from it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.model.codes.commands import OPEN_TO_OTHERS
from engine.model.errors import Refused
from engine.runtime.workspace import Workspace


def test_the_rights_of_others_are_taken_away_and_it_is_said(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "w")
    (tmp_path / "w").chmod(0o777)

    said = workspace.keep_others_out()

    assert "0777" in said
    assert "0755" in said
    assert (tmp_path / "w").stat().st_mode & 0o777 == 0o755
    assert workspace.keep_others_out() == ""


@pytest.mark.parametrize("name", ["instances", "skerry.db", "workspace.yaml"])
def test_what_the_engine_writes_is_closed_to_others_too(tmp_path: Path, name: str) -> None:
    workspace = Workspace.open(tmp_path / "w")
    path = tmp_path / "w" / name
    if not path.exists():
        path.touch()
    path.chmod(0o777)
    (tmp_path / "w" / "shared.yaml").touch(0o666)
    (tmp_path / "w" / "shared.yaml").chmod(0o666)

    said = workspace.keep_others_out()

    assert str(path) in said
    assert path.stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "w" / "shared.yaml").stat().st_mode & 0o777 == 0o666, "what people share is theirs"
    assert workspace.keep_others_out() == ""


def test_what_is_not_ours_to_change_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace.open(tmp_path / "w")
    (tmp_path / "w").chmod(0o770)

    def denied(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "chmod", denied)
    with pytest.raises(Refused) as caught:
        workspace.keep_others_out()

    assert caught.value.entry == OPEN_TO_OTHERS
