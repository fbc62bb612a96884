"""The ``condition`` job type: which branch of the run is taken, and loops."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from engine.model.control import ConditionKeys
from engine.model.findings import Finding, error
from engine.model.job import Job
from engine.plugins.job_type import ControlType, ResultField
from jobs_builtin.codes import FROM_WITHOUT_AGAIN, NO_VALUE


class Condition(ControlType):
    """The run evaluates ``value`` and goes on with the branch of that name."""

    kind = "condition"
    label = ("Condition", "条件")
    help = (
        (
            "Decides how the run goes on. `value` is a condition (`true` or `false`), an expression, or "
            "a resource whose check is asked. The branch whose key equals the value as text is taken, "
            "else `default`; what belongs only to other branches is skipped. With `again: true` the "
            "nodes from `from` to this one run again after the branch, and the value is computed again, "
            "at most `max_loops` times."
        ),
        (
            "决定后续如何执行。`value` 是条件（得到 `true` 或 `false`）、表达式，或要检查的资源。"
            "选择键与该值文本相同的分支，否则选择 `default`；只属于其他分支的节点被跳过。"
            "带 `again: true` 的分支执行完后，从 `from` 到本节点的各节点重新执行，然后再次判断，"
            "最多 `max_loops` 次。"
        ),
    )
    keys = ConditionKeys
    results = (
        ResultField("value", None, "What the value was.", "判断得到的值。"),
        ResultField(
            "branch",
            "text",
            "The key of the branch that was taken; null when none was.",
            "所选分支的键；没有选择分支时为空值。",
        ),
    )
    codes = (FROM_WITHOUT_AGAIN, NO_VALUE)
    meanings = {
        "value": ("A condition, an expression, or `{resource: id}`.", "条件、表达式或 `{resource: id}`。"),
        "branches": (
            (
                "Value -> a list of nodes, or `{run: [nodes], again: true, from: node}`; "
                "`default` for any other value."
            ),
            "值 -> 节点列表，或 `{run: [节点], again: true, from: 节点}`；其他值用 `default`。",
        ),
        "max_loops": ("How often branches with again are taken at most.", "带 again 的分支最多执行的次数。"),
    }
    example = """\
type: condition
params: {rows: 12}
value: "{$.JOB['example'].PARAMS['rows']} > 10"
branches: {"true": [], "false": []}
"""

    def check(self, job: Job) -> Iterable[Finding]:
        """No empty value, and no ``from`` without ``again``."""
        keys = cast(ConditionKeys, job.settings)
        if isinstance(keys.value, str) and not keys.value.strip():
            yield error(NO_VALUE, "the value of the condition is empty", ("value",))
        for key, branch in keys.branches.items():
            if branch.from_ is not None and not branch.again:
                message = "the branch {name!r} has from, but not again: true"
                yield error(FROM_WITHOUT_AGAIN, message, ("branches", key, "from"), name=key)
