"""The service of an engine in this process."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.api.amending import LocalAmending
from engine.api.cleaning import LocalCleaning
from engine.api.documents import Document, Kind, Loaded, RunDocument, Source
from engine.api.examine import Examined, Find, examine, only_task
from engine.api.lifecycle import check_move, check_online
from engine.api.probing import Probe
from engine.api.queueing import LocalQueue
from engine.api.reading import StoreReader
from engine.api.repairing import LocalRepairs
from engine.api.service import RunRequest
from engine.api.streams import LocalStream
from engine.api.troubles import LocalTroubles
from engine.api.unlocking import LocalUnlock
from engine.model.codes.commands import DEFINITION_IN_USE
from engine.model.errors import Refused
from engine.model.findings import finding_document
from engine.model.states import TaskState
from engine.runtime.interventions.typed_values import value_like
from engine.runtime.library import references
from engine.runtime.submission import Submission

if TYPE_CHECKING:
    from engine.model.definitions import Definitions
    from engine.runtime.engine import Engine


_LONG = 2  # seconds for one turn of the engine's loop: nobody else is answered meanwhile


class LocalService(
    LocalAmending, LocalCleaning, LocalQueue, LocalRepairs, LocalTroubles, LocalUnlock, StoreReader
):
    """See ``engine.api.service.Service``; every method may be called from any thread."""

    def __init__(self, engine: Engine, actor: str | None = None) -> None:
        super().__init__(engine.store, engine.workspace)
        self._engine = engine
        self._actor = actor or user()
        self._looked_at: tuple[Sequence[Source], Examined] | None = None  # the latest

    def about(self) -> Document:
        """See ``Service``."""
        services = self._engine.services
        found = services.write_stall
        busy = int(services.loop.turn_lasts)
        told = {"trouble": services.stall_reason, "hold_up": found and found.to_json()}
        return {**super().about(), **told, "busy_for": busy if busy >= _LONG else None}

    # -- definitions ---------------------------------------------------------------------------

    def load(self, sources: Sequence[Source]) -> list[Loaded]:
        """See ``Service``."""
        asked = ["load", [dict(each) for each in sources]]
        return self._once(asked, lambda: self._load(sources))

    def _load(self, sources: Sequence[Source]) -> list[Loaded]:
        raw = self._read(sources, self._standing).raw
        for id, tree in raw.get("tasks", {}).items():
            standing = self._store.definition("task", id)
            if standing is not None:
                check_online(id, standing.state, standing.content or {}, tree)
        saved = self._store.save_definitions(raw, actor=self._actor)
        return [Loaded(kind=s.kind, id=s.id, revision=s.revision, changed=s.new) for s in saved]

    def delete(self, kind: Kind, id: str) -> Document:
        """See ``Service``."""
        if kind == "task":
            return self.set_state(id, TaskState.DELETED)
        return self._once(["delete", kind, id], lambda: self._delete(kind, id))

    def _delete(self, kind: Kind, id: str) -> Document:
        self._definition(kind, id)
        users = sorted(self._users(kind, id))
        if users:
            raise Refused(DEFINITION_IN_USE, f"{kind} {id!r} is used by {', '.join(users)}", where=id)
        revision = self._store.delete_definition(kind, id, actor=self._actor)
        return {"kind": kind, "id": id, "revision": revision}

    def set_state(self, task: str, state: str) -> Document:
        """See ``Service``."""
        return self._once(["state", task, state], lambda: self._set_state(task, state))

    def _set_state(self, task: str, state: str) -> Document:
        row = self._definition("task", task)
        wanted = TaskState(state)
        check_move(task, row.state, wanted, row.content or {})
        if wanted is TaskState.DELETED:
            self._store.delete_definition("task", task, actor=self._actor)
        else:
            self._store.set_task_state(task, wanted, actor=self._actor)
        return {"kind": "task", "id": task, "state": str(wanted), "revision": row.revision}

    def _read(self, sources: Sequence[Source], standing: Find | None = None) -> Definitions:
        return self._look_at(sources, standing).valid()

    def warnings(self, sources: Sequence[Source]) -> list[Document]:
        """See ``Service``."""
        latest = self._looked_at
        found = latest[1] if latest and latest[0] == sources else self._look_at(sources, self._standing)
        return [finding_document(each) for each in found.findings if each.severity == "warning"]

    def _look_at(self, sources: Sequence[Source], standing: Find | None) -> Examined:
        services = self._engine.services
        found = examine(sources, services.job_types, services.resource_types, standing)
        self._looked_at = sources, found
        return found

    def _standing(self, kind: str, id: str) -> Any:
        row = self._store.definition(kind, id)
        return row.content if row else None

    def _users(self, kind: str, id: str) -> set[str]:
        """What names a definition: ``task nightly``."""
        return {
            f"{other} {row.id}"
            for other in ("job", "task")
            for row in self._store.definitions(other)
            if (kind, id) in set(references(other, row.content))
        }

    # -- instances -----------------------------------------------------------------------------

    def run(self, request: RunRequest) -> int:
        """See ``Service``."""
        names = [sorted(given) for given in (request.params, request.texts)]
        sources = None if request.sources is None else [dict(each) for each in request.sources]
        return self._once(["run", request.task, sources, names], lambda: self._run(request))

    def _run(self, request: RunRequest) -> int:
        definitions = None if request.sources is None else self._read(request.sources)
        task = request.task if definitions is None else only_task(definitions, request.task)
        return self._engine.submit(
            Submission(
                task or "",
                definitions,
                params=request.params,
                text_params=request.texts,
                folder=request.folder,
                actor=self._actor,
            )
        )

    def instance(self, instance: int) -> RunDocument:
        """See ``Service``; the instance's files are current too when this returns."""
        self._engine.sync(instance)
        return super().instance(instance)

    def context(self, instance: int, at: int | None = None) -> Document:
        """See ``Service``; the instance's files are current too when this returns."""
        self._engine.sync(instance)
        return super().context(instance, at)

    def set_value(self, instance: int, path: str, text: str, reason: str) -> Document:
        """See ``Service``."""
        asked = ["set", instance, path, reason]
        return self._once(asked, lambda: self._set_value(instance, path, text, reason))

    def _set_value(self, instance: int, path: str, text: str, reason: str) -> Document:
        path = self._engine.place(instance, path)
        value: Any = value_like(self.context(instance), path, text)
        return self._engine.set_value(instance, path, value, reason, self._actor)

    def cancel(self, instance: int, node: str | None = None) -> Document:
        """See ``Service``."""
        asked = ["cancel", instance, node]
        return self._once(asked, lambda: self._engine.cancel(instance, node, self._actor))

    def check_resource(self, id: str, params: Mapping[str, str]) -> Document:
        """See ``Service``."""
        services = self._engine.services
        probe = Probe(services.resource_types, services.secret, self._workspace)
        return probe.check(id, self._definition("resource", id).content, params)

    def events(self, instance: int | None = None) -> LocalStream:
        """See ``Service``."""
        return LocalStream(self._engine.subscribe(), instance)

    def idle(self) -> bool:
        """Whether the engine has nothing to do."""
        return self._engine.idle()


def user() -> str:
    """Who asks: the account that this process runs as."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name
        return "operator"
