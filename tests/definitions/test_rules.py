"""Handling rules in definition files: what may be written, and every mistake at its place."""

from __future__ import annotations

import pytest

from engine.model.codes import definitions as codes
from engine.model.errors import ErrorCode
from engine.model.rules import (
    AlertStep,
    PauseStep,
    RetryStep,
    Rule,
    RunStep,
    SetStep,
    SkipStep,
    Step,
    SucceedStep,
)
from tests.definitions.fakes import findings_of, marked, read_text

EVERY_FORM = """\
skerry: 1
rules:
  - id: slow-link
    name: The link to the ledger is down now and then
    match: {code: [-13004001000, -13004000000], trigger: [schedule, backfill], message: '(?i)timed? out'}
    action: {retry: {after: 5m, times: 10}}
    priority: 10
  - {id: 2, match: {domain: 10, task: nightly, job: load, node: [load, index]}, action: skip, enabled: false}
  - {id: s, match: {code: -11000001003}, action: {set: {path: "$.TASK.PARAMS['limit']", value: 30}}}
  - {id: r, match: {task: nightly}, action: {run: {task: clean, params: {dir: "$.TASK.DIRECTORY"}}}}
  - {id: a, match: {task: nightly}, action: {alert: {level: error, text: look}}}
  - {id: p, match: {task: nightly}, action: pause}
  - {id: ok, match: {task: nightly}, action: succeed}
  - {id: again, match: {task: nightly}, action: retry}
"""


def test_every_form_of_a_rule_is_read() -> None:
    reading = read_text(EVERY_FORM)
    rules = [Rule.model_validate(each) for each in reading.definitions.raw["rules"]]

    assert findings_of(reading) == []
    steps: list[Step] = [
        RetryStep(after=300.0, times=10),
        SkipStep(),
        SetStep(path="$.TASK.PARAMS['limit']", value=30),
        RunStep(task="clean", params={"dir": "$.TASK.DIRECTORY"}),
        AlertStep(level="error", text="look"),
        PauseStep(),
        SucceedStep(),
        RetryStep(after=120.0, times=3),
    ]
    assert [each.step for each in rules] == steps
    assert [each.does for each in rules] == [
        "retry",
        "skip",
        "set",
        "run",
        "alert",
        "pause",
        "succeed",
        "retry",
    ]
    assert [each.times for each in rules] == [10, None, 1, 1, None, None, None, 3]
    assert rules[0].match.code == (-13004001000, -13004000000)
    assert (rules[1].id, rules[1].match.node, rules[1].enabled) == ("2", ("load", "index"), False)


MATCH = "match: {task: t}"


@pytest.mark.parametrize(
    ("rule", "code", "message"),
    [
        (f"^{{{MATCH}, action: skip}}", codes.MISSING_KEY, "`id` is required"),
        ("^{id: a, action: skip}", codes.MISSING_KEY, "`match` is required"),
        (f"^{{id: a, {MATCH}}}", codes.MISSING_KEY, "`action` is required"),
        (f"{{id: a, {MATCH}, action: skip, ^enabeld: true}}", codes.UNKNOWN_KEY, "did you mean `enabled`"),
        (f"{{id: ^a b, {MATCH}, action: skip}}", codes.BAD_ID, "is not an id"),
        (f"{{id: a, {MATCH}, action: ^skpi}}", codes.WRONG_TYPE, "did you mean `skip`"),
        (f"{{id: a, {MATCH}, action: skip, priority: ^high}}", codes.WRONG_TYPE, "a whole number"),
        ("{id: a, match: ^{}, action: skip}", codes.WRONG_VALUE, "matches every failure"),
        ("{id: a, match: {code: ^-7}, action: skip}", codes.WRONG_VALUE, "eleven digits"),
        ("{id: a, match: {code: [-11000000000, ^11000000000]}, action: skip}", codes.WRONG_VALUE, "eleven"),
        ("{id: a, match: {domain: ^100}, action: skip}", codes.WRONG_VALUE, "at most 99"),
        ("{id: a, match: {message: ^'(x'}, action: skip}", codes.WRONG_VALUE, "is not valid"),
        ("{id: a, match: {message: ^'(a{1000}){1000}'}, action: skip}", codes.WRONG_VALUE, "too big"),
        ("{id: a, match: {trigger: ^sometimes}, action: skip}", codes.WRONG_VALUE, "manual"),
        (f"{{id: a, {MATCH}, action: ^{{}}}}", codes.WRONG_VALUE, "an action is one of"),
        (f"{{id: a, {MATCH}, action: {{retry: {{}}, ^skip: x}}}}", codes.UNKNOWN_KEY, "unknown key `skip`"),
        (f"{{id: a, {MATCH}, action: ^{{retry: {{}}, alert: {{}}}}}}", codes.WRONG_VALUE, "is one of"),
        (f"{{id: a, {MATCH}, action: {{retry: {{after: ^soon}}}}}}", codes.WRONG_VALUE, "a duration"),
        (f"{{id: a, {MATCH}, action: {{retry: {{times: ^0}}}}}}", codes.WRONG_VALUE, "at least 1"),
        (f"{{id: a, {MATCH}, action: {{set: {{path: ^x, value: 1}}}}}}", codes.WRONG_VALUE, "path"),
        (
            f"{{id: a, {MATCH}, action: {{set: {{path: ^$.TASK, value: 1}}}}}}",
            codes.WRONG_VALUE,
            "a value of",
        ),
        (f"{{id: a, {MATCH}, action: {{^set: {{path: $.TASK.PARAMS.x}}}}}}", codes.MISSING_KEY, "`value`"),
        (f"{{id: a, {MATCH}, action: {{^run: {{params: {{}}}}}}}}", codes.MISSING_KEY, "`task`"),
        (f"{{id: a, {MATCH}, action: {{alert: {{level: ^loud}}}}}}", codes.WRONG_VALUE, "info"),
    ],
)
def test_a_mistake_in_a_rule_is_reported_at_its_place(rule: str, code: ErrorCode, message: str) -> None:
    text, [place] = marked(f"skerry: 1\nrules:\n  - {rule}\n")

    [finding] = read_text(text).findings

    assert message in finding.message
    assert (finding.line, finding.column) == place
    assert finding.code == code.number


def test_two_rules_of_one_id_are_reported_at_the_later_one() -> None:
    rule = "{id: a, match: {task: t}, action: skip}"
    text, [place] = marked(f"skerry: 1\nrules:\n  - {rule}\n  - {rule.replace('a,', '^a,', 1)}\n")

    [finding] = read_text(text).findings

    assert (finding.code, (finding.line, finding.column)) == (codes.DEFINED_TWICE.number, place)


def test_two_files_must_not_define_one_rule() -> None:
    text = "skerry: 1\nrules: [{id: a, match: {task: t}, action: skip}]\n"

    [finding] = read_text(text, text).findings

    assert "also defined at a.yaml:2" in finding.message
    assert finding.file == "b.yaml"
