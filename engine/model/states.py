"""The states of the contract (section 6) and the moves between them; one table each."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

RerunMode = Literal["all", "from", "failed", "only"]  # which nodes of an ended instance run again
BackfillOrder = Literal["oldest", "newest"]
Reprocess = Literal["missing", "failed", "all"]  # which times of a backfill run


class TaskState(StrEnum):
    """The life-cycle of a task's definition."""

    INIT = "init"
    ONLINE = "online"
    OFFLINE = "offline"
    DELETED = "deleted"


class InstanceState(StrEnum):
    """A TaskInstance: the occurrence of a task at one scheduled time."""

    PLANNED = "planned"
    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    SKIPPED = "skipped"
    OFFLINE = "offline"
    LOST = "lost"

    @property
    def ended(self) -> bool:
        """Whether nothing more happens by itself."""
        return self in INSTANCE_ENDED


class RunState(StrEnum):
    """A TaskRun: one execution of an instance."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    LOST = "lost"


class JobState(StrEnum):
    """A JobInstance: one node once in one run."""

    PENDING = "pending"  # its turn has not come
    WAITING = "waiting"  # for a wait, a dependency, an answer
    QUEUED = "queued"  # for a slot
    NO_WORKER = "no_worker"  # nobody is there to run it
    BUSY = "busy"  # the worker refuses: it still runs this job, or something exclusive
    RUNNING = "running"
    CHECKING = "checking"  # asynchronous, its outcome is being looked for
    RETRYING = "retrying"  # failed, and will be tried again
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    DISCARDED = "discarded"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    LOST = "lost"

    @property
    def ended(self) -> bool:
        """Whether this outcome is settled."""
        return self in JOB_ENDED

    @property
    def bad(self) -> bool:
        """Whether it counts as failed for what follows (contract 2.3)."""
        return self in JOB_BAD


class AttemptState(StrEnum):
    """A JobRun: one attempt of a JobInstance on one worker."""

    STARTING = "starting"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    LOST = "lost"


class WorkerState(StrEnum):
    """What a worker is at (contract 6)."""

    ONLINE = "online"
    OFFLINE = "offline"
    DRAINING = "draining"  # what runs there goes on, nothing begins
    PAUSED = "paused"
    UNTRUSTED = "untrusted"  # nobody has vouched for its host key


class BackfillState(StrEnum):
    """Past times of a task that are run."""

    RUNNING = "running"
    PAUSED = "paused"
    SUCCEEDED = "succeeded"
    FAILED = "failed"  # an instance of it ended badly
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether it begins nothing more."""
        return self not in (BackfillState.RUNNING, BackfillState.PAUSED)


class StepState(StrEnum):
    """One time of a backfill."""

    PENDING = "pending"  # its turn has not come
    BEGUN = "begun"  # its instance waits or runs
    LEFT = "left"  # nothing is run
    DROPPED = "dropped"  # the backfill was cancelled before
    SUCCEEDED = "succeeded"  # how its instance ended in this backfill; later runs of that change nothing here
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    SKIPPED = "skipped"
    OFFLINE = "offline"
    LOST = "lost"


class Trigger(StrEnum):
    """What made an instance."""

    MANUAL = "manual"
    SCHEDULE = "schedule"
    BACKFILL = "backfill"
    RETRY = "retry"
    CONDITION = "condition"
    SUBTASK = "subtask"


_I = InstanceState
_S = JobState
INSTANCE_ENDED = frozenset(set(_I) - {_I.PLANNED, _I.WAITING, _I.RUNNING, _I.PAUSED})
INSTANCE_UNFINISHED = ("running", "waiting", "paused")
INSTANCE_BAD = ("failed", "timed_out", "lost")  # ends that nobody wished for
JOB_IN_LINE = ("queued", "busy", "no_worker")
JOB_BAD = frozenset({_S.FAILED, _S.DISCARDED, _S.LOST, _S.CANCELLED, _S.TIMED_OUT})
JOB_ENDED = JOB_BAD | {_S.SUCCEEDED, _S.SKIPPED}

_INSTANCE_OPEN = {_I.RUNNING, _I.PAUSED, _I.WAITING}
_INSTANCE_STARTED = _INSTANCE_OPEN | {_I.SUCCEEDED, _I.FAILED, _I.CANCELLED, _I.TIMED_OUT, _I.LOST}
INSTANCE_MOVES: Mapping[InstanceState, frozenset[InstanceState]] = {
    _I.PLANNED: frozenset({_I.WAITING, _I.RUNNING, _I.SKIPPED, _I.OFFLINE, _I.CANCELLED}),
    **dict.fromkeys(_INSTANCE_OPEN, frozenset(_INSTANCE_STARTED)),
    _I.WAITING: frozenset({*_INSTANCE_STARTED, _I.OFFLINE}),
    # by a further run, which may wait for others; by hand
    _I.SUCCEEDED: frozenset({*_INSTANCE_OPEN, _I.FAILED}),
    **dict.fromkeys(
        (_I.FAILED, _I.CANCELLED, _I.TIMED_OUT, _I.LOST), frozenset({*_INSTANCE_OPEN, _I.SUCCEEDED})
    ),
    _I.SKIPPED: frozenset({_I.RUNNING, _I.WAITING}),
    _I.OFFLINE: frozenset({_I.RUNNING, _I.PLANNED, _I.WAITING}),
}
RUN_MOVES: Mapping[RunState, frozenset[RunState]] = {
    RunState.RUNNING: frozenset(set(RunState) - {RunState.RUNNING}),
    **dict.fromkeys(set(RunState) - {RunState.RUNNING}, frozenset()),
}
_ATTEMPT_ENDS = frozenset(set(AttemptState) - {AttemptState.STARTING, AttemptState.RUNNING})
ATTEMPT_OVER = _ATTEMPT_ENDS
ATTEMPT_MOVES: Mapping[AttemptState, frozenset[AttemptState]] = {
    AttemptState.STARTING: _ATTEMPT_ENDS | {AttemptState.RUNNING},
    AttemptState.RUNNING: _ATTEMPT_ENDS,
    **dict.fromkeys(_ATTEMPT_ENDS, frozenset()),
}
BACKFILL_MOVES: Mapping[BackfillState, frozenset[BackfillState]] = {
    BackfillState.RUNNING: frozenset(set(BackfillState) - {BackfillState.RUNNING}),
    BackfillState.PAUSED: frozenset(set(BackfillState) - {BackfillState.PAUSED}),
}
STEP_MOVES: Mapping[StepState, frozenset[StepState]] = {
    StepState.PENDING: frozenset({StepState.BEGUN, StepState.LEFT, StepState.DROPPED}),
    StepState.BEGUN: frozenset(map(StepState, INSTANCE_ENDED)),
}
WORKER_MOVES: Mapping[WorkerState, frozenset[WorkerState]] = dict.fromkeys(
    WorkerState, frozenset(WorkerState)
)
EXCEPTION_MOVES: Mapping[str, frozenset[str]] = {  # open again when what was done has not helped
    "open": frozenset({"handled"}),
    "handled": frozenset({"open"}),
}

_BY_A_RULE = {_S.SUCCEEDED, _S.SKIPPED, _S.WAITING}  # or by its own work; waiting: for an answer
JOB_MOVES: Mapping[JobState, frozenset[JobState]] = {
    _S.PENDING: frozenset(
        {_S.QUEUED, _S.NO_WORKER, _S.WAITING, _S.RUNNING, _S.SKIPPED, _S.SUCCEEDED} | JOB_BAD
    ),
    _S.WAITING: frozenset(  # after a remedy that failed: for a worker again
        {_S.QUEUED, _S.NO_WORKER, _S.BUSY, _S.RUNNING, _S.RETRYING, _S.SUCCEEDED, _S.SKIPPED} | JOB_BAD
    ),
    _S.QUEUED: frozenset(
        {_S.RUNNING, _S.WAITING, _S.NO_WORKER, _S.BUSY, _S.RETRYING, _S.SUCCEEDED, _S.SKIPPED} | JOB_BAD
    ),
    _S.NO_WORKER: frozenset({_S.QUEUED, _S.RUNNING, _S.BUSY} | _BY_A_RULE | JOB_BAD),
    _S.BUSY: frozenset({_S.QUEUED, _S.RUNNING, _S.NO_WORKER, _S.RETRYING} | _BY_A_RULE | JOB_BAD),
    _S.RUNNING: frozenset({_S.CHECKING, _S.RETRYING} | _BY_A_RULE | JOB_BAD),
    _S.CHECKING: frozenset({_S.RETRYING, _S.RUNNING} | _BY_A_RULE | JOB_BAD),
    _S.RETRYING: frozenset({_S.QUEUED, _S.NO_WORKER, _S.RUNNING} | _BY_A_RULE | JOB_BAD),
    _S.SUCCEEDED: frozenset({_S.FAILED}),  # by hand
    _S.FAILED: frozenset({_S.SUCCEEDED, _S.RETRYING}),  # by hand, or by recovery
    _S.DISCARDED: frozenset({_S.SUCCEEDED, _S.FAILED}),
    _S.SKIPPED: frozenset({_S.SUCCEEDED, _S.FAILED}),
    _S.CANCELLED: frozenset({_S.SUCCEEDED, _S.FAILED}),
    _S.TIMED_OUT: frozenset({_S.SUCCEEDED, _S.FAILED, _S.RETRYING}),
    _S.LOST: frozenset({_S.SUCCEEDED, _S.FAILED, _S.RETRYING, _S.DISCARDED}),
}
