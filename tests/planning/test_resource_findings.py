"""A resource of a type with which a job cannot work: found before the job runs."""

from __future__ import annotations

from typing import Any

import pytest

from app import wiring
from engine.model.codes.definitions import WRONG_VALUE
from engine.planning.plan import check
from tests.runtime.site import tree

RESOURCES = {
    "store": {"type": "database", "uri": "sqlite:///x"},
    "site": {"type": "service", "uri": "http://h/"},
    "old": {"type": "ftp", "uri": "ftp://h/"},
    "new": {"type": "sftp", "uri": "sftp://u@h/"},
}
FITTING = {
    "store": [{"type": "sql", "statements": "x"}, {"type": "sql_query", "statement": "x"}],
    "site": [{"type": "http"}],
    "old": [{"type": "ftp_upload", "path": "x"}, {"type": "ftp_download", "path": "x"}],
    "new": [{"type": "sftp_upload", "path": "x"}, {"type": "sftp_download", "path": "x"}],
}
JOBS = [(resource, job) for resource, jobs in FITTING.items() for job in jobs]


def found(node: dict[str, Any]) -> list[tuple[str, int, tuple[Any, ...]]]:
    made = tree({"resources": RESOURCES, "tasks": {"t": {"nodes": {"x": node}}}})
    return [(each.severity, each.code, each.path[4:]) for each in check(made, wiring.job_types())]


@pytest.mark.parametrize(
    ("fitting", "job"), JOBS, ids=lambda each: each if isinstance(each, str) else each["type"]
)
def test_a_resource_of_another_type_is_warned_of(fitting: str, job: dict[str, Any]) -> None:
    for resource in RESOURCES:
        expected = [] if resource == fitting else [("warning", WRONG_VALUE.number, ("resource",))]
        assert found({**job, "resource": resource}) == expected


def test_the_member_of_a_group_is_looked_at_too() -> None:
    member = {"type": "ftp_upload", "path": "x", "resource": "new"}

    assert [where for _, _, where in found({"type": "group", "jobs": [member]})] == [("jobs", 0, "resource")]
