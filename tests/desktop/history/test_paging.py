"""Rows in pages, while their number still grows."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterator, Sequence

from pytestqt.qtbot import QtBot

from app.desktop.widgets.paged_table import PAGE, Column, PagedModel

FIRST = PAGE + PAGE // 2  # its second page is not full yet
ALL = 10 * PAGE


class Growing:
    """Ids from 0, the first ones at once, the others when ``more`` is set."""

    def __init__(self) -> None:
        self.more = threading.Event()
        self.asked: list[list[int]] = []

    def ids(self) -> Iterator[array[int]]:
        yield array("q", range(FIRST))
        self.more.wait(60)
        yield array("q", range(FIRST, ALL))

    def rows(self, ids: Sequence[int]) -> dict[int, str]:
        self.asked.append(list(ids))
        return {id: f"row {id}" for id in ids}


def test_a_page_that_was_not_full_is_read_again_when_more_is_known(qtbot: QtBot) -> None:
    source = Growing()
    model: PagedModel[str] = PagedModel([Column("text", "Text", 100, lambda row: row)])
    model.show_source(source)
    qtbot.waitUntil(lambda: model.row_at(FIRST - 1) == f"row {FIRST - 1}")

    source.more.set()

    qtbot.waitUntil(lambda: model.rowCount() == ALL)
    qtbot.waitUntil(lambda: model.row_at(FIRST) == f"row {FIRST}")
    assert model.row_at(FIRST - 1) == f"row {FIRST - 1}"
    model.stop()


def test_what_a_window_sees_across_the_border_of_two_pages_is_read_at_once(qtbot: QtBot) -> None:
    source = Growing()
    source.more.set()
    model: PagedModel[str] = PagedModel([Column("text", "Text", 100, lambda row: row)])
    model.show_source(source)
    qtbot.waitUntil(lambda: model.rowCount() == ALL)

    assert model.row_at(3 * PAGE - 1) is None
    qtbot.waitUntil(lambda: model.row_at(3 * PAGE - 1) is not None)

    assert model.row_at(3 * PAGE) == f"row {3 * PAGE}"
    assert source.asked == [list(range(2 * PAGE, 4 * PAGE))]
    model.stop()
