"""A host that can start no further process for a while: its files are waited for, and compared all the same."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from engine.execution.outcomes import Exit, Lost
from engine.execution.ssh import files, starts
from engine.execution.ssh.quoting import call
from tests.execution.conftest import Workbench
from tests.execution.ssh.conftest import Site
from tests.execution.ssh.test_shell import FUNCTIONS, SHELLS
from tests.servers.cable import cable
from tests.servers.private import folder
from tests.servers.ssh_workers import serving
from tests.waiting import until

# The first call is that of a program for which there was no memory.
ONCE = """#!/bin/sh
echo ran >> {count}
[ "$(grep -c ran {count})" -gt 1 ] || exit 1
exec {real} "$@"
"""

BIG = 300_000  # bytes


def once(place: Path, real: str) -> Path:
    """A program that fails once, and the file that counts how often it ran."""
    made, count = place / Path(real).name, place / "count"
    made.write_text(ONCE.format(count=count, real=real))
    made.chmod(0o755)
    return count


def test_a_result_that_could_not_be_summed_up_is_compared_later(bench: Workbench, tmp_path: Path) -> None:
    with folder() as place:
        count = once(place, "/usr/bin/sha256sum")
        with serving(place, f"SetEnv PATH={place}:/usr/bin:/bin") as server, cable(server.port) as wire:
            site = Site(bench, server, wire, tmp_path / "remote")

            end, here = site.run('echo 5 > "$SKERRY_OUTPUTS/n"')

            site.host.close()
        assert end == Exit(0)
        assert (here / "outputs" / "n").read_text() == "5\n"
        assert count.read_text().count("ran") == 2


def test_a_channel_for_files_that_could_not_be_had_once_is_asked_for_again(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with folder() as place, serving(place) as server, cable(server.port) as wire:
        # given a host that has given files before, and then cannot for more than all tries at once
        site = Site(bench, server, wire, tmp_path / "remote")
        assert site.run('echo 1 > "$SKERRY_OUTPUTS/n"')[0] == Exit(0)
        spoken, failed = files._spoken, []

        def no_more(channel: object) -> object:
            if len(failed) < 2 * files._TRIES:
                failed.append(channel)
                raise EOFError
            return spoken(channel)  # type: ignore[arg-type]

        monkeypatch.setattr(files, "_spoken", no_more)

        # when a job leaves one that has a channel of its own
        end, here = site.run(f'printf %0{BIG}d 2 > "$SKERRY_OUTPUTS/n"')
        site.host.close()

        # then it is waited for
        assert (end, len(failed)) == (Exit(0), 2 * files._TRIES)
        assert (here / "outputs" / "n").read_text() == f"{2:0{BIG}}"


def test_a_stage_for_which_a_host_had_no_process_begins_once_it_has_one(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a host whose shell breaks off where it begins a program, as one does that cannot fork
    monkeypatch.setattr(starts, "_AGAIN", 0.05)
    none, ran, ends = tmp_path / "none", tmp_path / "ran", list[object]()
    none.touch()
    broken = f"fresh() {{ [ ! -e {none} ] || exit 2; }}\n".encode()
    site.host._link.ask(lambda number, place: broken, lambda answer: None)
    launch = site.launch(f"echo ran >> {ran}; exit 3")
    there = site.root / launch.mark / ".skerry"

    # when a job is begun there, and the host has a process again after some tries
    stage = site.host.start(launch)
    site.host.wake(stage, ends.append)
    site.turns.until(lambda: sum("nofork" in each.read_text() for each in there.glob("process*")) > 2)
    assert (ends, ran.exists()) == ([], False)
    none.unlink()
    site.turns.until(lambda: bool(ends))

    # then it ran once
    assert ends == [Exit(3)]
    assert ran.read_text() == "ran\n"


def test_the_next_engine_begins_what_found_no_process(site: Site, tmp_path: Path) -> None:
    none = tmp_path / "none"
    none.touch()
    broken = f"fresh() {{ [ ! -e {none} ] || exit 2; }}\n".encode()
    site.host._link.ask(lambda number, place: broken, lambda answer: None)
    launch = site.launch("exit 3")
    site.host.start(launch)
    record = site.root / launch.mark / ".skerry" / "process"
    until(lambda: record.exists() and "nofork" in record.read_text())
    site.host.close()
    site.host = site.connected()

    def found() -> object:
        site.turns.turn()
        return site.host.look(str(launch.directory), "process", launch.mark)

    assert until(found) == Lost("its process was never started", begun=False)
    site.host.remains(str(launch.directory), launch.mark).forget("process")
    assert site.turns.end_of(site.host, site.host.start(launch)) == Exit(3)


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: str(shell[0]))
def test_who_asks_is_answered_also_where_the_process_that_does_it_breaks_off(
    shell: list[str], tmp_path: Path
) -> None:
    # given a function that ends its process before it has answered, as a shell does that cannot fork
    broken = "sum() { exit 2; }\n"
    request = call("beside", "7", "digest", str(tmp_path / "x")).decode()

    said = subprocess.run(
        shell,
        input=f"K=key\n{FUNCTIONS.read_text()}\n{broken}{request}wait\n",
        text=True,
        stdout=subprocess.PIPE,
    ).stdout

    assert said == "key 7 failed\n"


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: str(shell[0]))
def test_a_digest_is_that_of_the_file_or_it_failed(shell: list[str], tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    here = [call("beside", "1", "digest", str(tmp_path / name)).decode() + "wait\n" for name in ("x", "none")]

    said = subprocess.run(
        shell, input=f"K=key\n{FUNCTIONS.read_text()}\n{''.join(here)}", text=True, stdout=subprocess.PIPE
    ).stdout

    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert said == f"key 1 digest {digest}\nkey 1 failed\n"
