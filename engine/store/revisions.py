"""Definitions and their revisions: a file is compared with what is current, and only differences are new."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from engine.model.codes import store as codes
from engine.model.errors import Refused, SkerryError
from engine.model.message import Message
from engine.model.names import SECTIONS
from engine.store.backend import Backend, Cursor
from engine.store.changes import Placed, TaskMove
from engine.store.encoding import content_hash, json_text
from engine.store.schema import definition, definition_revision
from engine.store.statements import Statements, given

_KINDS = {section: kind for kind, section in SECTIONS.items()} | {"errors": "error"}


class SavedDefinition(NamedTuple):
    """What became of one definition: ``new`` is False where it is identical to the current one."""

    kind: str
    id: str
    revision: int
    new: bool


class LoadItem(NamedTuple):
    """One definition of a file; ``position`` is its place among those of its kind."""

    kind: str
    id: str
    content: Any
    project: str | None
    position: int


class _Head(NamedTuple):
    """The current state of one definition; ``hash`` None: it was deleted."""

    revision: int
    hash: str | None
    state: str | None


def items(raw: Mapping[str, Any]) -> Iterator[LoadItem]:
    """Everything in a file's tree that has revisions. A rule without an ``id`` gets one from its content."""
    project = raw.get("project")
    for section, kind in _KINDS.items():
        for position, (id_, content) in enumerate((raw.get(section) or {}).items()):
            yield _item(kind, str(id_), content, project, position)
    for position, rule in enumerate(raw.get("rules") or ()):
        id_ = str(rule.get("id") or content_hash(json_text(rule))[:12])
        yield LoadItem("rule", id_, rule, project, position)


def _item(kind: str, id_: str, content: Any, project: str | None, position: int) -> LoadItem:
    """A file's project is written into its tasks, so that a dump of them says the same."""
    if kind == "task" and isinstance(content, Mapping):
        if project is not None and "project" not in content:
            content = {**content, "project": project}
        project = content.get("project")
    return LoadItem(kind, id_, content, project, position)


class Revisions:
    """Writes revisions within a transaction; ``now`` is a text of ``rows.time_text``."""

    def __init__(self, backend: Backend, statements: Statements) -> None:
        self._backend = backend
        compiled = statements.compile
        self._heads = compiled(sa.select(*(definition.c[name] for name in ("kind", "id", *_Head._fields))))
        one = [definition.c.kind == sa.bindparam("of_kind"), definition.c.id == sa.bindparam("of_id")]
        self._head = compiled(sa.select(*(definition.c[name] for name in _Head._fields)).where(*one))
        self._set_state = compiled(sa.update(definition).where(*one).values(state=sa.bindparam("state")))
        self._move = compiled(sa.update(definition).where(*one).values(position=sa.bindparam("position")))
        self._put_head = compiled(_put_head(backend))
        self._add = compiled(given(sa.insert(definition_revision)))

    def save(
        self,
        cursor: Cursor,
        definitions: Iterable[LoadItem],
        actor: str | None,
        now: str,
        states: Mapping[str, str],
    ) -> list[SavedDefinition]:
        """A new revision for each item that differs from the current one.

        ``states``: those in which tasks must be, else CONFLICT.
        """
        self._backend.lock(cursor, "definitions")
        self._heads.run(cursor, {})
        heads = {(kind, id_): _Head(*rest) for kind, id_, *rest in cursor.fetchall()}
        for task, state in states.items():
            _insist(task, heads["task", task].state, state)
        return [self._save(cursor, item, heads.get((item.kind, item.id)), actor, now) for item in definitions]

    def place(self, cursor: Cursor, definitions: Iterable[Placed], actor: str | None, now: str) -> None:
        """Each as it is to be; CONFLICT when another revision is current than the one expected."""
        self._backend.lock(cursor, "definitions")
        for each in definitions:
            self._head.run(cursor, {"of_kind": each.kind, "of_id": each.id})
            found = cursor.fetchone()
            head = _Head(*found) if found is not None else _Head(0, None, None)
            other_state = each.before not in (None, head.state)
            if other_state or (head.revision if head.hash else None) != each.expected:
                message = "{kind} {where} was changed by someone else meanwhile"
                raise Refused.at(codes.CONFLICT, message, each.id, kind=Message.of(each.kind))
            text = None if each.content is None else json_text(each.content)
            fresh = _Head(head.revision + 1, content_hash(text) if text is not None else None, each.state)
            item = LoadItem(each.kind, each.id, None, each.project, each.position)
            self._write(cursor, item, fresh, text, actor, now)

    def delete(self, cursor: Cursor, kind: str, id_: str, actor: str | None, now: str) -> int:
        """A last revision without content."""
        self._backend.lock(cursor, "definitions")
        head = self._standing(cursor, kind, id_)
        state = "deleted" if kind == "task" else None
        gone = LoadItem(kind, id_, None, None, 0)
        return self._write(cursor, gone, _Head(head.revision + 1, None, state), None, actor, now)

    def set_states(self, cursor: Cursor, moves: Sequence[TaskMove]) -> None:
        """Other states of tasks; CONFLICT when one is not in ``before`` (None: whatever it is in)."""
        self._backend.lock(cursor, "definitions")
        for move in moves:
            found = self._standing(cursor, "task", move.task).state
            if move.before is not None:
                _insist(move.task, found, move.before)
        rows = ({"of_kind": "task", "of_id": move.task, "state": move.after} for move in moves)
        cursor.executemany(self._set_state.sql, [self._set_state.in_order(row) for row in rows])

    def _standing(self, cursor: Cursor, kind: str, id_: str) -> _Head:
        self._head.run(cursor, {"of_kind": kind, "of_id": id_})
        found = cursor.fetchone()
        if found is None or found[1] is None:
            raise SkerryError.at(codes.MISSING, "there is no {kind} {where}", id_, kind=Message.of(kind))
        return _Head(*found)

    def _save(
        self, cursor: Cursor, item: LoadItem, head: _Head | None, actor: str | None, now: str
    ) -> SavedDefinition:
        text = json_text(item.content)
        name = content_hash(text)
        if head and head.hash == name:
            where = {"of_kind": item.kind, "of_id": item.id, "position": item.position}
            self._move.run(cursor, where)
            return SavedDefinition(item.kind, item.id, head.revision, new=False)
        revision = head.revision + 1 if head else 1
        self._write(cursor, item, _Head(revision, name, _state(item, head)), text, actor, now)
        return SavedDefinition(item.kind, item.id, revision, new=True)

    def _write(
        self, cursor: Cursor, item: LoadItem, head: _Head, text: str | None, actor: str | None, now: str
    ) -> int:
        values = {**item._asdict(), **head._asdict(), "content": text, "actor": actor, "created_at": now}
        self._put_head.run(cursor, values)
        self._add.run(cursor, values)
        return head.revision


def _insist(task: str, found: str | None, before: str) -> None:
    if found != before:
        message = "task {where!r} is {found}, no longer {before}"
        raise Refused.at(
            codes.CONFLICT, message, task, found=Message.of(str(found)), before=Message.of(before)
        )


def _state(item: LoadItem, head: _Head | None) -> str | None:
    if item.kind != "task":
        return None
    if head and head.hash:
        return head.state
    given = item.content.get("state") if isinstance(item.content, Mapping) else None
    return given or "init"


def _put_head(backend: Backend) -> Any:
    statement = given(backend.upsert(definition))
    names = ("revision", "hash", "project", "state", "position")
    changed = {name: statement.excluded[name] for name in names}
    return statement.on_conflict_do_update(index_elements=["kind", "id"], set_=changed)
