"""Ids that cannot be reserved right now are owed, and paid with what they are for."""

from __future__ import annotations

import pytest

from engine.model.codes import store as codes
from engine.model.errors import SkerryError
from engine.store.changes import Changes
from engine.store.sql_store import Store
from tests.store.conftest import Opener


class Full:
    """Nothing can be reserved while it is."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        reserve = store._ids._reserve
        self.is_full = True

        def reserved(table: str, count: int) -> int:
            if self.is_full:
                raise SkerryError(codes.DISK_FULL, "no room")
            return reserve(table, count)

        monkeypatch.setattr(store._ids, "_reserve", reserved)


def _any() -> Changes:
    changes = Changes()
    changes.setting("x", 1)
    return changes


def _write(store: Store) -> None:
    store.commit(_any())


@pytest.mark.parametrize("before", [0, 1, 8])
def test_on_a_full_disk_ids_go_on_without_a_gap(
    reopen: Opener, monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    store = reopen()
    given = [store.next_id("instance") for _ in range(before)]
    disk = Full(store, monkeypatch)

    given += [store.next_id("instance", owe=True) for _ in range(20)]
    many = store.next_id("instance", 5000, owe=True)
    _write(store)
    disk.is_full = False
    later = [store.next_id("instance") for _ in range(3)]
    store.close()

    assert given == list(range(1, before + 21))
    assert [many, *later] == [before + 21, before + 5021, before + 5022, before + 5023]
    assert reopen().next_id("instance") > later[-1]


def test_what_was_not_written_is_not_taken(reopen: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    store = reopen()
    Full(store, monkeypatch)
    assert store.next_id("instance", owe=True) == 1
    store.close()

    assert reopen().next_id("instance") == 1


def test_who_may_wait_is_reported_that_there_is_no_room(
    reopen: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = reopen()
    Full(store, monkeypatch)

    with pytest.raises(SkerryError) as caught:
        store.next_id("instance")

    assert caught.value.code == codes.DISK_FULL.number


def test_a_debt_is_paid_once_the_commit_works(reopen: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    store = reopen()
    Full(store, monkeypatch)
    store.next_id("instance", 3, owe=True)
    with monkeypatch.context() as still:
        still.setattr(store, "_write", _no_room)
        with pytest.raises(SkerryError):
            _write(store)

    _write(store)
    store.next_id("instance", 2, owe=True)  # after a payment, and with it
    _write(store)
    store.close()

    assert reopen().next_id("instance") == 6


def _no_room(work: object) -> None:
    raise SkerryError(codes.DISK_FULL, "no room")


def test_what_is_taken_while_a_debt_is_paid_is_owed_on(
    reopen: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = reopen()
    Full(store, monkeypatch)
    store.next_id("instance", 3, owe=True)
    with store._ids.debts() as debts:
        store.next_id("instance", 2, owe=True)
    assert [tuple(debt) for debt in debts] == [("instance", 1, 4)]

    with store._ids.debts() as debts:
        assert [tuple(debt) for debt in debts] == [("instance", 4, 6)]
    with store._ids.debts() as debts:
        assert debts == []


def test_ids_that_someone_else_got_meanwhile_are_never_written(
    reopen: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = reopen(), reopen()
    Full(store, monkeypatch)
    assert store.next_id("instance", owe=True) == other.next_id("instance")

    with pytest.raises(SkerryError) as caught:
        _write(store)

    assert caught.value.code == codes.CONFLICT.number
    assert not caught.value.entry.retryable
    assert store.setting("x") is None
