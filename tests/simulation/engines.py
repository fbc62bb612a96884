"""The engines of a life, one after another: how each begins, what is seen of its work, how it ends."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial

from app import wiring
from engine.model.codes.store import FAILED
from engine.model.errors import SkerryError
from engine.model.names import is_handler
from engine.runtime.engine import Engine
from engine.runtime.upkeep.database_opening import open_sound
from engine.runtime.workspace import Workspace
from engine.store.changes import Changes
from engine.store.reading import StoreReading
from engine.store.sql_store import Store
from tests.simulation.fault_injection import FaultInjection
from tests.simulation.invariants import idle_moments
from tests.simulation.invariants.life import Life
from tests.simulation.machine.processes import SimulatedHost
from tests.simulation.machine.threads import SimulatedThreads
from tests.simulation.machine.virtual_time import Task
from tests.simulation.workload.random_streams import chance

_LOOK = 1.0  # seconds until it is noticed that an engine has stopped


class Engines:
    """At most one is at work; when it has ended for whatever reason, the next one begins."""

    def __init__(self, life: Life, faults: FaultInjection) -> None:
        self._life = life
        self._faults = faults
        self._awaiting: list[Callable[[], None]] = []  # for the engine to come or to go
        self._has_changed = True  # since somebody looked whether what waits has a reason
        self._beginnings = 0

    def await_change(self, resume: Callable[[], None]) -> None:
        """Make that call when the engine comes or goes."""
        self._awaiting.append(resume)

    # -- the beginning ---------------------------------------------------------------------------

    def begin(self) -> None:
        """Start the next one."""
        life = self._life
        life.number += 1
        number = life.number
        life.note(f"engine {number} starts")
        life.hub.start(("engine", number), "main", lambda: self._start(number))

    def _start(self, number: int) -> None:
        life = self._life
        try:
            self._open(number)
        except SkerryError as error:
            life.note(f"engine {number} does not start: {error.entry.number}")
            self._end(("engine", number), 1.0 if error.entry.retryable else 60.0)
            if not error.entry.retryable:
                life.history.wrong(f"engine {number} does not start: {error.entry.number} {error.message}")
        except OSError as error:
            life.note(f"engine {number} does not start: {error.strerror}")
            self._end(("engine", number), 1.0)

    def _open(self, number: int) -> None:
        life = self._life
        workspace = wiring.open_workspace(life.root)
        life.store = store = open_sound(workspace, life.clock, lambda text: life.note(f"opening: {text}"))
        self._watch_store(store)
        engine = self._made(number, workspace, store)
        loop = engine.services.loop
        loop.on_error = self._unexpected
        life.history.note_joins(engine.services.queue)
        engine.services.queue._pick = chance(life.story.seed, "pick", number).choice
        life.history.doubts.clear()  # while there was none nothing could be put right
        life.schedules.engine_begins()
        engine.start()
        life.working = engine
        self._has_changed = True
        life.engine_ticks = life.clock.monotonic()
        loop._poller.at_rest = self._at_rest  # type: ignore[attr-defined]
        self._is_down(False)
        life.note(f"engine {number} is at work")
        if life.story.timetable.tasks:
            life.hub.start(("engine", number), "fire", lambda: self._fire(engine))
        assert isinstance(loop._thread, Task)
        loop._thread.when_ended(lambda: life.hub.after(_LOOK, lambda: self._had_to_stop(number)))

    def _fire(self, engine: Engine) -> None:
        with suppress(SkerryError):  # it ends
            engine.fire()

    def _made(self, number: int, workspace: Workspace, store: Store) -> Engine:
        life = self._life
        pool = chance(life.story.seed, "pool", number)
        types = wiring.job_types()
        if life.slow_look is not None:
            types = {**types, life.slow_look.kind: life.slow_look}
        return Engine(
            workspace,
            store,
            types,
            wiring.resource_types(),
            life.clock,
            threads=SimulatedThreads(life.hub, ("engine", number), life.descriptors, pool),
            host=lambda loop: SimulatedHost(life.machine, number, loop),
        )

    def _is_down(self, down: bool) -> None:
        self._life.down = down
        self._life.trouble.down(down)
        awaiting, self._awaiting = self._awaiting, []
        for resume in awaiting:
            resume()

    # -- its work --------------------------------------------------------------------------------

    def _watch_store(self, store: Store) -> None:
        real, store.commit = store.commit, lambda changes: self._commit(real, changes)  # type: ignore[method-assign]
        store.remove_instances = partial(self._removed, store.remove_instances)  # type: ignore[method-assign]

    def _commit(self, real: Callable[[Changes], None], changes: Changes) -> None:
        life = self._life
        self._faults.before_commit()
        real(changes)
        self._has_changed = True
        life.history.committed(changes, life.note)
        life.calls.committed(changes, life.working)
        life.starts.committed(changes, life.working)
        life.timing.committed(changes, life.working)
        life.handlers.committed(changes, life.working)
        life.questions.committed(changes, life.working)
        life.schedules.committed(changes)
        life.backfills.committed(changes)
        life.workers.committed(changes)
        if life.working is not None:
            life.history.queue_is(life.working.services.queue)
            life.workers.queue_is(life.working.services.queue, life.story.fleet.slots)
        self._faults.due("after commit")
        if any(is_handler(row["node"]) for row in changes.inserts.get("job_instance", {}).values()):
            self._faults.due("handlers")

    def _removed(self, real: Callable[..., int], ids: Collection[int], outcomes: Collection[int] = ()) -> int:
        life = self._life
        life.starts.leave(ids)
        life.history.leave(ids, outcomes)
        life.backfills.leave(frozenset(ids).difference(outcomes))
        life.note(f"removed: {sorted(ids)}, but for the outcomes of {sorted(outcomes)}")
        return real(ids, outcomes)

    def _at_rest(self) -> None:
        """The loop of the engine is about to sleep: what was decided is durable.

        Most of its looks at the clock decide nothing, and what was in order before them still is.
        """
        life = self._life
        if life.working is None or life.working.services.loop._writing or life.history.wrongs:
            return
        if not self._has_changed and not life.history.doubts:
            return
        self._has_changed = False
        try:
            life.history.wrongs += [f"at {life.hub.now:.3f}: {each}" for each in idle_moments.broken(life)]
        except Exception:
            life.history.wrong(f"who looked failed: {traceback.format_exc()}")

    def _unexpected(self, error: BaseException) -> None:
        if isinstance(error, SkerryError | OSError):
            self._life.note(f"the engine says: {error}")
        else:
            self._life.history.wrong(f"unexpected in the loop: {type(error).__name__}: {error}")

    # -- its end ---------------------------------------------------------------------------------

    def _had_to_stop(self, number: int) -> None:
        """An engine that stopped by itself is started again, as ``systemd`` or the window do."""
        life = self._life
        if not life.down and number == life.number:
            fatal = life.engine.services.loop.fatal
            life.note(f"engine {number} has ended: {fatal}")
            if isinstance(fatal, SkerryError) and not (fatal.entry.retryable or fatal.entry is FAILED):
                life.history.wrong(f"an_engine_ends_by_itself_for_a_fault_alone: {fatal}")
            self.kill(1.0)

    def close(self, down: float) -> None:
        """The engine is asked to end."""
        life = self._life
        engine = life.engine

        def close() -> None:
            self._is_down(True)
            engine.close()
            life.working = life.store = None
            self._begin_after(down, self.begin)

        life.hub.start(("engine", life.number), "close", close)

    def kill(self, down: float) -> None:
        """At this very point of what it does; the next one begins ``down`` seconds later."""
        self._end(("engine", self._life.number), down)

    def _end(self, owner: tuple[str, int], down: float) -> None:
        hub = self._life.hub
        hub.frozen.add(owner)
        self._gone(owner)
        self._begin_after(down, self.begin)
        hub.freeze(owner)

    def _begin_after(self, down: float, begin: Callable[[], None]) -> None:
        """Unless the mains fail until then, which brings the next engine when they are back."""
        self._beginnings += 1
        number = self._beginnings
        self._life.hub.after(down, lambda: begin() if number == self._beginnings else None)

    def cut_power(self, down: float) -> None:
        """The mains fail: engine and processes are gone, and what was not on the disk."""
        life, owner = self._life, ("engine", self._life.number)
        life.note("the power fails")
        life.hub.frozen.add(owner)
        self._gone(owner)
        life.machine.power_off()
        for lost in life.disk.power_cut():
            life.note(f"lost: {lost}")
        self._begin_after(down, self._power_on)
        life.hub.freeze(owner)

    def _power_on(self) -> None:
        self._life.clock.restart()
        self.begin()

    def _gone(self, owner: tuple[str, int]) -> None:
        life = self._life
        life.working = None
        self._faults.forget_blow()
        self._is_down(True)
        life.disk.release(owner)
        if life.store is not None:
            store, life.store = life.store, None
            StoreReading.close(store)  # as the kernel does: unused ids are not given back
            store._writer.close()
