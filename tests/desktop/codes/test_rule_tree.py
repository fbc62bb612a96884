"""A rule as fields of a form, and back."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.codes.columns import DOES
from app.desktop.codes.rule_form import LABELS
from app.desktop.codes.rule_tree import Problem, fields_of, preview, source, tree, value_of, value_text
from engine.model.rules import STEPS, Match, Rule
from tests.api.fake_service import FakeService

RULES = [
    {"id": "a", "match": {"code": -13002000000, "message": "(?i)timed? ?out", "trigger": ["schedule", "manual"]},
     "action": {"retry": {"after": "5m", "times": 10}}, "priority": 10},
    {"id": "b", "name": "Room", "match": {"task": "nightly", "domain": 12}, "action": {"run": {"task": "sweep"}}},
    {"id": "c", "match": {"job": "load"}, "action": {"set": {"path": "$.TASK.PARAMS['limit']", "value": 30}}},
    {"id": "d", "match": {"node": ["x", "y"]}, "action": "pause"},
]  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule["id"]))
def test_a_rule_survives_the_form(rule: dict[str, object]) -> None:
    assert tree(fields_of(rule)) == rule


@given(
    st.dictionaries(
        st.sampled_from(["match.task", "match.node", "match.job"]), st.text("ab", min_size=1), min_size=1
    )
)
def test_what_the_form_writes_it_reads_again(fields: dict[str, str]) -> None:
    written = {"id": "r", "does": "skip", **fields}

    assert fields_of(tree(written)) == written


def test_a_rule_is_a_definition_file() -> None:
    read = yaml.safe_load(source(RULES[0])["text"])

    assert read == {"skerry": 1, "rules": [RULES[0]]}


def test_a_rule_that_is_not_saved_is_tried_by_the_engine() -> None:
    service = FakeService()

    found = preview(service, {"match": {"node": "load"}, "action": "skip"})

    assert service.asked == [("try", {"id": "preview", "match": {"node": "load"}, "action": "skip"}, 1000)]
    assert isinstance(found, dict)
    assert [row["id"] for row in found["matched"]] == [8]


def test_what_is_wrong_is_said_in_words() -> None:
    [problem] = preview(FakeService(), {"match": {"code": -1}, "action": "skip"})

    assert isinstance(problem, Problem)
    assert problem.key == "match.code"
    assert problem.text


def test_the_form_has_every_field_of_the_model() -> None:
    steps = {f"step.{key}" for step in STEPS.values() for key in step.model_fields}
    whole = set(Rule.model_fields) - {"match", "action", "enabled"}  # a rule is switched in the list

    assert set(LABELS) == whole | {f"match.{key}" for key in Match.model_fields} | steps
    assert set(DOES) == set(STEPS)


def test_what_a_rule_gives_to_the_task_that_it_runs_survives_the_form() -> None:
    given = {"limit": 30, "day": "2024-01-01", "zip": "01234", "list": [1, "2"]}
    rule = {"id": "r", "match": {"job": "load"}, "action": {"run": {"task": "sweep", "params": given}}}

    assert tree(fields_of(rule)) == rule


@given(st.one_of(st.text(), st.integers(), st.booleans(), st.none(), st.lists(st.text())))
def test_a_value_of_any_kind_survives_its_field(value: object) -> None:
    assert value_of(value_text(value)) == value


def test_a_priority_that_is_no_number_is_said_at_its_field() -> None:
    [problem] = preview(
        FakeService(), tree({"id": "r", "match.job": "a", "does": "skip", "priority": "high"})
    )

    assert (problem.key, problem.text) == ("priority", "A whole number is expected.")
