"""Recorded expressions computed again: the same at every desk, and what was altered is found."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.context.timeline import LineCause
from engine.model.errors import SkerryError
from export_import.desk.evidence import Evidence
from export_import.desk.omission_marks import is_marked
from export_import.desk.recorded_expression import same
from export_import.desk.reevaluation import Tally, instances_of, reevaluate
from tests.desk.conftest import REPAIR
from tests.runtime.site import Site, shell, task

MANY = {
    "params": {
        "dir": "$.TASK.DIRECTORY", "day": "{$.TASK.SCHEDULED_TIME}:DATE:-1d:%Y%m%d", "limit": 10,
        "all": {"value": {"list": ["$.TASK.ID", "and {$.TASK.NAME}"], "n": 1}},
    },
    "results": {"last": {"value": "$.JOB['count'].RESULT['rows']"}},
    "success": "{$.JOB['count'].RESULT['rows']} > 2",
}  # fmt: skip


def many() -> Any:
    """A task with expressions of every form, in every place."""
    count = shell(
        'echo "rows: 25"; head -c 400000 /dev/zero | tr "\\0" x > "$SKERRY_OUTPUTS/big"',
        params={"opts": {"dir": "$.TASK.PARAMS['dir']", "deep": [{"day": "{$.TASK.PARAMS['day']}!"}]}},
        results={
            "rows": {"kind": "number", "value": "{$.JOB['count'].OUTPUT}:REGEX:rows: (\\d+)"},
            "is_big": {"kind": "boolean", "value": "{$.JOB['count'].RESULT['rows']} > 20"},
            "both": {"value": {"a": "$.JOB['count'].RESULT['rows']", "b": "{$.TASK.ID}"}},
            "log": {"kind": "file", "value": "job.log"},
            "text": {"kind": "text", "value": "$.JOB['count'].RESULT['rows']"},
            "big": {"kind": "text"},
        },
        success="{$.JOB['count'].EXIT_CODE} == 0",
    )
    return {
        "count": count,
        "use": shell("true", after=["count"], params={"big": "$.JOB['count'].RESULT['big']", "n": 1}),
        "if": {
            "type": "condition", "after": ["count"], "value": "{$.JOB['count'].RESULT['rows']} > 30",
            "branches": {"true": ["use2"], "false": ["use3"]},
        },
        "use2": shell("true"),
        "use3": shell("true", when="$.JOB['count'].RESULT['is_big']"),
        "each": shell(
            "true", after=["count"], for_each="$.TASK.PARAMS['all']['list']",
            params={"one": "$.ITEM", "at": "no {$.INDEX}"},
        ),
        "say": {"type": "command", "argv": ["echo", "{$.TASK.ID}", "$.TASK.PARAMS['limit']"]},
    }  # fmt: skip


@pytest.fixture
def evidence(site: Site) -> Iterator[Evidence]:
    with Evidence.open(site.root) as found:
        yield found


def test_every_expression_of_a_run_gives_what_it_gave(site: Site, evidence: Evidence) -> None:
    seen = site.run(task(many(), **MANY))

    done = reevaluate(evidence, seen.id)

    assert done.differences == ()
    assert done.status == seen.status == "succeeded", seen.context["TASK"]
    assert done.expressions == sum("expression" in line for line in seen.lines) > 20
    assert done.lines == len(seen.lines)
    assert done.redacted == 0


def test_the_repair_example_replays_without_a_difference(site: Site, evidence: Evidence) -> None:
    seen = site.run(REPAIR.read_text())

    done = reevaluate(evidence, seen.id)

    assert (done.status, done.differences, done.redacted) == ("failed", (), 0)
    assert instances_of(evidence) == [seen.id]
    assert instances_of(evidence, [7]) == [7]


def test_an_input_whose_file_is_gone_is_counted_apart(site: Site, evidence: Evidence) -> None:
    seen = site.run(task(many(), **MANY))
    for file in seen.folder.glob("jobs/job-count-*/outputs/big"):
        file.unlink()

    done = reevaluate(evidence, seen.id)

    assert (done.differences, done.redacted) == ((), 1)


def cause(**keys: Any) -> LineCause:
    return LineCause(
        **{"seq": 1, "time": "", "run": 1, "actor": "engine", "path": "$.TASK.PARAMS['a']", **keys}
    )


def tallied(*causes: LineCause) -> Tally:
    tally = Tally()
    for each in causes:
        tally.add(each, Path("/nowhere"), "UTC")
    return tally


def test_a_value_that_its_inputs_do_not_give_is_a_difference() -> None:
    tally = tallied(cause(new=11, expression="$.TASK.PARAMS['b']", inputs={"$.TASK.PARAMS['b']": 10}))

    [difference] = tally.differences
    assert (difference.recorded, difference.computed) == (11, 10)


def test_an_expression_that_cannot_be_computed_any_more_is_a_difference() -> None:
    tally = tallied(cause(new=1, expression="$.TASK.PARAMS['b']", inputs={}))

    assert "not among the recorded inputs" in str(tally.differences[0].error)


def test_what_was_redacted_is_counted_apart() -> None:
    secret = cause(new="******", expression="$.TASK.ID", inputs={"$.TASK.ID": "ada"})

    tally = tallied(
        secret, dataclasses.replace(secret, new="ada", inputs={"$.TASK.ID": {"k": ["[redacted]"]}})
    )

    assert (tally.expressions, tally.redacted, tally.differences) == (2, 2, [])
    assert not is_marked({"plain": [1, None, "text"]})


@pytest.mark.parametrize(
    ("value", "recorded", "equal"),
    [
        (25, "25", True), ("25", 25, True), ("[1, 2]", [1, 2], True), (True, "true", True),
        ("true", True, True), (25, {"rows": 25, "more": [1]}, True), (1, {"more": [0, {"x": 1}]}, True),
        ("job.log", "/site/jobs/job-a-1/job.log", True), ("/job.log", "/a/job.log", False),
        (None, None, True), (None, 0, False), (26, {"rows": 25}, False), ("a", 1, False),
    ],
)  # fmt: skip
def test_values_are_compared_as_their_kind_converted_them(value: Any, recorded: Any, equal: bool) -> None:
    assert same(value, recorded) is equal


def test_a_folder_without_instances_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SkerryError) as content_of:
        Evidence.open(tmp_path)

    assert content_of.value.code == -15020001000


def lines_of(site: Site, instance: int) -> list[str]:
    return list(site.engine.store.lines(instance))


class Played:
    """A store whose log is another one."""

    def __init__(self, store: Any, lines: list[str]) -> None:
        self._store = store
        self._lines = lines

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def lines(self, instance: int) -> list[str]:
        return self._lines


def test_a_line_that_is_not_what_was_written_is_a_difference(site: Site, evidence: Evidence) -> None:
    seen = site.run(REPAIR.read_text())
    lines = lines_of(site, seen.id)
    altered = [line.replace('"new":25', '"new":24', 1) if '"new":25' in line else line for line in lines]

    def differences(given: list[str]) -> list[tuple[int, str | None]]:
        store: Any = Played(evidence.store, given)
        done = reevaluate(dataclasses.replace(evidence, store=store), seen.id)
        return [(each.seq, each.error) for each in done.differences]

    found = differences(altered)
    assert any("checksum" in str(error) for _, error in found)
    assert (len(lines), "ctx.json is not what the log gives") in found
    assert any("is missing" in str(error) for _, error in differences([*lines[:5], *lines[6:]]))
    assert any("checksum" in str(error) for _, error in differences([*lines, "not a line at all"]))
    assert differences(lines) == []
