"""The ``group`` job type: several jobs in order, as one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from engine.model.control import GroupKeys
from engine.model.findings import Finding, error
from engine.model.job import Job
from engine.plugins.job_type import ControlType
from jobs_builtin.codes import NO_MEMBERS


class Group(ControlType):
    """The run starts one member after the other; the first that fails ends the group."""

    kind = "group"
    label = ("Group", "作业组")
    help = (
        (
            "Runs its jobs one after the other and counts as one job: it ends with the first that fails, "
            "and succeeds when the last one has. In expressions the members of a node `report` are "
            "`$.JOB['report.0']`, `$.JOB['report.1']` and so on."
        ),
        (
            "依次执行其中的作业，整体算作一个作业：遇到第一个失败的作业即结束，最后一个成功则整体成功。"
            "在表达式中，节点 `report` 的成员为 `$.JOB['report.0']`、`$.JOB['report.1']`，依此类推。"
        ),
    )
    keys = GroupKeys
    process = "optional"
    codes = (NO_MEMBERS,)
    meanings = {
        "jobs": (
            (
                "The members in order: `{job: id}` or a job written out, each with `params` of its own; "
                "the group's `params` are their defaults. "
                "The group's results are those of its last member."
            ),
            (
                "按顺序排列的成员：`{job: id}` 或直接写出的作业，各自可带 `params`，"
                "作业组的 `params` 是它们的默认值。"
                "作业组的结果就是最后一个成员的结果。"
            ),
        )
    }
    example = """\
type: group
jobs:
  - {type: shell, process: echo first}
  - {type: shell, process: echo second}
"""

    def check(self, job: Job) -> Iterable[Finding]:
        """At least one member, in ``jobs`` or in ``process: {group: […]}``."""
        in_process = job.process is not None and job.process.kind == "group"
        if not cast(GroupKeys, job.settings).jobs and not in_process:
            yield error(NO_MEMBERS, "the group has no jobs")
