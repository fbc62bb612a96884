"""The tree of the context as Qt asks for it."""

from __future__ import annotations

import gc

from pytestqt.qtbot import QtBot

from app.desktop.run.context_model import ContextModel


def test_an_index_that_outlives_its_row_is_of_no_row_that_came_later(qtbot: QtBot) -> None:
    # given an index of a row, held as Qt holds one
    model = ContextModel()
    model.show_tree({"TASK": {"limit": 10}})
    held = model.find(("TASK", "limit"))
    assert model.data(held) == "limit"

    # when other trees have come, and nothing is left of the first
    for number in range(3):
        model.show_tree({"JOB": {"load": number}})
        gc.collect()
    model.data(model.find(("JOB", "load")))

    # then it is of the whole tree, not of a row, nor of memory that is something else by now
    assert model.data(held) == "$"
    assert not model.parent(held).isValid()


def test_rows_keep_their_index_when_values_change(qtbot: QtBot) -> None:
    model = ContextModel()
    model.show_tree({"TASK": {"limit": 10}})
    held = model.find(("TASK", "limit"))

    assert model.take({"TASK": {"limit": 20}})

    assert model.find(("TASK", "limit")) == held
    assert model.data(held.siblingAtColumn(1)) == "20"
