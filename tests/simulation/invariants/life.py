"""A life as far as it has come: its story, its machine, the engine that is at work, and what became durable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine.execution.strangers import Stranger
from engine.runtime.engine import Engine
from engine.store.filters import InstanceFilter
from engine.store.sql_store import Store
from tests.simulation.invariants.backfills import Backfills
from tests.simulation.invariants.calls import Calls
from tests.simulation.invariants.durations import Timing, Trouble
from tests.simulation.invariants.handlers import Handlers
from tests.simulation.invariants.history import History, described
from tests.simulation.invariants.questions import Questions
from tests.simulation.invariants.schedules import Schedules
from tests.simulation.invariants.starts import Starts
from tests.simulation.invariants.workers import Workers
from tests.simulation.machine.calls import SlowLook
from tests.simulation.machine.clock import SimulatedClock
from tests.simulation.machine.disk import Disk
from tests.simulation.machine.processes import Machine
from tests.simulation.machine.remote import Remote
from tests.simulation.machine.threads import Descriptors
from tests.simulation.machine.virtual_time import Hub, Task
from tests.simulation.workload.random_streams import chance
from tests.simulation.workload.stories import Story

_AT_STARTS = ("start", "again", "begun", "ended")
MOST_INSTANCES = 100_000  # more than a life can have: its steps are limited


class Life:
    """The world of one story."""

    def __init__(self, story: Story, root: Path, trace: Callable[[str], None] = lambda line: None) -> None:
        self.story = story
        self.root = root
        self.hub = Hub(chance(story.seed, "hub"), failed=self._failed)
        self.clock = SimulatedClock(self.hub)
        self.descriptors = Descriptors()
        self.disk = Disk(root, chance(story.seed, "disk"))
        self.machine = Machine(self.hub, self.clock, story.seed, self.descriptors, self.note)
        self.remotes = {
            name: Remote(self.machine, name, chance(story.seed, "remote", name)) for name in story.fleet.slots
        }
        self.history = History()
        self.starts = Starts(self.machine, self.history.wrong)
        self.trouble = Trouble(self.hub)
        self.timing = Timing(self.hub, self.trouble, self.history.wrong)
        misfire = {"misfire": story.settings.get("misfire", 60)}
        scheduled = {name: {**task, **misfire} for name, task in story.timetable.tasks.items()}
        self.handlers = Handlers(self.starts.known, self.history.wrong)
        self.questions = Questions(self.starts.known, self.timing, self.trouble, self.history.wrong)
        self.schedules = Schedules(scheduled, self.clock, self.trouble, self.history.wrong)
        self.calls = Calls(self.starts.known, self.machine, self.clock, self.history.wrong)
        self.slow_look: SlowLook | None = None  # where calls take their time
        if "process built-in" in story.features:
            self.slow_look = SlowLook(self.hub, story.seed, self.calls.begins)
        self.workers = Workers(self.history.wrong)
        self.machine.on_start = self.workers.starts
        self.machine.looked = self._looked
        for remote in self.remotes.values():
            remote.when_lengthened = self.workers.lengthened
        self.machine.begins_slowly = any(each.facts.get("when") in _AT_STARTS for each in story.actions)
        self.backfills = Backfills(self.schedules, self.history.wrong)
        self.lines: list[str] = []
        self._trace = trace
        self.number = 0  # of the engine
        self.down = True
        self.working: Engine | None = None
        self.store: Store | None = None
        self.engine_ticks = 0.0  # when the engine began, in seconds since the machine's start

    def note(self, text: str) -> None:
        """A line of the trace; where the workspace is, which is elsewhere each time, is left out of it."""
        entry = f"{self.hub.now:.6f} {text.replace(str(self.root), 'workspace')}"
        self.lines.append(entry)
        self._trace(entry)

    def _looked(self, worker: str, skew: float, strangers: tuple[Stranger, ...]) -> None:
        queue = None if self.working is None else self.working.services.queue
        self.workers.looked(worker, skew, strangers, queue)

    def _failed(self, task: Task, error: Exception) -> None:
        """Said at once: without what that task was for a life may have no end."""
        self.history.wrong(f"{task.name} of {task.owner} failed: {described(error)}")

    @property
    def engine(self) -> Engine:
        """The one that works; only asked by its own tasks and when everything has ended."""
        assert self.working is not None
        return self.working

    def listed(self) -> list[int]:
        """All instances that people see, the oldest first."""
        assert self.store is not None
        return sorted(row.id for row in self.store.instances(InstanceFilter(), limit=MOST_INSTANCES))

    def instances(self) -> list[int]:
        """Those of them of which more than the outcome is left."""
        return [id for id in self.listed() if id not in self.history.outcomes]

    @property
    def was_reordered(self) -> bool:
        """Whether what waits gets another priority."""
        return any(each.what == "queue priority" for each in self.story.actions)
