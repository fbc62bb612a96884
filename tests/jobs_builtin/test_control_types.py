"""What is found wrong with a condition, a wait, a group and a sub-task before anything runs."""

from __future__ import annotations

from typing import Any

import pytest

from engine.model.control import ApproveKeys, ConditionKeys, GroupKeys, SubTaskKeys, WaitKeys
from engine.model.job import Job, Stage
from engine.plugins.job_type import ControlType
from jobs_builtin import approve, condition, group, task, wait
from jobs_builtin.approve import Approve
from jobs_builtin.condition import Condition
from jobs_builtin.group import Group
from jobs_builtin.task import SubTask
from jobs_builtin.wait import Wait


def found(job_type: ControlType, settings: Any, process: Stage | None = None) -> list[int]:
    job = Job(id="j", type=job_type.kind, settings=settings, process=process)
    return [finding.code for finding in job_type.check(job)]


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({"for": "30s"}, None),
        ({"until": "2026-11-21T08:00:00+08:00"}, None),
        ({"until": "$.TASK.PARAMS['when']"}, None),
        ({"until_true": "{$.TASK.RUN} > 1"}, None),
        ({"until_true": {"resource": "db"}}, None),
        ({}, wait.ONE_OF_THREE),
        ({"for": 1, "until_true": True}, wait.ONE_OF_THREE),
        ({"until": "tomorrow"}, wait.NOT_A_TIME),
        ({"until": "2026-11-21T08:00:00"}, wait.NOT_A_TIME),
        ({"until_true": True, "every": 0}, wait.NO_INTERVAL),
    ],
)
def test_a_wait_ends_in_exactly_one_way(keys: dict[str, Any], code: Any) -> None:
    assert found(Wait(), WaitKeys(**keys)) == ([] if code is None else [code.number])


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({}, None),
        ({"choices": ("yes", "no")}, None),
        ({"choices": ("yes", "no"), "fails_on": ("no",), "deadline": "8h", "otherwise": "no"}, None),
        ({"choices": ()}, approve.CHOICES_UNFIT),
        ({"choices": ("yes", " ")}, approve.CHOICES_UNFIT),
        ({"choices": ("yes", "yes")}, approve.CHOICES_UNFIT),
        ({"fails_on": ("no",)}, approve.CHOICES_UNFIT),
        ({"deadline": 1, "otherwise": "no"}, approve.CHOICES_UNFIT),
        ({"deadline": 0}, approve.NO_DEADLINE),
        ({"otherwise": "reject"}, approve.NO_DEADLINE),
    ],
)
def test_the_choices_of_a_question_fit_together(keys: dict[str, Any], code: Any) -> None:
    settings = ApproveKeys(question="Go on?", **keys)
    assert found(Approve(), settings) == ([] if code is None else [code.number])


def test_a_condition_must_have_something_to_decide_by() -> None:
    assert found(Condition(), ConditionKeys(value=" ")) == [condition.NO_VALUE.number]
    assert found(Condition(), ConditionKeys(value=True, branches={True: ["a"]})) == []


def test_only_a_branch_that_comes_again_has_a_beginning() -> None:
    once = ConditionKeys(value="1", branches={"1": {"run": ["a"], "from": "b"}})
    again = ConditionKeys(value="1", branches={"1": {"run": ["a"], "from": "b", "again": True}})

    assert found(Condition(), once) == [condition.FROM_WITHOUT_AGAIN.number]
    assert found(Condition(), again) == []


def test_a_group_has_members() -> None:
    assert found(Group(), GroupKeys()) == [group.NO_MEMBERS.number]
    assert found(Group(), GroupKeys(jobs=({"job": "a"},))) == []
    assert found(Group(), GroupKeys(), Stage(kind="group", value=["a"])) == []


def test_a_sub_task_names_its_task() -> None:
    assert found(SubTask(), SubTaskKeys()) == [task.NO_TASK.number]
    assert found(SubTask(), SubTaskKeys(task="nightly")) == []
    assert found(SubTask(), SubTaskKeys(), Stage(kind="task", value="nightly")) == []
