"""Files of this machine that a program on a host behind SSH reads."""

from __future__ import annotations

import json
import os
import random
import tracemalloc
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest

from engine.execution.files import write_new
from engine.execution.launch import InputFile
from engine.execution.outcomes import Exit, Left
from engine.model.codes.ssh import SEND_FAILED
from engine.model.codes.store import DISK_FULL
from engine.model.errors import SkerryError
from tests.execution.ssh.conftest import Site
from tests.small_disk import small_disk as made_small

BIG = 24 << 20


def _big(place: Path, size: int = BIG) -> Path:
    place.write_bytes(random.Random(7).randbytes(1 << 20) * (size >> 20))
    return place


def test_a_program_finds_the_file_and_its_path_there(site: Site, tmp_path: Path) -> None:
    # given a file of this machine that a parameter names
    source = tmp_path / "in put.csv"
    source.write_bytes(b"a,b\n\0\xff")
    job = site.bench.job("")
    write_new(f"{job.path}/ctx.json", b'{"PARAMS": {"table": "here", "n": 1}}\n')
    script = (
        'cp "$table" "$SKERRY_OUTPUTS/x"; cat "$SKERRY_INPUTS/params.json" "$SKERRY_CONTEXT"; echo "$table"'
    )

    # when it is sent with a launch
    end, directory = site.run(script, env={"table": str(source)}, inputs=(InputFile("table", str(source)),))

    # then all that the program sees is the path there, and the file is as it was
    there = f"{site.root}/{site.bench.marks[-1]}/inputs/table/in put.csv"
    assert end == Exit(0)
    assert (directory / "outputs" / "x").read_bytes() == source.read_bytes()
    assert (directory / "job.log").read_text().splitlines()[-1] == there
    assert str(source) not in (directory / "job.log").read_text()
    assert not list((site.root / site.bench.marks[-1] / ".skerry").glob("*.part"))


def test_parameters_in_files_have_the_paths_there(site: Site, tmp_path: Path) -> None:
    source = tmp_path / "x"
    source.write_text("1")
    launch = site.launch('cp "$SKERRY_INPUTS/params.json" "$SKERRY_CONTEXT" "$SKERRY_OUTPUTS"',
                         env={"t": str(source)}, inputs=(InputFile("t", str(source)),))  # fmt: skip
    directory = Path(launch.directory)
    (directory / "inputs" / "params.json").write_text(json.dumps({"t": str(source), "u": str(source)}))
    (directory / "ctx.json").write_text(json.dumps({"PARAMS": {"t": str(source)}, "STATUS": "running"}))

    assert site.turns.end_of(site.host, site.host.start(launch)) == Exit(0)

    there = f"{site.root}/{site.bench.marks[-1]}/inputs/t/x"
    assert json.loads((directory / "outputs" / "params.json").read_text()) == {"t": there, "u": str(source)}
    assert json.loads((directory / "outputs" / "ctx.json").read_text())["PARAMS"] == {"t": there}
    assert json.loads((directory / "ctx.json").read_text())["PARAMS"] == {"t": str(source)}


def test_arguments_have_the_path_there(site: Site, tmp_path: Path) -> None:
    source = tmp_path / "x"
    source.write_text("1")
    argv = ("/usr/bin/printf", "%s\n", str(source), f"--in={source}", f"{source}.old")

    end, directory = site.run(argv=argv, inputs=(InputFile("t", str(source)),))

    there = f"{site.root}/{site.bench.marks[-1]}/inputs/t/x"
    assert end == Exit(0)
    assert (directory / "job.log").read_text().splitlines() == [there, f"--in={there}", f"{source}.old"]


def test_names_of_files_arrive_as_they_are(site: Site, tmp_path: Path) -> None:
    # given names that a shell would act upon, that are long, or that are no text
    draw = random.Random(11)
    pieces = ["'", '"', "\\", "`touch X`", "$(touch X)", "${HOME}", "; touch X;", "\n", "\r", "*", "~", "#", "&&",
              "|", "<", ">", "\t", "马", "\x7f", "\x01", "-n", "..", "%s", " ", "\udcff"]  # fmt: skip
    names = {"".join(draw.choices(pieces, k=draw.randint(1, 9))) for _ in range(58)} - {".", ".."}
    names |= {"n" * 255, ".part", "params.json", "-"}
    folder = tmp_path / "named"
    folder.mkdir()
    for name in names:
        (folder / name).write_text(name, "utf-8", "surrogateescape", "")
    sent = tuple(InputFile(f"p{n}", f"{folder}/{name}") for n, name in enumerate(sorted(names)))

    # when all of them are inputs of one job
    script = (
        'find "$SKERRY_INPUTS" -mindepth 2 -type f -exec cat {} \\; -exec printf "\\\\0" \\; > "$SKERRY_OUTPUTS/x";'
        "test ! -e X"
    )
    end, directory = site.run(script, inputs=sent, env={each.param: each.path for each in sent})

    # then each is there under its name
    assert end == Exit(0)
    found = (directory / "outputs" / "x").read_bytes().split(b"\0")[:-1]
    assert sorted(found) == sorted(map(os.fsencode, names))


def test_a_cut_link_goes_on_where_it_was(site: Site, tmp_path: Path) -> None:
    # given a big file on its way
    source = _big(tmp_path / "big", 64 << 20)
    launch = site.launch('sha256sum < "$t"', env={"t": str(source)}, inputs=(InputFile("t", str(source)),))
    stage = site.host.start(launch)
    ends: list[object] = []
    site.host.wake(stage, ends.append)
    part = site.root / stage.mark / ".skerry" / "t.part"
    final = site.root / stage.mark / "inputs" / "t" / "big"

    def arrived(least: int) -> bool:
        return final.exists() or (part.exists() and part.stat().st_size >= least)

    # when the link is cut again and again
    sizes = []
    for least in (1, 16, 32):
        site.turns.until(partial(arrived, least << 20))
        site.wire.cut()
        site.turns.until(lambda: site.host.standing.place is None)
        sizes.append(part.stat().st_size if part.exists() else BIG)
        site.wire.mend()
    site.turns.until(lambda: bool(ends))

    # then no part of it was sent again from the start, and it is the same there
    assert ends == [Exit(0)]
    assert sizes == sorted(sizes)
    assert Path(launch.directory, "job.log").read_text().split()[0] == sha256(source.read_bytes()).hexdigest()


def test_what_was_sent_of_another_content_is_sent_from_the_start(site: Site, tmp_path: Path) -> None:
    source = _big(tmp_path / "big", 4 << 20)
    launch = site.launch('sha256sum < "$t"', env={"t": str(source)}, inputs=(InputFile("t", str(source)),))
    mark = site.bench.marks[-1]
    folder = site.root / mark
    for each in ("", "executeCode", "inputs", "outputs", ".skerry"):
        (folder / each).mkdir(exist_ok=True)
    (folder / ".skerry" / "t.part").write_bytes(b"other" * 1000)

    assert site.turns.end_of(site.host, site.host.start(launch)) == Exit(0)

    assert Path(launch.directory, "job.log").read_text().split()[0] == sha256(source.read_bytes()).hexdigest()


@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "missing", "outside"])
def test_what_is_no_plain_file_is_not_sent(site: Site, tmp_path: Path, kind: str) -> None:
    place, below = tmp_path / "x", None
    if kind == "link":
        place.symlink_to("/etc/passwd")
    elif kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "outside":
        (tmp_path / "own").mkdir()
        (tmp_path / "own" / "d").symlink_to("/etc")
        place, below = tmp_path / "own" / "d" / "passwd", str(tmp_path / "own")
    launch = site.launch("true", inputs=(InputFile("t", str(place), below),))

    with pytest.raises(SkerryError) as caught:
        site.turns.end_of(site.host, site.host.start(launch))

    assert caught.value.entry == SEND_FAILED
    assert str(place) in str(caught.value.message)


def test_a_job_that_is_stopped_while_its_file_is_sent_does_not_begin(site: Site, tmp_path: Path) -> None:
    # given a job whose file is on its way
    source = _big(tmp_path / "big", 256 << 20)
    ran = tmp_path / "ran"
    launch = site.launch(f"touch {ran}", inputs=(InputFile("t", str(source)),))
    stage = site.host.start(launch)
    site.host.wake(stage, lambda end: None)
    folder = site.root / stage.mark
    part = folder / ".skerry" / "t.part"
    site.turns.until(lambda: part.exists() and part.stat().st_size > 0)

    # when it is stopped and its attempt ends
    assert site.host.stop(str(launch.directory), stage.mark, 0.1) == Left()
    site.host.forget(str(launch.directory), stage.mark)

    # then it never begins, and nothing of it stays there
    site.turns.until(lambda: not folder.exists())
    assert not ran.exists()


def test_others_are_not_delayed_by_what_is_sent(site: Site, tmp_path: Path) -> None:
    # given more files on their way than there would be threads in a small pool
    source = _big(tmp_path / "big", 32 << 20)
    ends: list[object] = []
    for _ in range(6):
        launch = site.launch("true", inputs=(InputFile("t", str(source)),))
        site.host.wake(site.host.start(launch), ends.append)
    parts = lambda: list(site.root.glob("*/.skerry/t.part"))  # noqa: E731
    site.turns.until(lambda: len(parts()) == 6)

    # when another job with a small one runs
    small = tmp_path / "small"
    small.write_text("x")
    end, _ = site.run("true", inputs=(InputFile("t", str(small)),))

    # then it ends before any of them
    assert (end, ends) == (Exit(0), [])
    site.turns.until(lambda: len(ends) == 6)


def test_a_big_file_needs_little_memory(site: Site, tmp_path: Path) -> None:
    source = _big(tmp_path / "big", 128 << 20)
    launch = site.launch("true", inputs=(InputFile("t", str(source)),))
    tracemalloc.start()

    end = site.turns.end_of(site.host, site.host.start(launch))

    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert end == Exit(0)
    assert most < 32 << 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with made_small(tmp_path / "disk", "8m") as place:
        yield place


def test_room_on_the_host_is_waited_for(site: Site, tmp_path: Path, small_disk: Path) -> None:
    # given a host without the room for a file
    source = _big(tmp_path / "big", 6 << 20)
    said: list[object] = []
    host = site.connected(
        root=str(small_disk / "jobs"), waits=lambda mark, problem: said.append(problem and problem.entry)
    )
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(4 << 20))
    launch = site.launch('sha256sum < "$t"', env={"t": str(source)}, inputs=(InputFile("t", str(source)),))
    ends: list[object] = []
    host.wake(host.start(launch), ends.append)
    site.turns.until(lambda: bool(said))
    assert (ends, said) == ([], [DISK_FULL])

    # when there is room
    ballast.unlink()

    # then the job runs with the whole file
    site.turns.until(lambda: bool(ends))
    assert (ends, said) == ([Exit(0)], [DISK_FULL, None])
    assert Path(launch.directory, "job.log").read_text().split()[0] == sha256(source.read_bytes()).hexdigest()
    host.close()


def test_results_with_names_that_are_no_text_are_brought(site: Site) -> None:
    script = 'printf 1 > "$SKERRY_OUTPUTS/$(printf "\\377")"; printf 2 > "$SKERRY_OUTPUTS/b"'

    end, directory = site.run(script)

    assert end == Exit(0)
    found = {each.name: each.read_text() for each in (directory / "outputs").iterdir()}
    assert found == {"\udcff": "1", "b": "2"}
