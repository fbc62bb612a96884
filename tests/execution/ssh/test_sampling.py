"""What attempts on a host use is seen there, also where processes hide or have odd names."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from engine.execution.host import LivingStage
from engine.execution.tree_usage import TreeUsage
from tests.execution.ssh.conftest import Site
from tests.execution.ssh.test_shell import FUNCTIONS, SHELLS
from tests.runtime.site import lives

HIDES = """\
python3 -c '
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        block = bytearray(40 << 20)
        time.sleep(600)
    os._exit(0)
os.wait()
time.sleep(600)
'
"""
ODD_NAMES = ("two\nlines", "1 (a) S 1 1", "\n1 () S 0 77 7", "*", ") S 1\n", "\xff\xfe", "a\n) R 1 1 1 1")


def usage_of(site: Site, stage: LivingStage, least: int, most: int | None = None) -> TreeUsage:
    """Once so many processes of it are seen."""
    found: list[TreeUsage] = []

    def seen() -> bool:
        usage = site.host.usage(stage.mark, most)
        found[:] = [usage] if usage is not None else []
        return usage is not None and len(usage.members) >= least

    site.turns.until(seen)
    return found[0]


def test_the_tree_of_each_attempt_is_told_apart_also_what_hides_in_a_session_of_its_own(site: Site) -> None:
    first, _ = site.start(HIDES)
    second, _ = site.start("sleep 600")

    one, other = usage_of(site, first, 3), usage_of(site, second, 2)

    memory = sum(each.rss for each in one.members)
    assert 40 << 20 < memory < 400 << 20
    assert first.pid in {each.pid for each in one.members}
    assert not {each.pid for each in one.members} & {each.pid for each in other.members}
    for stage in (first, second):
        assert site.host.stop(stage.directory, stage.mark, 0.2).verified


def test_flows_and_cpu_are_sums_of_the_tree(site: Site) -> None:
    stage, folder = site.start(
        "dd if=/dev/zero of=big bs=1M count=20 conv=fsync 2>/dev/null\n"
        "python3 -c 'import time\nwhile time.process_time() < 0.5: pass'\ntouch \"$SKERRY_OUTPUTS/done\"\nsleep 600"
    )
    there = site.root / stage.mark
    site.turns.until((there / "outputs" / "done").exists)
    site.turns.until(lambda: (usage := site.host.usage(stage.mark, 0)) is not None and bool(usage.files))

    usage = usage_of(site, stage, 1, most=0)

    assert sum(each.cpu for each in usage.members) >= 50, "ticks of what it has waited for"
    assert 20 << 20 <= usage.files <= 21 << 20 if usage.files is not None else False
    assert folder.exists()
    assert site.host.stop(stage.directory, stage.mark, 0.2).verified


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_process_with_an_odd_name_is_seen_and_stopped(site: Site, name: str) -> None:
    # given what has no mark, a session of its own, a living parent, and a name that looks like something else
    text = (
        f"import os, time\nos.setsid()\nopen('/proc/self/comm', 'wb').write({name.encode('latin-1')!r})\n"
        "open(os.environ['UP'], 'w').write(str(os.getpid()))\ntime.sleep(600)\n"
    )
    there = site.root.parent / "odd.py"
    there.write_text(text)
    up = site.root.parent / "up"
    stage, _ = site.start(f"env -i UP='{up}' python3 '{there}' & sleep 600")
    site.turns.until(lambda: up.exists() and bool(up.read_text()))
    pid = int(up.read_text())

    usage = usage_of(site, stage, 3)
    assert pid in {each.pid for each in usage.members}
    assert 1 not in {each.pid for each in usage.members}

    assert site.host.stop(stage.directory, stage.mark, 0.2).verified
    assert not lives(pid)


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: str(shell[0]))
def test_the_shell_reads_of_the_processes_of_an_attempt_alone(shell: list[str], tmp_path: Path) -> None:
    # given what has the mark with a child that has not, and a shell whose `grep` keeps what it gives
    script = "env -i sleep 600 & echo $!; wait"
    marked = {**os.environ, "SKERRY_ATTEMPT": f"mark-{tmp_path.name}"}
    with subprocess.Popen(["sh", "-c", script], env=marked, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        child = int(first.stdout.readline())
        given = tmp_path / "given"
        keeps = f"grep() {{ command grep \"$@\" | tee -a '{given}'; }}"
        text = f"K=key\n{FUNCTIONS.read_text()}\n{keeps}\nmembers 1 '{marked['SKERRY_ATTEMPT']}'\n"

        # when it is asked who lives of the attempt
        answer = subprocess.run(shell, input=text, capture_output=True, text=True, check=True).stdout
        for pid in (child, first.pid):
            os.kill(pid, signal.SIGKILL)

    # then it has read nothing of other processes: there may be thousands of these
    assert {each.split(":")[0] for each in answer.split()[3:]} == {str(first.pid), str(child)}
    lines = given.read_text().splitlines()
    assert {each.split("/")[2] for each in lines} == {str(first.pid), str(child)}


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: str(shell[0]))
def test_what_an_attempt_wrote_is_counted_without_what_was_sent_to_it(
    shell: list[str], tmp_path: Path
) -> None:
    # given files of the attempt (one with holes, one in a folder), what was sent to it, and links
    for folder in ("inputs", "outputs/deep", ".skerry"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "inputs" / "sent").write_bytes(bytes(1 << 20))
    (tmp_path / "outputs" / "deep" / "made it").write_bytes(os.urandom(300_000))
    (tmp_path / ".hidden").write_bytes(os.urandom(100_000))
    (tmp_path / "linked").symlink_to(tmp_path / "inputs" / "sent")
    with (tmp_path / "holes").open("wb") as file:
        file.truncate(1 << 30)

    asked = f"K=key\n{FUNCTIONS.read_text()}\nwritten 1 100000 '{tmp_path}'\nwritten 2 10 '{tmp_path}'\n"
    done = subprocess.run(shell, input=asked, text=True, check=True, stdout=subprocess.PIPE)

    few, many = (line.split() for line in done.stdout.splitlines())
    assert (few[:3], many[:3]) == (["key", "1", "written"], ["key", "2", "written"])
    assert len(few) == 4, "blocks alone, which are less than the limit"
    assert 390 <= int(few[3]) <= 420
    assert int(many[4]) == 400_000 + (1 << 30), "bytes of files; of both figures the smaller one counts"
