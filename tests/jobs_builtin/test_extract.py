"""Sound archives of every format are unpacked; names, rights and existing files are treated as documented."""

from __future__ import annotations

import os
import stat
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.codes import jobs as common
from engine.model.codes.runtime import CANCELLED
from engine.model.errors import SkerryError
from engine.plugins.job_type import Cancel
from engine.testing import call_of
from jobs_builtin.archives import codes
from jobs_builtin.extract import Extract
from tests.effort import effort
from tests.jobs_builtin.packing import (
    PACK,
    TREE,
    entry,
    tar_of,
    tar_tree,
    unicode_path,
    zip_of,
    zip_raw,
    zip_tree,
)


def extract(directory: Path, data: bytes, name: str = "archive", **params: Any) -> list[str]:
    """The names below the target that the job gives."""
    (directory / name).write_bytes(data)
    found = Extract().call(call_of(Extract(), directory, {"path": name, **params}))
    target = directory / params.get("target", "extracted")
    assert all(os.path.isabs(path) for path in found["files"])
    return [str(Path(path).relative_to(target)) for path in found["files"]]


def tree_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


ARCHIVES = {
    "zip": zip_tree(TREE),
    "tar": tar_tree(TREE),
    "gnu tar": tar_tree(TREE, tarfile.GNU_FORMAT),
    "old tar": tar_tree(TREE, tarfile.USTAR_FORMAT),
    **{f"tar.{name}": pack(tar_tree(TREE)) for name, pack in PACK.items()},
}


@pytest.mark.parametrize("form", ARCHIVES)
def test_an_archive_of_any_format_is_recognized_by_its_content(tmp_path: Path, form: str) -> None:
    files = extract(tmp_path, ARCHIVES[form], "no-ending")

    assert files == list(TREE)
    assert tree_of(tmp_path / "extracted") == TREE


@pytest.mark.parametrize("ending", PACK)
def test_a_single_compressed_file_takes_the_archives_name(tmp_path: Path, ending: str) -> None:
    files = extract(tmp_path, PACK[ending](b"text\n" * 10), f"day.csv.{ending}")

    assert files == ["day.csv"]
    assert (tmp_path / "extracted" / "day.csv").read_bytes() == b"text\n" * 10


def test_a_compressed_file_without_an_ending_gets_one(tmp_path: Path) -> None:
    assert extract(tmp_path, PACK["gz"](b"1"), "blob") == ["blob.out"]


def test_the_name_that_gz_carries_inside_is_not_used(tmp_path: Path) -> None:
    inside = b"\x1f\x8b\x08\x08" + PACK["gz"](b"1")[4:10] + b"../evil\0" + PACK["gz"](b"1")[10:]

    assert extract(tmp_path, inside, "a.gz") == ["a"]


@pytest.mark.parametrize("ending", PACK)
def test_frames_one_after_the_other_are_one_file(tmp_path: Path, ending: str) -> None:
    pack = PACK[ending]

    extract(tmp_path, pack(b"one,") + pack(b"") + pack(b"two"), f"a.{ending}")

    assert (tmp_path / "extracted" / "a").read_bytes() == b"one,two"


def test_zst_frames_to_be_skipped_are_skipped(tmp_path: Path) -> None:
    skipped = b"\x52\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"notes"

    extract(tmp_path, skipped + PACK["zst"](b"data") + skipped, "a.zst")

    assert (tmp_path / "extracted" / "a").read_bytes() == b"data"


def test_content_bigger_than_a_step_of_every_codec_stays_the_same(tmp_path: Path) -> None:
    data = os.urandom(3_000_000) + bytes(5_000_000)
    for ending, pack in PACK.items():
        extract(tmp_path, pack(data), f"a.{ending}", target=ending)
        assert (tmp_path / ending / "a").read_bytes() == data


@settings(max_examples=effort(20, all=40))
@given(
    tree=st.dictionaries(
        st.lists(st.sampled_from(["a", "b1", "港", "x.y", "-f"]), min_size=1, max_size=4).map(
            lambda steps: "/".join([*steps, f"{len(steps)}.txt"])
        ),
        st.binary(max_size=300),
        max_size=6,
    ),
    form=st.sampled_from(["zip", "tar", "gz", "zst"]),
)
def test_what_was_packed_comes_out(
    tmp_path_factory: pytest.TempPathFactory, tree: dict[str, bytes], form: str
) -> None:
    directory = tmp_path_factory.mktemp("extract")
    data = zip_tree(tree) if form == "zip" else PACK.get(form, bytes)(tar_tree(tree or {"a": b""}))

    extract(directory, data)

    assert tree_of(directory / "extracted") == (tree if form == "zip" else tree or {"a": b""})


def test_names_of_chinese_windows_zips_are_read(tmp_path: Path) -> None:
    names = ["港口/报表.txt".encode("gbk"), "说明\\一.txt".encode("gbk"), b"plain.txt"]

    assert extract(tmp_path, zip_raw(names)) == ["港口/报表.txt", "说明/一.txt", "plain.txt"]


def test_names_of_zips_that_are_utf8_without_the_mark_are_read(tmp_path: Path) -> None:
    assert extract(tmp_path, zip_raw(["港口.txt".encode(), "é.txt".encode()])) == ["港口.txt", "é.txt"]


def test_another_encoding_of_names_can_be_given(tmp_path: Path) -> None:
    data = zip_raw(["港口.txt".encode("big5"), "テスト.txt".encode("big5")])

    assert extract(tmp_path, data, encoding="big5") == ["港口.txt", "テスト.txt"]


def test_names_in_no_known_encoding_are_read_as_the_zip_format_says(tmp_path: Path) -> None:
    assert extract(tmp_path, zip_raw([b"caf\x82", b"\xff"])) == ["café", "\xa0"]


def test_the_name_in_info_zips_own_field_wins(tmp_path: Path) -> None:
    raw = b"__.txt"

    assert extract(tmp_path, zip_raw([raw], extra=unicode_path(raw, "港口.txt"))) == ["港口.txt"]
    assert extract(tmp_path, zip_raw([raw], extra=unicode_path(b"other", "x.txt"))) == ["__.txt"]


def test_names_of_chinese_windows_tars_are_read(tmp_path: Path) -> None:
    name = "港口.txt".encode("gbk").decode("utf-8", "surrogateescape")

    assert extract(tmp_path, tar_of([entry(name)], tarfile.GNU_FORMAT)) == ["港口.txt"]


def test_long_names_are_kept_in_both_dialects_of_tar(tmp_path: Path) -> None:
    name = "/".join(["folder" * 5] * 6 + ["港" * 60])

    for number, form in enumerate((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT)):
        assert extract(tmp_path, tar_tree({name: b"x"}, form), target=str(number)) == [name]


def test_folders_come_out_also_when_empty_and_dots_are_looked_through(tmp_path: Path) -> None:
    folder = {"type": tarfile.DIRTYPE, "mode": 0o755}
    members = [entry(".", b"", **folder), entry("./sub", b"", **folder), entry("sub", b"", **folder)]

    assert extract(tmp_path, tar_of([*members, entry("./sub//a")])) == ["sub/a"]
    assert extract(tmp_path, zip_of([(zipfile.ZipInfo("empty/"), b"")]), target="z") == []
    assert (tmp_path / "z" / "empty").is_dir()


def test_only_the_right_to_execute_is_taken_over(tmp_path: Path) -> None:
    members = [entry("run.sh", mode=0o4755), entry("data", mode=0o6666)]
    zipped = [(zipfile.ZipInfo("run.sh"), b"x")]
    zipped[0][0].external_attr = 0o104755 << 16

    extract(tmp_path, tar_of(members))
    extract(tmp_path, zip_of(zipped), target="z")

    modes = [(tmp_path / path).stat().st_mode for path in ("extracted/run.sh", "extracted/data", "z/run.sh")]
    assert [bool(mode & stat.S_IXUSR) for mode in modes] == [True, False, True]
    assert not any(mode & (stat.S_ISUID | stat.S_ISGID) for mode in modes)


def test_files_that_are_there_are_replaced_and_others_stay(tmp_path: Path) -> None:
    target = tmp_path / "target"
    (target / "data").mkdir(parents=True)
    (target / "data" / "a.csv").write_text("old")
    (target / "other").write_text("mine")

    extract(tmp_path, ARCHIVES["zip"], target="target")

    assert tree_of(target) == TREE | {"other": b"mine"}


@pytest.mark.parametrize("way", ["folder for file", "file for folder", "link for folder", "link for file"])
def test_what_is_in_the_way_stops_it_before_anything_appears(tmp_path: Path, way: str) -> None:
    target, outside = tmp_path / "target", tmp_path / "outside"
    target.mkdir()
    outside.mkdir()
    {
        "folder for file": lambda: (target / "readme.txt").mkdir(),
        "file for folder": lambda: (target / "data").write_text(""),
        "link for folder": lambda: (target / "data").symlink_to(outside),
        "link for file": lambda: (target / "readme.txt").symlink_to(outside / "x"),
    }[way]()
    before = sorted(os.listdir(target))

    with pytest.raises(SkerryError) as caught:
        extract(tmp_path, ARCHIVES["tar.gz"], target="target")

    assert caught.value.entry is codes.IN_THE_WAY
    assert sorted(os.listdir(target)) == before
    assert os.listdir(outside) == []


def test_it_stops_when_asked_to_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(tar_tree({str(number): b"x" * 50_000 for number in range(50)}))
    cancel = Cancel()
    lines: list[str] = []

    def progress(line: str) -> None:
        lines.append(line)
        cancel.request()

    with pytest.raises(SkerryError) as caught:
        Extract().call(call_of(Extract(), tmp_path, {"path": "a.tar"}, cancel=cancel, progress=progress))

    assert caught.value.entry is CANCELLED
    assert len(lines) == 1
    assert os.listdir(tmp_path / "extracted") == []


def test_progress_goes_to_the_end(tmp_path: Path) -> None:
    (tmp_path / "a.tgz").write_bytes(PACK["gz"](tar_tree({"a": os.urandom(500_000)})))
    lines: list[str] = []

    Extract().call(call_of(Extract(), tmp_path, {"path": "a.tgz"}, progress=lines.append))

    assert lines[-1] == "100 a.tgz"
    assert len(lines) == len(set(lines))


def test_a_missing_archive_and_a_wrong_encoding_have_their_codes(tmp_path: Path) -> None:
    with pytest.raises(SkerryError) as missing:
        Extract().call(call_of(Extract(), tmp_path, {"path": "no.zip"}))
    with pytest.raises(SkerryError) as wrong:
        extract(tmp_path, ARCHIVES["zip"], encoding="klingon")

    assert missing.value.entry is common.MISSING
    assert wrong.value.entry is common.PARAMETER


def test_a_target_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("")

    with pytest.raises(SkerryError) as caught:
        extract(tmp_path, ARCHIVES["zip"], target="target")

    assert caught.value.entry in (common.TROUBLE, common.NOT_A_FILE)
