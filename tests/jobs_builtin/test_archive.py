"""Archives of every form are the same each time, are unpacked by other programs, and never follow a link."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.codes import jobs as common
from engine.model.codes.runtime import CANCELLED
from engine.model.errors import ErrorCode, SkerryError
from engine.plugins import files
from engine.plugins.job_type import Cancel
from engine.testing import call_of
from jobs_builtin.archive import Archive
from jobs_builtin.archives import packing
from jobs_builtin.extract import Extract
from tests.effort import effort

FORMS = ["a.zip", "a.tar", "a.tar.gz", "a.tgz", "a.tar.xz", "a.txz", "a.tar.zst", "a.TZST"]


def packed(directory: Path, target: str, *names: str) -> dict[str, Any]:
    return dict(Archive().call(call_of(Archive(), directory, {"files": list(names), "target": target})))


def refused(directory: Path, target: str, *names: str) -> ErrorCode:
    with pytest.raises(SkerryError) as caught:
        packed(directory, target, *names)
    assert not (directory / target).exists()
    assert not list(directory.glob(".skerry-*"))
    return caught.value.entry


def contents(folder: Path) -> dict[str, bytes | None]:
    """Every file below a folder, and every folder as None."""
    found = sorted(folder.rglob("*"))
    return {str(each.relative_to(folder)): None if each.is_dir() else each.read_bytes() for each in found}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with a program, a name in Chinese, an empty file and an empty folder; a file beside it."""
    (tmp_path / "data" / "empty").mkdir(parents=True)
    (tmp_path / "data" / "b.txt").write_bytes(b"b" * 100_000)
    (tmp_path / "data" / "港口.csv").write_bytes("甲,乙\n".encode())
    (tmp_path / "data" / "none").write_bytes(b"")
    (tmp_path / "data" / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "data" / "run.sh").chmod(0o750)
    (tmp_path / "note.txt").write_text("note")
    return tmp_path


@pytest.mark.parametrize("form", FORMS)
def test_what_is_packed_comes_out_the_same(tree: Path, form: str) -> None:
    result = packed(tree, form, "data", "note.txt")

    Extract().call(call_of(Extract(), tree, {"path": form, "target": "out"}))

    assert contents(tree / "out" / "data") == contents(tree / "data")
    assert (tree / "out" / "note.txt").read_text() == "note"
    assert os.access(tree / "out" / "data" / "run.sh", os.X_OK)
    assert not os.access(tree / "out" / "note.txt", os.X_OK)
    assert result["path"] == str(tree / form)
    assert result["size"] == (tree / form).stat().st_size
    assert result["files"] == ["data/b.txt", "data/none", "data/run.sh", "data/港口.csv", "note.txt"]


@pytest.mark.parametrize("form", FORMS)
def test_the_same_content_gives_the_same_bytes_whenever_and_by_whom_it_was_written(
    tree: Path, form: str
) -> None:
    first = tree / "first" / form
    first.parent.mkdir()
    packed(tree, str(first), "data", "note.txt")
    copy = tree / "copy"
    for each in sorted((tree / "data").iterdir(), reverse=True):  # the disk lists them in another order
        (copy / "data").mkdir(parents=True, exist_ok=True)
        (shutil.copytree if each.is_dir() else shutil.copy)(each, copy / "data" / each.name)
        os.utime(copy / "data" / each.name, (1, 1))
    shutil.copy(tree / "note.txt", copy)

    packed(copy, form, "data", "note.txt")

    assert (copy / form).read_bytes() == first.read_bytes()


@pytest.mark.parametrize("form", ["a.gz", "a.csv.xz", "a.zst"])
def test_a_single_file_is_compressed_without_a_tar(tree: Path, form: str) -> None:
    packed(tree, form, "data/b.txt")

    files = Extract().call(call_of(Extract(), tree, {"path": form, "target": "out"}))["files"]

    assert [Path(each).read_bytes() for each in files] == [b"b" * 100_000]
    assert refused(tree, "b.gz", "data/b.txt", "note.txt") is common.PARAMETER
    assert refused(tree, "b.gz", "data") is common.PARAMETER


def test_other_programs_unpack_them(tree: Path) -> None:
    packed(tree, "a.tar.gz", "data")
    packed(tree, "a.zip", "data")
    (tree / "out").mkdir()

    subprocess.run(["tar", "-xzf", "a.tar.gz", "-C", "out"], cwd=tree, check=True)

    assert contents(tree / "out" / "data") == contents(tree / "data")
    with zipfile.ZipFile(tree / "a.zip") as archive:
        assert archive.testzip() is None
    with tarfile.open(tree / "a.tar.gz") as tar:
        owners = {(each.uid, each.gid, each.uname, each.mtime) for each in tar.getmembers()}
    assert owners == {(0, 0, "", 0)}


@pytest.mark.parametrize("form", ["a.zip", "a.tar"])
def test_links_and_pipes_are_refused_wherever_they_are(tree: Path, form: str) -> None:
    (tree / "data" / "link").symlink_to("/etc/passwd")
    assert refused(tree, form, "data") is common.NOT_A_FILE
    (tree / "data" / "link").unlink()
    os.mkfifo(tree / "data" / "pipe")
    assert refused(tree, form, "data") is common.NOT_A_FILE
    (tree / "way").symlink_to("note.txt")
    assert refused(tree, form, "way") is common.NOT_A_FILE


def test_what_does_not_fit_is_refused_before_anything_is_written(tree: Path) -> None:
    (tree / "other" / "data").mkdir(parents=True)

    assert refused(tree, "a.rar", "data") is common.PARAMETER
    assert refused(tree, "a", "data") is common.PARAMETER
    assert refused(tree, "a.tar", "data", "other/data") is common.PARAMETER
    assert refused(tree, "data/a.tar", "data") is common.PARAMETER
    assert refused(tree, "a.tar", "data", "missing") is common.MISSING
    assert refused(tree, "no/such/a.tar", "data") is common.MISSING


def test_a_name_that_is_no_text_fits_into_a_tar_only(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/data/\xff")).write_bytes(b"1")

    assert refused(tmp_path, "a.zip", "data") is common.PARAMETER
    packed(tmp_path, "a.tar", "data")
    with tarfile.open(tmp_path / "a.tar") as tar:
        assert [os.fsencode(each.name) for each in tar.getmembers()] == [b"data", b"data/\xff"]


def test_an_archive_that_is_there_is_kept_when_something_fails(tree: Path) -> None:
    (tree / "a.tar").write_bytes(b"old")

    with pytest.raises(SkerryError):
        packed(tree, "a.tar", "data", "missing")

    assert (tree / "a.tar").read_bytes() == b"old"


@pytest.mark.parametrize("change", [b"longer and longer", b""], ids=["longer", "shorter"])
def test_a_file_that_changes_meanwhile_is_an_error(
    tree: Path, monkeypatch: pytest.MonkeyPatch, change: bytes
) -> None:
    def opened_late(path: Path) -> Any:
        path.write_bytes(change)
        return files.open_regular(path)

    monkeypatch.setattr(packing, "open_regular", opened_late)

    assert refused(tree, "a.tar", "note.txt") is common.TROUBLE


def test_a_stop_ends_it_and_leaves_nothing(tree: Path) -> None:
    stop = Cancel()
    call = call_of(Archive(), tree, {"files": ["data"], "target": "a.zip"}, cancel=stop)
    stop.request()

    with pytest.raises(SkerryError) as caught:
        Archive().call(call)

    assert caught.value.entry is CANCELLED
    assert not (tree / "a.zip").exists()


@settings(max_examples=effort(20, 300), deadline=None)
@given(
    st.dictionaries(
        st.text(
            st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="/"), min_size=1, max_size=20
        ).filter(lambda name: name not in (".", "..") and len(name.encode()) < 200),
        st.binary(max_size=300),
        max_size=6,
    ),
    st.sampled_from(["a.zip", "a.tar", "a.tar.zst"]),
)
def test_whatever_the_names_and_contents_are_stock_readers_find_them(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, bytes], form: str
) -> None:
    directory = tmp_path_factory.mktemp("any")
    (directory / "data").mkdir()
    for name, data in content.items():
        (directory / "data" / name).write_bytes(data)

    packed(directory, form, "data")

    assert _read(directory / form) == {f"data/{name}": data for name, data in content.items()}


def _read(path: Path) -> dict[str, bytes]:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return {each: archive.read(each) for each in archive.namelist() if not each.endswith("/")}
    data = path.read_bytes()
    plain = zstandard.ZstdDecompressor().stream_reader(data).read() if path.suffix == ".zst" else data
    with tarfile.open(fileobj=io.BytesIO(plain)) as tar:
        found = ((each.name, tar.extractfile(each)) for each in tar.getmembers())
        return {name: part.read() for name, part in found if part is not None}
