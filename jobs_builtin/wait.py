"""The ``wait`` job type: a pause that holds no place on any worker."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from engine.model.control import WaitKeys
from engine.model.findings import Finding, error
from engine.model.job import Job
from engine.model.plain_words import quoted
from engine.model.times import has_offset
from engine.plugins.job_type import ControlType, ResultField
from jobs_builtin.codes import NO_INTERVAL, NOT_A_TIME, ONE_OF_THREE


class Wait(ControlType):
    """The run's own clock ends it; nothing is blocked meanwhile."""

    kind = "wait"
    label = ("Wait", "等待")
    help = (
        (
            "Waits for a length of time, until a point in time, or until a condition or a resource's "
            "check holds. While it waits it uses no slot. A point in time is written "
            "with its offset from UTC; one that has passed ends the wait at once."
        ),
        (
            "等待一段时间、等到某个时刻，或等到条件成立（或资源检查通过）。等待期间不占用执行位。"
            "时刻要写明与 UTC 的偏移；已经过去的时刻会立即结束等待。"
        ),
    )
    keys = WaitKeys
    results = (ResultField("waited", "number", "How long it waited, in seconds.", "等待的秒数。"),)
    codes = (ONE_OF_THREE, NOT_A_TIME, NO_INTERVAL)
    meanings = {
        "for": ("How long, for example `30s` or `1h30m`.", "等待多久，例如 `30s` 或 `1h30m`。"),
        "until": (
            "The time to wait for, for example `2026-11-21T08:00:00+08:00`.",
            "等到的时刻，例如 `2026-11-21T08:00:00+08:00`。",
        ),
        "until_true": (
            "The condition to wait for, or `{resource: id}`.",
            "要等待成立的条件，或 `{resource: id}`。",
        ),
        "every": ("How often until_true is looked at.", "检查 until_true 的间隔。"),
    }
    example = """\
type: wait
for: 1s
"""

    def check(self, job: Job) -> Iterable[Finding]:
        """One way to end, a readable time, a pause between looks."""
        keys = cast(WaitKeys, job.settings)
        ways = [way for way in (keys.for_, keys.until, keys.until_true) if way is not None]
        if len(ways) != 1:
            yield error(ONE_OF_THREE, "give exactly one of for, until and until_true")
        if keys.until is not None and "$." not in keys.until and not has_offset(keys.until):
            yield error(
                NOT_A_TIME, "{text} is not a time with an offset", ("until",), text=quoted(keys.until)
            )
        if keys.until_true is not None and keys.every <= 0:
            yield error(NO_INTERVAL, "every must be more than 0", ("every",))
