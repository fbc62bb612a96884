"""Files of a run are read without following links, only as plain files, and only up to a size."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.context import DirectFiles, is_reference, read_reference, reference
from engine.model.codes.expressions import UNREADABLE, VALUE_TOO_BIG, WRONG_KIND
from engine.model.errors import SkerryError

FILES = DirectFiles()


def test_a_plain_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").write_bytes(b"data")
    assert FILES.read(str(tmp_path), "a/b/c") == b"data"
    assert FILES.read(str(tmp_path), "a/b/c", limit=4) == b"data"


def test_a_file_that_is_too_big_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"data")
    with pytest.raises(SkerryError) as caught:
        FILES.read(str(tmp_path), "a", limit=3)
    assert caught.value.entry is VALUE_TOO_BIG


@pytest.mark.parametrize(
    "name",
    [
        "gone",
        "folder",
        "link",
        "linked/file",
        "pipe",
        "../x",
        "/etc/hostname",
        "",
        "a//b",
        "./file",
        "file/x",
    ],
)
def test_anything_but_a_plain_way_to_a_plain_file_is_refused(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / "file").write_bytes(b"1")
    (tmp_path / "x").write_bytes(b"1")
    (root / "link").symlink_to(root / "file")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_bytes(b"1")
    (root / "linked").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(root / "pipe")
    open_before = len(os.listdir("/proc/self/fd"))

    with pytest.raises(SkerryError) as caught:
        FILES.read(str(root), name)

    assert caught.value.entry is UNREADABLE
    assert len(os.listdir("/proc/self/fd")) == open_before


def test_a_reference_reads_back_as_its_kind(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(b"[1]")
    assert read_reference(reference("r", b"[1]", "list"), str(tmp_path), FILES) == [1]
    assert read_reference(reference("r", b"[1]", "text"), str(tmp_path), FILES) == "[1]"
    with pytest.raises(SkerryError) as caught:
        read_reference(reference("r", b"[1]", "map"), str(tmp_path), FILES)
    assert caught.value.entry is WRONG_KIND


def test_only_a_whole_reference_is_one() -> None:
    whole = reference("a", b"x")
    assert is_reference(whole)
    assert is_reference({**whole, "kind": "list"})
    for other in (
        {},
        None,
        "x",
        {"$file": "a"},
        {**whole, "more": 1},
        {**whole, "size": "1"},
        {**whole, "$file": 1},
    ):
        assert not is_reference(other)
