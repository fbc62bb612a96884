"""What every store does, whatever the database: rows, pages, context lines, ids, statistics."""

from __future__ import annotations

from itertools import pairwise
from threading import Barrier, Thread
from typing import Any

import pytest

from engine.context.line import seal
from engine.model.codes import store as codes
from engine.model.errors import Refused, SkerryError
from engine.model.states import JobState
from engine.store.changes import Changes
from engine.store.filters import ExceptionFilter, InstanceCursor, InstanceFilter
from engine.store.rows import ExceptionRow
from engine.store.sql_store import Store
from tests.store.conftest import BEGIN, Opener, a_job, an_instance, at, with_instances

HOSTILE = 'it\'s "quoted"; drop table instance; -- %s ? :x $1 {0} \\ \n\r\t\u2028 港口 🚢'


def test_what_was_committed_is_read_back_as_it_was(store: Store) -> None:
    changes = Changes()
    params = {"名": HOSTILE, "n": 1.5, "none": None, "list": [1, {"b": True}]}
    changes.insert("instance", an_instance(name=HOSTILE, params=params, edited=["$.JOB['x']"]))
    changes.insert(
        "run", {"instance": 1, "run": 1, "status": "running", "trigger": "manual", "created_at": at()}
    )
    changes.insert("job_instance", a_job(index=0, results={"rows": [[1, "2"]]}, based_on_edit=True))
    changes.insert("job_run", {"job_instance": 1, "attempt": 1, "status": "starting", "created_at": at()})

    store.commit(changes)

    [instance], [run], [job], [attempt] = store.instances(), store.runs(1), store.jobs(1), store.attempts(1)
    assert (instance.name, instance.params, instance.edited) == (HOSTILE, params, ["$.JOB['x']"])
    assert (instance.priority, instance.results, instance.error_code, instance.run) == (0, {}, None, 0)
    assert (run.status, run.params, run.selection) == ("running", {}, {})
    assert (job.index, job.round, job.based_on_edit, job.results) == (0, 1, True, {"rows": [[1, "2"]]})
    assert (attempt.attempt, attempt.status, attempt.pid) == (1, "starting", None)
    assert (store.instance(1), store.run(1, 1), store.job(1)) == (instance, run, job)


def test_what_is_not_there_reads_as_nothing(store: Store) -> None:
    assert store.instance(7) is None
    assert store.run(7, 1) is None
    assert store.job(7) is None
    assert store.definition("task", "x") is None
    assert store.snapshot(7, 1) is None
    assert (store.runs(7), store.jobs(7), store.attempts(7), list(store.lines(7))) == ([], [], [], [])
    assert (store.last_seq(7), store.stats(), store.exceptions()) == (0, [], [])
    assert (store.setting("x"), store.setting("x", 5)) == (None, 5)


def test_a_state_is_changed_only_from_the_one_that_is_expected(store: Store) -> None:
    with_instances(store, an_instance(1), an_instance(2, status="paused"))
    changes = Changes()
    changes.move("instance", 1, "running", "failed", {"reason": "because"})
    changes.move("instance", 2, "running", "failed")

    with pytest.raises(SkerryError) as caught:
        store.commit(changes)

    assert caught.value.code == codes.OTHER_STATE.number
    found = {row.id: (row.status, row.reason) for row in store.instances()}
    assert found == {1: ("running", None), 2: ("paused", None)}


def test_of_several_moves_in_one_turn_the_first_says_what_is_expected(store: Store) -> None:
    with_instances(store, an_instance())
    changes = Changes()
    changes.insert("job_instance", a_job())
    changes.move("job_instance", 1, JobState.PENDING, JobState.QUEUED)
    changes.move("instance", 1, "running", "paused")
    changes.move("instance", 1, "paused", "running", {"reason": "it goes on"})
    changes.update("instance", 1, {"worker": "here"})

    store.commit(changes)

    instance, job = store.instance(1), store.job(1)
    assert instance
    assert job
    assert (instance.status, instance.reason, instance.worker) == ("running", "it goes on", "here")
    assert job.status == "queued"


def test_values_of_our_own_kinds_are_stored_as_plain_ones(store: Store) -> None:
    with_instances(store, an_instance())
    changes = Changes()
    changes.insert("job_instance", a_job(status=JobState.QUEUED))
    changes.move("job_instance", 1, JobState.QUEUED, JobState.RUNNING, {"started_at": BEGIN})

    store.commit(changes)

    job = store.job(1)
    assert job
    assert (job.started_at, job.status) == (at(), "running")


def test_text_that_no_database_takes_is_stored_as_near_as_can_be(store: Store) -> None:
    with_instances(store, an_instance(error_message="a\0b \udcff", params={"x": "\0 \udc80"}))

    instance = store.instance(1)

    assert instance
    assert instance.error_message == "a\ufffdb \\udcff"
    assert instance.params == {"x": "\0 \udc80"}  # JSON has its own way to write them


def test_a_change_of_nothing_is_no_commit(store: Store) -> None:
    store.commit(Changes())

    assert store.instances() == []


def test_a_commit_is_all_or_nothing(store: Store) -> None:
    with_instances(store, an_instance())
    changes = Changes()
    changes.insert("job_instance", a_job())
    changes.move("instance", 1, "running", "failed")
    changes.update("job_instance", 99, {"worker": "x"})

    with pytest.raises(SkerryError) as caught:
        store.commit(changes)

    assert caught.value.code == codes.MISSING.number
    assert store.jobs(1) == []
    instance = store.instance(1)
    assert instance
    assert instance.status == "running"


def test_the_same_task_at_the_same_time_is_refused(store: Store) -> None:
    with_instances(store, an_instance(1, scheduled_time=at()))

    with pytest.raises(SkerryError) as caught:
        with_instances(store, an_instance(2, scheduled_time=at()))

    assert caught.value.code == codes.CONFLICT.number
    assert [row.id for row in store.instances()] == [1]


def test_lines_come_back_in_order_and_in_part(store: Store) -> None:
    with_instances(store, an_instance(1), an_instance(2))
    changes = Changes()
    for seq in range(1, 5001):
        changes.line(1, seq, seal(f'{{"seq":{seq}'))
    changes.line(2, 1, seal(HOSTILE))
    store.commit(changes)

    assert list(store.lines(1)) == [seal(f'{{"seq":{seq}') for seq in range(1, 5001)]
    assert list(store.lines(1, after=3, upto=5)) == [seal('{"seq":4'), seal('{"seq":5')]
    assert list(store.lines(2)) == [seal(HOSTILE)]
    assert (store.last_seq(1), store.last_seq(2)) == (5000, 1)


def test_a_line_whose_end_was_damaged_is_an_error_and_not_the_torn_end_of_a_log(store: Store) -> None:
    whole = seal('{"seq":1')
    changes = Changes()
    changes.line(1, 1, whole.replace(',"sum"', ' "sum"'))
    store.commit(changes)

    with pytest.raises(SkerryError) as caught:
        list(store.lines(1))

    assert (caught.value.code, caught.value.where) == (codes.ROW_DAMAGED.number, "context_line 1/1")


def test_a_line_is_written_once(store: Store) -> None:
    changes = Changes()
    changes.line(1, 1, seal("first"))
    store.commit(changes)

    with pytest.raises(SkerryError) as caught:
        store.commit(changes)

    assert caught.value.code == codes.CONFLICT.number
    assert list(store.lines(1)) == [seal("first")]


def test_ids_are_never_given_twice(reopen: Opener) -> None:
    first = reopen()
    given = [first.next_id("instance"), first.next_id("instance", 3), first.next_id("instance", 5000)]
    given.append(first.next_id("instance"))
    other = first.next_id("job_instance")
    first.close()

    second = reopen()

    assert given == [1, 2, given[2], given[2] + 5000]
    assert other == 1
    assert second.next_id("instance") == given[3] + 1  # what was not used was given back


def test_two_engines_get_different_ids(reopen: Opener) -> None:
    stores = [reopen(), reopen()]

    ids = [store.next_id("instance") for _ in range(50) for store in stores]

    assert len(set(ids)) == 100


def test_ids_in_use_elsewhere_are_skipped(store: Store) -> None:
    store.skip_ids("instance", 40)
    store.skip_ids("instance", 7)

    assert store.next_id("instance") == 41


def test_pages_of_instances_are_complete_and_in_order(store: Store) -> None:
    rows = [an_instance(id, task=f"t{id % 3}", scheduled_time=at(minutes=id // 3)) for id in range(1, 100)]
    with_instances(store, *rows)

    for newest_first in (True, False):
        seen, cursor = [], None
        while page := store.instances(after=cursor, limit=7, newest_first=newest_first):
            seen += page
            cursor = InstanceCursor.after(page[-1])
        places = [InstanceCursor.after(row) for row in seen]
        assert len(seen) == 99
        assert places == sorted(places, reverse=newest_first)


def test_instances_are_found_by_task_status_and_time(store: Store) -> None:
    statuses = ["succeeded", "failed", "planned", "running"]
    rows = [
        an_instance(id, task=f"t{id % 2}", status=statuses[id % 4], trigger="schedule", project=f"p{id % 5}")
        for id in range(40)
    ]
    with_instances(store, *rows)

    def ids(**wanted: Any) -> list[int]:
        found = store.instances(InstanceFilter(**wanted), newest_first=False)
        return [row.id for row in found]

    assert ids() == [row["id"] for row in rows if row["status"] != "planned"]
    assert ids(statuses=("planned",)) == [row["id"] for row in rows if row["status"] == "planned"]
    assert ids(task="t1", statuses=("failed", "running")) == [i for i in range(40) if i % 4 in (1, 3)]
    assert ids(since=at(seconds=10), until=at(seconds=12), statuses=("planned", "running")) == [10, 11]
    assert ids(project="p0", statuses=("succeeded",)) == [0, 20]
    assert ids(trigger="manual") == []


def test_what_is_unfinished_is_found_across_instances(store: Store) -> None:
    statuses = ["waiting", "planned", "succeeded", "paused", "running", "lost"]
    with_instances(store, *(an_instance(id, status=status) for id, status in enumerate(statuses)))
    changes = Changes()
    for id, instance in enumerate([0, 0, 2, 4]):
        changes.insert("job_instance", a_job(id, instance=instance, status="queued" if id % 2 else "failed"))
    changes.insert("job_instance", a_job(4, instance=4, status="no_worker"))
    store.commit(changes)

    assert [row.status for row in store.unfinished()] == ["waiting", "paused", "running"]
    assert [job.id for job in store.unfinished_jobs()] == [1, 3, 4]


def test_jobs_and_runs_of_an_instance_come_in_the_order_they_were_made(store: Store) -> None:
    with_instances(store, an_instance(), an_instance(2, parent=4))
    changes = Changes()
    for run in (2, 1):
        changes.insert(
            "run", {"instance": 1, "run": run, "status": "failed", "trigger": "manual", "created_at": at()}
        )
        for id in (run * 10 + 1, run * 10):
            changes.insert("job_instance", a_job(id, run=run))
    for attempt in (2, 1):
        changes.insert(
            "job_run", {"job_instance": 10, "attempt": attempt, "status": "failed", "created_at": at()}
        )
    store.commit(changes)

    assert [run.run for run in store.runs(1)] == [1, 2]
    assert [job.id for job in store.jobs(1)] == [10, 11, 20, 21]
    assert [job.id for job in store.jobs(1, run=2)] == [20, 21]
    assert [attempt.attempt for attempt in store.attempts(10)] == [1, 2]
    assert [row.id for row in store.children(4)] == [2]


def test_statistics_add_up(store: Store) -> None:
    for seconds, code in ((1.0, None), (4.0, -11000001000), (1.0, -11000001000), (2.0, -70000001000)):
        changes = Changes()
        changes.stat("job", "look", code is None, seconds, code)
        changes.stat("job", "look", True, 0.5)
        changes.stat("task", "nightly", code is None, seconds * 2)
        store.commit(changes)

    [job] = store.stats("job", "look")
    [task] = store.stats("task")

    assert (job.counts, job.success, job.failed) == (8, 5, 3)
    assert (job.total_execute_time, job.max_execute_time, job.avg_execute_time) == (10.0, 4.0, 1.25)
    assert job.error_code_counts == {-11000001000: 2, -70000001000: 1}
    assert (task.counts, task.max_execute_time, task.error_code_counts) == (4, 8.0, {})
    assert [(each.kind, each.id) for each in store.stats()] == [("job", "look"), ("task", "nightly")]


def test_exceptions_are_listed_newest_first_and_found_by_what_their_code_covers(store: Store) -> None:
    changes = Changes()
    for id, code in enumerate([-10300001000, -10300002007, -11000001137, -20010001000], start=1):
        row = {"id": id, "code": code, "message": HOSTILE, "created_at": at(hours=id), "task": f"t{id % 2}"}
        changes.insert("exception", row | {"instance": id, "details": {"n": id}})
    changes.move("exception", 1, "open", "handled", {"handled_by": "ann"})
    store.commit(changes)

    def ids(before: int | None = None, **wanted: Any) -> list[int]:
        return [row.id for row in store.exceptions(ExceptionFilter(**wanted), before=before)]

    assert ids() == [4, 3, 2, 1]
    assert ids(before=3) == [2, 1]
    assert ids(code=-10300000000) == [2, 1]
    assert ids(code=-10300002000) == [2]
    assert ids(code=-11000001137) == [3]
    assert ids(status="open", task="t0") == [4, 2]
    assert ids(instance=3, since=at(hours=3)) == [3]
    found = store.exceptions(ExceptionFilter(status="handled"))
    assert found == [
        ExceptionRow(1, -10300001000, HOSTILE, at(hours=1), task="t1", instance=1, details={"n": 1},
                     status="handled", handled_by="ann")
    ]  # fmt: skip


def test_an_exception_and_an_alert_change_only_from_the_state_that_is_expected(store: Store) -> None:
    # given an exception and an alert that another program has settled
    changes = Changes()
    row = {"code": -11000001000, "message": "", "created_at": at()}
    for id in (1, 2):
        changes.insert("exception", row | {"id": id})
        changes.insert("alert", row | {"id": id, "kind": "rule", "level": "info"})
    changes.move("exception", 2, "open", "handled", {"handled_by": "ann"})
    changes.move("alert", 2, None, at(hours=1), {"acknowledged_by": "ann"})
    store.commit(changes)

    # when an engine that takes them for open settles them together with others
    for table, after in (("exception", "handled"), ("alert", at(hours=2))):
        late = Changes()
        for id in (1, 2):
            late.move(table, id, "open" if table == "exception" else None, after)
        with pytest.raises(SkerryError) as caught:
            store.commit(late)
        assert caught.value.code == codes.OTHER_STATE.number

    # then nothing of that is written
    assert {each.id: (each.status, each.handled_by) for each in store.exceptions()} == {
        1: ("open", None), 2: ("handled", "ann"),
    }  # fmt: skip
    assert {each.id: each.acknowledged_at for each in store.alerts()} == {1: None, 2: at(hours=1)}


def test_settings_are_remembered(reopen: Opener) -> None:
    first = reopen()
    changes = Changes()
    changes.setting("queue.paused", True)
    first.commit(changes)
    changes.setting("queue.paused", {"by": "ann"})
    first.commit(changes)
    first.close()

    assert reopen().setting("queue.paused") == {"by": "ann"}


def test_a_thousand_instances_of_a_task_share_one_snapshot(store: Store) -> None:
    raw: dict[str, Any] = {"tasks": {"nightly": {"nodes": {"b": {}, "a": {}}}}}
    for id in range(1, 4):
        changes = Changes()
        name = changes.snapshot(raw)
        changes.insert("instance", an_instance(id))
        values = {"instance": id, "run": 1, "status": "running", "trigger": "manual", "created_at": at()}
        changes.insert("run", values | {"snapshot": name})
        store.commit(changes)

    assert store.snapshot(3, 1) == raw
    assert list(store.snapshot(3, 1)["tasks"]["nightly"]["nodes"]) == ["b", "a"]  # type: ignore[index]
    with store._reads() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM snapshot").scalar() == 1


def test_instances_are_removed_with_all_that_is_theirs(store: Store) -> None:
    for id in (1, 2):
        changes = Changes()
        changes.insert("instance", an_instance(id))
        name = changes.snapshot({"tasks": {str(id): {}}})
        values = {"instance": id, "run": 1, "status": "running", "trigger": "manual", "created_at": at()}
        changes.insert("run", values | {"snapshot": name})
        changes.insert("job_instance", a_job(id, instance=id))
        changes.insert("job_run", {"job_instance": id, "attempt": 1, "status": "failed", "created_at": at()})
        changes.insert("exception", {"id": id, "code": -1, "message": "", "created_at": at(), "instance": id})
        changes.line(id, 1, seal("line"))
        store.commit(changes)

    assert store.remove_instances([1, 77]) == 1

    assert [row.id for row in store.instances()] == [2]
    assert (store.runs(1), store.jobs(1), store.attempts(1), list(store.lines(1))) == ([], [], [], [])
    assert [row.id for row in store.exceptions()] == [2]
    assert store.snapshot(2, 1) == {"tasks": {"2": {}}}
    assert (len(store.jobs(2)), len(store.attempts(2)), list(store.lines(2))) == (1, 1, [seal("line")])
    with store._reads() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM snapshot").scalar() == 1


def test_many_threads_commit_at_once_and_one_that_fails_fails_alone(store: Store) -> None:
    with_instances(store, an_instance(0, scheduled_time=at()))
    failed: list[tuple[int, int]] = []
    start = Barrier(16)

    def work(thread: int) -> None:
        start.wait()
        for number in range(20):
            changes = Changes()
            id = 1 + thread * 20 + number
            changes.insert(
                "instance", an_instance(id, scheduled_time=at() if number % 5 == 0 else at(days=id))
            )
            changes.stat("task", "nightly", True, 1.0)
            try:
                store.commit(changes)
            except SkerryError as error:
                failed.append((id, error.code))

    threads = [Thread(target=work, args=(thread,)) for thread in range(16)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    taken = [id for id in range(1, 321) if (id - 1) % 20 % 5 == 0]
    assert sorted(failed) == [(id, codes.CONFLICT.number) for id in taken]
    assert len(store.instances(limit=10_000)) == 1 + 320 - len(failed)
    assert store.stats()[0].counts == 320 - len(failed)


def test_a_store_for_reading_only_refuses_to_write(reopen: Opener) -> None:
    with_instances(reopen(), an_instance())
    reader = reopen(read_only=True)

    refused: list[Any] = [
        lambda: with_instances(reader, an_instance(2)),
        lambda: reader.next_id("instance"),
        lambda: reader.save_definitions({"jobs": {"a": {}}}),
        lambda: reader.set_task_state("t", "online"),
    ]

    for each in refused:
        with pytest.raises(Refused) as caught:
            each()
        assert caught.value.code == codes.READ_ONLY.number
    assert [row.id for row in reader.instances()] == [1]


def test_a_closed_store_says_so(store: Store) -> None:
    with_instances(store, an_instance())
    store.close()
    store.close()

    for each in (lambda: with_instances(store, an_instance(2)), store.instances):
        with pytest.raises(SkerryError) as caught:
            each()
        assert caught.value.code == codes.CLOSED.number


def test_a_sound_store_verifies(store: Store) -> None:
    with_instances(store, *(an_instance(id, name=HOSTILE) for id in range(1, 20)))
    changes = Changes()
    changes.move("instance", 3, "running", "failed", {"params": {"x": [1]}})
    changes.insert("job_instance", a_job(index=2, based_on_edit=True))
    changes.snapshot({"jobs": {}})
    store.commit(changes)
    store.save_definitions({"jobs": {"a": {"type": "shell"}}})

    assert list(store.verify()) == []


def test_a_value_that_changed_by_itself_is_noticed(store: Store) -> None:
    with_instances(store, an_instance(1), an_instance(2))
    changes = Changes()
    changes.snapshot({"jobs": {}})
    store.commit(changes)
    store.save_definitions({"jobs": {"a": {"type": "shell"}}})

    def flip(cursor: Any) -> None:
        off = {
            "sqlite": "DROP TRIGGER instance_sum_update",
            "postgresql": "ALTER TABLE instance DISABLE TRIGGER ALL",
        }
        cursor.execute(off[store._backend.name])
        cursor.execute("UPDATE instance SET status = 'succeedee' WHERE id = 2")
        cursor.execute("UPDATE snapshot SET content = '{}'")
        cursor.execute("UPDATE definition_revision SET content = '{}'")

    store._writer.run(flip)

    found = [(damage.table, damage.key) for damage in store.verify()]
    assert found[0] == ("instance", (2,))
    assert [table for table, _ in found] == ["instance", "snapshot", "definition_revision"]
    assert found[2][1] == ("job", "a", 1)


def test_rows_that_follow_each_other_differ(store: Store) -> None:
    """Keyset pages need a total order."""
    with_instances(store, *(an_instance(id, task=f"t{id}", scheduled_time=at()) for id in range(1, 30)))

    page = store.instances(limit=100)

    assert all(InstanceCursor.after(a) > InstanceCursor.after(b) for a, b in pairwise(page))
