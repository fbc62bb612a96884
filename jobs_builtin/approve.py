"""The ``approve`` job type: a question to people, whose answer decides how the run goes on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from engine.model.codes.jobs import REJECTED
from engine.model.control import ApproveKeys
from engine.model.findings import Finding, error
from engine.model.job import Job
from engine.model.plain_words import quoted
from engine.plugins.job_type import ControlType, ResultField
from jobs_builtin.codes import CHOICES_UNFIT, NO_DEADLINE


class Approve(ControlType):
    """The run waits for it as it does for a clock; nothing is blocked meanwhile."""

    kind = "approve"
    label = ("Approve", "审批")
    help = (
        (
            "Asks people a question and waits for one of its choices, given in the window or by "
            "`skerry approve`. While it waits it uses no slot, and it waits over restarts of the engine. "
            "The choices in `fails_on` fail the job, which is not retried. Another attempt, or a rerun that "
            "contains the node, asks again."
        ),
        (
            "向人员提出问题，等待其在窗口中或用 `skerry approve` 选择一个选项。等待期间不占用执行位，"
            "引擎重启后继续等待。`fails_on` 中的选项使作业失败，且不重试。"
            "再次尝试或包含该节点的重新执行会再次询问。"
        ),
    )
    keys = ApproveKeys
    rendered = frozenset({"question"})
    results = (
        ResultField("choice", "text", "What was chosen.", "所选的选项。"),
        ResultField("note", "text", "The note, or null.", "备注，没有时为空值。"),
        ResultField("value", None, "The value that was typed in, or null.", "输入的值，没有时为空值。"),
        ResultField(
            "by", "text", "Who answered; null where the deadline did.", "答复人；由截止时间决定时为空值。"
        ),
    )
    codes = (REJECTED, CHOICES_UNFIT, NO_DEADLINE)
    meanings = {
        "question": ("What is asked; expressions are evaluated.", "询问的内容；其中的表达式会被计算。"),
        "choices": ("What can be answered.", "可选的答复。"),
        "fails_on": ("The choices that fail the job.", "使作业失败的选项。"),
        "note": ("Whether a note may, must or cannot be given.", "备注可选、必填或不允许。"),
        "value": (
            "The kind of a value to be typed in; choices that fail the job need none.",
            "需要输入的值的类型；使作业失败的选项不需要值。",
        ),
        "deadline": (
            "How long it waits, from the asking on the wall clock: pauses and restarts change nothing.",
            "等待多久，从提问时起按实际时间计算：暂停和重启不影响。",
        ),
        "otherwise": (
            "The choice that counts when the deadline passes; without it the job times out.",
            "截止后生效的选项；未给出时作业超时。",
        ),
    }
    example = """\
type: approve
question: "Load the {$.TASK.NAME} figures?"
deadline: 1s
otherwise: approve
"""

    def check(self, job: Job) -> Iterable[Finding]:
        """Choices that differ, outcomes that name them, a deadline where something depends on it."""
        keys = cast(ApproveKeys, job.settings)
        if not keys.choices or any(not each.strip() for each in keys.choices):
            yield error(CHOICES_UNFIT, "a choice cannot be empty, and one is needed", ("choices",))
        elif len(set(keys.choices)) < len(keys.choices):
            yield error(CHOICES_UNFIT, "a choice is there twice", ("choices",))
        named = list(keys.fails_on) if "fails_on" in keys.model_fields_set else []
        for choice in named:
            if choice not in keys.choices:
                yield error(
                    CHOICES_UNFIT, "{choice} is none of the choices", ("fails_on",), choice=quoted(choice)
                )
        if keys.otherwise is not None and keys.otherwise not in keys.choices:
            yield error(
                CHOICES_UNFIT,
                "{choice} is none of the choices",
                ("otherwise",),
                choice=quoted(keys.otherwise),
            )
        if keys.deadline is not None and keys.deadline <= 0:
            yield error(NO_DEADLINE, "the deadline must be more than 0", ("deadline",))
        if keys.otherwise is not None and keys.deadline is None:
            yield error(NO_DEADLINE, "otherwise needs a deadline", ("otherwise",))
