"""States, loads, the clock, backfills and kills in any order: never two of one time, never a start before its partners."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine.model.codes.store import CONFLICT
from engine.model.errors import Refused, SkerryError
from engine.planning.schedules.fire_times import fires, next_fire
from engine.runtime.timing.backfill_request import BackfillRequest
from engine.runtime.timing.kept_schedules import OnlineSchedule
from engine.store.changes import Changes
from engine.store.reading_schedules import BY_TIME
from engine.store.rows import InstanceRow, ScheduleRow, time_text
from engine.store.sql_store import Store
from tests.timing.conftest import TimedSite, is_coming

INSTANT = timedelta(microseconds=1)
HOUR = timedelta(hours=1)
SCHEDULES: dict[str, Any] = {
    "all": {"level": "minute", "every": 20, "catchup": "all", "max": 1000, "overlap": "parallel"},
    "latest": {"level": "hour", "every": 1},
    "wait": {"interval": "47m", "catchup": "all", "max": 1000, "overlap": "wait"},
    "none": {"cron": "0 0/30 8-20 * * ?", "catchup": "none", "timezone": "Europe/Berlin"},
    "manual": "manual",
    "total": {"level": "hour", "every": 1, "catchup": "all", "max": 1000, "overlap": "parallel"},
    "chain": {"level": "minute", "every": 30, "catchup": "all", "max": 1000, "overlap": "wait"},
}
DEPENDENCIES: dict[str, list[dict[str, Any]]] = {
    "total": [{"task": "all", "window": "all_in_period", "on_failure": "wait"}],  # of the hour before
    "chain": [{"task": "all", "on_failure": "wait"}, {"task": "total", "timeout": "2h"}, {"self": True}],
}
TASKS = st.sampled_from(sorted(SCHEDULES))


class Workspace(RuleBasedStateMachine):
    """A task for each schedule; what an operator, a clock and a power cut may do to them."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.site = TimedSite(Path(self.folder.name) / "workspace").start()
        self.early: list[str] = []  # what began before its partners had succeeded
        self.site.engine.store.commit = self._watched(self.site.engine.store)  # type: ignore[method-assign]
        self.was_set = False  # whether the clock ever was
        self.latest = self.site.clock.now()
        for task, schedule in SCHEDULES.items():
            self.site.define(task, schedule, depends_on=DEPENDENCIES.get(task, []))

    def teardown(self) -> None:
        self.site.engine.close()
        self.folder.cleanup()

    @initialize(online=st.booleans())
    def begin(self, online: bool) -> None:
        """With nothing online, or with all: what waits for others seldom comes online by single steps."""
        if online:
            self.change_states(sorted(SCHEDULES), "online")

    @rule(tasks=st.lists(TASKS, min_size=1, max_size=3), state=st.sampled_from(["online", "offline"]))
    def change_states(self, tasks: list[str], state: str) -> None:
        before = {head.task: head.state for head in self.site.engine.store.task_heads()}
        try:
            self.site.service.move_tasks(tasks, state)
        except Refused:
            after = {head.task: head.state for head in self.site.engine.store.task_heads()}
            assert after == before
        self.site.settle()

    @rule(task=TASKS, value=st.sampled_from(["1 == 1", "2 == 1", "1 / 0"]))
    def load(self, task: str, value: str) -> None:
        """Another node, which may fail; the same schedule."""
        node = {"type": "condition", "value": value}
        keys = {"schedule": SCHEDULES[task], "depends_on": DEPENDENCIES.get(task, []), "nodes": {"a": node}}
        text = {"skerry": 1, "tasks": {task: keys}}
        self.site.service.load([{"name": "t.json", "text": json.dumps(text)}])
        self.site.settle()

    @rule(minutes=st.sampled_from([1, 20, 59, 60, 300]))
    def let_time_pass(self, minutes: int) -> None:
        self.site.forward(minutes=minutes)

    @rule(hours=st.sampled_from([-26280, -30, -1, 1, 30, 26280]))
    def set_the_clock(self, hours: int) -> None:
        self.was_set = True
        self.site.set_clock(hours=hours)

    @precondition(lambda self: self.site.engine.scheduler.clock.is_held)
    @rule()
    def accept_the_clock(self) -> None:
        self.site.service.accept_clock()
        self.site.settle()

    @rule(
        task=TASKS,
        back=st.integers(0, 30),
        hours=st.integers(0, 12),
        parallel=st.integers(1, 4),
        reprocess=st.sampled_from(["missing", "failed", "all"]),
        downstream=st.booleans(),
    )
    def backfill(
        self, task: str, back: int, hours: int, parallel: int, reprocess: Any, downstream: bool
    ) -> None:
        """Of a task that has been online; times after now, and tasks without times, are refused."""
        if not self._rows(task):
            return
        since = self.site.clock.now() - timedelta(hours=back)
        until = since + timedelta(hours=min(hours, back))
        request = BackfillRequest(
            task,
            since.isoformat(),
            until.isoformat(),
            parallel=parallel,
            reprocess=reprocess,
            downstream=downstream,
        )
        before = self.site.engine.store.schedules()
        with suppress(Refused):
            self.site.engine.backfill(request, "anna")
        assert self.site.engine.store.schedules() == before
        self.site.settle()

    @rule(act=st.sampled_from(["pause", "resume", "cancel"]))
    def steer_a_backfill(self, act: str) -> None:
        for each in self.site.engine.store.backfills(limit=1):
            with suppress(Refused):
                getattr(self.site.engine, f"{act}_backfill")(each.id, "anna")
        self.site.settle()

    @rule(minutes=st.sampled_from([0, 90]))
    def start_again(self, minutes: int) -> None:
        self.site.engine.close()
        self.site.clock.forward(minutes=minutes)
        self._next_engine()

    @rule(durable=st.booleans(), minutes=st.sampled_from([20, 60]))
    def kill(self, durable: bool, minutes: int) -> None:
        """While it fires: at the commit."""
        store = self.site.engine.store
        commit = store.commit

        def killed(changes: Changes) -> None:
            if durable:
                commit(changes)
            raise SkerryError(CONFLICT, "killed")

        store.commit = killed  # type: ignore[method-assign]
        self.site.clock.forward(minutes=minutes)
        with suppress(SkerryError):
            self.site.settle()
        self.site.engine.close()
        self._next_engine()

    def _next_engine(self) -> None:
        self.site.engine = self.site._made()
        self.site.engine.store.commit = self._watched(self.site.engine.store)  # type: ignore[method-assign]
        self.site.start().settle()

    @invariant()
    def the_engine_is_at_work(self) -> None:
        assert self.site.engine.services.loop.fatal is None

    @invariant()
    def nothing_begins_before_its_partners_have_succeeded(self) -> None:
        assert self.early == []

    @invariant()
    def what_holds_is_what_is_online(self) -> None:
        store = self.site.engine.store
        online = {head.task for head in store.task_heads() if head.state == "online"} - {"manual"}
        rows = store.schedules()
        assert sorted(row.task for row in rows) == sorted(online)
        for row in rows:
            last = datetime.fromisoformat(row.last_at or "")
            found = next_fire(OnlineSchedule(row).timetable(store), last)
            assert row.next_at == (time_text(found) if found else None)

    @invariant()
    def no_two_instances_have_one_time_and_none_is_early(self) -> None:
        self.latest = max(self.latest, self.site.clock.now())
        rows = self._reached()
        fired = [(row.task, row.scheduled_time) for row in rows]
        assert len(set(fired)) == len(fired)
        assert all(row.scheduled_time <= time_text(self.latest) for row in rows)

    @invariant()
    def each_is_a_fire_of_a_schedule_of_its_task(self) -> None:
        for row in self._reached():
            if row.task != "wait":  # an interval is counted from when it went online, which a set clock moves
                at, held = datetime.fromisoformat(row.scheduled_time), self._rows(row.task)
                never_online = not held and row.trigger == "backfill"  # it went along with what it waits for
                assert never_online or any(_fires_at(self.site, kept, at) for kept in held)

    @invariant()
    def nothing_is_left_out_where_everything_is_caught_up(self) -> None:
        if self.was_set:
            return
        now = self.site.clock.now()
        for task in ("all", "wait"):
            there = {row.scheduled_time for row in self.site.instances(task)}
            for row in self._rows(task):
                until = datetime.fromisoformat(row.until) if row.until else now
                timetable = OnlineSchedule(row).timetable(self.site.engine.store)
                since = datetime.fromisoformat(row.since) - (INSTANT if task == "wait" else timedelta())
                assert {time_text(at) for at in fires(timetable, since, until)} <= there

    def _watched(self, store: Store) -> Callable[[Changes], None]:
        """The commit of a store, with a look at what begins: did its partners have succeeded, before or by then?"""
        commit = store.commit

        def watched(changes: Changes) -> None:
            begun = [id for id, row in _instances(changes) if row.get("run")]
            before = {id: self._lacks(store, id) for id in begun}
            commit(changes)
            for id in begun:
                if before[id] and (lacks := self._lacks(store, id)):
                    self.early.append(f"{store.instance(id)}: {lacks}")

        return watched

    def _lacks(self, store: Store, id: int) -> list[str]:
        """The partners of an instance that have not succeeded, as the contract has it."""
        row = store.instance(id)
        if row is None or row.trigger not in BY_TIME:
            return [] if row else ["the instance itself"]
        own, found = datetime.fromisoformat(row.scheduled_time), []
        for each in DEPENDENCIES.get(row.task, ()):
            upstream = each.get("task", row.task)
            times = self._grid(upstream, own, each)
            if "window" not in each:
                until = own - INSTANT if "self" in each else own
                newest = store.newest_instance(upstream, time_text(until), BY_TIME)
                made = [datetime.fromisoformat(newest.scheduled_time)] if newest else []
                times = sorted([*times, *made])[-1:]
            partners = {time: store.instance_at(upstream, time_text(time)) for time in times}
            found += [
                f"{upstream} of {time} is {partner and partner.status}"
                for time, partner in partners.items()
                if partner is None or partner.status != "succeeded"
            ]
        return found

    def _grid(self, upstream: str, own: datetime, dependency: Mapping[str, Any]) -> list[datetime]:
        """Its times in the hours that may matter, from when it first went online."""
        hour = own.replace(minute=0, second=0, microsecond=0)
        whole = "window" in dependency
        first, last = (hour - HOUR, hour - INSTANT) if whole else (hour - 2 * HOUR, own)
        if "self" in dependency:
            last -= INSTANT
        every = SCHEDULES[upstream]["every"] * (60 if SCHEDULES[upstream]["level"] == "hour" else 1)
        times = [first + minute * timedelta(minutes=1) for minute in range(0, 180, every)]
        since = [datetime.fromisoformat(row.since) for row in self._rows(upstream)]
        return [time for time in times if since and min(since) < time <= last]

    def _reached(self) -> list[InstanceRow]:
        """Those whose time has come."""
        return [row for row in self.site.engine.store.instances(limit=10_000) if not is_coming(row)]

    def _rows(self, task: str) -> list[ScheduleRow]:
        return self.site.engine.store.schedules_of(task)


def _fires_at(site: TimedSite, row: ScheduleRow, at: datetime) -> bool:
    timetable = OnlineSchedule(row).timetable(site.engine.store)
    return at in fires(timetable, at - INSTANT, at)


def _instances(changes: Changes) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for rows in (changes.inserts, changes.updates):
        yield from rows.get("instance", {}).items()


TestWorkspace = Workspace.TestCase
TestWorkspace.settings = settings(
    max_examples=10,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(
        Phase.explicit,
        Phase.reuse,
        Phase.generate,
    ),  # a step takes an engine: shrinking would take minutes
)
