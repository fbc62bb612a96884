"""The recorder: what is in the files, for which processes, and at what cost."""

from __future__ import annotations

import csv
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.execution.kill import stop_tree
from engine.execution.outcomes import Left
from engine.execution.proc import stat as look
from engine.execution.progress import ProgressLine
from engine.model.codes import processes as codes
from engine.model.errors import Failure
from engine.model.job import Limits
from engine.runtime.clock import SystemClock
from engine.runtime.monitoring.job_samples import JobSample, WatchedJob
from engine.runtime.monitoring.machine_samples import EngineLoad, MachineSample, MachineSampler
from engine.runtime.monitoring.recorder import IDLE, Recorder

BUSY = EngineLoad(queued=2, running=3, delay=0.25)
FORKS = """
import os, signal, sys
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
print(os.getpid(), flush=True)
signal.pause()
"""


def here(mark: str) -> str:
    """A mark that no other test run has."""
    return f"{os.getpid()}.{mark}"


class HandClock:
    """Wall time by hand; durations are real, as those of processes are."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)

    def now(self) -> datetime:
        """What was set."""
        return self.time

    def monotonic(self) -> float:
        """Seconds since the machine booted."""
        return SystemClock().monotonic()


class Families:
    """Starts sessions of processes, and ends them."""

    def __init__(self) -> None:
        self.all: list[subprocess.Popen[bytes]] = []

    def start(self, *argv: str, mark: str = "m") -> subprocess.Popen[bytes]:
        """A process in a session of its own that prints a line when it is ready."""
        child = subprocess.Popen(
            argv,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "SKERRY_ATTEMPT": here(mark)},
        )
        self.all.append(child)
        assert child.stdout is not None
        child.stdout.readline()
        return child

    def end(self) -> None:
        """End them all."""
        for child in self.all:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
        self.all.clear()

    def sleeper(self, mark: str = "m") -> int:
        """The pid of a process that does nothing."""
        return self.start("sh", "-c", "sleep 1000 & echo up; wait", mark=mark).pid


@pytest.fixture
def families() -> Iterator[Families]:
    """Families that are ended with the test."""
    families = Families()
    yield families
    families.end()


@pytest.fixture
def clock() -> HandClock:
    """A clock whose date is set by hand."""
    return HandClock()


@pytest.fixture
def recorder(tmp_path: Path, clock: HandClock) -> Iterator[Recorder]:
    """A recorder without a thread; ``tick`` is called by hand."""
    recorder = Recorder(tmp_path, clock, lambda: BUSY)
    yield recorder
    recorder.stop()


def rows(path: Path) -> list[dict[str, str]]:
    """The lines of a CSV file."""
    with path.open() as file:
        return list(csv.DictReader(file))


# -- the machine ------------------------------------------------------------------------------------


def test_a_line_of_the_day_tells_of_machine_and_engine(recorder: Recorder, tmp_path: Path) -> None:
    recorder.tick()
    recorder.tick()

    first, second = rows(tmp_path / "2026-11-21.csv")
    assert tuple(first) == ("time", *MachineSample._fields)
    assert first["time"] == "2026-11-21T08:00:00.000+00:00"
    assert (first["engine_queued"], first["engine_running"], first["engine_delay"]) == ("2", "3", "0.25")
    assert int(first["engine_threads"]) >= 1
    assert int(second["engine_memory"]) > 1_000_000
    assert 0 <= float(second["cpu"]) <= 100
    assert int(second["memory_total"]) >= int(second["memory_used"]) > 0
    assert int(second["disk_total"]) >= int(second["disk_free"]) > 0


def test_a_new_day_has_a_new_file_and_a_new_engine_writes_on(
    recorder: Recorder, clock: HandClock, tmp_path: Path
) -> None:
    recorder.tick()
    clock.time += timedelta(days=1)
    recorder.tick()
    another = Recorder(tmp_path, clock, lambda: BUSY)
    another.tick()
    another.stop()

    assert len(rows(tmp_path / "2026-11-21.csv")) == 1
    assert len(rows(tmp_path / "2026-11-22.csv")) == 2
    assert stat.S_IMODE((tmp_path / "2026-11-22.csv").stat().st_mode) == 0o600


def test_nothing_is_written_while_there_is_no_work(tmp_path: Path, clock: HandClock) -> None:
    recorder = Recorder(tmp_path, clock, lambda: IDLE)
    recorder.tick()
    recorder.stop()

    assert list(tmp_path.iterdir()) == []


def test_work_of_the_machine_shows(tmp_path: Path) -> None:
    clock = SystemClock()
    sampler = MachineSampler(tmp_path, clock.monotonic())
    end = time.process_time() + 0.1
    while time.process_time() < end:  # however long others let it wait
        sum(range(1000))

    found = sampler.sample(IDLE, clock.monotonic())
    sampler.close()

    assert found.cpu > 0
    assert found.engine_cpu > 0


# -- jobs -------------------------------------------------------------------------------------------


def test_a_jobs_tree_is_sampled_into_its_own_file(
    recorder: Recorder, families: Families, tmp_path: Path
) -> None:
    child = families.start("sh", "-c", "sleep 1000 & sleep 1000 & echo up; wait")
    file = tmp_path / "monitor.csv"
    recorder.add(here("m"), child.pid, str(file))

    recorder.tick()
    recorder.tick()

    first, second = rows(file)
    assert tuple(first) == ("time", *JobSample._fields)
    assert second["processes"] == "3"
    assert second["threads"] == "3"
    assert int(second["memory"]) > 100_000
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_process_that_left_the_session_is_found_by_its_mark(
    recorder: Recorder, families: Families, tmp_path: Path
) -> None:
    child = families.start(sys.executable, "-c", FORKS, mark="mine")
    assert child.stdout is not None
    child.stdout.readline()
    recorder.add(here("mine"), child.pid, str(tmp_path / "monitor.csv"))

    recorder.tick()
    [found] = rows(tmp_path / "monitor.csv")

    assert stop_tree(None, here("mine"), 5, SystemClock()) == Left()
    assert found["processes"] == "2"


def test_cpu_and_writing_of_a_job_show(recorder: Recorder, families: Families, tmp_path: Path) -> None:
    write = f"dd if=/dev/zero of={tmp_path}/big bs=1M count=8 conv=fsync 2>/dev/null"
    text = f"{write}; echo up; while :; do :; done"
    child = families.start("sh", "-c", text)
    recorder.add(here("m"), child.pid, str(tmp_path / "monitor.csv"))
    recorder.tick()
    until_it_used_cpu(child.pid)
    recorder.tick()

    first, second = rows(tmp_path / "monitor.csv")
    assert float(second["cpu"]) > 0
    assert int(first["written"]) >= 0


def until_it_used_cpu(pid: int) -> None:
    """Until the process has used a fifth of a second more."""
    found = look(pid)
    assert found is not None
    while (now := look(pid)) is not None and now.cpu < found.cpu + 20:
        pass


def test_the_length_of_its_logs_tells_what_was_printed_when(
    recorder: Recorder, families: Families, tmp_path: Path
) -> None:
    recorder.add(here("m"), families.sleeper(), str(tmp_path / "monitor.csv"))
    recorder.tick()
    (tmp_path / "job.log").write_text("one\n")
    (tmp_path / "job-error.log").write_text("!\n")
    recorder.tick()

    assert [(row["output"], row["errors"]) for row in rows(tmp_path / "monitor.csv")] == [
        ("0", "0"),
        ("4", "2"),
    ]


def test_jobs_do_not_mix(recorder: Recorder, families: Families, tmp_path: Path) -> None:
    for name in ("a", "b"):
        recorder.add(here(name), families.sleeper(name), str(tmp_path / f"{name}.csv"))
    families.sleeper("stranger")

    recorder.tick()

    assert [rows(tmp_path / f"{name}.csv")[0]["processes"] for name in ("a", "b")] == ["2", "2"]


def test_a_job_added_later_is_found_though_its_process_was_seen_before(
    recorder: Recorder, families: Families, tmp_path: Path
) -> None:
    recorder.add(here("a"), families.sleeper("a"), str(tmp_path / "a.csv"))
    late = families.sleeper("b")
    recorder.tick()

    recorder.add(here("b"), late, str(tmp_path / "b.csv"))
    recorder.tick()

    assert rows(tmp_path / "b.csv")[0]["processes"] == "2"


def test_a_short_job_leaves_no_file(recorder: Recorder, families: Families, tmp_path: Path) -> None:
    recorder.add(here("m"), families.sleeper(), str(tmp_path / "monitor.csv"))
    recorder.remove(here("m"))
    recorder.remove(here("unknown"))

    recorder.tick()

    assert not (tmp_path / "monitor.csv").exists()


def test_a_removed_job_is_sampled_no_more_and_its_descriptor_given_back(
    recorder: Recorder, families: Families, tmp_path: Path
) -> None:
    recorder.tick()
    before = sorted(os.listdir("/proc/self/fd"))
    recorder.add(here("m"), families.sleeper(), str(tmp_path / "monitor.csv"))
    recorder.tick()
    recorder.remove(here("m"))
    recorder.tick()
    families.end()

    assert len(rows(tmp_path / "monitor.csv")) == 1
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_a_second_attempt_has_a_file_of_its_own(
    recorder: Recorder, families: Families, tmp_path: Path
) -> None:
    pid = families.sleeper()
    recorder.add(here("m.1"), pid, str(tmp_path / "monitor.csv"))
    recorder.tick()
    recorder.remove(here("m.1"))
    (tmp_path / "monitor.csv").rename(tmp_path / "old.csv")
    recorder.add(here("m.2"), pid, str(tmp_path / "monitor.csv"))
    recorder.tick()

    assert (len(rows(tmp_path / "old.csv")), len(rows(tmp_path / "monitor.csv"))) == (1, 1)


def test_a_first_sample_that_comes_late_does_not_get_into_the_file_of_the_next_attempt(
    recorder: Recorder, families: Families, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attempt ends, and its files are moved aside, while the recorder looks at what lives."""
    look_at = recorder._sampler.look

    def looks_slowly(jobs: list[WatchedJob]) -> None:
        look_at(jobs)
        recorder.remove(here("m.1"))

    monkeypatch.setattr(recorder._sampler, "look", looks_slowly)
    recorder.add(here("m.1"), families.sleeper(), str(tmp_path / "monitor.csv"))
    recorder.tick()

    assert not (tmp_path / "monitor.csv").exists()


def test_a_directory_that_is_gone_hurts_nobody(
    recorder: Recorder, families: Families, tmp_path: Path
) -> None:
    recorder.add(here("a"), families.sleeper("a"), str(tmp_path / "gone" / "a.csv"))
    recorder.add(here("b"), families.sleeper("b"), str(tmp_path / "b.csv"))

    recorder.tick()

    assert len(rows(tmp_path / "b.csv")) == 1


# -- limits and progress ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (Limits(memory=1000), codes.MEMORY_LIMIT),
        (Limits(memory=1 << 40), None),
        (Limits(cpu=1000), None),
        (Limits(), None),
    ],
)
def test_a_passed_limit_is_reported_once(
    recorder: Recorder, families: Families, tmp_path: Path, limits: Limits, expected: object
) -> None:
    reported: list[Failure] = []
    recorder.add(here("m"), families.sleeper(), directory=str(tmp_path), limits=limits, over=reported.append)

    recorder.tick()
    recorder.tick()

    assert [each.code for each in reported] == ([] if expected is None else [expected.number])  # type: ignore[attr-defined]
    assert not (tmp_path / "monitor.csv").exists()


def test_the_cpu_of_a_whole_tree_is_limited(recorder: Recorder, families: Families, tmp_path: Path) -> None:
    child = families.start("sh", "-c", "echo up; while :; do :; done")
    reported: list[Failure] = []
    recorder.add(here("m"), child.pid, limits=Limits(cpu=0.1), over=reported.append)
    until_it_used_cpu(child.pid)

    recorder.tick()

    assert [each.code for each in reported] == [codes.CPU_LIMIT.number]


def test_progress_is_reported_line_by_line(recorder: Recorder, families: Families, tmp_path: Path) -> None:
    (tmp_path / ".skerry").mkdir()
    reported: list[ProgressLine] = []
    recorder.add(
        here("m"),
        families.sleeper(),
        directory=str(tmp_path),
        on_progress=lambda lines, read: reported.extend(lines),
    )
    recorder.tick()
    (tmp_path / ".skerry" / "progress").write_text("40 half\n")

    recorder.tick()
    recorder.tick()

    assert reported == [ProgressLine(40, "half")]


# -- the thread -----------------------------------------------------------------------------------


def test_the_thread_samples_and_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.runtime.monitoring.recorder.EVERY", 0.01)
    sampled, wrong = threading.Event(), threading.Event()
    recorder = Recorder(tmp_path, SystemClock(), lambda: BUSY, lambda error: wrong.set())
    ticks = iter([True])

    def tick() -> None:
        sampled.set()
        if next(ticks, False):
            raise RuntimeError("once")

    monkeypatch.setattr(recorder, "tick", tick)
    recorder.start()

    assert wrong.wait(30)
    sampled.clear()
    assert sampled.wait(30)
    recorder.stop()
    assert not any(thread.name == "skerry-monitor" for thread in threading.enumerate())
