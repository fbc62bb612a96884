"""The whole life-cycle as a state machine: runs, crashes at any commit, reruns, cancels, answers, jumping clocks.

    python -m tests.soak.life [--sequences 10000] [--steps 8] [--seed N]

A real engine with real processes and a real database. Its clock is held by the test: pauses are over at once,
the wall clock jumps by years. A crash lets one commit fail for good, at any of them: what was decided since the
last one is lost, processes go on. Whatever happens, every state that becomes durable must be one that the tables
of moves lead to, no attempt may start twice, and the replayed context log must be ``ctx.json``.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from app import wiring
from engine.context import TaskContext
from engine.execution.stage_file import boot_id
from engine.model.codes.store import FAILED
from engine.model.errors import SkerryError
from engine.model.pausing import is_own
from engine.model.reason import Reason
from engine.model.states import JOB_MOVES, AttemptState, InstanceState, JobState
from engine.runtime.engine import Engine
from engine.runtime.reruns.rerun_request import RerunRequest
from engine.runtime.submission import Submission
from engine.runtime.upkeep.database_opening import open_sound
from engine.store.changes import Changes
from engine.store.filters import ExceptionFilter
from tests.runtime.site import Seen, shell, tree

PLACE = "/dev/shm" if Path("/dev/shm").is_dir() else None
SETTINGS = "places: 2\ntimezone: UTC\nmonitor: false\ngrace: 1\ndurability: normal\n"
_STANDSTILL = 600  # seconds until a sequence that does not go on ends all of it and says where it is
PATIENCE = 30.0  # seconds until everything must have come to its end
MARK = 'echo "$SKERRY_ATTEMPT" >> "$journal"; '


def tasks(journal: Path) -> dict[str, Any]:
    """Shapes in which every kind of end, wait and detour comes."""
    ok, bad = shell(MARK + "true"), shell(MARK + "exit 3")
    slow = shell(MARK + "sleep 0.02; printf 7 > outputs/n", results={"n": {"kind": "number"}})
    flaky = shell(MARK + 'test "${SKERRY_ATTEMPT#*.}" \\> 2', retry={"times": 2, "interval": "1m"})
    nodes: dict[str, dict[str, Any]] = {
        "chain": {"a": slow, "b": {**ok, "after": ["a"], "when": "$.JOB['a'].RESULT['n'] > 1"}, "c": {**bad, "after": ["b"]}},
        "split": {
            "a": {**slow, "recovery": {"strategy": "retry", "after": "1m", "times": 2}},
            "b": {**bad, "after": ["a"], "continue_on_failure": True},
            "c": {**flaky, "after": ["a"]},
            "d": {**ok, "after": ["b", "c"], "run_if": "all_done"},
        },
        "loop": {
            "a": slow,
            "q": {"type": "condition", "value": "$.JOB['a'].RESULT['n'] == 7", "after": ["a"], "max_loops": 2,
                  "branches": {"true": {"run": ["r"], "again": True, "from": "a"}, "false": ["z"]}},
            "r": ok, "z": ok,
        },
        "steps": {
            "g": {"type": "group", "jobs": [ok, slow], "retry": {"times": 1, "interval": "1m"}},
            "w": {"type": "wait", "for": "2m", "after": ["g"]},
            "s": {"type": "task", "task": "chain", "after": ["g"]},
            "m": {**slow, "params": [{"x": 1}, {"x": 2}], "timeout": "1h"},
            "e": {**ok, "ready": {"group": [slow]}, "recovery": {"strategy": "ask"}, "after": ["m"]},
        },
    }  # fmt: skip
    nodes["follow"] = {"a": slow, "b": {**ok, "after": ["a"]}}
    nodes["wake"] = {
        "s": {"type": "task", "task": "chain", "wait": False},
        "a": slow,
        "g": {"type": "task", "task": "steps", "after": ["a"]},
    }
    return {"tasks": {name: _with_journal(name, each, journal) for name, each in nodes.items()}}


def _with_journal(name: str, nodes: dict[str, Any], journal: Path) -> dict[str, Any]:
    keys: dict[str, Any] = {"params": {"journal": str(journal)}, "nodes": nodes}
    given = {"journal": "$.TASK.PARAMS['journal']"}
    for node in _all_shells(nodes.values()):
        params = node.get("params", {})
        node["params"] = [each | given for each in params] if isinstance(params, list) else params | given
    return keys | _MORE.get(name, {})


_MORE: dict[str, dict[str, Any]] = {
    "split": {"retry": {"times": 1, "interval": "5m"}, "schedule": "manual"},
    "follow": {"depends_on": [{"task": "split"}], "schedule": "manual"},
}


def _all_shells(found: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    for node in found:
        if node["type"] == "shell":
            yield node
        stage = node.get("ready")
        yield from _all_shells(node.get("jobs", ()))
        yield from _all_shells(stage["group"] if isinstance(stage, dict) else ())


class HeldClock:
    """Runs like the real one, but jumps when the test says."""

    def __init__(self) -> None:
        self.ahead = 0.0  # seconds that passed at once
        self.wrong = timedelta()  # how wrong the wall clock is

    def monotonic(self) -> float:
        """Seconds."""
        return time.monotonic() + self.ahead

    def now(self) -> datetime:
        """The wall clock."""
        return datetime.now(UTC) + timedelta(seconds=self.ahead) + self.wrong

    def boot(self) -> str:
        """The machine is never restarted."""
        return boot_id()


class World:
    """A workspace, its engines one after the other, and what they made durable."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="skerry-life-", dir=PLACE))
        (self.root / "workspace.yaml").write_text(SETTINGS)
        self.journal = self.root / "journal"
        self.journal.touch()
        self.clock = HeldClock()
        self.states: dict[int, JobState] = {}
        self.attempts: dict[tuple[int, int], AttemptState] = {}
        self.paused: set[int] = set()  # the instances that an operator paused
        self.instance_of: dict[int, int] = {}  # by JobInstance
        self.starter: dict[int, int] = {}  # by sub-task: the JobInstance that started it
        self.wrongs: list[str] = []
        self.until_crash: int | None = None
        self.definitions = tree(tasks(self.journal))
        self.engine = self._engine()
        self.engine.store.save_definitions(
            tasks(self.journal)
        )  # who depends on whom is asked of the workspace

    def _engine(self) -> Engine:
        workspace = wiring.open_workspace(self.root)
        store = open_sound(workspace, self.clock, self.wrongs.append)
        commit = store.commit

        def watched(changes: Changes) -> None:
            if self.until_crash is not None:
                self.until_crash -= 1
                if self.until_crash < 0:
                    raise SkerryError(FAILED, "the machine is gone")
            commit(changes)
            self._look_at(changes)

        store.commit = watched  # type: ignore[method-assign]
        self.until_crash = None
        engine = Engine(workspace, store, wiring.job_types(), wiring.resource_types(), self.clock)
        engine.services.loop.on_error = self._unexpected
        return engine.start()

    def _unexpected(self, error: BaseException) -> None:
        if not isinstance(error, SkerryError):
            self.wrongs.append(f"unexpected: {type(error).__name__}: {error}")

    def _look_at(self, changes: Changes) -> None:
        """Every state that was made durable, against the tables; nothing begins in what was and is paused."""
        held = {id for id in self.instance_of.values() if self._held(id)}
        self._remember(changes)
        for job, attempt in changes.inserts.get("job_run", {}):  # type: ignore[misc]
            instance = self.instance_of[job]
            if instance in held and self._held(instance):
                self.wrongs.append(
                    f"attempt {attempt} of {job} begins in instance {instance}, which is paused"
                )
        for table, rows in (*changes.inserts.items(), *changes.updates.items()):
            for key, row in rows.items():
                if table == "job_instance" and "status" in row:
                    self._moved(key, JobState(row["status"]))  # type: ignore[arg-type]
                elif table in ("instance", "run") and "status" in row:
                    InstanceState(row["status"])
                elif table == "job_run" and "status" in row:
                    self._tried(key, AttemptState(row["status"]))  # type: ignore[arg-type]

    def _remember(self, changes: Changes) -> None:
        for key, row in changes.inserts.get("job_instance", {}).items():
            self.instance_of[key] = row["instance"]  # type: ignore[index, assignment]
        for rows in (changes.inserts.get("instance", {}), changes.updates.get("instance", {})):
            for id, row in rows.items():
                if row.get("parent") is not None:
                    self.starter[id] = row["parent"]  # type: ignore[index, assignment]
                if "status" in row:
                    own = row["status"] == "paused" and is_own(_reason(row))
                    (self.paused.add if own else self.paused.discard)(id)  # type: ignore[arg-type]

    def _held(self, instance: int | None) -> bool:
        """Whether it, or what it is a sub-task of, is paused."""
        while instance is not None and instance not in self.paused:
            instance = self.instance_of.get(self.starter.get(instance, -1))
        return instance is not None

    def _moved(self, job: int, state: JobState) -> None:
        before = self.states.get(job, JobState.PENDING)
        if state is not before and state not in _REACHED[before]:
            self.wrongs.append(f"job instance {job}: {before} -> {state}")
        self.states[job] = state

    def _tried(self, key: tuple[int, int], state: AttemptState) -> None:
        before = self.attempts.get(key, AttemptState.STARTING)
        over = before not in (AttemptState.STARTING, AttemptState.RUNNING)
        if over and state is not before:
            self.wrongs.append(f"attempt {key}: {before} -> {state}")
        self.attempts[key] = state

    # -- what happens to it --------------------------------------------------------------------

    def crash(self) -> None:
        """The engine is gone as if killed, and the next one begins."""
        self.engine.close()
        self.engine = self._engine()

    def ask(self, call: Any) -> Any:
        """What an operator does; it may be refused, or the engine may die under it."""
        try:
            return call()
        except SkerryError as error:
            if error.entry.number // 10_000_000 * 10_000_000 == -1_90_00_000_000 + 0 and "internal" in str(
                error
            ):
                self.wrongs.append(str(error))
        if self.engine.services.loop.fatal is not None or not self.engine.services.loop.alive:
            self.crash()
        return None

    def pass_time(self, seconds: float) -> None:
        """All timers that fall into it are due."""
        self.clock.ahead += seconds
        self.engine.services.loop.post(lambda: None)

    def instances(self) -> list[int]:
        """All of them, the oldest first."""
        return sorted(row.id for row in self.engine.store.instances(limit=1000))

    def answer_all(self, word: Any) -> None:
        """Whoever waits for an answer gets one."""
        for row in self.engine.store.exceptions(ExceptionFilter(status="open")):
            self.ask(lambda row=row: self.engine.handle(row.id, word, "said so"))

    def settle(self) -> None:
        """Let time pass until nothing goes on any more."""
        self.ask(lambda: self.engine.queue.pause(False, "soak"))
        end = time.monotonic() + PATIENCE
        while self.engine.store.unfinished():
            if time.monotonic() > end:
                self.wrongs.append(f"it does not come to an end: {self._open()}")
                return
            if not self.engine.services.loop.alive:
                self.crash()
                self.ask(lambda: self.engine.queue.pause(False, "soak"))
            self.answer_all("discard")
            for id in list(self.paused):
                self.ask(lambda id=id: self.engine.resume(id))
            self.pass_time(30.0)
            threading.Event().wait(0.01)

    def _open(self) -> list[tuple[Any, ...]]:
        return [
            (row.id, row.instance, row.node, str(row.status), row.reason)
            for row in self.engine.store.unfinished_jobs()
        ]

    # -- what must hold in the end -------------------------------------------------------------

    def check(self) -> None:
        """Raise with everything that is wrong."""
        self.settle()
        twice = [mark for mark, count in Counter(self.journal.read_text().split()).items() if count > 1]
        self.wrongs += (f"started twice: {mark}" for mark in twice)
        for instance in self.instances() if not self.wrongs else ():
            self.wrongs += self._wrong_with(instance)
        assert not self.wrongs, "\n".join(self.wrongs)

    def _wrong_with(self, instance: int) -> Iterable[str]:
        seen = Seen(self.engine, instance)
        if not InstanceState(seen.status).ended:
            yield f"instance {instance} is {seen.status}"
        for row in seen.rows:
            if not JobState(row.status).ended:
                yield f"{instance} {row.node}: {row.status} in an ended instance"
            yield from (
                f"{instance} {row.node}: attempt {each.attempt} is {each.status}"
                for each in row.attempts
                if each.status in ("starting", "running")
            )
        bad = [row.node for row in seen.latest if JobState(row.status).bad and row.node not in ("b",)]
        if seen.status == "succeeded" and bad:
            yield f"instance {instance} succeeded although {bad}"
        filed = (seen.folder / "ctx.log").read_bytes()
        stored = "".join(f"{line}\n" for line in self.engine.store.lines(instance)).encode()
        if filed != stored:
            yield f"instance {instance}: ctx.log is not what the store has"
        if (
            TaskContext.replay(filed.splitlines(), self.clock).canonical()
            != (seen.folder / "ctx.json").read_bytes()
        ):
            yield f"instance {instance}: ctx.json is not what ctx.log gives"

    def close(self) -> None:
        """Take it away."""
        with suppress(Exception):
            for instance in list(self.engine.services.runs):
                self.engine.cancel(instance)
        self.engine.close()
        shutil.rmtree(self.root, ignore_errors=True)


def _reached() -> Mapping[JobState, frozenset[JobState]]:
    """What a state may have become by the next commit: a turn may make several moves."""
    found: dict[JobState, frozenset[JobState]] = {}
    for state in JobState:
        ahead, seen = [state], set[JobState]()
        while ahead:
            for each in JOB_MOVES[ahead.pop()] - seen:
                seen.add(each)
                if not each.ended:
                    ahead.append(each)
        found[state] = frozenset(seen)
    return found


_REACHED = _reached()
NAMES = ("chain", "split", "loop", "steps", "follow", "wake")
NODES = st.sampled_from(["a", "b", "c", "d", "q", "g", "s", "m", "e"])


class Life(RuleBasedStateMachine):
    """What can happen, in any order."""

    def __init__(self) -> None:
        super().__init__()
        faulthandler.dump_traceback_later(_STANDSTILL, exit=True)
        self.world = World()

    def _some(self, number: int) -> int:
        found = self.world.instances()
        return found[number % len(found)] if found else 0

    @initialize(name=st.sampled_from(NAMES))
    def begins(self, name: str) -> None:
        """There is always something."""
        self.submit(name)

    @rule(name=st.sampled_from(NAMES))
    def submit(self, name: str) -> None:
        """A task is started by hand."""
        world = self.world
        world.ask(lambda: world.engine.submit(Submission(name, world.definitions)))

    @rule(commits=st.integers(0, 12), seconds=st.sampled_from([0.0, 0.01, 0.05]))
    def crash(self, commits: int, seconds: float) -> None:
        """The engine dies at one of the next commits, or between two of them."""
        self.world.until_crash = commits
        threading.Event().wait(seconds)
        self.world.crash()

    @rule()
    def power_returns_after_years(self) -> None:
        """The wall clock is wrong by years after a restart, and right again after the next."""
        self.world.clock.wrong = timedelta(days=0 if self.world.clock.wrong else 3650)
        self.world.crash()

    @rule(seconds=st.sampled_from([1.0, 61.0, 301.0, 4000.0]))
    def time_passes(self, seconds: float) -> None:
        """Pauses and time limits are over."""
        self.world.pass_time(seconds)
        threading.Event().wait(0.02)

    @rule()
    def it_goes_on(self) -> None:
        """Until nothing moves by itself."""
        self.world.settle()

    @rule(number=st.integers(0, 5), node=st.one_of(st.none(), NODES))
    def cancel(self, number: int, node: str | None) -> None:
        """An instance or a node is stopped."""
        world = self.world
        world.ask(lambda: world.engine.cancel(self._some(number), node))

    @rule(number=st.integers(0, 5), node=NODES, well=st.booleans())
    def force(self, number: int, node: str, well: bool) -> None:
        """An outcome is settled by hand."""
        world, state = self.world, JobState.SUCCEEDED if well else JobState.FAILED
        world.ask(lambda: world.engine.force(self._some(number), node, state, "because"))

    @rule(
        number=st.integers(0, 5),
        mode=st.sampled_from(["all", "from", "failed", "only"]),
        node=NODES,
        up=st.booleans(),
        edit=st.booleans(),
        down=st.booleans(),
    )
    def rerun(self, number: int, mode: Any, node: str, up: bool, edit: bool, down: bool) -> None:
        """Some of it runs again, on an edited value or not; with what depends on it or not."""
        nodes = (node,) if mode in ("from", "only") else ()
        edits = [("$.JOB['a'].RESULT['n']", 5)] if edit else []
        request = RerunRequest(
            self._some(number), mode, nodes, with_upstream=up, edits=edits, reason="again", downstream=down
        )
        self.world.ask(lambda: self.world.engine.rerun([request]))

    @rule(word=st.sampled_from(["retry", "skip", "succeed", "fail", "discard"]))
    def answer(self, word: str) -> None:
        """Who asks gets an answer."""
        self.world.answer_all(word)

    @rule(number=st.integers(0, 5), value=st.integers(0, 9))
    def edit(self, number: int, value: int) -> None:
        """A result is changed by hand."""
        world = self.world
        world.ask(lambda: world.engine.set_value(self._some(number), "$.JOB['a'].RESULT['n']", value, "typo"))

    @rule(number=st.integers(0, 5))
    def pause(self, number: int) -> None:
        """An instance is to begin nothing more, and neither is what it has started."""
        world = self.world
        world.ask(lambda: world.engine.pause(self._some(number), "because"))

    @rule(number=st.integers(0, 5))
    def resume(self, number: int) -> None:
        """It may go on."""
        world = self.world
        world.ask(lambda: world.engine.resume(self._some(number)))

    @rule(paused=st.booleans(), clear=st.booleans())
    def queue(self, paused: bool, clear: bool) -> None:
        """The queue pauses or goes on; who waits is thrown out."""
        world = self.world
        world.ask(lambda: world.engine.queue.pause(paused))
        if clear:
            world.ask(lambda: world.engine.queue.clear("operator"))

    def teardown(self) -> None:
        """Everything comes to its end, and all of it is right."""
        try:
            self.world.check()
            self.world.crash()
            self.world.check()
            _told()
        finally:
            self.world.close()
            faulthandler.cancel_dump_traceback_later()


def _reason(row: Mapping[str, Any]) -> Reason:
    """Why it is so, as changes have it: data are text already."""
    reason = Reason.read(json.loads(row["why"] or "null"), row["reason"])
    assert reason is not None
    return reason


_done = count(1)


def _told() -> None:
    """A sign of life for whoever waits for the long version."""
    if (number := next(_done)) % 250 == 0:
        print(f"{number} sequences", flush=True)


def soak(sequences: int, steps: int, seed: int, *, shrink: bool = False) -> None:
    """Raises with a sequence that goes wrong, with ``shrink`` the shortest one."""
    machine = seeded(seed)(Life)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=sequences,
            stateful_step_count=steps,
            deadline=None,
            phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
            database=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )


def main() -> None:
    """See the module."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sequences", type=int, default=10_000)
    options.add_argument("--steps", type=int, default=8)
    options.add_argument("--seed", type=int, default=20261121)
    options.add_argument("--processes", type=int, default=1, help="share the sequences out")
    options.add_argument(
        "--shrink", action="store_true", help="look for the shortest sequence that goes wrong"
    )
    given = options.parse_args()
    began = time.monotonic()
    if given.processes > 1:
        _shared_out(given)
        return
    soak(given.sequences, given.steps, given.seed, shrink=given.shrink)
    print(f"seed {given.seed}: {given.sequences} sequences in {time.monotonic() - began:.0f} s, all well")


def _shared_out(given: argparse.Namespace) -> None:
    """Most of the time of a sequence goes by in waiting for processes: several at once take little longer."""
    each = ["--sequences", str(-(-given.sequences // given.processes)), "--steps", str(given.steps)]
    program = [sys.executable, "-m", "tests.soak.life", *each]
    parts = [
        subprocess.Popen([*program, "--seed", str(given.seed + number)]) for number in range(given.processes)
    ]
    if sum(part.wait() != 0 for part in parts):
        sys.exit(1)


if __name__ == "__main__":
    main()
