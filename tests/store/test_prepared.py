"""A prepared query gives what SQLAlchemy gives for it, on every database."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from engine.store.prepared import Prepared, among, spread
from engine.store.schema import instance
from engine.store.sound_rows import selected
from engine.store.sql_store import Store
from tests.store.conftest import an_instance, with_instances

HOSTILE = "100 % of 'it' \"all\"; -- %s ? :x 港口"
_STATES = ("running", "failed")


def _by_task(dialect: str) -> sa.Select[tuple[object, ...]]:
    here = instance.c.task == sa.bindparam("task"), instance.c.status.in_(_STATES), instance.c.name != "%"
    return selected(dialect, "instance").where(*here).order_by(instance.c.id)


def test_rows_are_those_of_sqlalchemy(store: Store) -> None:
    tree = {"params": {"a": [1, None, HOSTILE]}, "name": HOSTILE}
    rows = [an_instance(id, task=HOSTILE, status=status, **tree) for id, status in enumerate(_STATES, 1)]
    with_instances(store, *rows, an_instance(3, task=HOSTILE, status="paused", name="x"))
    query = _by_task(store._backend.name)

    plain, by_sqlalchemy = (store._all(each, task=HOSTILE) for each in (Prepared(query), query))

    assert [each.id for each in plain] == [1, 2]
    assert plain[0].params == tree["params"]
    assert [each._asdict() for each in plain] == [each._asdict() for each in by_sqlalchemy]


def test_a_parameter_that_is_not_given_is_an_error(store: Store) -> None:
    prepared = Prepared(_by_task(store._backend.name))

    with pytest.raises(KeyError):
        store._all(prepared)

    assert store._all(prepared, task="none") == []


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_a_list_of_any_length_is_asked_for_in_one_of_few_shapes(store: Store, count: int) -> None:
    with_instances(store, *(an_instance(id, task=f"t{id}") for id in range(1, 7)))
    some = spread("task", [f"t{id}" for id in range(1, count + 1)])

    found = store._all(Prepared(sa.select(instance.c.id).where(among(instance.c.task, some))), **some)

    assert sorted(id for (id,) in found) == list(range(1, count + 1))
    assert len(some) in (1, 2, 4, 8)
