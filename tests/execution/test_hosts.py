"""What every host of attempts promises; each implementation of the port runs all of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.execution.environment import environment
from engine.execution.host import LOOK_AGAIN, Found, Growth
from engine.execution.launch import Launch
from engine.execution.outcomes import RESTARTED, Exit, Left, Lost, Unreachable
from engine.model.codes.processes import ALREADY_STARTED
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from tests.execution.conftest import Workbench
from tests.execution.hosts import HOSTS, WHERE, MakeHost, name_server
from tests.execution.turns import PolledTurns

# What an engine does when it starts a stage, and whether a process is there by then: it is killed before or
# after each of these. Over SSH also what it does when the program has ended.
STEPS = {
    "local": {
        "engine.execution.stage_file.create": False,
        "engine.execution.spawn._logs": False,
        "engine.execution.spawn._start": True,
        "engine.execution.spawn._pidfd": True,
        "engine.execution.stage_file.note_pid": True,
    },
    "ssh": {
        "engine.execution.ssh.arrival.make_logs": False,
        "engine.execution.ssh.intents.create": False,
        "engine.execution.ssh.requests.start": False,
        "engine.execution.ssh.intents.note_pid": True,
        "engine.execution.ssh.arrival.bring": True,
        "engine.execution.ssh.intents.note_end": True,
    },
}
_BEGINS_WITH = {"engine.execution.spawn._start"}
_OF_ONE_THAT_LIVES = {
    "engine.execution.ssh.intents.note_pid"
}  # the pid of one that has ended comes with its end
ENGINE = """
import importlib, os, signal, sys
from engine.execution.launch import Launch
from tests.execution.hosts import HOSTS
from tests.execution.turns import PolledTurns

kind, job, mark, name, when, *alone = sys.argv[1:]
turns = PolledTurns()
host = HOSTS[kind](turns)
module, _, name = name.rpartition(".")
module = importlib.import_module(module)
real = getattr(module, name)

def killed(*args, **more):
    if when == "after":
        real(*args, **more)
    os.kill(os.getpid(), signal.SIGKILL)

setattr(module, name, killed)
env = {**host.base_env, "SKERRY_ATTEMPT": mark, "SKERRY_JOB_DIR": job}
launch = Launch(None, "executeCode/process", job, "process", mark, env, alone=bool(alone))
turns.end_of(host, host.start(launch))
"""


class Stage:
    """The process stage of one job, on a host."""

    def __init__(self, bench: Workbench, make: MakeHost, text: str) -> None:
        self._make = make
        self._bench = bench
        self._job = bench.job(text.format(go=bench.gate, ran=f"{bench.instance.path}/ran"))
        self.mark = bench.marks[-1]
        self.directory = self._job.path
        self.turns = PolledTurns()
        self.host = make(self.turns)

    def launch(self, **more: Any) -> Launch:
        env = environment(self.host.base_env, {}, self.directory, self.mark)
        return Launch(None, "executeCode/process", self.directory, "process", self.mark, env, **more)

    def ends(self, **more: Any) -> Exit | Lost:
        """Start it and wait for its end."""
        return self.turns.end_of(self.host, self.host.start(self.launch(**more)))

    def engine_is_killed(self, kind: str, step: str, when: str, *more: str) -> None:
        """An engine of its own starts it and is killed ``when`` it takes that step."""
        command = [sys.executable, "-c", ENGINE, kind, self.directory, self.mark, step, when, *more]
        assert subprocess.run(command, check=False).returncode == -signal.SIGKILL

    def taken_up(self, **more: Any) -> tuple[Found, Exit | Lost]:
        """What the next engine finds of it, and its end once that has done what an engine does with it."""
        found = self.found()
        if isinstance(found, Lost):
            assert not found.begun, found
            if self.host.remains(self.directory, self.mark).has_started("process"):
                self.host.remains(self.directory, self.mark).forget("process")
            return found, self.ends(**more)
        assert not isinstance(found, Unreachable)
        return found, found if isinstance(found, Exit) else self.turns.end_of(self.host, found)

    def engine_restarts(self) -> None:
        """The engine ends; the next one has a host of its own."""
        self.host.close()
        self.turns = PolledTurns()
        self.host = self._make(self.turns)

    def found(self) -> Found:
        """What became of it, looked at again as often as an engine does."""
        looks = 0
        while (found := self.host.look(self.directory, "process", self.mark, looks=looks)) is None:
            looks += 1
            self.turns.nap(LOOK_AGAIN)
        return found

    def goes_on(self) -> None:
        """What its script waits for with ``read -r x < {go}`` comes."""
        self._bench.open_gate()

    def line(self) -> None:
        """Wait for the first line of its log."""
        self.turns.until(lambda: self.log().endswith("\n"))

    def log(self) -> str:
        return Path(self.directory, "job.log").read_text("utf-8")

    def ran(self) -> list[str]:
        """The lines that its script wrote into ``{ran}``."""
        path = Path(self._bench.instance.path, "ran")
        return path.read_text("utf-8").splitlines() if path.exists() else []


@pytest.fixture(params=sorted(HOSTS))
def kind(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "ssh":
        server = request.getfixturevalue("ssh_workers")
        monkeypatch.setenv(WHERE, name_server(server, str(tmp_path / "remote")))
    return str(request.param)


@pytest.fixture
def stage(bench: Workbench, kind: str) -> Iterator[Callable[[str], Stage]]:
    """Makes a stage with that script."""
    made: list[Stage] = []

    def make(text: str) -> Stage:
        made.append(Stage(bench, HOSTS[kind], text))
        return made[-1]

    yield make
    for each in made:
        each.host.close()


MakeStage = Callable[[str], Stage]


def test_the_facts_of_a_host_are_the_same_for_the_next_engine(stage: MakeStage) -> None:
    job = stage("true")
    before = job.host.facts

    job.engine_restarts()

    assert job.host.facts == before
    assert before.name
    assert before.boot


def test_the_engine_is_woken_once_when_all_output_is_there(stage: MakeStage) -> None:
    job = stage("i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done; exit 7")

    assert job.ends() == Exit(7)
    assert job.log().splitlines()[-1] == "line 1999"


def test_what_a_signal_ended_is_known_as_that(stage: MakeStage) -> None:
    assert stage("kill -KILL $$").ends() == Exit(137, 9)


def test_secrets_are_masked_before_the_engine_is_woken(stage: MakeStage) -> None:
    job = stage("echo the password is sesame")

    assert job.ends(secrets=("sesame",)) == Exit(0)
    assert job.log() == "the password is ******\n"


def test_a_stage_is_started_once_for_its_mark(stage: MakeStage) -> None:
    job = stage("echo ran >> {ran}")
    assert job.ends() == Exit(0)

    with pytest.raises(SkerryError) as caught:
        job.host.start(job.launch())

    assert caught.value.entry == ALREADY_STARTED
    assert job.ran() == ["ran"]


def test_what_outlives_its_program_is_known_and_stopped(stage: MakeStage, kind: str) -> None:
    # given a program that ended while one that left its session (here: and forgot its environment) lives
    forgets = "env -i " if kind == "local" else ""
    job = stage(f"{forgets}setsid sh -c 'echo up; exec sleep 1000' & read -r x < {{go}}")
    living = job.host.start(job.launch())
    job.line()
    job.goes_on()
    assert job.turns.end_of(job.host, living) == Exit(0)
    assert job.host.living([(job.directory, job.mark)])

    left = job.host.stop(job.directory, job.mark, 0)

    assert left == Left()
    assert job.host.living([(job.directory, job.mark)]) == ()


def test_a_stop_waits_for_what_takes_its_leave(stage: MakeStage) -> None:
    job = stage("trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.01; done")
    living = job.host.start(job.launch())
    job.line()

    left = job.host.stop(job.directory, job.mark, 20)

    assert left.verified
    assert job.turns.end_of(job.host, living) == Exit(3)
    assert job.log() == "up\nbye\n"


def test_killing_at_once_leaves_nothing_that_lives(stage: MakeStage) -> None:
    job = stage("sleep 1000 & echo up; wait")
    living = job.host.start(job.launch())
    job.line()

    job.host.kill_now(job.directory, job.mark)

    assert job.turns.end_of(job.host, living) == Exit(137, 9)
    assert job.host.stop(job.directory, job.mark, 0).verified


def test_what_is_killed_at_once_does_not_go_on_with_its_next_line(stage: MakeStage) -> None:
    # given readers that go on when the older process at the other end of their pipe dies
    writers = "for i in $(seq 80); do mkfifo p$i; sleep 1000 > p$i & done"
    readers = "for i in $(seq 80); do (read -r x < p$i; echo went on >> {ran}) & done"
    job = stage(f"{writers}; {readers}; echo up; wait")
    living = job.host.start(job.launch())
    job.line()

    job.host.kill_now(job.directory, job.mark)

    assert job.turns.end_of(job.host, living) == Exit(137, 9)
    assert job.host.stop(job.directory, job.mark, 0).verified
    assert job.ran() == []


def test_growth_is_what_logs_and_files_have(stage: MakeStage) -> None:
    job = stage("printf 12345; printf 123 >&2; printf 1234567 > outputs/x")

    assert job.ends() == Exit(0)

    assert job.host.growth(job.directory) == Growth(8)
    assert job.host.growth(job.directory, files=True) == Growth(8, 15)


def test_the_next_engine_waits_for_what_lives(stage: MakeStage) -> None:
    job = stage("echo up; read -r x < {go}; exit 5")
    before = job.host.start(job.launch())
    job.line()

    job.engine_restarts()
    found = job.found()

    assert not isinstance(found, (Exit, Lost, Unreachable))
    assert (found.pid, found.mark, found.directory) == (before.pid, job.mark, job.directory)
    job.goes_on()
    assert job.turns.end_of(job.host, found) == Exit(5)


def test_the_next_engine_reads_the_end_that_it_did_not_see(stage: MakeStage) -> None:
    job = stage("exit 5")
    job.ends()
    remains = job.host.remains(job.directory, job.mark)

    job.engine_restarts()

    assert job.found() == Exit(5)
    assert remains.recorded("process") == Exit(5)
    assert remains.ended_at("process") <= job_time()


def job_time() -> float:
    """Now, in seconds of the epoch, with the tolerance of a file system's clock."""
    return SystemClock().now().timestamp() + 1.0


def test_what_was_never_started_may_be_started(stage: MakeStage) -> None:
    job = stage("true")

    assert job.found() == Lost("it was never started", begun=False)
    assert not job.host.remains(job.directory, job.mark).has_started("process")
    assert job.ends() == Exit(0)
    assert job.host.remains(job.directory, job.mark).has_started("process")


def test_a_record_of_another_attempt_is_no_end(stage: MakeStage) -> None:
    job = stage("exit 5")
    job.ends()

    found = job.host.look(job.directory, "process", "999.1.0123456789abcdef")

    assert isinstance(found, Lost)
    assert not found.begun


@pytest.mark.parametrize("kept", ["mark ", "boot "], ids=["its mark", "all that it says of the host"])
def test_what_began_is_never_said_not_to_have_though_its_record_breaks_off(
    stage: MakeStage, kind: str, kept: str
) -> None:
    # given one that runs, and a power cut that took the end of its record
    job = stage("echo up; read -r x < {go}; exit 5")
    begun = job.host.start(job.launch())
    job.host.wake(begun, lambda end: None)
    job.line()
    job.turns.until(lambda: begun.pid > 0)
    job.engine_restarts()
    record = Path(job.directory, ".skerry", "process")
    record.write_bytes(record.read_bytes().partition(f"\n{kept}".encode())[0] + b"\n")

    # when the next engine looks for it
    job.turns.until(lambda: not isinstance(job.found(), Unreachable))
    found = job.found()
    job.goes_on()

    # then another machine is asked; here, it is lost
    assert job.host.remains(job.directory, job.mark).has_started("process")
    if kind == "local":
        assert found == Lost("the record of its start is damaged")
        job.turns.until(lambda: not job.host.living([(job.directory, job.mark)]))
    else:
        assert not isinstance(found, (Exit, Lost, Unreachable))
        assert job.turns.end_of(job.host, found) == Exit(5)


def test_after_a_restart_of_the_machine_only_a_written_end_counts(stage: MakeStage) -> None:
    job, other = stage("exit 5"), stage("true")
    job.ends()

    assert job.host.look(job.directory, "process", job.mark, began_in="another boot") == Exit(5)
    assert other.host.look(other.directory, "process", other.mark, began_in="another boot") == Lost(RESTARTED)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("kind", "step"), [(kind, step) for kind in STEPS for step in STEPS[kind]], indirect=["kind"]
)
def test_an_engine_that_is_killed_at_any_step_starts_nothing_twice(
    stage: MakeStage, kind: str, step: str, when: str
) -> None:
    # given an engine that is killed while it starts the stage, or takes its end
    lives = step in _OF_ONE_THAT_LIVES
    job = stage(f"echo ran >> {{ran}}; {'read -r x < {go}; ' if lives else ''}echo done; exit 5")
    job.engine_is_killed(kind, step, when)
    began = STEPS[kind][step] and (step not in _BEGINS_WITH or when == "after")
    if lives:
        job.goes_on()

    # when the next one does what an engine does with what it finds
    found, end = job.taken_up()

    # then it ran once, whichever of the two began it, and its end is known
    assert isinstance(found, Lost) != began
    assert end == Exit(5)
    assert job.ran() == ["ran"]
    assert job.log() == "done\n"
    assert job.host.stop(job.directory, job.mark, 0) == Left()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS["ssh"])
@pytest.mark.parametrize("kind", ["ssh"], indirect=True)
def test_an_exclusive_one_whose_engine_is_killed_begins_once_and_is_soon_in_nobodys_way(
    stage: MakeStage, kind: str, step: str, when: str
) -> None:
    # given an engine that is killed while it starts an exclusive stage, or takes its end
    lives = step in _OF_ONE_THAT_LIVES
    job = stage(f"echo ran >> {{ran}}; {'read -r x < {go}; ' if lives else ''}echo done; exit 5")
    job.engine_is_killed(kind, step, when, "alone")
    if lives:
        job.goes_on()

    # when the next one takes it up, and then begins another exclusive one
    _, end = job.taken_up(alone=True)
    other = stage("exit 6").ends(alone=True)

    # then both have ended as they say, the first after one run
    assert (end, other) == (Exit(5), Exit(6))
    assert job.ran() == ["ran"]
