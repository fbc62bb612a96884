"""Threads for unpacking: what they do, and that there is an error where there is no memory for them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.model.codes.bundles import NO_MEMORY
from engine.model.errors import SkerryError
from export_import.container.workers import Workers
from tests.bundles.hostile import Forged, file_of, manifest_of, volume_of
from tests.soak.within_limits import Nursery

# A thread can be refused by the system, or die for want of memory before its first line: which it is depends on some
# kilobytes, so every amount in between is tried, each in a copy of a small process.
SCARCE = """
import os, resource, signal
from engine.model.errors import SkerryError
from export_import.container.workers import Workers

def at_hand():
    [line] = [each for each in open("/proc/self/status") if each.startswith("VmData")]
    return int(line.split()[1]) << 10

stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
for pages in range(-20, 70):
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        most = at_hand() + min(stack, 8 << 20) + pages * 4096
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        try:
            with Workers(1) as workers:
                workers.submit(int).result()
        except SkerryError as error:
            os._exit(3 if error.code == -15001021000 else 4)
        os._exit(0)
    print(os.waitpid(pid, 0)[1])
"""

WRITING = """
import os, resource, signal, sys
from pathlib import Path
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from export_import.collecting import Guard
from export_import.container.writer import BundleWriter
import zstandard

def at_hand():
    [line] = [each for each in open("/proc/self/status") if each.startswith("VmData")]
    return int(line.split()[1]) << 10

stack = min(resource.getrlimit(resource.RLIMIT_STACK)[0], 8 << 20)
noise = os.urandom(1 << 20)
for step in range(-1, 60):  # up to five threads, by half a stack and a little more each
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        most = at_hand() + step * (stack // 8 + 4096)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        try:
            guard = Guard()
            with BundleWriter(Path(sys.argv[1], str(step)), kind="diagnostic", clock=SystemClock()) as writer:
                writer.add("x", guard.each(lambda: [noise] * 4, 30))
                writer.finish()
        except SkerryError as error:
            os._exit(3 if error.code == -15001021000 else 4)
        except MemoryError:
            os._exit(3)
        os._exit(0)
    print(os.waitpid(pid, 0)[1])
"""


def test_results_come_as_they_are_asked_for() -> None:
    with Workers(2) as workers:
        tasks = [workers.submit(pow, number, 2) for number in range(50)]

        assert [each.result() for each in tasks] == [number**2 for number in range(50)]


def test_what_the_work_raises_is_raised_by_its_result() -> None:
    def out_of_memory() -> None:
        raise MemoryError

    with Workers(1) as workers:
        with pytest.raises(ZeroDivisionError):
            workers.submit(divmod, 1, 0).result()
        with pytest.raises(SkerryError) as caught:
            workers.submit(out_of_memory).result()
        assert workers.submit(int).result() == 0

    assert caught.value.entry == NO_MEMORY


def test_a_thread_without_memory_is_an_error_and_never_a_wait() -> None:
    done = subprocess.run([sys.executable, "-c", SCARCE], capture_output=True, text=True, check=True)

    outcomes = set(done.stdout.split())
    assert outcomes == {"0", str(3 << 8)}, done.stderr


def test_writing_a_bundle_without_memory_for_a_thread_is_an_error_and_never_a_wait(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WRITING, tmp_path], capture_output=True, text=True, check=True
    )

    assert set(done.stdout.split()) == {"0", str(3 << 8)}, done.stderr


def test_an_import_without_memory_ends_with_a_code(tmp_path: Path) -> None:
    large = bytes(range(256)) * (1 << 14)
    bundle = Forged(tree=manifest_of(files=[file_of("logs/x", large)]), volumes=[volume_of(large)])
    path = bundle.write(tmp_path / "bundle")
    (tmp_path / "desk").mkdir()

    cases, outcomes = tmp_path / "desk" / "cases", []
    with Nursery() as nursery:
        for size in (52, 60, 66, 72, 76, 110):
            outcomes.append(nursery.attempt(path, tmp_path / "desk", size << 20, look=False)[0])
            assert (list(cases.iterdir()) == []) is (outcomes[-1] != "imported")
            shutil.rmtree(cases)

    assert set(outcomes) == {f"refused {NO_MEMORY.number}", "imported"}, outcomes
