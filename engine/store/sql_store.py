"""The store on SQLAlchemy Core: the writing half; ``reading`` has the other one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import Any

import sqlalchemy as sa

from engine.context.line import ENGINE
from engine.model.clock import Clock
from engine.model.codes import store as codes
from engine.model.errors import Refused, SkerryError
from engine.store import ownership, schema
from engine.store.audit import Audit, broken, head_in, rows_of
from engine.store.backend import Backend, Cursor
from engine.store.changes import Changes
from engine.store.group_commit import Work
from engine.store.id_blocks import Debt, IdBlocks
from engine.store.ownership import Owner
from engine.store.reading import StoreReading
from engine.store.revisions import Revisions, SavedDefinition, items
from engine.store.rows import Act, Damage, time_text
from engine.store.statements import Statements
from engine.store.verification import damages, damages_of
from engine.store.writer import Writer, steps

_REMOVED_AT_ONCE = 500
_ANY: Mapping[str, str] = {}


def _act(actor: str | None, action: str, subject: str, **details: Any) -> Act:
    return Act(actor or ENGINE, action, subject, details)


class Store(StoreReading):
    """States, context lines and definitions, durable and quick to find; made by ``open_store``.

    Every method is safe to call from any thread and raises SkerryError of domain 70.
    """

    def __init__(
        self, backend: Backend, clock: Clock, *, read_only: bool, put_right: Sequence[str] = ()
    ) -> None:
        super().__init__(backend)
        self.put_right = put_right  # what of the structure was not as it was made
        self.url = backend.place
        self.read_only = read_only
        self._clock = clock
        self.definitions_written = 0  # how often definitions or states of tasks were: what was read is old
        self._writer = Writer(backend)
        self._ids = IdBlocks(self._reserve, self._next_reserved)

    @cached_property
    def _statements(self) -> Statements:  # who only reads compiles none
        return Statements(self._backend)

    @cached_property
    def _revisions(self) -> Revisions:
        return Revisions(self._backend, self._statements)

    @cached_property
    def _audit(self) -> Audit:
        return Audit(self._backend, self._statements)

    def commit(self, changes: Changes) -> None:
        """All of it, or nothing; durable when this returns. An update of a row that is not there: MISSING."""
        if not changes:
            return
        is_audited = changes.definitions or changes.acts
        todo, now = steps(changes, self._statements), self._now() if is_audited else ""

        def apply(cursor: Cursor) -> None:
            for debt in debts:
                self._pay(cursor, debt)
            if changes.definitions:
                self._revisions.place(cursor, changes.definitions, changes.actor, now)
            if changes.task_moves:
                self._revisions.set_states(cursor, changes.task_moves)
            for step in todo:
                step.run(cursor)
            self._audit.append(cursor, changes.acts, now)

        with self._ids.debts() as debts:
            self._write(apply)
        self.definitions_written += bool(changes.definitions or changes.task_moves)

    def commit_together(self, parts: Callable[[], Iterable[Changes]]) -> None:
        """Rows and lines in one transaction, of which only a part is in memory; none when anything raises."""

        def apply(cursor: Cursor) -> None:
            for changes in parts():
                for step in steps(changes, self._statements):
                    step.run(cursor)

        self._write(apply)

    def next_id(self, table: str, count: int = 1, *, owe: bool = False) -> int:
        """The first of ``count`` ids of a table that nobody else gets.

        With ``owe`` they are given although they cannot be reserved right now (a full disk): the next
        ``commit`` does that too, and fails for ever (CONFLICT) should another engine have got them meanwhile.
        """
        return self._ids.take(table, count, owe=owe)

    def skip_ids(self, table: str, last: int) -> None:
        """Never hand out ``last`` or less (a rebuild found them in use)."""
        values = {"name": table, "next": last + 1}
        self._write(lambda cursor: self._statements.skip_ids.run(cursor, values))

    def save_definitions(
        self, raw: Mapping[str, Any], *, actor: str | None = None, states: Mapping[str, str] = _ANY
    ) -> list[SavedDefinition]:
        """A revision for everything in a file's tree that is new or differs; one transaction.

        ``raw`` has the sections of a definition file. A file's ``project`` becomes its tasks'. A task's state
        is what its definition says if it is a new task (else ``init``); of one that is there it stays.
        ``states``: in which tasks must be, else CONFLICT and nothing is written.
        """
        new_items, now = list(items(raw)), self._now()

        def work(cursor: Cursor) -> list[SavedDefinition]:
            saved = self._revisions.save(cursor, new_items, actor, now, states)
            new = [each for each in saved if each.new]
            acts = [_act(actor, "define", f"{each.kind} {each.id}", revision=each.revision) for each in new]
            self._audit.append(cursor, acts, now)
            return saved

        definitions: list[SavedDefinition] = self._write(work)
        self.definitions_written += 1
        return definitions

    def delete_definition(self, kind: str, id: str, *, actor: str | None = None) -> int:
        """Its last revision, which says that it was deleted; MISSING if it is not there. History stays."""
        now = self._now()

        def work(cursor: Cursor) -> int:
            revision = self._revisions.delete(cursor, kind, id, actor, now)
            self._audit.append(cursor, [_act(actor, "delete", f"{kind} {id}", revision=revision)], now)
            return revision

        revision = int(self._write(work))
        self.definitions_written += 1
        return revision

    def set_task_state(
        self, task: str, state: str, *, before: str | None = None, actor: str | None = None
    ) -> None:
        """The life-cycle state of a task, which is in ``before``; MISSING if there is no such task."""
        changes = Changes()
        changes.move_task(task, before, state)
        changes.act(actor or ENGINE, "state", f"task {task}", state=state)
        self.commit(changes)

    def remove_instances(self, ids: Collection[int], outcomes: Collection[int] = ()) -> int:
        """Forget instances with all that belongs to them; how many there were. Statistics stay.

        Of those that are in ``outcomes`` as well their own row stays, with what they waited for.
        """
        given, removed = sorted(ids), 0
        for start in range(0, len(given), _REMOVED_AT_ONCE):
            piece = given[start : start + _REMOVED_AT_ONCE]
            removed += self._write(partial(self._remove, piece, frozenset(outcomes)))
        self._write(partial(self._clear_up, removed=removed, now=self._now()))
        return removed

    def verify(self, instances: Collection[int] | None = None) -> Sequence[Damage]:
        """Everything in the database that is not what was written; reads all, or some instances only."""
        with self._reads() as connection:
            if instances is None:
                return list(damages(self._backend, connection))
            return list(damages_of(self._backend.name, connection, instances))

    def verify_audit(self) -> Sequence[Damage]:
        """Where the chain of the audit is broken; empty when it is whole."""
        with self._reads() as connection:
            return list(broken(rows_of(connection), head_in(connection)))

    def owner(self) -> Owner | None:
        """The workspace that the database belongs to; None before the first one has come."""
        with self._translating(), self._lent.one() as connection:
            cursor = connection.cursor()
            cursor.execute(ownership.READ)
            row = cursor.fetchone()
        return ownership.owner_of(row[0] if row else None)

    def settle_owner(self, decide: ownership.Decide) -> None:
        """Have ``decide`` say, from who it was, who owns it; what it raises goes through."""
        mark = "?" if self._backend.name == "sqlite" else "%s"

        def work(cursor: Cursor) -> None:
            self._backend.lock(cursor, ownership.NAME)
            ownership.settle(cursor, mark, decide)

        self._write(work)

    def alone(self) -> None:
        """Be the only engine on this database until it is closed; Refused (IN_USE) while there is another."""
        if self._backend.name != "sqlite":  # a file has its workspace's lock, even where nothing is writable
            self._writer.alone()

    def close(self) -> None:
        """Wait for commits under way, give unused ids back, let the database go."""
        for table, (first, end) in self._ids.leftovers().items():
            with suppress(SkerryError):  # a gap in the ids is no harm
                self._give_back(table, first, end)
        super().close()  # before the writer: the last to close tidies the WAL away, and readers may not
        self._writer.close()

    def _write(self, work: Work) -> Any:
        if self.read_only:
            raise Refused.at(codes.READ_ONLY, "{where} is open for reading only", self.url)
        return self._writer.run(work)

    def _now(self) -> str:
        return time_text(self._clock.now())

    def _reserve(self, table: str, count: int) -> int:
        return int(self._write(lambda cursor: self._advance(cursor, table, count + 1, count))) - count

    def _advance(self, cursor: Cursor, table: str, end: int, count: int) -> int:
        """The id behind the block: ``end`` if it is the table's first, else ``count`` further than now."""
        self._statements.reserve_ids.run(cursor, {"name": table, "next": end, "count": count})
        return int(cursor.fetchone()[0])

    def _pay(self, cursor: Cursor, debt: Debt) -> None:
        """Reserve ids that were handed out already; never those that another engine reserved since."""
        if self._advance(cursor, debt.table, debt.end, debt.end - debt.first) != debt.end:
            message = "ids of {table} from {first} on were given to another engine"
            raise SkerryError(codes.CONFLICT, message, where=self.url, table=debt.table, first=debt.first)

    def _next_reserved(self, table: str) -> int:
        found = self._all(sa.select(schema.id_block.c.next).where(schema.id_block.c.name == table))
        return int(found[0][0]) if found else 1

    def _give_back(self, table: str, first: int, end: int) -> None:
        values = {"of_name": table, "of_next": end, "next": first}
        self._write(lambda cursor: self._statements.return_ids.run(cursor, values))

    def _remove(self, ids: Sequence[int], outcomes: Collection[int], cursor: Cursor) -> int:
        for id_ in ids:
            low, high = schema.line_id(id_, 0), schema.line_id(id_ + 1, 0)
            self._statements.remove_lines.run(cursor, {"low": low, "high": high})
            self._statements.remove_exceptions.run(cursor, {"of_instance": id_})
            self._statements.remove_alerts.run(cursor, {"of_instance": id_})
        removed = 0
        for id_ in ids:
            if id_ in outcomes:
                removed += self._keep_outcome(id_, cursor)
                continue
            self._statements.remove_instance.run(cursor, {"of_id": id_})
            removed += cursor.rowcount
        return removed

    def _keep_outcome(self, id_: int, cursor: Cursor) -> int:
        self._statements.remove_runs.run(cursor, {"of_instance": id_})
        self._statements.remove_jobs.run(cursor, {"of_instance": id_})
        without = self._statements.update("instance", ("directory",))
        cursor.execute(without.sql, (*without.in_order({"directory": None}), id_))
        return int(cursor.rowcount)

    def _clear_up(self, cursor: Cursor, removed: int, now: str) -> None:
        if removed:
            self._audit.append(cursor, [_act(None, "remove", "instances", count=removed)], now)
        self._statements.remove_snapshots.run(cursor, {})
        self._backend.tidy(cursor)
