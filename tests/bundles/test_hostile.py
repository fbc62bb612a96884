"""Bundles made to do harm: always a coded error, nothing outside, bounded memory and time."""

from __future__ import annotations

import json
import os
import random
import time
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.model.codes import bundles as codes
from engine.model.errors import SkerryError
from export_import.container import ReadLimits, open_bundle, tape
from export_import.container.form import fault_of_name
from export_import.importing import import_bundle
from export_import.keys import Keys
from tests.bundles.conftest import CLOCK
from tests.bundles.hostile import Forged, file_of, frame, manifest_of, member, volume_of
from tests.effort import effort

SMALL = ReadLimits(total=1 << 30)
GOOD = b"content"
DIGEST = sha256(GOOD).hexdigest()


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "desk").mkdir()
    return tmp_path / "desk"


def refused(desk: Path, path: Path) -> SkerryError:
    """Importing is refused with a code of the domain, in bounded memory; nothing is kept, nothing is outside."""
    before = sorted(each for each in desk.parent.rglob("*") if "desk" not in each.parts[-3:])
    tracemalloc.start()
    try:
        with pytest.raises(SkerryError) as error:
            import_bundle(desk, [path], clock=CLOCK, limits=SMALL)
        assert tracemalloc.get_traced_memory()[1] < 256 << 20
    finally:
        tracemalloc.stop()
    assert str(-error.value.code).startswith("150")
    assert not list(desk.glob("cases/*"))
    assert sorted(each for each in desk.parent.rglob("*") if "desk" not in each.parts[-3:]) == before
    return error.value


def imported_with_loss(desk: Path, path: Path, *lost: str) -> None:
    """Nothing is refused, but what cannot be right is lost and said to be."""
    case = import_bundle(desk, [path], clock=CLOCK, limits=SMALL)
    assert {each["name"] for each in case.lost} == set(lost)


def test_the_forge_makes_proper_bundles(desk: Path, tmp_path: Path) -> None:
    path = Forged(tree=manifest_of(files=[file_of("logs/x")])).write(tmp_path / "b")
    case = import_bundle(desk, [path], clock=CLOCK)
    assert (case.folder / "logs" / "x").read_bytes() == GOOD
    assert not case.lost


NAMES = [
    "../x", "/etc/x", "C:\\x", "..\\x", "logs/../../x", "logs//x", "logs/./x", "./x", "logs/", "", ".", "..",
    "logs/a\0b", "logs/a\nb", "logs/a\rb", "logs/\x1b[2Jx", "logs/\u202etxt.exe", "logs/a\u200bb", "logs/e\u0301",
    "logs/CON", "logs/nul.txt", "logs/aux", "logs/COM1", "logs/x.", "logs/x ", "logs/ x", "logs/a:b", "logs/a|b",
    "logs/<img src=file:>", "logs/a*b", "logs/" + "x" * 300, "x/" * 600 + "x", "logs/\ud800", "logs/a\u2028b",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_that_lead_elsewhere_or_mean_something_else_are_refused(
    desk: Path, tmp_path: Path, name: str
) -> None:
    path = Forged(tree=manifest_of(files=[file_of(name)])).write(tmp_path / "b")
    assert refused(desk, path).entry is codes.BREAKS_RULES


@pytest.mark.parametrize(
    "name", ["case.json", "workspace.yaml", "skerry.db", "cases/x", "keys/signing", ".lock", "x"]
)
def test_a_bundle_brings_no_file_that_a_case_makes_itself(desk: Path, tmp_path: Path, name: str) -> None:
    assert refused(desk, Forged(tree=manifest_of(files=[file_of(name)])).write(tmp_path / "b"))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("logs/x", "logs/x"),
        ("logs/x", "logs/X"),
        ("logs/x", "logs/x/y"),
        ("logs/x/y", "logs/x"),
        ("logs/ß", "logs/SS"),
    ],
)
def test_names_that_cannot_be_distinguished_are_refused(
    desk: Path, tmp_path: Path, one: str, two: str
) -> None:
    assert refused(desk, Forged(tree=manifest_of(files=[file_of(one), file_of(two)])).write(tmp_path / "b"))


@pytest.mark.parametrize(
    "name", ["日志/数据", "logs/-rf", "logs/@x", "logs/~", "logs/🙂", "logs/it's; DROP TABLE x"]
)
def test_names_that_are_only_unusual_are_fine(name: str) -> None:
    assert fault_of_name(name) is None


def _changed(**fields: Any) -> dict[str, Any]:
    return manifest_of(files=[{**file_of("logs/x"), **fields}])


TREES: dict[str, Any] = {
    "no format": manifest_of(format=None),
    "another kind": manifest_of(kind="fix"),
    "facts are a list": manifest_of(facts=[]),
    "files are a map": manifest_of(files={}),
    "a file is a text": manifest_of(files=["x"]),
    "a file lacks something": manifest_of(files=[{"name": "logs/x"}]),
    "a file has more": _changed(mode=0o4755),
    "a link": _changed(link="/etc/passwd"),
    "size is true": _changed(size=True),
    "size is a float": _changed(size=7.0),
    "size is negative": _changed(size=-7),
    "size lies": _changed(size=8),
    "name is a number": _changed(name=7),
    "facts of a file are a text": _changed(facts="x"),
    "objects are a text": _changed(objects="x"),
    "an object is a number": _changed(objects=[7]),
    "an object has a short hash": _changed(objects=[[DIGEST[:-1], 7, 0]]),
    "an object has a hash in capitals": _changed(objects=[[DIGEST.upper(), 7, 0]]),
    "an object has no volume": _changed(objects=[[DIGEST, 7, 1]]),
    "an object has a volume before the first": _changed(objects=[[DIGEST, 7, -1]]),
    "an object's volume is true": _changed(objects=[[DIGEST, 7, False]]),
    "an object is empty": _changed(size=0, objects=[[DIGEST, 0, 0]]),
    "an object is larger than allowed": _changed(size=5 << 20, objects=[[DIGEST, 5 << 20, 0]]),
    "an object has two sizes": manifest_of(
        files=[file_of("logs/x"), {**file_of("logs/y"), "size": 8, "objects": [[DIGEST, 8, 0]]}]
    ),
    "all files together are too large": _changed(
        size=(2 << 30) - (2 << 30) % (4 << 20), objects=[[DIGEST, 4 << 20, 0]] * 512
    ),
    "an omission is a text": manifest_of(omitted=["x"]),
    "an omission has a wrong size": manifest_of(omitted=[{"name": "x", "reason": "y", "size": "z"}]),
    "no instances": manifest_of(facts={}),
    "instances are a map": manifest_of(facts={"instances": {"id": 1}}),
    "an instance is true": manifest_of(facts={"instances": [{"id": True}]}),
    "an instance leads elsewhere": manifest_of(facts={"instances": [{"id": "../1"}]}),
    "an instance twice": manifest_of(facts={"instances": [{"id": 1}, {"id": 1}]}),
}


@pytest.mark.parametrize("case", TREES)
def test_a_manifest_that_is_not_as_it_must_be_is_refused(desk: Path, tmp_path: Path, case: str) -> None:
    wanted = codes.TOO_MUCH if case == "all files together are too large" else codes.BREAKS_RULES
    assert refused(desk, Forged(tree=TREES[case]).write(tmp_path / "b")).entry is wanted


def _made(content: bytes | Callable[[], bytes]) -> bytes:
    return content() if callable(content) else content


def _json(text: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(text)


HEAD = b'{"format":"skerry-bundle/1","kind":"diagnostic","files":[],"omitted":[],"facts":{"instances":[],"x":'
TEXTS: dict[str, bytes | Callable[[], bytes]] = {  # what takes long to make is made by its test
    "deep lists": HEAD + b"[" * 100_000 + b"]" * 100_000 + b"}}",
    "deep enough to matter": HEAD + b"[" * 100 + b"]" * 100 + b"}}",
    "a million keys": lambda: HEAD + b'{"' + '":[],"'.join(map(str, range(2_100_000))).encode() + b'":[]}}}',
    "a key twice": HEAD + b'{"a":1,"a":2}}}',
    "no number": HEAD + b"NaN}}",
    "infinite": HEAD + b"-Infinity}}",
    "too large a number": HEAD + b"1e400}}",
    "too many digits": HEAD + b"1" * 100_000 + b"}}",
    "more than 64 bits": HEAD + b"99999999999999999999}}",
    "half a surrogate": HEAD + b'"\\ud800"}}',
    "half a surrogate as a key": HEAD + b'{"\\ud800":1}}}',
    "a mark of byte order": b"\xef\xbb\xbf" + HEAD + b"1}}",
    "utf-16": (HEAD + b"1}}").decode().encode("utf-16"),
    "no text": b"\xff\xfe\xfd",
    "a list": b"[]",
    "empty": b"",
    "cut off": HEAD,
    "two documents": HEAD + b"1}}{}",
    "yaml": b"!!python/object/apply:os.system [id]",
}


@pytest.mark.parametrize("case", TEXTS)
def test_json_that_a_reader_could_trip_over_is_refused(desk: Path, tmp_path: Path, case: str) -> None:
    assert refused(desk, Forged(manifest=_json(_made(TEXTS[case]))).write(tmp_path / "b"))


def test_keys_that_mean_something_elsewhere_mean_nothing_here(desk: Path, tmp_path: Path) -> None:
    tree = manifest_of(facts={"instances": [], "__proto__": {"x": 1}, "__class__": "os.system"})
    assert import_bundle(desk, [Forged(tree=tree).write(tmp_path / "b")], clock=CLOCK).bundle_facts[
        "__proto__"
    ]


def test_a_manifest_that_would_be_huge_is_refused(desk: Path, tmp_path: Path) -> None:
    bomb = frame(HEAD + b'"' + b"0" * (200 << 20) + b'"}}')
    assert len(bomb) < 1 << 20
    assert refused(desk, Forged(manifest=bomb).write(tmp_path / "b"))


@pytest.mark.parametrize("how", [{"write_content_size": False}, {"write_checksum": False}])
def test_frames_of_another_form_are_never_believed(desk: Path, tmp_path: Path, how: dict[str, bool]) -> None:
    path = Forged(manifest=frame(json.dumps(manifest_of()).encode(), **how)).write(tmp_path / "b")
    if "write_content_size" in how:
        assert refused(desk, path)
    else:
        import_bundle(desk, [path], clock=CLOCK)


def _volume(stored: bytes, digest: str = DIGEST) -> bytes:
    return member(f"o/{digest}", stored) + tape.END


def _lying(size: int) -> bytes:
    """A frame whose head says another size than it has."""
    whole = bytearray(frame(b"0" * 200))
    assert whole[4] & 0xE0 == 0x20  # a single segment with one byte of size
    whole[5] = size
    return bytes(whole)


SKIPPABLE = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
VOLUMES: dict[str, bytes | Callable[[], bytes]] = {
    "a bomb": lambda: _volume(frame(b"0" * (100 << 20))),
    "a nested frame": _volume(frame(frame(GOOD))),
    "a window that is too long": _volume(
        zstandard.ZstdCompressor(
            compression_params=zstandard.ZstdCompressionParameters(window_log=27, write_content_size=False)
        ).compress(GOOD)
    ),
    "the longest window that can be stated": _volume(b"\x28\xb5\x2f\xfd\x00\xf8" + GOOD),
    "a frame that understates its size": _volume(_lying(7)),
    "a frame that overstates its size": _volume(_lying(255)),
    "skippable frames": _volume(SKIPPABLE * 1000 + frame(GOOD)),
    "two frames": _volume(frame(b"con") + frame(b"tent")),
    "something behind the frame": _volume(frame(GOOD) + b"x"),
    "a wrong checksum": _volume(frame(GOOD, write_checksum=True)[:-1] + b"x"),
    "a dictionary": _volume(b"\x28\xb5\x2f\xfd\x21\x05\x07\x39\x00\x00" + GOOD),
    "no frame": _volume(b"content"),
    "an empty frame": _volume(b""),
    "another content": _volume(frame(b"CONTENT")),
    "another object": _volume(frame(GOOD), "0" * 64),
    "an object twice": member(f"o/{DIGEST}", frame(GOOD)) * 2 + tape.END,
    "a member above": member("../o/x", GOOD) + tape.END,
    "a member that is absolute": member("/etc/x", GOOD) + tape.END,
    "a member with capitals": member(f"o/{DIGEST.upper()}", GOOD) + tape.END,
    "an unknown member": member("manifest.json", GOOD) + tape.END,
    "no end": member(f"o/{DIGEST}", frame(GOOD)),
    "something behind the end": volume_of(GOOD) + b"x",
    "half an end": volume_of(GOOD)[:-512],
    "something in the padding": volume_of(GOOD)[:-1025] + b"x" + tape.END,
    "nothing": b"x",
    "a size that lies": tape.member(f"o/{DIGEST}", 10**10) + frame(GOOD) + tape.END,
}


def _header(change: tuple[int, bytes]) -> bytes:
    """A member whose block has other bytes at some place, and a sum that fits."""
    place, new = change
    block = bytearray(tape.member(f"o/{DIGEST}", len(frame(GOOD))))
    block[place : place + len(new)] = new
    block[148:156] = b" " * 8
    block[148:156] = f"{sum(block):06o}\0 ".encode()
    data = frame(GOOD)
    return bytes(block) + data + tape.padding(len(data)) + tape.END


BLOCKS: dict[str, tuple[int, bytes]] = {
    "a symbolic link": (156, b"2"),
    "a hard link": (156, b"1"),
    "a pipe": (156, b"6"),
    "a device": (156, b"3"),
    "a device of blocks": (156, b"4"),
    "an unknown type": (156, b"Z"),
    "a folder": (156, b"5"),
    "a sparse file": (156, b"S"),
    "a pax header": (156, b"x"),
    "a pax header for all": (156, b"g"),
    "a long name": (156, b"L"),
    "a link's target": (157, b"/etc/passwd"),
    "setuid": (100, b"0004755"),
    "an owner": (108, b"0000001"),
    "a time": (136, b"00000000001"),
    "a negative size": (124, b"\xff" * 12),
    "a size in base 256": (124, b"\x80" + bytes(10) + b"\x05"),
    "a size with blanks": (124, b"          5 "),
    "a prefix": (345, b"/etc"),
    "nul in the name": (10, b"\0"),
    "a user": (265, b"root"),
}


@pytest.mark.parametrize("case", [*VOLUMES, *BLOCKS])
def test_volumes_that_no_writer_makes_give_nothing(desk: Path, tmp_path: Path, case: str) -> None:
    volume = _made(VOLUMES[case]) if case in VOLUMES else _header(BLOCKS[case])
    tree = manifest_of(
        files=[file_of("logs/x"), file_of("logs/y", b"fine", objects=[[sha256(b"fine").hexdigest(), 4, 1]])]
    )
    path = Forged(tree=tree, volumes=[volume, volume_of(b"fine")]).write(tmp_path / "b")
    imported_with_loss(desk, path, "logs/x")
    found = next(desk.glob("cases/*/logs/y"))
    assert found.read_bytes() == b"fine"
    assert GOOD not in next(desk.glob("cases/*/logs/x")).read_bytes()


def test_an_object_that_is_listed_and_absent_is_lost_and_one_that_nobody_lists_is_ignored(
    desk: Path, tmp_path: Path
) -> None:
    tree = manifest_of(files=[file_of("logs/x"), file_of("logs/y", b"fine")])
    path = Forged(tree=tree, volumes=[volume_of(b"fine", b"unlisted")]).write(tmp_path / "b")
    imported_with_loss(desk, path, "logs/x")
    assert not [each for each in desk.rglob("*") if each.is_file() and b"unlisted" in each.read_bytes()]


def test_very_many_empty_members_cost_little(desk: Path, tmp_path: Path) -> None:
    """Each has a proper block; the volume is larger than any may be, so it is not even opened."""
    empty = tape.member(f"o/{sha256(b'').hexdigest()}", 0)
    path = Forged(volumes=[empty * effort(200_000, all=1_000_000) + tape.END]).write(tmp_path / "b")
    start = time.process_time()
    assert refused(desk, path).entry is codes.BREAKS_RULES
    assert time.process_time() - start < 5

    few = Forged(tree=manifest_of(files=[file_of("logs/x")]), volumes=[empty * 100_000 + volume_of(GOOD)])
    imported_with_loss(desk, few.write(tmp_path / "few"), "logs/x")


@pytest.mark.parametrize("lie", [False, True])
def test_a_zip_is_no_bundle_however_its_members_overlap_or_lie(tmp_path: Path, lie: bool) -> None:
    path = tmp_path / "x.skerry"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for _ in range(3):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                file.writestr("BUNDLE.json", b"0" * 10_000_000)
    if lie:  # the sizes in the central directory
        data = bytearray(path.read_bytes())
        place = data.index(b"PK\x01\x02")
        data[place + 20 : place + 28] = b"\xff" * 8
        path.write_bytes(bytes(data))
    with pytest.raises(SkerryError) as error:
        open_bundle([path], None, clock=CLOCK)
    assert error.value.entry is codes.NOT_A_BUNDLE


def test_names_that_only_look_alike_are_two_files(desk: Path, tmp_path: Path) -> None:
    files = [file_of("logs/a"), file_of("logs/\u0430", b"fine")]  # a Latin and a Cyrillic letter
    path = Forged(tree=manifest_of(files=files), volumes=[volume_of(GOOD, b"fine")]).write(tmp_path / "b")
    case = import_bundle(desk, [path], clock=CLOCK)
    assert ((case.folder / "logs/a").read_bytes(), (case.folder / "logs/\u0430").read_bytes()) == (
        GOOD,
        b"fine",
    )


def test_a_volume_cut_at_every_block_gives_nothing_wrong(desk: Path, tmp_path: Path) -> None:
    rng = random.Random(3)
    objects = [rng.randbytes(700) for _ in range(3)]
    whole = volume_of(*objects)
    files = [file_of(f"logs/{n}", data) for n, data in enumerate(objects)]
    for end in range(0, len(whole), 512):
        path = tmp_path / f"b{end}"
        forged = Forged(tree=manifest_of(files=files), volumes=[whole]).write(path)
        (forged / "vol-000.tar").write_bytes(whole[:end])
        bundle = open_bundle([forged], None, clock=CLOCK)
        for name in bundle.entries:
            with pytest.raises(SkerryError):
                bundle.read(name)


HEADERS: dict[str, dict[str, Any]] = {
    "another version": {"format": "skerry-bundle/999"},
    "no version": {"format": "tar"},
    "version 01": {"format": "skerry-bundle/01"},
    "another kind": {"kind": "virus"},
    "id leads elsewhere": {"id": "../../x"},
    "created is no time": {"created": "yesterday"},
    "created without a zone": {"created": "2026-11-21T08:00:00"},
    "recipients are a text": {"recipients": "age1"},
    "recipients are numbers": {"recipients": [1]},
    "signer is a number": {"signer": 1},
    "manifest is a text": {"manifest": "x"},
    "manifest elsewhere": {"manifest": {"name": "/etc/passwd", "size": 1, "sha256": DIGEST}},
    "manifest above": {"manifest": {"name": "../manifest.zst", "size": 1, "sha256": DIGEST}},
    "manifest too large": {"manifest": {"name": "manifest.zst", "size": 1 << 40, "sha256": DIGEST}},
    "manifest of true": {"manifest": {"name": "manifest.zst", "size": True, "sha256": DIGEST}},
    "volumes are a map": {"volumes": {}},
    "a volume of another name": {"volumes": [{"name": "vol-001.tar", "size": 1, "sha256": DIGEST}]},
    "too many volumes": {
        "volumes": [{"name": f"vol-{n:03d}.tar", "size": 1, "sha256": DIGEST} for n in range(8193)]
    },
    "more": {"x": 1},
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_header_that_is_not_as_it_must_be_is_refused(desk: Path, tmp_path: Path, case: str) -> None:
    path = Forged(header=HEADERS[case]).write(tmp_path / "b")
    error = refused(desk, path)
    assert (error.entry is codes.NEWER_FORMAT) is (case == "another version")


def test_a_header_of_a_megabyte_and_more_is_refused(desk: Path, tmp_path: Path) -> None:
    path = Forged().write(tmp_path / "b")
    (path / "BUNDLE.json").write_bytes(b" " * (2 << 20))
    assert refused(desk, path)


@pytest.mark.parametrize("part", ["BUNDLE.json", "manifest.zst", "vol-000.tar", "BUNDLE.json.sig"])
def test_links_and_pipes_in_the_place_of_parts_are_not_followed(
    desk: Path, tmp_path: Path, part: str
) -> None:
    path = Forged(tree=manifest_of(files=[file_of("logs/x")])).write(tmp_path / "b")
    real = tmp_path / "real"
    if (path / part).exists():
        (path / part).rename(real)
    else:
        real.write_bytes(b"")
    for make in (lambda: (path / part).symlink_to(real), lambda: os.mkfifo(path / part)):
        make()
        if part == "vol-000.tar":
            assert open_bundle([path], None, clock=CLOCK).findings
        elif part != "BUNDLE.json.sig":
            assert refused(desk, path)
        else:
            assert open_bundle([path], None, clock=CLOCK).trust == "unsigned"
        (path / part).unlink()


@pytest.mark.parametrize(
    "armoured",
    [b"", b"x", b"-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n", b"\xff" * 100, b"A" * 10**6],
)
def test_a_signature_that_is_none_counts_as_none(tmp_path: Path, keys: Keys, armoured: bytes) -> None:
    path = Forged(keys=keys).write(tmp_path / "b")
    (path / "BUNDLE.json.sig").write_bytes(armoured)
    bundle = open_bundle([path], keys, clock=CLOCK)
    assert bundle.trust == "unsigned"
    assert bundle.findings
    with pytest.raises(SkerryError) as error:
        open_bundle([path], keys, clock=CLOCK, must_be_trusted=True)
    assert error.value.entry is codes.SIGNATURE_WRONG


def test_nothing_is_parsed_before_the_signature_where_trust_is_a_must(tmp_path: Path, keys: Keys) -> None:
    stranger = Keys(tmp_path / "stranger", CLOCK)
    stranger.folder.parent.mkdir()
    for signer in (None, stranger):
        path = Forged(keys=signer, manifest=b"this would not even decompress").write(
            tmp_path / f"b{bool(signer)}"
        )
        with pytest.raises(SkerryError) as error:
            open_bundle([path], keys, clock=CLOCK, must_be_trusted=True)
        assert error.value.entry is codes.UNTRUSTED


AGE: dict[str, bytes] = {
    "a header of a megabyte": b"age-encryption.org/v1\n-> X25519 " + b"A" * (1 << 20) + b"\n--- x\n",
    "ten thousand stanzas": b"age-encryption.org/v1\n" + b"-> X25519 aaaa\nbbbb\n" * 10_000 + b"--- mac\n",
    "scrypt with a work factor of 2^30": b"age-encryption.org/v1\n-> scrypt bBjlhJVYZeE4aqUdmtRHfw 30\n"
    b"ZV/AhotwSGqaPCU43cepl4WYUouAa17a3xpu4G2yi5k\n--- fgMiVLJHMlg9fW7CVG/hPS5EAU4Zeg19LyCP7SoH5nA\n"
    + bytes(80),
    "no age file": b"x" * 1000,
    "nothing": b"x",
}


@pytest.mark.parametrize("case", AGE)
def test_age_files_made_to_exhaust_are_refused(desk: Path, tmp_path: Path, case: str) -> None:
    own = Keys(desk, CLOCK)
    path = Forged().write(tmp_path / "b")
    data = AGE[case]
    answer = {"name": "manifest.age", "size": len(data), "sha256": sha256(data).hexdigest()}
    (path / "BUNDLE.json").unlink()
    for each in path.iterdir():
        each.unlink()
    path.rmdir()
    path = Forged(header={"recipients": [own.recipient], "manifest": answer, "volumes": []}).write(
        tmp_path / "b"
    )
    (path / "manifest.age").write_bytes(data)
    assert refused(desk, path)


def test_sealed_chunks_that_were_swapped_or_cut_are_refused(tmp_path: Path, keys: Keys) -> None:
    import pyrage

    from export_import.container.sealing import recipient_of, seal, unseal

    sealed = seal(os.urandom(200_000), [recipient_of(keys.recipient)])
    begin = sealed.index(b"\n--- ")
    begin = sealed.index(b"\n", begin + 1) + 1 + 16
    chunk = (64 << 10) + 16
    one, two = sealed[begin : begin + chunk], sealed[begin + chunk : begin + 2 * chunk]
    swapped = sealed[:begin] + two + one + sealed[begin + 2 * chunk :]
    for bad in (swapped, sealed[:-1], sealed[: begin + chunk], sealed + b"x"):
        with pytest.raises(SkerryError) as error:
            unseal(bad, keys.identities(), "x")
        assert error.value.entry is codes.DAMAGED
    assert pyrage.decrypt(sealed, keys.identities())


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.dictionaries(st.sampled_from(["format", "kind", "facts", "files", "omitted", "x"]), ANYTHING),
    st.lists(
        st.fixed_dictionaries(
            {}, optional=dict.fromkeys(("name", "size", "role", "objects", "facts"), ANYTHING)
        )
    ),
)
@settings(
    max_examples=effort(40, all=800),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_manifest_opens_or_is_refused_with_a_code(
    tmp_path_factory: pytest.TempPathFactory, changes: dict[str, Any], files: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    tree = {**manifest_of(files=[{**file_of("logs/x"), **each} for each in files]), **changes}
    try:
        path = Forged(tree=tree).write(folder / "b")
    except (UnicodeEncodeError, ValueError):
        return
    desk = folder / "desk"
    desk.mkdir()
    assert str(-_code(desk, path)).startswith("150")
    assert {each.name for each in folder.iterdir()} == {"b", "desk"}


def _code(desk: Path, path: Path) -> int:
    """What the import is refused with; that of a whole bundle if it is not."""
    try:
        import_bundle(desk, [path], clock=CLOCK, limits=SMALL)
    except SkerryError as error:
        return error.code
    return codes.NOT_A_BUNDLE.number


@given(st.binary(max_size=3000))
@settings(max_examples=effort(60, all=1200), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_as_a_bundle_of_one_file_are_refused_with_a_code(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "x.skerry"
    for whole in (data, tape.member("BUNDLE.json", len(data)) + data, member("BUNDLE.json", data) + tape.END):
        path.write_bytes(whole)
        with pytest.raises(SkerryError) as error:
            open_bundle([path], None, clock=CLOCK)
        assert str(-error.value.code).startswith("150")
