"""Hostile archives: each is refused with its code, and nothing of it appears anywhere."""

from __future__ import annotations

import lzma
import os
import resource
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.errors import ErrorCode, SkerryError
from engine.testing import call_of
from jobs_builtin.archives import codes
from jobs_builtin.archives.names import ArchiveNames, safe_parts
from jobs_builtin.extract import Extract
from tests.effort import effort
from tests.jobs_builtin.packing import (
    PACK,
    TREE,
    entry,
    pax_record,
    raw_header,
    tar_of,
    tar_tree,
    with_pax,
    zip_of,
    zip_raw,
    zip_tree,
)

END = bytes(1024)
ONE = raw_header() + b"x" + bytes(511)
MIB = 1 << 20


def refusal(directory: Path, data: bytes, **params: Any) -> ErrorCode:
    """The code that the job ends with; everything is as before but the empty target."""
    (directory / "archive").write_bytes(data)
    with pytest.raises(SkerryError) as caught:
        Extract().call(call_of(Extract(), directory, {"path": "archive", "target": "t/t", **params}))
    left = sorted(str(path.relative_to(directory)) for path in directory.rglob("*"))
    assert left in (["archive", "outputs"], ["archive", "outputs", "t", "t/t"])
    assert caught.value.message.isprintable()
    return caught.value.entry


NAMES = {
    "upwards": "../x",
    "upwards inside": "a/../../x",
    "upwards and back": "a/../b",
    "absolute": "/etc/x",
    "drive": "C:/x",
    "drive without slash": "c:x",
    "escape": "a\x1b[2Jb",
    "newline": "a\nb",
    "turned direction": "txt.\u202egpj",
    "isolate": "a\u2066b",
    "too long a part": "x" * 256,
    "too long": "/".join(["x" * 200] * 20),
    "100,000 characters": "x" * 100_000,
    "too deep": "a/" * 150 + "b",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_a_name_that_leads_outside_or_deceives_is_refused(tmp_path: Path, name: str) -> None:
    tar = tar_of([entry("good"), entry(name)])

    assert refusal(tmp_path, tar) is codes.UNSAFE_NAME
    assert refusal(tmp_path, PACK["zst"](tar)) is codes.UNSAFE_NAME
    if len(name) < 65_536:
        assert refusal(tmp_path, zip_tree({"good": b"", name: b"x"})) is codes.UNSAFE_NAME


@pytest.mark.parametrize("name", [b"..\\x", b"C:\\x", b"\\\\host\\share\\x", b"a\\..\\..\\x"])
def test_backslashes_lead_nowhere(tmp_path: Path, name: bytes) -> None:
    assert refusal(tmp_path, zip_raw([name])) is codes.UNSAFE_NAME
    assert refusal(tmp_path, tar_of([entry(name.decode())])) is codes.UNSAFE_NAME


def test_a_name_that_goes_on_after_a_nul_is_refused(tmp_path: Path) -> None:
    in_pax = with_pax(pax_record("path", b"good\0../x"), raw_header()) + b"x" + bytes(511) + END

    assert refusal(tmp_path, zip_raw([b"good\0../x"])) is codes.UNSAFE_NAME
    assert refusal(tmp_path, raw_header(b"good\0../x") + b"x" + bytes(511) + END) is codes.UNSAFE_NAME
    assert refusal(tmp_path, in_pax) is codes.UNSAFE_NAME


def test_a_name_in_a_pax_header_is_checked_like_any_other(tmp_path: Path) -> None:
    tar = with_pax(pax_record("path", b"../../x"), ONE) + END

    assert refusal(tmp_path, tar) is codes.UNSAFE_NAME


def test_bytes_that_are_no_name_in_any_encoding_are_refused(tmp_path: Path) -> None:
    marked = zip_raw([b"\xff\xfe"], flags=0x800)

    assert refusal(tmp_path, raw_header(b"\xff\xff\xff") + b"x" + bytes(511) + END) is codes.UNSAFE_NAME
    assert refusal(tmp_path, marked) is codes.DAMAGED


KINDS: dict[str, dict[str, Any]] = {
    "symbolic link out": {"type": tarfile.SYMTYPE, "linkname": "/etc"},
    "symbolic link inside": {"type": tarfile.SYMTYPE, "linkname": "good"},
    "hard link out": {"type": tarfile.LNKTYPE, "linkname": "/etc/passwd"},
    "hard link to a link": {"type": tarfile.LNKTYPE, "linkname": "good"},
    "very long link": {"type": tarfile.SYMTYPE, "linkname": "a/" * 3000},
    "pipe": {"type": tarfile.FIFOTYPE},
    "character device": {"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 3},
    "block device": {"type": tarfile.BLKTYPE, "devmajor": 8, "devminor": 0},
    "unknown kind": {"type": b"Z"},
    "label of a volume": {"type": b"V"},
}


@pytest.mark.parametrize("fields", KINDS.values(), ids=KINDS.keys())
@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT], ids=["pax", "gnu"])
def test_what_is_neither_file_nor_folder_is_refused(
    tmp_path: Path, fields: dict[str, Any], form: int
) -> None:
    through = [entry("good"), entry("link", b"", **fields), entry("link/file")]

    assert refusal(tmp_path, tar_of(through, form)) is codes.UNSAFE_ENTRY


@pytest.mark.parametrize("mode", [0o120777, 0o010644, 0o020666, 0o060666, 0o140777])
def test_links_and_devices_in_a_zip_are_refused(tmp_path: Path, mode: int) -> None:
    assert refusal(tmp_path, zip_raw([b"link"], b"/etc/passwd", mode=mode)) is codes.UNSAFE_ENTRY


def test_sparse_files_of_both_dialects_are_refused(tmp_path: Path) -> None:
    gnu = raw_header(b"sparse", b"00000001000\0", b"S") + bytes(512) + END
    pax = with_pax(pax_record("GNU.sparse.major", b"1"), ONE) + END

    assert refusal(tmp_path, gnu) is codes.UNSAFE_ENTRY
    assert refusal(tmp_path, pax) is codes.UNSAFE_ENTRY


CLASHES = {
    "the same name": ["a", "b", "a"],
    "the same name in disguise": ["a/b", "./a//b"],
    "upper and lower case": ["Readme", "README"],
    "folders in upper and lower case": ["Data/a", "data/b"],
    "two forms of one letter": ["\u00e9", "e\u0301"],
    "sharp s": ["straße", "STRASSE"],
    "a file and then a folder": ["a", "a/b"],
    "a folder and then a file": ["a/b", "a"],
}


@pytest.mark.parametrize("names", CLASHES.values(), ids=CLASHES.keys())
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_names_of_one_file_are_refused(tmp_path: Path, names: list[str]) -> None:
    members = [entry(name, str(number).encode()) for number, name in enumerate(names)]

    assert refusal(tmp_path, tar_of(members)) is codes.NAME_CLASH
    zipped = zip_of((zipfile.ZipInfo(info.name), data) for info, data in members)
    assert refusal(tmp_path, zipped) is codes.NAME_CLASH


def test_a_size_of_a_terabyte_is_refused_before_it_is_written(tmp_path: Path) -> None:
    size = b"\x80" + (1 << 40).to_bytes(11, "big")

    assert refusal(tmp_path, raw_header(size=size) + b"x" * 512) is codes.DAMAGED
    assert refusal(tmp_path, zip_raw([b"a"], size=2**32 - 2)) is codes.DAMAGED


@pytest.mark.parametrize("size", [b"\xff" * 12, b"\xff" * 11 + b"\x00", b"-0000000001\0", b"zzzzzzzzzzz\0"])
def test_a_size_that_is_none_is_refused(tmp_path: Path, size: bytes) -> None:
    assert refusal(tmp_path, ONE + raw_header(b"b", size) + b"x" * 512 + END) is codes.DAMAGED


@pytest.mark.parametrize(
    "records",
    [b"9999999 path=x\n", b"3 =\n", b"11 pathx=..", b"path=x\n", b"0 path=x\n", b"-5 a=b\n", b" a=b\n"],
)
def test_a_pax_header_that_cannot_be_read_is_refused(tmp_path: Path, records: bytes) -> None:
    assert refusal(tmp_path, with_pax(records, ONE) + END) is codes.DAMAGED


@pytest.mark.parametrize("size", [b"-1", b"1e9", b"9" * 30, b"1\xd9\xa3"])
def test_a_size_in_a_pax_header_must_be_a_number(tmp_path: Path, size: bytes) -> None:
    assert refusal(tmp_path, with_pax(pax_record("size", size), ONE) + END) is codes.DAMAGED


def test_a_size_in_a_pax_header_beyond_the_end_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, with_pax(pax_record("size", b"99999999"), ONE) + END) is codes.DAMAGED


@pytest.mark.parametrize("kind", [b"x", b"g", b"L", b"K"])
def test_a_header_of_100_megabytes_is_not_read(tmp_path: Path, kind: bytes) -> None:
    size = 100 * MIB
    huge = raw_header(b"huge", b"%011o\0" % size, kind) + bytes(size)

    assert refusal(tmp_path, PACK["zst"](huge + ONE + END), max_ratio=10**9) is codes.DAMAGED


def test_too_many_entries_are_refused(tmp_path: Path) -> None:
    names = [str(number) for number in range(101)]

    assert refusal(tmp_path, tar_tree(dict.fromkeys(names, b"")), max_files=100) is codes.TOO_MANY
    assert refusal(tmp_path, zip_tree(dict.fromkeys(names, b"")), max_files=100) is codes.TOO_MANY


def test_a_million_empty_entries_cost_little(tmp_path: Path) -> None:
    tar = raw_header(size=b"00000000000\0") * 1000
    packer = zstandard.ZstdCompressor().compressobj()
    data = b"".join([*(packer.compress(tar) for _ in range(1000)), packer.flush()])
    entries = struct.pack("<4sHHHHHHLLLHHHHHLL", b"PK\1\2", 20, 20, *([0] * 14)) * 1_000_000
    count = 0xFFFF
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(entries), 0, 0)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert refusal(tmp_path, data) is codes.NAME_CLASH
    assert refusal(tmp_path, b"PK\5\6" + entries + end) is codes.TOO_MANY
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024  # KiB


@pytest.mark.parametrize("form", ["zip", *PACK])
def test_zeros_that_grow_without_measure_are_stopped(tmp_path: Path, form: str) -> None:
    zeros = bytes(64 * MIB)
    bomb = zip_tree({"zeros": zeros}) if form == "zip" else PACK[form](zeros)

    assert refusal(tmp_path, bomb) is codes.RATIO


def test_a_tar_of_zeros_is_stopped_too(tmp_path: Path) -> None:
    assert refusal(tmp_path, PACK["zst"](tar_tree({"zeros": bytes(64 * MIB)}))) is codes.RATIO


def test_the_limits_can_be_raised(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(PACK["gz"](bytes(16 * MIB)))
    params = {"path": "a.gz", "max_ratio": 2000, "max_size": "16MB"}

    Extract().call(call_of(Extract(), tmp_path, params))

    assert (tmp_path / "extracted" / "a").stat().st_size == 16 * MIB


@pytest.mark.parametrize("form", ["zip", "tar", *PACK])
def test_more_bytes_than_allowed_are_refused(tmp_path: Path, form: str) -> None:
    data = os.urandom(300_000)
    made: dict[str, Callable[[], bytes]] = {
        "zip": lambda: zip_tree({"a": data}),
        "tar": lambda: tar_tree({"a": data}),
    }
    archive = made.get(form, lambda: PACK[form](data))()

    assert refusal(tmp_path, archive, max_size="100KB") is codes.TOO_BIG


def test_a_bomb_packed_twice_comes_out_as_the_inner_archive_only(tmp_path: Path) -> None:
    inner = PACK["zst"](bytes(64 * MIB))
    (tmp_path / "a.zst").write_bytes(PACK["zst"](inner))

    Extract().call(call_of(Extract(), tmp_path, {"path": "a.zst"}))

    assert (tmp_path / "extracted" / "a").read_bytes() == inner


def test_a_window_that_needs_too_much_memory_is_refused(tmp_path: Path) -> None:
    params = zstandard.ZstdCompressionParameters(window_log=31)
    wide = zstandard.ZstdCompressor(compression_params=params).compressobj()
    xz = lzma.compress(b"x" * 1000, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}])

    assert refusal(tmp_path, wide.compress(b"x" * 1000) + wide.flush()) is codes.UNSUPPORTED
    assert refusal(tmp_path, xz) is codes.UNSUPPORTED


def test_a_frame_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    frame = bytearray(zstandard.ZstdCompressor(write_checksum=False).compress(os.urandom(300)))
    frame[5] ^= 1  # the low byte of the content size

    assert refusal(tmp_path, bytes(frame)) is codes.DAMAGED


def test_endless_frames_to_be_skipped_end_with_the_file(tmp_path: Path) -> None:
    skipped = (b"\x50\x2a\x4d\x18" + bytes(4)) * 50_000
    (tmp_path / "a.zst").write_bytes(skipped)

    Extract().call(call_of(Extract(), tmp_path, {"path": "a.zst"}))

    assert (tmp_path / "extracted" / "a").read_bytes() == b""


def test_an_unknown_dictionary_is_refused(tmp_path: Path) -> None:
    dictionary = zstandard.ZstdCompressionDict(os.urandom(1000), dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    trained = zstandard.train_dictionary(4096, [os.urandom(20) + b"common text" * 20 for _ in range(200)])
    packed = zstandard.ZstdCompressor(dict_data=trained).compress(b"common text" * 50)

    assert dictionary.dict_id() == 0
    assert refusal(tmp_path, packed) is codes.DAMAGED


@pytest.mark.parametrize("form", ["zip", *PACK])
def test_one_flipped_bit_is_noticed(tmp_path: Path, form: str) -> None:
    text = bytes(range(256)) * 40
    if form == "zst":
        data = bytearray(zstandard.ZstdCompressor(write_checksum=True).compress(os.urandom(500)))
    else:
        data = bytearray(zip_tree({"a": text}) if form == "zip" else PACK[form](os.urandom(500)))
    data[len(data) // 3] ^= 0x10

    assert refusal(tmp_path, bytes(data)) is codes.DAMAGED


@pytest.mark.parametrize("form", ["tar", "zip", *PACK])
def test_a_cut_at_any_place_is_noticed(tmp_path: Path, form: str) -> None:
    tar = tar_tree({"a": b"x" * 600, "b": b"", "c": os.urandom(1500)})
    content = tar.rstrip(b"\0")
    content += bytes(-len(content) % 512)  # without the blocks that end it
    whole = {"tar": content, "zip": zip_tree(TREE)}.get(form) or PACK[form](os.urandom(2000))
    step = 512 if form == "tar" else 97

    for length in range(step, len(whole) + (form == "tar"), step):
        assert refusal(tmp_path, whole[:length]) in (codes.DAMAGED, codes.UNKNOWN_FORMAT)


def test_an_archive_that_goes_on_after_its_end_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, ONE + END + tar_tree({"hidden": b"x"})) is codes.DAMAGED
    assert refusal(tmp_path, PACK["xz"](b"x") + b"garbage") is codes.DAMAGED
    assert refusal(tmp_path, PACK["zst"](b"x") + b"garbage") is codes.DAMAGED


def test_entries_of_a_zip_that_share_their_data_are_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, zip_raw([b"aaa", b"bbb"], b"x" * 100, offset=0)) is codes.DAMAGED
    assert refusal(tmp_path, zip_raw([b"a"], offset=2**32 - 2)) is codes.DAMAGED
    assert refusal(tmp_path, zip_raw([b"a"], offset=7)) is codes.DAMAGED


def test_a_zip_that_lies_about_a_size_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, zip_raw([b"a"], b"x" * 100, size=5)) is codes.DAMAGED
    assert refusal(tmp_path, zip_raw([b"a"], b"x" * 100, size=5000)) is codes.DAMAGED


def test_lying_zip64_fields_are_refused(tmp_path: Path) -> None:
    extra = struct.pack("<HHQ", 1, 8, 1 << 62)
    short = struct.pack("<HH", 1, 8)

    assert refusal(tmp_path, zip_raw([b"a"], size=2**32 - 1, extra=extra)) is codes.TOO_BIG
    assert refusal(tmp_path, zip_raw([b"a"], size=2**32 - 1, extra=short)) is codes.DAMAGED


def test_encrypted_zips_are_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, zip_raw([b"a"], flags=1)) is codes.ENCRYPTED
    assert refusal(tmp_path, zip_raw([b"a"], flags=0x41)) is codes.ENCRYPTED


@pytest.mark.parametrize("method", [9, 12, 14, 93, 99])
def test_rare_ways_of_packing_a_zip_are_refused(tmp_path: Path, method: int) -> None:
    assert refusal(tmp_path, zip_raw([b"a"], method=method)) is codes.UNSUPPORTED


def test_a_zip_of_a_newer_version_and_patched_data_are_refused(tmp_path: Path) -> None:
    newer = bytearray(zip_raw([b"a"]))
    newer[newer.index(b"PK\1\2") + 6] = 64

    assert refusal(tmp_path, bytes(newer)) is codes.UNSUPPORTED
    assert refusal(tmp_path, zip_raw([b"a"], flags=0x20)) is codes.UNSUPPORTED


def test_a_list_of_entries_beyond_measure_or_in_an_impossible_place_is_refused(tmp_path: Path) -> None:
    archive = bytearray(zip_raw([b"a"]))
    end = archive.index(b"PK\5\6")
    huge, before = bytearray(archive), bytearray(archive)
    huge[end + 12 : end + 16] = (1 << 30).to_bytes(4, "little")
    before[end + 12 : end + 16] = (len(archive) * 2).to_bytes(4, "little")

    assert refusal(tmp_path, bytes(huge)) in (codes.TOO_MANY, codes.DAMAGED)
    assert refusal(tmp_path, bytes(before)) is codes.DAMAGED


@pytest.mark.parametrize(
    "data",
    [b"", b"x", b"text\n" * 200, bytes(2048), b"\x7fELF" + bytes(600), b"7z\xbc\xaf\x27\x1c" + bytes(600)],
)
def test_what_is_no_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    assert refusal(tmp_path, data) is codes.UNKNOWN_FORMAT


SOUND = [zip_tree(TREE), tar_tree(TREE), *(pack(tar_tree(TREE)) for pack in PACK.values())]


@settings(max_examples=effort(60, all=1200))
@given(st.data())
def test_however_an_archive_is_damaged_nothing_gets_out(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Either it is unpacked inside the target, or it ends with a code of the catalogue."""
    archive = bytearray(data.draw(st.sampled_from(SOUND)))
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(archive) - 1))
        archive[place] = data.draw(st.integers(0, 255))
    directory = tmp_path_factory.mktemp("fuzz")
    (directory / "archive").write_bytes(archive)

    try:
        Extract().call(call_of(Extract(), directory, {"path": "archive"}))
    except SkerryError:
        assert not list((directory / "extracted").glob("*"))

    assert sorted(os.listdir(directory))[:1] == ["archive"]
    assert set(os.listdir(directory)) <= {"archive", "outputs", "extracted"}


@given(st.text(max_size=60))
def test_a_name_that_is_taken_stays_below_its_folder(name: str) -> None:
    try:
        parts = safe_parts(name)
    except SkerryError:
        return
    place = os.path.normpath(os.path.join("/target", *parts))
    assert place == "/target" or place.startswith("/target/")
    assert "\0" not in place


def test_folders_are_given_with_a_parent_before_what_is_in_it() -> None:
    names = ArchiveNames()
    names.claim(("a", "b", "c"), folder=False)
    names.claim(("a", "b"), folder=True)
    names.claim(("a", "d"), folder=True)

    assert names.folders() == [("a",), ("a", "b"), ("a", "d")]
    assert names.files() == [("a", "b", "c")]
