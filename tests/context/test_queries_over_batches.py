"""A filter chooses among the members of a batch."""

from __future__ import annotations

from engine.context import ContextScope, NodeNames, TaskContext
from engine.model.expression import compile_value, render
from engine.runtime.clock import SystemClock


def test_a_filter_gives_the_members_that_fit() -> None:
    context = TaskContext(SystemClock())
    for index in range(3):
        entry = {"PARAMS": {"n": index}, "RESULT": {"y": index * 10}, "STATUS": "succeeded"}
        context.set(("JOB", "b", index), entry, run=1)
    scope = ContextScope(context, NodeNames({"b"}))

    chosen = render(compile_value("$.JOB['b'][?(@.PARAMS.n > 0)].RESULT.y"), scope)

    assert chosen.value == [10, 20]
