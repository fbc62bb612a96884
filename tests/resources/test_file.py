"""The check of a file on real files; what is wrong is an answer with its code."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.resources import RESOURCE_UNFIT
from engine.model.codes.runtime import CANCELLED
from engine.plugins.resource_type import CheckResult, ResolvedResource
from resources import file
from resources.file import File

NOW = 2_000_000_000.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "in 马.csv"
    path.write_bytes(b"a;b\n1;2\n")
    os.utime(path, (NOW - 3600, NOW - 3600))
    return path


def _check(uri: object, **check: Any) -> CheckResult:
    return File(lambda: NOW).check(ResolvedResource("in", "file", str(uri), {}, check))


def test_a_file_that_is_there_is_ok(path: Path) -> None:
    result = _check(path)

    assert (result.ok, result.code) == (True, 0)
    assert result.details == {
        "path": str(path), "size": 8, "modified": "2033-05-18T02:33:20.000000+00:00", "age": 3600.0,
    }  # fmt: skip
    assert set(result.as_map()) == {"ok", "message", "details", "took"}


@pytest.mark.parametrize("form", ["{}", "file://{}", "file://localhost{}", "file:{}"])
def test_a_path_may_be_a_uri(path: Path, form: str) -> None:
    from urllib.parse import quote

    text = form.format(quote(str(path)) if form != "{}" else path)

    assert _check(text).details["path"] == str(path)


@pytest.mark.parametrize("uri", ["", "file://", "file://elsewhere/x", "a\0b", "file:///a%00b"])
def test_what_is_no_path_is_reported(uri: str) -> None:
    assert _check(uri).code == file.NO_PATH.number


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    assert _check(tmp_path / "x").code == file.MISSING.number
    assert _check(tmp_path / "x", exists=True).code == file.MISSING.number
    assert _check(tmp_path / "x", readable=True).code == file.MISSING.number
    assert _check(tmp_path / "x", min_size=0).code == file.MISSING.number


def test_a_file_below_a_file_is_missing(path: Path) -> None:
    assert _check(path / "x").code == file.MISSING.number


def test_a_file_may_have_to_be_absent(path: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")

    assert _check(tmp_path / "x", exists=False).ok
    assert _check(path, exists=False).code == file.THERE.number
    assert _check(tmp_path / "link", exists=False).code == file.THERE.number


def test_a_file_must_open_for_reading(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _check(path, readable=True).ok
    assert _check(tmp_path, readable=True).ok

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("resources.file.os.open", refuse)
    assert _check(path, readable=True).code == file.UNREADABLE.number
    assert _check(path, sha256="0" * 64).code == file.UNREADABLE.number


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_entered_is_reported(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)

    assert _check(closed / "x").code == file.UNREADABLE.number


def test_a_name_that_is_too_long_is_reported() -> None:
    assert _check("/tmp/" + "x" * 5000).code == file.UNREADABLE.number


@pytest.mark.parametrize(("size", "ok"), [(8, True), ("8B", True), (9, False), ("1KB", False)])
def test_the_size_is_compared(path: Path, size: object, ok: bool) -> None:
    assert _check(path, min_size=size).code == (0 if ok else file.TOO_SMALL.number)


@pytest.mark.parametrize(("age", "ok"), [("1h", True), (3600, True), ("59m", False), (0, False)])
def test_the_age_is_compared(path: Path, age: object, ok: bool) -> None:
    assert _check(path, max_age=age).code == (0 if ok else file.TOO_OLD.number)


def test_a_file_from_the_future_is_new(path: Path) -> None:
    os.utime(path, (NOW + 60, NOW + 60))

    assert _check(path, max_age=0).ok


def test_the_room_on_the_disk_is_compared_also_where_the_file_is_not_there_yet(tmp_path: Path) -> None:
    result = _check(tmp_path / "new" / "file", min_free="1B")

    assert result.ok
    assert result.details["free"] > 0
    assert result.details["there"] is False
    assert _check(tmp_path / "new", min_free="1000000TB").code == file.NO_ROOM.number
    assert _check(tmp_path / "new", min_free=1, exists=True).code == file.MISSING.number


def test_the_content_is_compared(path: Path) -> None:
    wanted = hashlib.sha256(path.read_bytes()).hexdigest()

    assert _check(path, sha256=f" {wanted.upper()}\n").ok
    assert _check(path, sha256="0" * 64).code == file.OTHER_CONTENT.number


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_has_no_content_is_reported_and_never_waited_for(tmp_path: Path, kind: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()

    assert _check(tmp_path / kind, sha256="0" * 64).code == file.UNREADABLE.number


def test_a_check_can_be_cancelled(path: Path) -> None:
    resource = ResolvedResource("in", "file", str(path), {}, {"sha256": "0" * 64})

    assert File().check(resource, lambda hook: hook()).code == CANCELLED.number


@pytest.mark.parametrize("check", [{"size": 1}, {"min_size": "big"}, {"sha256": "abc"}, {"exists": "yes"}])
def test_keys_that_do_not_fit_are_an_answer_that_names_them(path: Path, check: dict[str, Any]) -> None:
    result = _check(path, **check)

    assert result.code == RESOURCE_UNFIT.number
    assert f"check.{next(iter(check))}" in result.message


def test_an_unforeseen_trouble_is_an_answer(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("resources.clients.file_places._status", broken)

    result = _check(path)

    assert not result.ok
    assert result.message.startswith("a mistake of the program, at test_file.py:")
    assert result.code != 0
