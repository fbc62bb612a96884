"""Domain 11 of the catalogue, continued: what people do to the queue of jobs."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

OVERDUE = ErrorCode(
    -1_11_00_011_000,
    en=Text(
        "The job ran for too long and was cleaned away",
        "An operator ended all jobs that had been running for longer than the minutes he gave.",
        "See in the job's log where it stood still; then rerun from it, perhaps with a timeout of its own.",
    ),
    zh=Text(
        "作业运行过久，已被清理",
        "操作员结束了所有运行时间超过指定分钟数的作业。",
        "查看作业日志，找出停滞之处，然后从该作业重新执行，必要时为其设置 timeout。",
    ),
)
NOT_WAITING = ErrorCode(
    -1_11_00_012_000,
    en=Text(
        "The job does not wait in the queue",
        "It runs, has ended, has not had its turn yet, or there is no such JobInstance.",
        "See what waits with 'skerry queue'; stop a running job with 'skerry cancel INSTANCE NODE'.",
    ),
    zh=Text(
        "作业不在等待队列中",
        "该作业正在运行、已结束、尚未轮到，或不存在。",
        "用 skerry queue 查看等待的作业；用 skerry cancel INSTANCE NODE 停止正在运行的作业。",
    ),
    retryable=False,
)
