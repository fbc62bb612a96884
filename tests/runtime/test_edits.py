"""A path that a person writes leads to the value that is meant: by node or Job, by name or position."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.model.codes.runtime import EDIT_INVALID
from engine.model.errors import Invalid
from engine.runtime.reruns.rerun_request import RerunRequest
from tests.runtime.site import Site, shell, task, tree
from tests.waiting import LONGEST, until

MADE = {"x": {"kind": "number"}}
RAW = {
    "jobs": {"make": {"type": "shell", "process": "printf 10 > outputs/x", "results": MADE}},
    "tasks": {"t": {"params": {"p": 1}, "nodes": {
        "a": {"job": "make"},
        "b": shell("true", after=["a"], params={"x": "$.JOB['a'].RESULT[0]"}),
        "c": shell("true", after=["a"]),
    }}},
}  # fmt: skip


@pytest.mark.parametrize("path", ["$.JOB['a'].RESULT[0]", "$.JOB['make'].RESULT['x']", "$.JOB.a.RESULT.x"])
def test_a_result_is_edited_by_position_and_by_job_too(site: Site, path: str) -> None:
    seen = site.run(tree(RAW))

    place = site.engine.place(seen.id, path)
    site.engine.set_value(seen.id, path, 12, "typo")
    site.engine.rerun([RerunRequest(seen.id, mode="from", nodes=("b",))])
    assert site.engine.wait(seen.id, 30)

    after = site.see(seen.id)
    assert place == "$.JOB['a'].RESULT['x']"
    assert after.row.edited == [place]
    assert after["b"].params == {"x": 12}
    assert [after[node].based_on_edit for node in "abc"] == [False, True, False]
    after.assert_replays()


@pytest.mark.parametrize("path", ["$.JOB['zz'].RESULT['x']", "$.JOB['a'].RESULT[9]", "$.TASK.PARAMS[1]"])
def test_a_place_that_is_not_there_is_not_edited(site: Site, path: str) -> None:
    seen = site.run(tree(RAW))

    with pytest.raises(Invalid) as caught:
        site.engine.set_value(seen.id, path, 12, "typo")

    assert caught.value.entry is EDIT_INVALID
    assert site.see(seen.id).row.edited == []


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("$.TASK.PARAMS['pp']", "there is no parameter 'pp'; did you mean 'p'?"),
        ("$.JOB['b'].PARAMS['y']", "there is no parameter 'y'; there are: x"),
        ("$.JOB['a'].RESULT['rows']", "there is no result 'rows'; there are: exit_code, x"),
    ],
)
def test_a_name_that_is_not_there_is_not_edited(site: Site, path: str, says: str) -> None:
    seen = site.run(tree(RAW))

    with pytest.raises(Invalid, match=re.escape(says)):
        site.engine.set_value(seen.id, path, 12, "typo")
    with pytest.raises(Invalid, match=re.escape(says)):
        site.engine.rerun([RerunRequest(seen.id, mode="from", nodes=("c",), edits=((path, 12),))])

    assert site.see(seen.id).row.edited == []


def test_a_result_that_a_failed_job_should_have_given_can_be_set(site: Site) -> None:
    seen = site.run(task({"a": shell("exit 1", results={"x": {"kind": "number"}}), "b": shell("true")}))

    site.engine.set_value(seen.id, "$.JOB['a'].RESULT['x']", 12, "looked up by hand")

    assert site.see(seen.id).row.edited == ["$.JOB['a'].RESULT['x']"]


def test_a_value_that_was_not_there_stays_edited_however_often_it_is_set(site: Site) -> None:
    seen = site.run(task({"a": shell("exit 1", results={"x": {"kind": "number"}})}))

    for _ in range(3):
        site.engine.set_value(seen.id, "$.JOB['a'].RESULT['x']", 12, "looked up by hand")

    assert site.see(seen.id).row.edited == ["$.JOB['a'].RESULT['x']"]


@pytest.mark.parametrize(
    "path",
    ["$.JOB['a'].STATUS", "$.TASK.STATUS", "$.JOB['a'].EXIT_CODE", "$.TASK.PARAMS", "$.JOB['a'].RESULT"],
)
def test_only_parameters_and_results_can_be_edited(site: Site, path: str) -> None:
    seen = site.run(task({"a": shell("true")}, params={"x": 1}))

    with pytest.raises(Invalid, match="only parameters and results"):
        site.engine.set_value(seen.id, path, "x", "because")

    assert site.see(seen.id).row.edited == []


def test_a_rerun_after_an_edit_whose_files_find_no_room_waits_for_these_and_is_asked_for_once(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given an instance that has ended, and a change of it that is not in its files yet
    instance = site.run(task({"a": shell("true")}, params={"x": 1})).id
    services, held, asked = site.engine.services, list[Callable[[], None]](), list[object]()
    ask = services.loop.ask
    with monkeypatch.context() as disk:
        disk.setattr(services.writes, "when_disk_has_room", lambda write, *_: held.append(write))
        site.engine.set_value(instance, "$.TASK.PARAMS['x']", 2, "two")
        until(lambda: held)

    # when a rerun is asked for, and the loop has many turns
    def count(call: Callable[[], object], **more: bool) -> object:
        asked.append(call)
        return ask(call, **more)

    with monkeypatch.context() as loop, ThreadPoolExecutor(1) as pool:
        loop.setattr(services.loop, "ask", count)
        rerun = pool.submit(site.engine.rerun, [RerunRequest(instance, mode="all")])
        until(lambda: services.filed)
        for _ in range(100):
            ask(lambda: None)
        times = len(asked)
        ask(lambda: [write() for write in held])
        rerun.result(LONGEST)

    # then it waited, and begins once the files are there
    assert times == 1
    assert site.end(instance).job("a")["STATUS"] == "succeeded"
