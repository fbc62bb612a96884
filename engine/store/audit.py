"""The audit: one row for each thing that a person or a bundle changed, chained by hashes.

A row's hash is over the hash of the row before it and its own values; the head (how many rows, the last
hash) is beside it. Whoever edits, removes, swaps or adds a row, or cuts the end off, breaks the chain.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, fields
from hashlib import sha256
from typing import Any, NamedTuple

import sqlalchemy as sa

from engine.store.backend import Backend, Cursor
from engine.store.encoding import json_text
from engine.store.rows import Act, AuditRow, Damage
from engine.store.schema import audit, meta
from engine.store.statements import Statements

HEAD = "audit_head"  # in meta: [seq, hash] of the last row
FIRST = "0" * 64  # what the first row follows
_COLUMNS = tuple(each.name for each in fields(AuditRow))


class Head(NamedTuple):
    """The end of the chain."""

    seq: int = 0
    hash: str = FIRST


def link(before: str, *values: Any) -> str:
    """The hash of a row that follows the one with the hash ``before``."""
    line = json.dumps([before, *values], ensure_ascii=False, default=repr)  # damaged ones may be no texts
    return sha256(line.encode("utf-8", "replace")).hexdigest()


def broken(rows: Iterable[AuditRow], head: Head | None) -> Iterator[Damage]:
    """Where the chain does not hold; nothing when it is whole up to its head."""
    last = Head()
    for row in rows:
        if row.seq != last.seq + 1:
            yield Damage("audit", (row.seq,), f"it follows row {last.seq}: something was removed")
        *values, own = astuple(row)
        if link(last.hash, *values) != own:
            yield Damage("audit", (row.seq,), "the row is not what was written, or follows another one")
        last = Head(row.seq, own)
    if head is None or last != head:
        how = "the head is missing" if head is None else f"the last row should be {head.seq}, not {last.seq}"
        yield Damage("audit", (last.seq,), f"the end is not what was written: {how}")


class Audit:
    """Writes rows within a transaction; ``now`` is a text of ``rows.time_text``."""

    def __init__(self, backend: Backend, statements: Statements) -> None:
        self._backend = backend
        self._add = statements.insert("audit", _COLUMNS)
        self._head = statements.compile(sa.select(meta.c.value).where(meta.c.name == sa.bindparam("of_name")))
        self._last = statements.compile(sa.select(sa.func.max(audit.c.seq)))
        self._put_head = statements.compile(
            sa.update(meta).where(meta.c.name == sa.bindparam("of_name")).values(value=sa.bindparam("value"))
        )

    def append(self, cursor: Cursor, acts: Sequence[Act], now: str) -> None:
        """Add rows to the end of the chain; two engines take turns."""
        if not acts:
            return
        self._backend.lock(cursor, "audit")
        head, rows = self._end(cursor), []
        for act in acts:
            values = (head.seq + 1, now, act.actor, act.action, act.subject, json_text(act.details))
            head = Head(head.seq + 1, link(head.hash, *values))
            rows.append(self._add.in_order(dict(zip(_COLUMNS, (*values, head.hash), strict=True))))
        cursor.executemany(self._add.sql, rows)
        self._put_head.run(cursor, {"of_name": HEAD, "value": json.dumps(head)})

    def _end(self, cursor: Cursor) -> Head:
        """What the next row follows. Where the head is damaged the chain goes on, but stays broken there."""
        self._head.run(cursor, {"of_name": HEAD})
        found = cursor.fetchone()
        head = _read(found[0] if found else None)
        self._last.run(cursor, {})
        last = cursor.fetchone()[0] or 0
        return head if head is not None and head.seq >= last else Head(last, link("damaged", repr(found)))


def begin(cursor: Cursor) -> None:
    cursor.execute(f"INSERT INTO meta (name, value) VALUES ('{HEAD}', '{json.dumps(Head())}')")


def rows_of(connection: sa.Connection, after: int = 0, limit: int | None = None) -> Iterator[AuditRow]:
    """Rows behind ``after`` in their order."""
    query = sa.select(audit).where(audit.c.seq > after).order_by(audit.c.seq).limit(limit)
    for row in connection.execute(query):
        yield AuditRow(*row)


def head_in(connection: sa.Connection) -> Head | None:
    """The head as it is kept; None when it is not there or no head."""
    found = connection.execute(sa.select(meta.c.value).where(meta.c.name == HEAD)).scalar()
    return _read(found)


def _read(text: Any) -> Head | None:
    try:
        seq, hash = json.loads(text)
    except (ValueError, TypeError):
        return None
    return Head(seq, hash) if isinstance(seq, int) and isinstance(hash, str) else None
