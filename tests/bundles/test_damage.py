"""Damaged, broken-off and resumed bundles: never a wrong byte, and a loss costs only what it must.

The tests kill an export and an import at some steps, this at every single one (some five minutes in all):

    python -m tests.bundles.test_damage [out|out.skerry|sealed|import|large]...
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.errors import Invalid, SkerryError
from export_import.case import Case
from export_import.container import BundleWriter, open_bundle
from export_import.container.checking import check_bundle
from export_import.importing import import_bundle
from export_import.keys import Keys
from export_import.packed_logs import opened
from tests.bundles.case_service import service_of
from tests.bundles.conftest import CLOCK, TASK, Place, Write, run
from tests.bundles.killing import killed_at
from tests.effort import effort

_WHOLE = ("out", "out.skerry", "sealed", "import", "large")
ASIDE = {"BUNDLE.json.sig"}


def content(seed: int, files: int = 6, size: int = 90_000) -> dict[str, bytes]:
    rng = random.Random(seed)
    return {f"instances/f{number}": rng.randbytes(size + number) for number in range(files)}


@pytest.mark.parametrize("sealed", [False, True])
def test_one_flipped_byte_anywhere_is_noticed_and_never_read_as_right(
    write: Write, keys: Keys, tmp_path: Path, sealed: bool
) -> None:
    files = content(1, files=3, size=3000)
    path = write("out", files, sealed=sealed)
    rng = random.Random(sealed)
    for part in sorted(path.iterdir()):
        whole = part.read_bytes()
        for place in {0, len(whole) - 1, *(rng.randrange(len(whole)) for _ in range(25))}:
            part.write_bytes(
                whole[:place] + bytes([whole[place] ^ (1 << rng.randrange(8))]) + whole[place + 1 :]
            )
            check = check_bundle([path], keys, clock=CLOCK)
            assert not check.intact or part.name in ASIDE, (part.name, place)
            _reads_right_or_not_at_all(path, keys, files)
        part.write_bytes(whole)
    assert check_bundle([path], keys, clock=CLOCK).intact


def test_one_flipped_byte_in_a_bundle_of_one_file_is_noticed(write: Write, keys: Keys) -> None:
    path = write("out.skerry", content(2, files=2, size=500))
    whole = path.read_bytes()
    aside = _stretches_aside(whole)
    for place in range(0, len(whole), 31):
        if any(start <= place < stop for start, stop in aside):
            continue
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            assert not check_bundle([path], keys, clock=CLOCK).intact, place
        except Invalid:
            raise AssertionError(place) from None
    path.write_bytes(whole)
    assert check_bundle([path], keys, clock=CLOCK).intact


def _stretches_aside(whole: bytes) -> list[tuple[int, int]]:
    from export_import.container import tape

    return [
        (start, start + size)
        for name, start, size in tape.members(lambda at, size: whole[at : at + size], len(whole), "")
        if name in ASIDE
    ]


def _reads_right_or_not_at_all(path: Path, keys: Keys, files: dict[str, bytes]) -> None:
    try:
        bundle = open_bundle([path], keys, clock=CLOCK)
    except SkerryError:
        return
    for name in bundle.entries:
        try:
            assert bundle.read(name) == files[name]
        except SkerryError:
            continue


@pytest.mark.parametrize("sealed", [False, True])
def test_a_lost_volume_costs_only_its_objects(write: Write, keys: Keys, sealed: bool) -> None:
    files = content(3)
    path = write("out", files, sealed=sealed, volume_size=200_000)
    volumes = sorted(path.glob("vol-*"))
    assert len(volumes) > 2
    volumes[1].unlink()

    bundle = open_bundle([path], keys, clock=CLOCK)
    assert [each.where for each in bundle.findings] == [volumes[1].name]
    lost = {name for name, entry in bundle.entries.items() if any(ref.volume == 1 for ref in entry.objects)}
    assert 0 < len(lost) < len(files)
    for name, data in files.items():
        if name in lost:
            with pytest.raises(SkerryError):
                bundle.read(name)
        else:
            assert bundle.read(name) == data
    assert {each.where for each in bundle.verify()} == {volumes[1].name}


def test_a_case_of_a_bundle_with_a_lost_volume_says_what_is_lost(
    write: Write, keys: Keys, tmp_path: Path
) -> None:
    files = content(4)
    path = write("out", files, volume_size=200_000)
    (path / "vol-001.tar").unlink()
    case = import_bundle(tmp_path / "keys-here", [path], clock=CLOCK)
    lost = {each["name"] for each in case.lost}
    assert lost
    for name, data in files.items():
        found = (case.folder / name).read_bytes()
        assert found == data if name not in lost else b"bytes are lost with vol-001.tar" in found


def test_volumes_on_several_media_are_one_bundle(write: Write, keys: Keys, tmp_path: Path) -> None:
    files = content(5)
    path = write("out", files, volume_size=200_000)
    other = tmp_path / "second-stick"
    other.mkdir()
    for volume in sorted(path.glob("vol-*"))[1:]:
        shutil.move(volume, other / volume.name)
    bundle = open_bundle([path, other], keys, clock=CLOCK)
    assert bundle.verify() == ()
    assert not bundle.findings
    single = open_bundle([path, *other.iterdir()], keys, clock=CLOCK)
    assert {name: single.read(name) for name in files} == files


def test_parts_of_two_bundles_are_not_mixed(write: Write, keys: Keys) -> None:
    one, two = write("one", content(6)), write("two", content(7))
    with pytest.raises(SkerryError, match="different bundles"):
        open_bundle([one, two], keys, clock=CLOCK)


class Pulled(Exception):
    """The stick went away."""


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_writer_goes_on_behind_the_volumes_of_a_broken_off_one(
    tmp_path: Path, keys: Keys, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    from export_import.container import volumes

    files, journal = content(8), tmp_path / "journal"
    real, count = volumes.put, iter(range(100))

    def failing(path: Path, data: bytes, **how: bool) -> None:
        if path.name.startswith("vol-") and next(count) >= after:
            path.with_name(path.name + ".part").write_bytes(data[: len(data) // 2])
            raise Pulled
        real(path, data, **how)

    how = {"kind": "diagnostic", "keys": keys, "clock": CLOCK, "volume_size": 200_000, "journal": journal}
    monkeypatch.setattr(volumes, "put", failing)
    with pytest.raises(Pulled):
        _write(tmp_path / "out", files, **how)
    assert not (tmp_path / "out").exists()
    times = {each.name: each.stat().st_mtime_ns for each in (tmp_path / "out.part").glob("vol-???.tar")}
    assert len(times) == after

    monkeypatch.setattr(volumes, "put", real)
    with BundleWriter(tmp_path / "out", **how) as writer:  # type: ignore[arg-type]
        _fill(writer, files)
        path = writer.finish()

    assert {each.name: each.stat().st_mtime_ns for each in path.glob("vol-*") if each.name in times} == times
    bundle = open_bundle([path], keys, clock=CLOCK)
    assert {name: bundle.read(name) for name in files} == files
    assert bundle.verify() == ()
    assert not journal.exists()
    assert not list(path.glob("*.part"))


def test_what_another_redaction_left_is_not_gone_on_with(tmp_path: Path, keys: Keys) -> None:
    how = {"kind": "diagnostic", "keys": keys, "clock": CLOCK, "journal": tmp_path / "journal"}
    _seal(tmp_path / "out", {"a": b"secret" * 100}, mark="one", **how)
    with BundleWriter(tmp_path / "out", mark="two", **how) as writer:  # type: ignore[arg-type]
        _fill(writer, {"b": b"harmless"})
        path = writer.finish()
    assert len(list(path.glob("vol-*"))) == 1
    bundle = open_bundle([path], keys, clock=CLOCK)
    assert bundle.verify() == ()
    assert list(bundle.entries) == ["b"]


def test_a_volume_that_went_bad_meanwhile_is_written_again(tmp_path: Path, keys: Keys) -> None:
    files = content(9)
    how = {
        "kind": "diagnostic",
        "keys": keys,
        "clock": CLOCK,
        "volume_size": 200_000,
        "journal": tmp_path / "j",
    }
    _seal(tmp_path / "out", files, **how)
    damaged = tmp_path / "out.part" / "vol-001.tar"
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"!")
    with (tmp_path / "j").open("ab") as journal:
        journal.write(b'{"name": "vol-')  # a torn line
    with BundleWriter(tmp_path / "out", **how) as writer:  # type: ignore[arg-type]
        _fill(writer, files)
        path = writer.finish()
    assert open_bundle([path], keys, clock=CLOCK).verify() == ()


def _fill(writer: BundleWriter, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        writer.add(name, [data])


def _write(path: Path, files: dict[str, bytes], **how: object) -> Path:
    with BundleWriter(path, **how) as writer:  # type: ignore[arg-type]
        _fill(writer, files)
        return writer.finish()


def _seal(path: Path, files: dict[str, bytes], **how: object) -> None:
    """Up to the last step, which never comes."""
    with BundleWriter(path, **how) as writer:  # type: ignore[arg-type]
        _fill(writer, files)
        writer.seal()


@pytest.mark.parametrize("name", ["out", "out.skerry"])
def test_killed_at_any_step_an_export_leaves_a_whole_bundle_or_none(
    site: Place, tmp_path: Path, name: str
) -> None:
    ends = _killed_at_every_step(
        tmp_path, lambda: site.export(tmp_path / name), tmp_path / name, _is_intact(site)
    )
    assert ends > 8
    done = site.export(tmp_path / name) if not (tmp_path / name).exists() else None
    assert done is None or check_bundle([done.path], site.keys, clock=CLOCK).intact


LARGE = """
skerry: 1
tasks:
  night:
    nodes:
      count: {type: shell, process: "seq 1 700000; seq 1 9 >&2"}
"""


@pytest.mark.parametrize("text", [TASK, LARGE], ids=["small", "large"])
def test_killed_at_any_step_an_import_leaves_a_whole_case_or_none(tmp_path: Path, text: str) -> None:
    assert run(tmp_path / "site", text) == 1
    path = Place(tmp_path / "site").export(tmp_path / "out").path
    desk = tmp_path / "desk"
    desk.mkdir()

    def work() -> None:
        import_bundle(desk, [path], clock=CLOCK, name="one")

    ends = _killed_at_every_step(tmp_path, work, desk / "cases" / "one", _is_case)
    assert ends > 8
    if not (desk / "cases" / "one").exists():
        work()
    assert [each.name for each in (desk / "cases").iterdir()] == ["one"]


def _is_intact(site: Place):  # type: ignore[no-untyped-def]
    return lambda path: check_bundle([path], site.keys, clock=CLOCK).intact


@cache
def _counted() -> bytes:
    """What the large task writes."""
    return "\n".join(map(str, range(1, 700_001))).encode() + b"\n"


def _is_case(path: Path) -> bool:
    with service_of(Case(path)) as service:
        logs = [Path(each["path"]) for each in service.logs(1, None)]
    for log in (log for log in logs if log.parent.name.startswith("job-count-")):
        with opened(log) as file:
            assert file.read() == _counted()
    return bool(logs) and not Case(path).lost


def _killed_at_every_step(  # type: ignore[no-untyped-def]
    tmp_path: Path, work, target: Path, whole, far: int = 19
) -> int:
    """Run ``work`` in children that are killed before their n-th change of the disk; how many n there were.

    From the twelfth step on only every ``far``-th.
    """
    number, step = 0, 1
    while True:
        ended = killed_at(number, work)
        if target.exists():
            assert whole(target), number
        if ended:
            return number
        if target.exists():  # killed behind the last step that counts: again
            shutil.rmtree(target) if target.is_dir() else target.unlink()
        number += step
        step = 1 if number < 12 else far


@given(st.binary(max_size=400), st.integers(0, 10**6), st.integers(0, 3))
@settings(max_examples=effort(40, all=600))
def test_a_bundle_with_any_stretch_replaced_never_reads_wrong(data: bytes, place: int, part: int) -> None:
    folder = _template()
    files = content(1, files=3, size=3000)
    keys = Keys(folder.parent / "keys-of-template", CLOCK)
    parts = sorted(folder.iterdir())
    chosen = parts[part % len(parts)]
    whole = chosen.read_bytes()
    start = place % (len(whole) + 1)
    try:
        chosen.write_bytes(whole[:start] + data + whole[start + len(data) // 2 :])
        _reads_right_or_not_at_all(folder, keys, files)
    finally:
        chosen.write_bytes(whole)


def _template() -> Path:
    """One bundle for all examples."""
    folder = Path(tempfile.gettempdir()) / f"skerry-fuzz-{os.getpid()}" / "out"
    if not folder.exists():
        keys = Keys(folder.parent / "keys-of-template", CLOCK)
        keys.folder.parent.mkdir(parents=True, exist_ok=True)
        with BundleWriter(
            folder, kind="diagnostic", keys=keys, recipients=[keys.recipient], clock=CLOCK
        ) as writer:
            _fill(writer, content(1, files=3, size=3000))
            writer.finish()
    return folder


def test_with_a_budget_an_export_does_not_go_on_behind_one_that_found_no_room(
    site: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from export_import.container import volumes

    real = volumes.put

    def full(path: Path, data: bytes, **how: bool) -> None:
        if path.name.startswith("manifest"):
            raise Pulled
        real(path, data, **how)

    monkeypatch.setattr("export_import.container.writer.put", full)
    with pytest.raises(Pulled):
        site.export(tmp_path / "out")
    left = sum(each.stat().st_size for each in (tmp_path / "out.part").iterdir())
    monkeypatch.undo()

    seen: list[int] = []

    def looking(path: Path, data: bytes, **how: bool) -> None:
        if path.name.startswith("manifest"):
            seen.append(sum(each.stat().st_size for each in path.parent.glob("vol-*")))
        real(path, data, **how)

    monkeypatch.setattr("export_import.container.writer.put", looking)
    site.export(tmp_path / "out", budget=30_000)
    assert seen[0] < 30_000 < left


def test_a_folder_that_is_not_of_a_bundle_is_never_cleared(tmp_path: Path, keys: Keys) -> None:
    mine = tmp_path / "out.part"
    mine.mkdir()
    (mine / "thesis.txt").write_text("the only copy")
    with pytest.raises(SkerryError, match="in the way"):
        BundleWriter(tmp_path / "out", kind="diagnostic", keys=keys, clock=CLOCK)
    assert (mine / "thesis.txt").read_text() == "the only copy"


@pytest.mark.parametrize("journal", [True, False])
def test_a_second_writer_to_the_same_place_is_refused_and_the_first_one_ends(
    tmp_path: Path, keys: Keys, journal: bool
) -> None:
    how = {"kind": "diagnostic", "keys": keys, "clock": CLOCK, "journal": tmp_path / "j" if journal else None}
    files = content(10)
    with BundleWriter(tmp_path / "out", **how) as writer:  # type: ignore[arg-type]
        _fill(writer, files)
        with pytest.raises(SkerryError, match="another export is writing"):
            BundleWriter(tmp_path / "out", **how)  # type: ignore[arg-type]
        path = writer.finish()

    bundle = open_bundle([path], keys, clock=CLOCK)
    assert {name: bundle.read(name) for name in files} == files
    with pytest.raises(SkerryError, match="is already there"):
        BundleWriter(tmp_path / "out", **how)  # type: ignore[arg-type]


def test_a_medium_may_have_a_name_that_is_no_text(site: Place, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"stick-\xff")
    path.mkdir()
    done = site.export(path / os.fsdecode(b"run-\xfe"))
    assert check_bundle([done.path], site.keys, clock=CLOCK).intact


def test_a_full_medium_stops_the_export_and_is_gone_on_with(
    site: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno

    from engine.model.codes.store import DISK_FULL
    from export_import.container import volumes

    def full(path: str, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", path)

    with monkeypatch.context() as patched:
        patched.setattr(volumes, "write_new", full)
        with pytest.raises(SkerryError) as error:
            site.export(tmp_path / "out")
        assert error.value.entry is DISK_FULL
    assert check_bundle([site.export(tmp_path / "out").path], site.keys, clock=CLOCK).intact
    assert not list(site.root.glob("bundles/.*"))


def main() -> None:
    """Kill at every step of an export into a folder, one into a file, an encrypted one, and imports."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("what", nargs="*", choices=[[], *_WHOLE])
    for what in parser.parse_args().what or _WHOLE:
        with tempfile.TemporaryDirectory() as name:
            steps = _every_step_of(what, Path(name))
        sys.stdout.write(f"{what}: {steps} steps, a whole one or none after each\n")
        sys.stdout.flush()


def _every_step_of(what: str, folder: Path) -> int:
    assert run(folder / "site", LARGE if what == "large" else TASK) == 1
    site, desk = Place(folder / "site"), folder / "desk"
    if what not in ("import", "large"):
        to = {"recipients": (site.keys.recipient,)} if what == "sealed" else {}
        export = partial(site.export, folder / what, **to)
        return _killed_at_every_step(folder, export, folder / what, _is_intact(site), far=1)
    desk.mkdir()
    path = site.export(folder / "out").path
    work = partial(import_bundle, desk, [path], clock=CLOCK, name="one")
    return _killed_at_every_step(folder, work, desk / "cases" / "one", _is_case, far=1)


if __name__ == "__main__":
    main()
