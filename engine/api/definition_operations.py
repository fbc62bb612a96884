"""What an engine in this process does about definitions: stored, checked, amended, deleted, switched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.api.documents import Document, Kind, Loaded, Source
from engine.api.examine import Examiner
from engine.api.reading import StoreReader
from engine.definitions.writer import dump
from engine.model.codes.commands import DEFINITION_IN_USE
from engine.model.codes.desk import FIX_INVALID, NOT_AS_SHOWN
from engine.model.errors import Refused
from engine.model.findings import finding_document
from engine.model.message import Message, facts_of
from engine.model.names import sections_of
from engine.model.states import TaskState
from engine.runtime.library import references

if TYPE_CHECKING:
    from engine.runtime.engine import Engine
    from engine.runtime.interventions.amendment import Amendment


class DefinitionOperations(StoreReader):
    """See ``engine.api.service.Service``."""

    def __init__(self, engine: Engine, actor: str, examiner: Examiner) -> None:
        super().__init__(engine.store, engine.workspace)
        self._engine = engine
        self._actor = actor
        self._examiner = examiner

    def load(self, sources: Sequence[Source]) -> list[Loaded]:
        raw = self._examiner.valid(sources, among_others=True).raw
        saved = self._engine.task_changes.load(raw, self._actor)
        self._engine.scheduler.look_soon()
        return [Loaded(kind=s.kind, id=s.id, revision=s.revision, changed=s.new) for s in saved]

    def warnings(self, sources: Sequence[Source]) -> list[Document]:
        found = self._examiner.examined(sources).findings
        return [
            finding_document(each) | {"message_facts": facts_of(each.message)}
            for each in found
            if each.severity == "warning"
        ]

    def delete(self, kind: Kind, id: str) -> Document:
        if kind == "task":
            return self.set_state(id, TaskState.DELETED)
        self.known(kind, id)
        if users := sorted(self._users(kind, id)):
            message = "{kind} {where!r} is used by {users}"
            raise Refused.at(DEFINITION_IN_USE, message, id, kind=Message.of(kind), users=", ".join(users))
        revision = self._store.delete_definition(kind, id, actor=self._actor)
        return {"kind": kind, "id": id, "revision": revision}

    def _users(self, kind: str, id: str) -> set[str]:
        """What names a definition: ``task nightly``."""
        return {
            f"{other} {row.id}"
            for other in ("job", "task")
            for row in self._store.definitions(other)
            if (kind, id) in set(references(other, row.content))
        }

    def set_state(self, task: str, state: str) -> Document:
        before = self._store.history("task", task)
        moved = self.move_tasks([task], state)
        return {"kind": "task", "id": task, "state": state, "revision": before[0].revision, **moved}

    def move_tasks(self, tasks: Sequence[str], state: str, dry_run: bool = False) -> Document:
        wanted, changes = list(dict.fromkeys(tasks)), self._engine.task_changes
        done = changes.preview(wanted, state) if dry_run else changes.move(wanted, state, self._actor)
        if not dry_run:
            self._engine.scheduler.wait_until_made()
        return {"tasks": done.document()}

    def enable_rule(self, id: str, enabled: bool) -> Document:
        """See ``Service``; all rules are written, so that they keep their order."""
        self.known("rule", id)
        rules = self._store.raw_definitions().get("rules", [])
        changed = [{**each, "enabled": enabled} if str(each["id"]) == id else each for each in rules]
        saved = self._store.save_definitions({"rules": changed}, actor=self._actor)
        revision = next(each.revision for each in saved if each.id == id)
        return {"rule": id, "enabled": enabled, "revision": revision}

    def amend(self, package: Document, dry_run: bool = False) -> Document:
        if self._engine.packages is None:
            raise Refused(FIX_INVALID, "this engine was made without what verifies packages")
        amendment, seen = self._engine.packages.verified(package, self._store)
        if not dry_run and package.get("seen") != seen:
            message = "what would be applied now has the hash {seen}"
            raise Refused(NOT_AS_SHOWN, message, where=amendment.id, seen=seen)
        return self.amend_verified(amendment, dry_run)

    def amend_verified(self, amendment: Amendment, dry_run: bool = False) -> Document:
        """The same of an amendment that was verified in this process."""
        self._engine.task_changes.verify(amendment)
        self._examine(amendment)
        if dry_run:
            return {"id": amendment.id, "kind": amendment.kind, "applied_at": None}
        applied = self._engine.amend(amendment, self._actor)
        self._engine.scheduler.look_soon()
        return applied

    def _examine(self, amendment: Amendment) -> None:
        """The definitions as a file of their own, with the stored ones around them."""
        tree = sections_of({(new.kind, new.id): new.content for new in amendment.definitions})
        if tree:
            text = dump({"skerry": 1, **tree})
            self._examiner.valid([{"name": amendment.kind, "text": text}], among_others=True)

    def take_back(self, id: str, reason: str) -> Document:
        undone = self._engine.take_back(id, reason, self._actor)
        self._engine.scheduler.look_soon()
        return undone
