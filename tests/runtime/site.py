"""A workspace with a real engine in it, and what a finished run left: for the tests of the engine at work."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from app import wiring
from engine.api import views
from engine.context import TaskContext
from engine.definitions.reader import read, read_raw
from engine.definitions.text_source import SourceFile
from engine.model.definitions import Definitions
from engine.model.errors import Refused
from engine.runtime.clock import SystemClock
from engine.runtime.engine import Engine
from engine.runtime.submission import Submission
from engine.store.rows import AttemptRow, InstanceRow, JobRow
from tests.waiting import LONGEST, until

DEFAULTS: dict[str, object] = {
    "places": 4, "timezone": "UTC", "durability": "normal", "grace": 1, "monitor": False
}  # fmt: skip
SETTINGS = "".join(f"{name}: {json.dumps(value)}\n" for name, value in DEFAULTS.items())
TESTED = f"[ -d /proc/{os.getpid()} ]"  # what waits for a test ends with it, also when that is killed


def definitions(text: str) -> Definitions:
    """The definitions of a YAML text, which must be valid."""
    reading = read([SourceFile("test.yaml", text.encode())], wiring.job_types(), wiring.resource_types())
    assert not reading.errors, [str(each) for each in reading.errors]
    return reading.definitions


def task(nodes: Mapping[str, Any], **keys: Any) -> Definitions:
    """The definitions of one task ``t`` with these nodes."""
    return tree({"tasks": {"t": {"nodes": dict(nodes), **keys}}})


def tree(raw: Mapping[str, Any]) -> Definitions:
    """Definitions from JSON values by section."""
    return read_raw({"skerry": 1, **raw}, wiring.job_types(), wiring.resource_types())


def shell(process: str, **keys: Any) -> dict[str, Any]:
    """An inline shell job."""
    return {"type": "shell", "process": process, **keys}


def lives(pid: int) -> bool:
    """Whether a process runs; a zombie does not, nor what has given its memory back and only becomes one."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text("latin-1").rpartition(")")[2].split()
    except OSError:
        return False
    return words[0] not in "ZX" and words[20] != "0"


@dataclass(frozen=True)
class Member:
    """One JobInstance as the store has it."""

    row: JobRow
    engine: Engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self.row, name)

    @property
    def folder(self) -> Path:
        """Its directory."""
        return self.engine.workspace.root / (self.row.directory or "")

    @property
    def log(self) -> str:
        """What it printed."""
        return (self.folder / "job.log").read_text("utf-8")

    @property
    def outputs(self) -> dict[str, bytes]:
        """The files of its ``outputs/``."""
        return {each.name: each.read_bytes() for each in (self.folder / "outputs").iterdir()}

    @cached_property
    def attempts(self) -> list[AttemptRow]:
        """Its attempts, the first one first."""
        return self.engine.store.attempts(self.row.id)


class Seen:
    """One instance as it is now: its rows, its context, its directory."""

    def __init__(self, engine: Engine, instance: int) -> None:
        self.engine = engine
        self.id = instance
        engine.sync(instance)
        row = engine.store.instance(instance)
        assert row is not None
        self.row: InstanceRow = row
        self.status = str(row.status)
        self.results = dict(row.results)
        self.folder = engine.workspace.root / (row.directory or "")
        _ = self.rows, self.lines  # as they are now, whatever follows

    @cached_property
    def rows(self) -> list[Member]:
        """Every JobInstance of the instance, in the order they were made."""
        return [Member(row, self.engine) for row in self.engine.store.jobs(self.id)]

    @cached_property
    def latest(self) -> list[Member]:
        """What ``show`` lists."""
        return [Member(row, self.engine) for row in views.latest_jobs([each.row for each in self.rows])]

    def __getitem__(self, node: str) -> Member:
        """The latest JobInstance of a node."""
        return [each for each in self.latest if each.node == node][-1]

    def all(self, node: str) -> list[Member]:
        """Every latest JobInstance of a node: members and rounds."""
        return [each for each in self.latest if each.node == node]

    @property
    def states(self) -> dict[str, str]:
        """Node -> the state of its latest JobInstance."""
        return {each.node: str(each.status) for each in self.latest}

    @cached_property
    def context(self) -> dict[str, Any]:
        """``ctx.json``."""
        return json.loads((self.folder / "ctx.json").read_bytes())  # type: ignore[no-any-return]

    @cached_property
    def lines(self) -> list[dict[str, Any]]:
        """The context log as the store has it."""
        return [json.loads(line) for line in self.engine.store.lines(self.id)]

    def job(self, node: str) -> Any:
        """A node's entry in the context."""
        return self.context["JOB"][node]

    def assert_replays(self) -> None:
        """Store and file have the same lines, and these make ``ctx.json`` byte for byte."""
        stored = "".join(f"{line}\n" for line in self.engine.store.lines(self.id)).encode()
        filed = (self.folder / "ctx.log").read_bytes()
        assert filed == stored
        context = TaskContext.replay(filed.splitlines(), SystemClock())
        assert context.torn is None
        assert context.canonical() == (self.folder / "ctx.json").read_bytes()
        numbers = [json.loads(line)["seq"] for line in filed.splitlines()]
        assert numbers == list(range(1, len(numbers) + 1))


class Site:
    """A workspace and the engine that owns it."""

    def __init__(self, root: Path, settings: str = SETTINGS) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        (root / "workspace.yaml").write_text(settings)
        self.engine = wiring.open_engine(root)
        self.closed = False

    def start(self) -> Site:
        """Let the engine work."""
        self.engine.start()
        self.closed = False
        return self

    def close(self) -> None:
        """Stop the engine; jobs go on."""
        if not self.closed:
            self.closed = True
            self.engine.close()

    def again(self) -> Site:
        """The next engine of this workspace, after this one."""
        self.close()
        self.engine = wiring.open_engine(self.root)
        return self.start()

    def begin(self, wanted: Definitions | str, name: str | None = None, **given: Any) -> int:
        """Start a task (the only or last one); ``texts`` are what ``-p`` gives, the rest typed params."""
        made = definitions(wanted) if isinstance(wanted, str) else wanted
        texts = given.pop("texts", {})
        request = Submission(name or list(made.tasks)[-1], made, params=given, text_params=texts)
        return self.engine.submit(request)

    def end(self, instance: int) -> Seen:
        """The instance when it has ended."""
        assert self.engine.wait(instance, LONGEST), self.waiting(instance)
        return self.see(instance)

    def run(self, wanted: Definitions | str, name: str | None = None, **given: Any) -> Seen:
        """Run a task to its end."""
        return self.end(self.begin(wanted, name, **given))

    def see(self, instance: int) -> Seen:
        """The instance now."""
        return Seen(self.engine, instance)

    def state(self, instance: int, node: str) -> str:
        """The state of a node's latest JobInstance, now."""
        rows = [row for row in self.engine.store.jobs(instance) if row.node == node]
        return str(rows[-1].status) if rows else ""

    def until_state(self, instance: int, node: str, *states: str) -> None:
        """Wait for a state of a node."""
        until(lambda: self.state(instance, node) in states, f"{node} {states}: {self.waiting(instance)}")

    def waiting(self, instance: int) -> Iterable[tuple[str, str, str | None]]:
        """For messages: the state of every job."""
        return [(row.node, str(row.status), row.reason) for row in self.engine.store.jobs(instance)]


class Gate:
    """Lets a job run until the test says so: no sleeping, a fifo each way."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def script(self, name: str = "g", then: str = "") -> str:
        """A shell text that tells it is up, then waits for ``open``."""
        up, go = self.folder / f"{name}.up", self.folder / f"{name}.go"
        waits = f"while {TESTED} && [ -d '{self.folder}' ] && [ ! -e '{go}' ]; do sleep 0.02; done"
        return f"echo $$ >> '{up}'; {waits}; {then}\n"

    def until_up(self, name: str = "g") -> int:
        """Wait until the job is there; gives its last pid."""
        file = self.folder / f"{name}.up"
        return int(until(lambda: file.exists() and file.read_text().split(), f"gate {name}")[-1])

    def open(self, name: str = "g") -> None:
        """Let it go on."""
        (self.folder / f"{name}.go").touch()


def close_quietly(site: Site) -> None:
    """End what a test left: cancel everything, then stop."""
    with closing(site):
        for instance in [] if site.closed else list(site.engine.services.runs):
            with suppress(Refused):  # it ended by itself meanwhile
                site.engine.cancel(instance)
