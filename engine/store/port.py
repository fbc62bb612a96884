"""What the engine expects of a store: states, context lines and definitions, durable and quick to find."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from engine.store.changes import Changes
from engine.store.rows import (
    AlertRow,
    AttemptRow,
    AuditRow,
    Damage,
    DefinitionRow,
    ExceptionRow,
    InstanceRow,
    JobRow,
    RunRow,
    StatRow,
)

if TYPE_CHECKING:
    from engine.store.browsing import Browser
    from engine.store.ownership import Decide, Owner


class InstanceCursor(NamedTuple):
    """Where a page of instances ended: the place of its last row."""

    scheduled_time: str
    id: int

    @classmethod
    def after(cls, row: InstanceRow) -> InstanceCursor:
        """The place behind that row."""
        return cls(row.scheduled_time, row.id)


@dataclass(frozen=True, slots=True)
class InstanceFilter:
    """Which instances; everything given must hold. Without ``statuses`` the planned ones are left out."""

    task: str | None = None
    statuses: tuple[str, ...] = ()
    since: str | None = None  # scheduled_time, included
    until: str | None = None  # scheduled_time, not included
    project: str | None = None
    trigger: str | None = None


@dataclass(frozen=True, slots=True)
class ExceptionFilter:
    """Which exceptions; ``code`` may end in zero groups that stand for everything below."""

    instance: int | None = None
    task: str | None = None
    code: int | None = None
    status: str | None = None
    since: str | None = None  # created_at, included
    job_instance: int | None = None


EVERY_INSTANCE = InstanceFilter()
EVERY_EXCEPTION = ExceptionFilter()


class SavedDefinition(NamedTuple):
    """What became of one definition: ``new`` is False where it is identical to the one that stood."""

    kind: str
    id: str
    revision: int
    new: bool


class Store(Protocol):
    """Every method is safe to call from any thread and raises SkerryError of domain 70."""

    url: str  # without a password
    read_only: bool

    def commit(self, changes: Changes) -> None:
        """All of it, or nothing; durable when this returns. An update of a row that is not there: MISSING."""

    def next_id(self, table: str, count: int = 1, *, owe: bool = False) -> int:
        """The first of ``count`` ids of a table that nobody else gets.

        With ``owe`` they are given although they cannot be reserved right now (a full disk): the next
        ``commit`` does that too, and fails for ever (CONFLICT) should another engine have got them meanwhile.
        """

    def instance(self, id: int) -> InstanceRow | None:
        """One instance, None if there is none."""

    def instances(
        self,
        wanted: InstanceFilter = EVERY_INSTANCE,
        *,
        after: InstanceCursor | None = None,
        limit: int = 200,
        newest_first: bool = True,
    ) -> list[InstanceRow]:
        """A page, in the order of scheduled time; the next one is ``after`` the last row of this one."""

    def browser(self) -> Browser:
        """For lists in which people look around."""

    def unfinished(self) -> list[InstanceRow]:
        """Instances that wait, run or are paused, oldest first; planned ones are not among them."""

    def ended_since(self, moment: str) -> list[int]:
        """The ids of the instances that ended at a moment (as in ``rows.time_text``) or later."""

    def latest_end(self) -> str | None:
        """When the instance ended that ended last; None when none has."""

    def last_instance(self) -> int:
        """The highest id of an instance; 0 without any."""

    def children(self, job_instance: int) -> list[InstanceRow]:
        """The instances that a sub-task's JobInstance started."""

    def run(self, instance: int, run: int) -> RunRow | None:
        """One run of an instance."""

    def runs(self, instance: int) -> list[RunRow]:
        """All runs of an instance, the first one first."""

    def jobs(self, instance: int, run: int | None = None) -> list[JobRow]:
        """The JobInstances of an instance (of one run of it), in the order they were made."""

    def job(self, id: int) -> JobRow | None:
        """One JobInstance."""

    def unfinished_jobs(self) -> list[JobRow]:
        """The JobInstances of all instances that have not ended, in the order they were made."""

    def at_work(self) -> list[JobRow]:
        """The JobInstances of all instances that are running, in the order they were made."""

    def attempts(self, job_instance: int) -> list[AttemptRow]:
        """The attempts of a JobInstance, the first one first."""

    def open_attempts(self, instance: int) -> dict[int, list[AttemptRow]]:
        """The attempts of an instance's JobInstances that have not ended, by JobInstance: at once."""

    def lines(self, instance: int, after: int = 0, upto: int | None = None) -> Iterator[str]:
        """Context lines with a ``seq`` above ``after``, up to and with ``upto``; read in pieces."""

    def last_seq(self, instance: int) -> int:
        """The ``seq`` of the last context line, 0 if there is none."""

    def snapshot(self, instance: int, run: int) -> dict[str, Any] | None:
        """The raw definitions that a run uses."""

    def exceptions(
        self, wanted: ExceptionFilter = EVERY_EXCEPTION, *, before: int | None = None, limit: int = 200
    ) -> list[ExceptionRow]:
        """A page, newest first; the next one is ``before`` the id of the last row of this one."""

    def exception(self, id: int) -> ExceptionRow | None:
        """One exception, None if there is none."""

    def alerts(
        self,
        *,
        instance: int | None = None,
        acknowledged: bool | None = None,
        before: int | None = None,
        limit: int = 200,
    ) -> list[AlertRow]:
        """A page, newest first; ``acknowledged`` None: whether or not they were acknowledged."""

    def alert(self, id: int) -> AlertRow | None:
        """One alert, None if there is none."""

    def stats(self, kind: str | None = None, id: str | None = None) -> list[StatRow]:
        """Execution statistics of all tasks and jobs, or of one kind, or of one of them."""

    def setting(self, name: str, default: Any = None) -> Any:
        """A JSON value that ``Changes.setting`` remembered."""

    def save_definitions(self, raw: Mapping[str, Any], *, actor: str | None = None) -> list[SavedDefinition]:
        """A revision for everything in a file's tree that is new or differs; one transaction.

        ``raw`` has the sections of a definition file. A file's ``project`` becomes its tasks'. A task's state
        is what its definition says if it is a new revision, else it stays; a new task is ``init``.
        """

    def delete_definition(self, kind: str, id: str, *, actor: str | None = None) -> int:
        """Its last revision, which says that it was deleted; MISSING if it is not there. History stays."""

    def set_task_state(self, task: str, state: str, *, actor: str | None = None) -> None:
        """The life-cycle state of a task; MISSING if there is no such task."""

    def definitions(self, kind: str, project: str | None = None) -> list[DefinitionRow]:
        """What stands now of one kind, by id; a damaged one has an ``error`` and no content."""

    def definition(self, kind: str, id: str, revision: int | None = None) -> DefinitionRow | None:
        """What stands now, None if it was deleted; or a certain revision."""

    def history(self, kind: str, id: str) -> list[DefinitionRow]:
        """All revisions, newest first; damaged ones as in ``definitions``."""

    def raw_definitions(self) -> dict[str, Any]:
        """Everything that stands now as the tree of a definition file (without its ``skerry`` key)."""

    def remove_instances(self, ids: Collection[int]) -> int:
        """Forget instances with all that belongs to them; how many there were. Statistics stay."""

    def verify(self, instances: Collection[int] | None = None) -> Sequence[Damage]:
        """Everything in the database that is not what was written; reads all, or some instances only."""

    def audit(self, after: int = 0, limit: int = 200) -> list[AuditRow]:
        """A page of the audit, the oldest first: rows with a ``seq`` above ``after``."""

    def audit_head(self) -> tuple[int, str] | None:
        """How many rows it has, and the hash of the last one; None: that is not there any more."""

    def verify_audit(self) -> Sequence[Damage]:
        """Where the chain of the audit is broken; empty when it is whole."""

    def owner(self) -> Owner | None:
        """The workspace that the database belongs to; None before the first one has come."""

    def settle_owner(self, decide: Decide) -> None:
        """Have ``decide`` say, from who it was, who owns it; what it raises goes through."""

    def alone(self) -> None:
        """Be the only engine on this database until it is closed; Refused (IN_USE) while there is another."""

    def close(self) -> None:
        """Wait for commits under way, give unused ids back, let the database go."""
