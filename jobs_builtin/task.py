"""The ``task`` job type: start another task, and wait for it or not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from engine.model.control import SubTaskKeys
from engine.model.findings import Finding, error
from engine.model.job import Job
from engine.plugins.job_type import ControlType, ResultField
from jobs_builtin.codes import NO_TASK


class SubTask(ControlType):
    """The run starts an instance of the task and, with ``wait``, ends as that ends."""

    kind = "task"
    label = ("Sub-task", "子任务")
    help = (
        (
            "Starts an instance of another task; the job's parameters become the task's. With "
            "`wait: true` it ends as the sub-task ends and has its results; with `wait: false` it has "
            "succeeded as soon as the sub-task is started. A task that would start itself is refused."
        ),
        (
            "启动另一个任务的实例，作业的参数成为该任务的参数。`wait: true` 时与子任务同时结束，"
            "并取得其结果；`wait: false` 时子任务启动后即算成功。会启动自身的任务将被拒绝。"
        ),
    )
    keys = SubTaskKeys
    process = "optional"
    results = (
        ResultField(
            "instance",
            "number",
            "The instance that was started; with wait, the task's own results come beside it.",
            "所启动的实例；等待时还包括该任务自身的结果。",
        ),
    )
    codes = (NO_TASK,)
    meanings = {
        "task": ("The id of the task to start.", "要启动的任务的 id。"),
        "wait": (
            "Whether the job ends as the sub-task ends, or as soon as that is started.",
            "是与子任务同时结束，还是启动后即结束。",
        ),
    }
    example = """\
type: task
task: nightly
params: {day: monday}
wait: true
"""

    def check(self, job: Job) -> Iterable[Finding]:
        """A task, in ``task`` or in ``process: {task: id}``."""
        in_process = job.process is not None and job.process.kind == "task"
        if cast(SubTaskKeys, job.settings).task is None and not in_process:
            yield error(NO_TASK, "no task is named")
