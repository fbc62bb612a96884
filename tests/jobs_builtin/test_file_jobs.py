"""read_file, file_exists, concat_text and split_file: results, errors with codes, nothing half done."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.codes import jobs as common
from engine.model.codes.runtime import CANCELLED
from engine.model.errors import ErrorCode, SkerryError
from engine.plugins import files
from engine.plugins.job_type import CallType, Cancel
from engine.testing import call_of
from jobs_builtin import split_file
from jobs_builtin.concat_text import ConcatText
from jobs_builtin.file_exists import FileExists
from jobs_builtin.read_file import FILE_TOO_BIG, NOT_TEXT, ReadFile
from jobs_builtin.split_file import TOO_MANY_PARTS, SplitFile
from tests.effort import effort


def results(job_type: CallType, directory: Path, **params: Any) -> dict[str, Any]:
    return dict(job_type.call(call_of(job_type, directory, params)))


def failure(job_type: CallType, directory: Path, **params: Any) -> ErrorCode:
    with pytest.raises(SkerryError) as caught:
        results(job_type, directory, **params)
    return caught.value.entry


# -- read_file ------------------------------------------------------------------------------------


def test_text_is_read_exactly_line_ends_included(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("один\r\nдва\n\n".encode())

    assert results(ReadFile(), tmp_path, path="a.txt") == {"text": "один\r\nдва\n\n", "size": 18}


def test_an_absolute_path_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1")
    (tmp_path / "job").mkdir()

    assert results(ReadFile(), tmp_path / "job", path=str(tmp_path / "a.txt"))["text"] == "1"


@pytest.mark.parametrize("encoding", ["gb18030", "gbk", "utf-16", "GB2312"])
def test_other_encodings_are_read_when_named(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_bytes("港口\n".encode(encoding))

    assert results(ReadFile(), tmp_path, path="a.txt", encoding=encoding)["text"] == "港口\n"


def test_the_mark_of_windows_before_utf8_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbf12\n")

    assert results(ReadFile(), tmp_path, path="a.txt") == {"text": "12\n", "size": 6}


def test_a_file_of_just_the_most_size_is_read_and_one_byte_more_is_too_big(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 1024)

    assert results(ReadFile(), tmp_path, path="a.txt", max_size="1KB")["size"] == 1024
    assert failure(ReadFile(), tmp_path, path="a.txt", max_size=1023) is FILE_TOO_BIG


def test_bytes_that_are_no_text_are_an_error_that_says_where(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("好".encode("gbk"))

    with pytest.raises(SkerryError, match="at byte 0") as caught:
        results(ReadFile(), tmp_path, path="a.txt")

    assert caught.value.entry is NOT_TEXT


@pytest.mark.parametrize("encoding", ["klingon", "hex", "rot13", "", "a\0b", 8])
def test_an_encoding_that_is_none_is_an_error_of_the_parameter(tmp_path: Path, encoding: Any) -> None:
    (tmp_path / "a.txt").write_text("1")

    assert failure(ReadFile(), tmp_path, path="a.txt", encoding=encoding) is common.PARAMETER


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(SkerryError, match=r"nothing\.txt") as caught:
        results(ReadFile(), tmp_path, path="nothing.txt")

    assert caught.value.entry is common.MISSING
    assert caught.value.where == str(tmp_path / "nothing.txt")


def test_what_is_no_file_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))

    assert failure(ReadFile(), tmp_path, path="pipe") is common.NOT_A_FILE
    assert failure(ReadFile(), tmp_path, path="socket") is common.NOT_A_FILE
    assert failure(ReadFile(), tmp_path, path=".") is common.NOT_A_FILE
    assert failure(ReadFile(), tmp_path, path="/dev/zero") is common.NOT_A_FILE


@pytest.mark.parametrize("path", [None, 3, "", "a\0b", ["a"], {"a": 1}])
def test_a_path_must_be_a_path(tmp_path: Path, path: Any) -> None:
    assert failure(ReadFile(), tmp_path, path=path) is common.PARAMETER


@pytest.mark.parametrize("most", ["much", -1, 0, "0", True, [1], 1.5])
def test_a_size_must_be_a_size(tmp_path: Path, most: Any) -> None:
    assert failure(ReadFile(), tmp_path, path="a", max_size=most) is common.PARAMETER


def test_a_hostile_path_is_only_a_path(tmp_path: Path) -> None:
    name = "$(touch pwned); `id` '\" \n ; rm -rf *.txt"
    (tmp_path / name).write_text("data")

    assert results(ReadFile(), tmp_path, path=name)["text"] == "data"
    assert sorted(os.listdir(tmp_path)) == sorted([name, "outputs"])


def test_reading_stops_when_asked_to(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1")
    cancel = Cancel()
    cancel.request()

    with pytest.raises(SkerryError) as caught:
        ReadFile().call(call_of(ReadFile(), tmp_path, {"path": "a.txt"}, cancel=cancel))

    assert caught.value.entry is CANCELLED


# -- file_exists ----------------------------------------------------------------------------------


def test_a_file_that_is_there_is_described(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("12345")
    os.utime(tmp_path / "a.txt", ns=(0, 1_700_000_000_123_456_000))

    assert results(FileExists(), tmp_path, path="a.txt") == {
        "exists": True,
        "size": 5,
        "modified": "2023-11-14T22:13:20.123456+00:00",
    }


@pytest.mark.parametrize("path", ["nothing", "a.txt/below", "dangling", "no/folder/at/all", "x" * 300])
def test_a_file_that_is_missing_is_a_result(tmp_path: Path, path: str) -> None:
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "dangling").symlink_to("nowhere")

    assert results(FileExists(), tmp_path, path=path) == {"exists": False, "size": None, "modified": None}


def test_what_cannot_be_known_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")

    assert failure(FileExists(), tmp_path, path="loop") is common.TROUBLE


# -- concat_text ----------------------------------------------------------------------------------


def test_files_are_joined_byte_for_byte_in_order(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"alpha\nbeta\n")
    (tmp_path / "b").write_bytes(b"gam\xffma\r\n")

    found = results(ConcatText(), tmp_path, files=["b", "a"], target="c")

    assert found == {"path": str(tmp_path / "c"), "lines": 3}
    assert (tmp_path / "c").read_bytes() == b"gam\xffma\r\nalpha\nbeta\n"


@pytest.mark.parametrize(
    ("texts", "separator", "joined", "lines"),
    [
        (["a", "b"], "\n", "a\nb", 2),
        (["a\n", "b\n"], "", "a\nb\n", 2),
        (["", ""], "", "", 0),
        (["a\n", "", "b"], "—\n", "a\n—\n—\nb", 4),
        (["one"], "x", "one", 1),
    ],
)
def test_a_separator_is_between_two_files(
    tmp_path: Path, texts: list[str], separator: str, joined: str, lines: int
) -> None:
    for number, text in enumerate(texts):
        (tmp_path / str(number)).write_text(text)

    names = [str(number) for number in range(len(texts))]
    found = results(ConcatText(), tmp_path, files=names, target="c", separator=separator)

    assert (tmp_path / "c").read_text() == joined
    assert found["lines"] == lines


def test_the_target_may_be_one_of_the_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a\n")
    (tmp_path / "b").write_text("b\n")

    results(ConcatText(), tmp_path, files=["a", "b", "a"], target="a")

    assert (tmp_path / "a").read_text() == "a\nb\na\n"


def test_an_existing_target_keeps_its_rights_and_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a\n")
    (tmp_path / "real").write_text("old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")

    results(ConcatText(), tmp_path, files=["a"], target="link")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "a\n"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640


def test_when_a_file_is_missing_the_target_stays_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("new")
    (tmp_path / "c").write_text("old")

    assert failure(ConcatText(), tmp_path, files=["a", "nothing"], target="c") is common.MISSING
    assert (tmp_path / "c").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["a", "c", "outputs"]


def test_when_stopped_in_the_middle_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * (3 * files.CHUNK))
    cancel = Cancel()
    call = call_of(
        ConcatText(), tmp_path, {"files": ["a"], "target": "c"},
        cancel=cancel, progress=lambda line: cancel.request(),
    )  # fmt: skip

    with pytest.raises(SkerryError) as caught:
        ConcatText().call(call)

    assert caught.value.entry is CANCELLED
    assert sorted(os.listdir(tmp_path)) == ["a", "outputs"]


def test_progress_is_reported_in_whole_percent_and_never_twice(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * (4 * files.CHUNK))
    lines: list[str] = []

    ConcatText().call(call_of(ConcatText(), tmp_path, {"files": ["a"], "target": "c"}, progress=lines.append))

    assert lines == ["25 c", "50 c", "75 c", "100 c"]


@pytest.mark.parametrize(
    ("target", "code"),
    [("folder", common.NOT_A_FILE), ("no/folder/c", common.MISSING), ("/dev/null", common.NOT_A_FILE)],
)
def test_a_target_that_cannot_be_written_is_refused(tmp_path: Path, target: str, code: ErrorCode) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "folder").mkdir()

    assert failure(ConcatText(), tmp_path, files=["a"], target=target) is code


@pytest.mark.parametrize("given_files", [None, [], "", [1], ["a", ""], {"a": 1}])
def test_the_files_must_be_paths(tmp_path: Path, given_files: Any) -> None:
    assert failure(ConcatText(), tmp_path, files=given_files, target="c") is common.PARAMETER


def test_a_full_disk_has_its_own_code(tmp_path: Path) -> None:
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tmp_path / "c"))

    assert files.file_error(error, tmp_path).entry is common.NO_SPACE
    assert str(tmp_path / "c") in files.file_error(error, tmp_path).message


# -- split_file -----------------------------------------------------------------------------------


def parts_of(found: dict[str, Any]) -> list[bytes]:
    return [Path(path).read_bytes() for path in found["files"]]


def test_a_file_is_cut_after_so_many_lines(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("1\n2\n3\n4\n5")

    found = results(SplitFile(), tmp_path, path="data.csv", lines=2)

    assert parts_of(found) == [b"1\n2\n", b"3\n4\n", b"5"]
    assert found["parts"] == 3
    assert [Path(path).name for path in found["files"]] == [
        "data.000001.csv",
        "data.000002.csv",
        "data.000003.csv",
    ]
    assert Path(found["files"][0]).parent == tmp_path / "parts"


def test_a_file_is_cut_after_so_many_bytes(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"x" * 2500)

    found = results(SplitFile(), tmp_path, path="data", size="1KB", target="part-")

    assert [len(part) for part in parts_of(found)] == [1024, 1024, 452]
    assert [os.path.basename(path) for path in found["files"]] == [f"part-00000{n}" for n in (1, 2, 3)]


@settings(max_examples=effort(30, all=60))
@given(data=st.binary(max_size=400), lines=st.integers(1, 5), by_lines=st.booleans())
def test_the_parts_put_together_are_the_file_and_sort_by_name(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, lines: int, by_lines: bool
) -> None:
    directory = tmp_path_factory.mktemp("split")
    (directory / "data").write_bytes(data)
    cut = {"lines": lines} if by_lines else {"size": lines}

    found = results(SplitFile(), directory, path="data", target="out/", **cut)

    assert b"".join(parts_of(found)) == data
    assert found["files"] == sorted(found["files"])
    assert all(parts_of(found))


def test_a_line_longer_than_memory_should_hold_stays_whole(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"x" * (2 * files.CHUNK + 5) + b"\n" + b"y\n")

    found = results(SplitFile(), tmp_path, path="data", lines=1)

    assert [len(part) for part in parts_of(found)] == [2 * files.CHUNK + 6, 2]


def test_an_empty_file_has_no_parts(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"")

    assert results(SplitFile(), tmp_path, path="data", lines=1) == {"files": [], "parts": 0}


def test_parts_of_an_earlier_attempt_are_replaced_and_no_draft_is_left(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("1\n2\n")
    results(SplitFile(), tmp_path, path="data", lines=1)

    (tmp_path / "data").write_text("3\n4\n")
    found = results(SplitFile(), tmp_path, path="data", lines=1)

    assert parts_of(found) == [b"3\n", b"4\n"]
    assert sorted(os.listdir(tmp_path / "parts")) == ["data.000001", "data.000002"]


def test_too_many_parts_are_refused_and_none_appears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_file, "MOST_PARTS", 3)
    (tmp_path / "data").write_text("1\n2\n3\n4\n")

    assert failure(SplitFile(), tmp_path, path="data", lines=1) is TOO_MANY_PARTS
    assert os.listdir(tmp_path / "parts") == []


@pytest.mark.parametrize(
    "cut", [{}, {"lines": 1, "size": 1}, {"lines": 0}, {"lines": "x"}, {"lines": 1.5}, {"size": "0"}]
)
def test_a_file_is_cut_by_lines_or_by_size(tmp_path: Path, cut: dict[str, Any]) -> None:
    (tmp_path / "data").write_text("1\n")

    assert failure(SplitFile(), tmp_path, path="data", **cut) is common.PARAMETER


def test_a_prefix_in_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("1\n")

    assert failure(SplitFile(), tmp_path, path="data", lines=1, target="no/part-") is common.MISSING
