"""The simulated disk: what is durable survives every power cut, and what is not may be lost in every way."""

from __future__ import annotations

import builtins
import errno
import fcntl
import io
import itertools
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.execution.files import append_all, replace, sync, write_new
from engine.runtime.settings import Settings
from engine.runtime.workspace import Workspace
from tests.simulation.machine.disk import Disk

SEEDS = range(100)
Tree = dict[str, bytes | None]


@contextmanager
def a_disk(seed: int = 0) -> Iterator[tuple[Disk, Path]]:
    """A disk and its empty folder."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as made:
        root = Path(made).resolve() / "root"
        root.mkdir()
        with Disk(root, random.Random(seed)) as disk:
            yield disk, root


def tree(root: Path) -> Tree:
    """Each path with its bytes; None for a folder."""
    return {
        str(each.relative_to(root)): each.read_bytes() if each.is_file() else None for each in root.rglob("*")
    }


def outcomes(work: Callable[[Disk, Path], object]) -> set[tuple[tuple[str, bytes | None], ...]]:
    """All that a power cut left after that work, over many seeds."""
    left = set()
    for seed in SEEDS:
        with a_disk(seed) as (disk, root):
            work(disk, root)
            disk.power_cut()
            left.add(tuple(sorted(tree(root).items())))
    return left


def contents(name: str, work: Callable[[Disk, Path], object]) -> set[bytes | None]:
    """What a power cut left of one file; None where it is not there."""
    return {dict(left).get(name) for left in outcomes(work)}


def written(path: Path, data: bytes, *, synced: bool = False) -> None:
    """A new file."""
    write_new(str(path), data)
    if synced:
        sync(str(path))


# -- what is durable ------------------------------------------------------------------------------------


def test_a_new_file_that_was_synced_survives_every_cut_and_its_entry_with_it() -> None:
    assert contents("a", lambda disk, root: written(root / "a", b"one", synced=True)) == {b"one"}


def test_a_new_file_that_was_not_synced_may_be_missing_empty_torn_zeros_or_whole() -> None:
    left = contents("a", lambda disk, root: written(root / "a", b"words"))

    assert {None, b"", b"words", bytes(5)} <= left
    assert any(each and 0 < len(each) < 5 and b"words".startswith(each) for each in left)


def test_bytes_that_were_added_after_a_sync_may_be_lost_but_no_others() -> None:
    def work(disk: Disk, root: Path) -> None:
        written(root / "log", b"first\n", synced=True)
        fd = os.open(root / "log", os.O_WRONLY | os.O_APPEND)
        append_all(fd, b"second\n")
        os.close(fd)

    left = contents("log", work)

    assert {b"first\n", b"first\nsecond\n", b"first\n" + bytes(7)} <= left
    assert all(each and each.startswith(b"first\n") and len(each) <= 13 for each in left)


def test_bytes_that_were_overwritten_in_place_are_the_old_or_the_new_ones() -> None:
    def work(disk: Disk, root: Path) -> None:
        written(root / "stage", b"pid 11111", synced=True)
        fd = os.open(root / "stage", os.O_WRONLY)
        os.pwrite(fd, b"22222", 4)
        os.close(fd)

    assert contents("stage", work) == {b"pid 11111", b"pid 22222"}


def test_of_a_file_that_was_overwritten_in_place_each_page_is_the_old_or_the_new_one() -> None:
    def work(disk: Disk, root: Path) -> None:
        written(root / "pages", b"a" * 8192, synced=True)
        fd = os.open(root / "pages", os.O_WRONLY)
        os.write(fd, b"b" * 8192)
        os.close(fd)

    left = contents("pages", work)

    assert left == {one * 4096 + other * 4096 for one in (b"a", b"b") for other in (b"a", b"b")}


def test_a_large_file_that_was_overwritten_in_place_is_taken_as_written() -> None:
    def work(disk: Disk, root: Path) -> None:
        written(root / "large", bytes(70_000), synced=True)
        fd = os.open(root / "large", os.O_WRONLY)
        os.pwrite(fd, b"new", 0)
        os.close(fd)

    assert contents("large", work) == {b"new" + bytes(69_997)}


def test_a_file_that_was_emptied_and_written_again_is_the_old_one_or_any_part_of_the_new_one() -> None:
    def work(disk: Disk, root: Path) -> None:
        written(root / "ctx.json", b"old", synced=True)
        (root / "ctx.json").write_bytes(b"younger")

    left = contents("ctx.json", work)

    assert {b"old", b"younger", b""} <= left
    assert all(each == b"old" or b"younger".startswith(each or b"") or not any(each or b"") for each in left)


def test_a_file_that_was_cut_off_has_its_end_again_or_not() -> None:
    def work(disk: Disk, root: Path) -> None:
        written(root / "log", b"whole torn", synced=True)
        os.truncate(root / "log", 5)

    assert contents("log", work) == {b"whole", b"whole torn"}


def test_what_was_overwritten_and_then_synced_is_the_new_one() -> None:
    def work(disk: Disk, root: Path) -> None:
        written(root / "stage", b"1111", synced=True)
        fd = os.open(root / "stage", os.O_WRONLY)
        os.pwrite(fd, b"2222", 0)
        os.fdatasync(fd)
        os.close(fd)

    assert contents("stage", work) == {b"2222"}


def test_a_sync_of_the_folder_keeps_the_entries_but_not_the_data() -> None:
    def work(disk: Disk, root: Path) -> None:
        written(root / "a", b"data")
        sync(str(root))

    left = contents("a", work)

    assert None not in left
    assert b"" in left


def test_of_entries_that_were_not_synced_a_beginning_survives_in_the_order_of_time() -> None:
    def work(disk: Disk, root: Path) -> None:
        for name in ("b", "a", "c"):
            os.mkdir(root / name)

    assert {tuple(dict(each)) for each in outcomes(work)} == {(), ("b",), ("a", "b"), ("a", "b", "c")}


def test_a_synced_new_file_brings_all_entries_before_it_to_the_disk_and_none_after_it() -> None:
    def work(disk: Disk, root: Path) -> None:
        os.mkdir(root / "before")
        written(root / "a", b"", synced=True)
        os.mkdir(root / "later")

    assert {tuple(dict(each)) for each in outcomes(work)} == {("a", "before"), ("a", "before", "later")}


def test_a_sync_of_a_folder_that_was_renamed_meanwhile_is_one_of_that_folder() -> None:
    def work(disk: Disk, root: Path) -> None:
        os.mkdir(root / "old")
        folder = os.open(root / "old", os.O_RDONLY)
        os.mkdir("inner", dir_fd=folder)
        os.rename(root / "old", root / "new")
        os.fsync(folder)
        os.close(folder)

    left = {tuple(dict(each)) for each in outcomes(work)}

    assert left == {("old", "old/inner"), ("new", "new/inner")}


def test_a_rename_that_was_not_synced_leaves_the_file_under_one_of_both_names() -> None:
    def work(disk: Disk, root: Path) -> None:
        written(root / "a", b"1", synced=True)
        (root / "a").rename(root / "b")

    assert outcomes(work) == {(("a", b"1"),), (("b", b"1"),)}


def test_files_that_were_unlinked_or_replaced_come_back_until_that_is_durable() -> None:
    def work(disk: Disk, root: Path) -> None:
        written(root / "a", b"a", synced=True)
        written(root / "b", b"b", synced=True)
        sync(str(root))
        os.replace(root / "a", root / "b")
        (root / "b").unlink()

    assert outcomes(work) == {(("a", b"a"), ("b", b"b")), (("b", b"a"),), ()}


def test_links_and_symbolic_links_come_and_go_like_files() -> None:
    def work(disk: Disk, root: Path) -> None:
        written(root / "a", b"a", synced=True)
        os.link(root / "a", root / "b")
        os.symlink("a", root / "c")

    assert {tuple(dict(each)) for each in outcomes(work)} == {("a",), ("a", "b"), ("a", "b", "c")}


def test_a_tree_that_was_removed_comes_back_with_what_was_in_it() -> None:
    def work(disk: Disk, root: Path) -> None:
        (root / "d" / "e").mkdir(parents=True, mode=0o750)
        written(root / "d" / "e" / "f", b"f", synced=True)
        shutil.rmtree(root / "d")

    left = outcomes(work)

    assert left == {
        (("d", None), ("d/e", None), ("d/e/f", b"f")),
        (("d", None), ("d/e", None)),
        (("d", None),),
        (),
    }


def test_rmtree_goes_its_safe_way_through_descriptors() -> None:
    with a_disk() as (disk, root):
        (root / "d" / "e").mkdir(parents=True)
        seen: list[tuple[str, str]] = []
        disk.before = lambda operation, path: seen.append((operation, path))

        assert {os.open, os.stat, os.unlink, os.rmdir} <= os.supports_dir_fd
        shutil.rmtree(root / "d")

        assert seen == [("rmdir", "d/e"), ("rmdir", "d")]
        assert tree(root) == {}


def test_sync_makes_everything_durable_and_open_files_are_followed_further() -> None:
    def work(disk: Disk, root: Path) -> None:
        fd = os.open(root / "log", os.O_WRONLY | os.O_CREAT)
        os.write(fd, b"one")
        disk.sync()
        os.write(fd, b"two")
        os.close(fd)

    left = contents("log", work)

    assert {b"one", b"onetwo"} <= left
    assert all(each and each.startswith(b"one") for each in left)


def test_a_durable_replace_survives() -> None:
    def work(disk: Disk, root: Path) -> None:
        replace(str(root / "ctx.json"), b"old", durable=True)
        replace(str(root / "ctx.json"), b"new", durable=True)

    assert outcomes(work) == {(("ctx.json", b"new"),)}


def test_a_replace_that_is_not_durable_leaves_the_old_file_the_new_one_or_a_torn_one() -> None:
    def work(disk: Disk, root: Path) -> None:
        replace(str(root / "ctx.json"), b"old", durable=True)
        replace(str(root / "ctx.json"), b"new")

    left = contents("ctx.json", work)

    assert {b"old", b"new", b""} <= left
    assert None not in left


def test_a_cut_says_what_was_lost() -> None:
    said = set()
    for seed in SEEDS:
        with a_disk(seed) as (disk, root):
            replace(str(root / "ctx.json"), b"old", durable=True)
            replace(str(root / "ctx.json"), b"newer")
            os.mkdir(root / "jobs")
            written(root / "jobs" / "status", b"1\n")
            said.update(disk.power_cut())

    assert {"ctx.json: the old one", "ctx.json: cut from 5 to 0", "ctx.json: zeros from 0 to 5"} <= said
    assert {"jobs: never there", "jobs/status: never there", "jobs/status: cut from 2 to 1"} <= said


def test_what_was_made_without_being_seen_is_left_alone() -> None:
    with a_disk() as (disk, root):
        os.mkdir(root / "d")
        os.close(os.open(root / "d" / "skerry.db", os.O_RDWR | os.O_CREAT))
        with io.FileIO(root / "d" / "skerry.db", "w") as file:
            file.write(b"pages")

        for _ in range(20):
            disk.power_cut()

        assert tree(root) == {"d": None, "d/skerry.db": b"pages"}


# -- faults ---------------------------------------------------------------------------------------------


def test_each_change_is_announced_before_anything_of_it_is_done() -> None:
    class Killed(Exception):
        pass

    def kill(operation: str, path: str) -> None:
        seen.append((operation, path))
        raise Killed

    with a_disk() as (disk, root):
        written(root / "a", b"abc")
        fd = os.open(root / "a", os.O_RDWR)
        os.mkdir(root / "d")
        before = tree(root)
        seen: list[tuple[str, str]] = []
        disk.before = kill
        works: list[Callable[[], object]] = [
            lambda: os.open(root / "new", os.O_CREAT | os.O_WRONLY),
            lambda: os.open(root / "a", os.O_TRUNC | os.O_WRONLY),
            lambda: os.write(fd, b"x"),
            lambda: os.pwrite(fd, b"x", 9),
            lambda: os.ftruncate(fd, 1),
            lambda: os.truncate(root / "a", 1),
            lambda: os.posix_fallocate(fd, 0, 10),
            lambda: os.fsync(fd),
            os.sync,
            lambda: (root / "e").mkdir(),
            lambda: os.rmdir(os.fsencode(root / "d")),
            lambda: os.rename(root / "a", root / "b"),
            lambda: os.link(root / "a", root / "b"),
            lambda: os.symlink("a", root / "b"),
            lambda: (root / "a").unlink(),
            lambda: (root / "text").write_text("x"),
        ]
        for work in works:
            with pytest.raises(Killed):
                work()
        disk.before = lambda operation, path: None

        assert tree(root) == before
        assert (root / "a").stat().st_nlink == 1
        assert seen == [
            ("create", "new"),
            ("truncate", "a"),
            ("write", "a"),
            ("pwrite", "a"),
            ("truncate", "a"),
            ("truncate", "a"),
            ("fallocate", "a"),
            ("fsync", "a"),
            ("sync", "."),
            ("mkdir", "e"),
            ("rmdir", "d"),
            ("rename", "b"),
            ("link", "b"),
            ("symlink", "b"),
            ("unlink", "a"),
            ("create", "text"),
        ]


def test_what_fails_anyway_is_not_announced() -> None:
    with a_disk() as (disk, root):
        os.mkdir(root / "d")
        seen: list[str] = []
        disk.before = lambda operation, path: seen.append(operation)
        disk.full = True

        with pytest.raises(FileExistsError):
            os.mkdir(root / "d")
        with pytest.raises(FileNotFoundError):
            os.unlink(root / "none")
        with pytest.raises(IsADirectoryError):
            os.unlink(root / "d")
        assert seen == []

        with pytest.raises(FileNotFoundError):
            os.open(root / "none" / "a", os.O_WRONLY | os.O_CREAT)


def test_a_full_disk_refuses_what_needs_room_and_nothing_else() -> None:
    with a_disk() as (disk, root):
        written(root / "a", b"abcdef")
        os.mkdir(root / "d")
        fd = os.open(root / "a", os.O_RDWR)
        disk.full = True

        for work in (
            lambda: os.open(root / "new", os.O_CREAT | os.O_WRONLY),
            lambda: os.pwrite(fd, b"x", 6),
            lambda: os.mkdir(root / "e"),
            lambda: os.link(root / "a", root / "b"),
            lambda: os.symlink("a", root / "b"),
            lambda: os.posix_fallocate(fd, 0, 100),
        ):
            with pytest.raises(OSError) as refused:
                work()
            assert refused.value.errno == errno.ENOSPC
        assert os.pwrite(fd, b"XY", 4) == 2
        assert os.statvfs(root).f_bavail == 0
        os.ftruncate(fd, 5)
        os.rename(root / "a", root / "b")
        os.unlink(root / "b")
        os.rmdir(root / "d")

        assert tree(root) == {}


def test_a_write_takes_what_fits_and_the_next_one_nothing_until_room_is_made() -> None:
    with a_disk() as (disk, root):
        written(root / "big", bytes(6))
        fd = os.open(root / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        disk.room = 4

        assert os.write(fd, b"123456") == 4
        with pytest.raises(OSError, match="No space"):
            os.write(fd, b"56")
        os.unlink(root / "big")

        assert disk.room == 6
        assert os.write(fd, b"56") == 2
        assert (root / "log").read_bytes() == b"123456"


def test_a_release_closes_what_its_owner_has_open_and_drops_its_locks() -> None:
    with a_disk() as (disk, root):
        disk.owner = lambda: "first"
        held = os.open(root / ".lock", os.O_RDWR | os.O_CREAT)
        fcntl.flock(held, fcntl.LOCK_EX)
        frozen = os.fdopen(os.open(root / "log", os.O_WRONLY | os.O_CREAT), "w")
        frozen.write("never flushed")
        disk.owner = lambda: "second"
        other = os.open(root / ".lock", os.O_RDWR)

        disk.release("first")

        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(held)
        again = os.open(root / "other", os.O_WRONLY | os.O_CREAT)  # may have the number of the log
        with suppress(OSError):
            frozen.close()
        os.write(again, b"mine")
        assert tree(root) == {".lock": b"", "log": b"", "other": b"mine"}


# -- the module os --------------------------------------------------------------------------------------


def test_file_objects_write_through_the_disk_and_read_as_ever() -> None:
    with a_disk() as (disk, root):
        seen: list[str] = []
        disk.before = lambda operation, path: seen.append(f"{operation} {path}")

        with os.fdopen(os.open(root / "a", os.O_WRONLY | os.O_CREAT), "w", encoding="utf-8") as text:
            text.write("wörds\n")
        with open(root / "a", "ab") as file:
            file.write(b"more")
        with open(os.open(root / "a", os.O_RDONLY), encoding="utf-8") as text:
            assert text.read() == "wörds\nmore"

        assert seen == ["create a", "write a", "write a"]


def test_paths_are_known_however_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    with a_disk() as (disk, root):
        seen: list[str] = []
        disk.before = lambda operation, path: seen.append(path)
        folder = os.open(root, os.O_RDONLY)
        monkeypatch.chdir(root)

        os.mkdir("a")
        os.mkdir(b"a/b/", dir_fd=folder)
        os.mkdir(f"{root}/a/../a//c")
        os.rename("a", "z", src_dir_fd=folder, dst_dir_fd=folder)
        os.mkdir(root.parent / "outside")
        monkeypatch.chdir("/")

        assert seen == ["a", "a/b", "a/c", "z"]


def test_os_is_as_before_afterwards() -> None:
    before = dict(vars(os)), builtins.open, io.open
    groups = [set(each) for each in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks)]

    with suppress(ZeroDivisionError), a_disk() as (_, root):
        assert os.open is not before[0]["open"]
        beside = root.parent
        1 / 0

    assert (dict(vars(os)), builtins.open, io.open) == before
    assert [set(each) for each in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks)] == groups
    assert not beside.exists()


# -- any sequence of operations -------------------------------------------------------------------------

NAMES = ("a", "b", "d/a", "d/b")
Step = tuple[Any, ...]
name, few = st.sampled_from(NAMES), st.binary(min_size=1, max_size=6)
STEPS = st.one_of(
    *[st.tuples(st.just(kind), name, few) for kind in ("append", "overwrite", "replace", "durable")],
    *[st.tuples(st.just(kind), name) for kind in ("unlink", "fsync")],
    st.tuples(st.just("rename"), name, name),
    *[st.tuples(st.just(kind)) for kind in ("sync", "rmtree")],
)


def play(disk: Disk, root: Path, step: Step) -> None:
    """Do one step, as far as it can be done."""
    with suppress(FileNotFoundError):
        match step:
            case ("append", name, data):
                fd = os.open(root / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
                os.write(fd, data)
                os.close(fd)
            case ("overwrite", name, data):
                fd = os.open(root / name, os.O_RDWR)
                os.pwrite(fd, data, 0)
                os.close(fd)
            case ("replace" | "durable" as way, name, data):
                (root / name).parent.mkdir(exist_ok=True)
                replace(str(root / name), data, durable=way == "durable")
            case ("unlink", name):
                os.unlink(root / name)
            case ("rename", old, new):
                os.rename(root / old, root / new)
            case ("fsync", name):
                sync(str(root / name))
            case ("sync",):
                disk.sync()
            case ("rmtree",):
                shutil.rmtree(root / "d")


def touched(step: Step) -> set[str]:
    """The files that a step may change."""
    if step[0] == "rmtree":
        return {name for name in NAMES if name.startswith("d/")}
    return {each for each in step[1:] if each in NAMES}


def settled(steps: list[Step]) -> set[str]:
    """The files to which nothing happened since a sync of everything, or a durable replace of them."""
    names: set[str] = set()
    for step in steps:
        names -= touched(step)
        names |= set(NAMES) if step[0] == "sync" else {step[1]} if step[0] == "durable" else set()
    return names


def cut_after(steps: list[Step], seed: int) -> tuple[list[Tree], list[str], Tree]:
    """What was there at each moment, what the cut said, and what it left."""
    with a_disk(seed) as (disk, root):
        moments = [tree(root)]
        for step in steps:
            play(disk, root, step)
            moments.append(tree(root))
        return moments, disk.power_cut(), tree(root)


@settings(max_examples=80, deadline=None)
@given(st.lists(STEPS, max_size=14), st.integers(0, 1000))
def test_whatever_was_synced_survives_every_cut(steps: list[Step], seed: int) -> None:
    moments, lost, left = cut_after(steps, seed)

    for name in settled(steps):
        assert left.get(name) == moments[-1].get(name)
    assert lost or left == moments[-1]


@settings(max_examples=80, deadline=None)
@given(st.lists(STEPS, max_size=14), st.integers(0, 1000))
def test_nothing_appears_that_was_never_written(steps: list[Step], seed: int) -> None:
    moments, _, left = cut_after(steps, seed)

    versions = [data for moment in moments for data in moment.values() if data is not None]
    assert left.keys() <= {"d", *NAMES, *[f"{name}.new" for name in NAMES]}
    for data in left.values():
        for place, byte in enumerate(data or b""):
            assert byte == 0 or any(each[place : place + 1] == bytes([byte]) for each in versions)


@settings(max_examples=30, deadline=None)
@given(st.lists(STEPS, max_size=14), st.integers(0, 1000))
def test_the_same_seed_and_the_same_work_leave_the_same_tree(steps: list[Step], seed: int) -> None:
    assert cut_after(steps, seed) == cut_after(steps, seed)


def test_a_second_cut_finds_everything_durable() -> None:
    for seed in SEEDS:
        with a_disk(seed) as (disk, root):
            (root / "a").write_bytes(b"words")
            replace(str(root / "a"), b"others")
            disk.power_cut()
            left = tree(root)

            assert disk.power_cut() == []
            assert tree(root) == left


def test_a_new_workspace_can_be_opened_whenever_the_power_failed_while_it_was_made() -> None:
    zeros = (84, 244, 282, 356)  # seeds that made zeros of settings which were not synced
    for operation, seed in itertools.product((*range(12), 100), (1, 2, *zeros)):
        with a_disk(seed) as (disk, root):
            left = iter(range(operation))

            def before(what: str, path: str, left: Iterator[int] = left) -> None:
                if next(left, None) is None:
                    raise PowerFailure

            disk.before = before
            with suppress(PowerFailure):
                Workspace.open(root)
            disk.before = lambda what, path: None
            disk.power_cut()

            assert Workspace.open(root).settings == Settings()


class PowerFailure(BaseException):
    """Nothing catches it."""
