"""Alerts, and the two things that an exception needs: to be found by its number and by its job."""

from __future__ import annotations

from engine.store.changes import Changes
from engine.store.filters import ExceptionFilter
from engine.store.rows import AlertRow
from engine.store.sql_store import Store
from tests.store.conftest import an_instance, at, with_instances


def _alerts(store: Store) -> None:
    with_instances(store, an_instance(1), an_instance(2))
    changes = Changes()
    for id in (1, 2, 3):
        row = {"id": id, "created_at": at(hours=id), "kind": "recovery_retry", "level": "warning"}
        row |= {"code": -11200001000, "message": "lost", "instance": 1 + id % 2, "run": 1, "job_instance": id}
        changes.insert("alert", row)
    changes.move("alert", 2, None, at(hours=9), {"acknowledged_by": "ann"})
    store.commit(changes)


def test_alerts_are_listed_newest_first(store: Store) -> None:
    _alerts(store)

    def ids(**wanted: int | bool | None) -> list[int]:
        return [row.id for row in store.alerts(**wanted)]  # type: ignore[arg-type]

    assert ids() == [3, 2, 1]
    assert ids(acknowledged=False) == [3, 1]
    assert ids(acknowledged=True) == [2]
    assert ids(instance=2, before=3) == [1]
    assert ids(limit=1) == [3]
    assert store.alert(2) == AlertRow(
        2, at(hours=2), "recovery_retry", "warning", -11200001000, "lost", instance=1, run=1, job_instance=2,
        acknowledged_at=at(hours=9), acknowledged_by="ann",
    )  # fmt: skip
    assert store.alert(9) is None


def test_alerts_go_with_their_instance_and_every_flipped_bit_is_noticed(store: Store) -> None:
    _alerts(store)

    assert store.verify() == []
    store.remove_instances([2])

    assert [row.id for row in store.alerts()] == [2]


def test_an_exception_is_found_by_its_number_and_by_its_job(store: Store) -> None:
    changes = Changes()
    for id in (1, 2):
        row = {"id": id, "code": -11000001000, "message": "", "created_at": at(), "job_instance": 10 + id}
        changes.insert("exception", row)
    store.commit(changes)

    found = store.exception(2)

    assert found is not None
    assert found.job_instance == 12
    assert store.exception(3) is None
    assert [row.id for row in store.exceptions(ExceptionFilter(job_instance=11))] == [1]
