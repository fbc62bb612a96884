"""Exceptions, alerts and handling rules as a service; the same three ways as the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from engine.api import trouble_views as views
from engine.api.documents import Document
from engine.api.no_engine import refuse
from engine.api.once import Once
from engine.api.views import utc
from engine.model.codes.commands import NO_SUCH_DEFINITION
from engine.model.codes.recovery import NO_SUCH_EXCEPTION
from engine.model.errors import Invalid
from engine.store.port import ExceptionFilter

if TYPE_CHECKING:
    from engine.planning.outline import Outline
    from engine.runtime.engine import Engine
    from engine.runtime.workspace import Workspace
    from engine.store.port import Store
    from engine.store.rows import DefinitionRow, ExceptionRow, InstanceRow

_PAGE = 500


@dataclass(frozen=True, slots=True)
class ExceptionQuery:
    """Which exceptions; everything given must hold. A ``code`` that ends in zeros covers all below it."""

    instance: int | None = None
    task: str | None = None
    code: int | None = None
    status: str | None = None  # open or handled
    since: str | None = None  # aware ISO 8601
    limit: int = 100


class TroubleService(Protocol):
    """What went wrong, what was done about it by itself, and what a person does."""

    def exceptions(self, query: ExceptionQuery) -> list[Document]:
        """The newest first."""

    def exception(self, id: int) -> Document:
        """One with its place in the context, what lives of it, and the ``commands`` that help."""

    def handle(self, exception: int, answer: str | None, reason: str) -> Document:
        """Close an exception; ``answer`` (retry, skip, succeed, fail, discard) lets a waiting job go on."""

    def alerts(self, instance: int | None = None, seen: bool = False, limit: int = 100) -> list[Document]:
        """What recovery and rules have raised, the newest first; with ``seen`` also what somebody saw."""

    def acknowledge(self, alerts: Sequence[int] | None) -> Document:
        """Somebody has seen these (None: all): ``{"acknowledged": [id, …]}``."""

    def enable_rule(self, id: str, enabled: bool) -> Document:
        """Switch a rule on or off: a new revision of it."""

    def test_rule(self, id: str, limit: int = 1000) -> Document:
        """Which of the newest exceptions it would have matched: ``{"rule", "looked_at", "matched"}``."""


class LocalTroubles(Once):
    """Of an engine in this process."""

    _engine: Engine
    _store: Store
    _actor: str

    def handle(self, exception: int, answer: Any, reason: str) -> Document:
        """See ``TroubleService``."""
        asked = ["handle", exception, answer, reason]
        act = partial(self._engine.handle, exception, answer, reason, self._actor)
        return self._once(asked, act)

    def acknowledge(self, alerts: Sequence[int] | None) -> Document:
        """See ``TroubleService``."""
        ids = None if alerts is None else list(alerts)
        act = partial(self._engine.acknowledge, ids, self._actor)
        return {"acknowledged": self._once(["acknowledge", ids], act)}

    def enable_rule(self, id: str, enabled: bool) -> Document:
        """See ``TroubleService``; all rules are written, so that they keep their order."""
        return self._once(["rule", id, enabled], lambda: self._enable_rule(id, enabled))

    def _enable_rule(self, id: str, enabled: bool) -> Document:
        _rule(self._store, id)
        rules = self._store.raw_definitions().get("rules", [])
        changed = [{**each, "enabled": enabled} if str(each["id"]) == id else each for each in rules]
        saved = self._store.save_definitions({"rules": changed}, actor=self._actor)
        revision = next(each.revision for each in saved if each.id == id)
        return {"rule": id, "enabled": enabled, "revision": revision}


class TroubleClient:
    """Of an engine in another process."""

    _ask: Callable[..., Document]
    _list: Callable[..., list[Any]]

    def exceptions(self, query: ExceptionQuery) -> list[Document]:
        """See ``TroubleService``."""
        return self._list("GET", "/v1/exceptions", asdict(query))

    def exception(self, id: int) -> Document:
        """See ``TroubleService``."""
        return self._ask("GET", f"/v1/exceptions/{id}")

    def handle(self, exception: int, answer: str | None, reason: str) -> Document:
        """See ``TroubleService``."""
        body = {"answer": answer, "reason": reason}
        return self._ask("POST", f"/v1/exceptions/{exception}/handle", body=body, patience=None)

    def alerts(self, instance: int | None = None, seen: bool = False, limit: int = 100) -> list[Document]:
        """See ``TroubleService``."""
        query = {"instance": instance, "seen": str(seen).lower(), "limit": limit}
        return self._list("GET", "/v1/alerts", query)

    def acknowledge(self, alerts: Sequence[int] | None) -> Document:
        """See ``TroubleService``."""
        body = {"alerts": None if alerts is None else list(alerts)}
        return self._ask("POST", "/v1/alerts/acknowledge", body=body, patience=None)

    def enable_rule(self, id: str, enabled: bool) -> Document:
        """See ``TroubleService``."""
        return self._ask("PUT", f"/v1/rules/{_part(id)}/enabled", body={"enabled": enabled}, patience=None)

    def test_rule(self, id: str, limit: int = 1000) -> Document:
        """See ``TroubleService``."""
        return self._ask("GET", f"/v1/rules/{_part(id)}/test", {"limit": limit}, patience=None)


class TroubleReader:
    """What the store tells, with an engine or without."""

    _store: Store
    _workspace: Workspace
    _outline: Callable[[InstanceRow], Outline]

    def exceptions(self, query: ExceptionQuery) -> list[Document]:
        """See ``TroubleService``."""
        wanted = ExceptionFilter(query.instance, query.task, query.code, query.status, utc(query.since))
        rows = self._store.exceptions(wanted, limit=query.limit)
        return [views.exception_document(row, self._workspace.zone) for row in rows]

    def exception(self, id: int) -> Document:
        """See ``TroubleService``."""
        from engine.runtime.reruns.preparation import living

        row = self._store.exception(id)
        if row is None:
            raise Invalid(NO_SUCH_EXCEPTION, f"there is no exception {id}", where=str(id))
        job = self._store.job(row.job_instance) if row.job_instance is not None else None
        instance = self._store.instance(row.instance) if row.instance is not None else None
        found = views.Found(row, job, instance)
        if instance is not None and row.node is not None:
            before = self._outline(instance).parents.get(views.node_of(row.node), ())
            jobs = self._store.jobs(instance.id) if before else []
            found = found._replace(before=tuple(each for each in jobs if each.node in before))
        pids = living(self._store, job) if job is not None and job.status in ("lost", "retrying") else ()
        return views.whole_exception(found, pids, self._workspace.zone, self._workspace.root)

    def alerts(self, instance: int | None = None, seen: bool = False, limit: int = 100) -> list[Document]:
        """See ``TroubleService``."""
        rows = self._store.alerts(instance=instance, acknowledged=None if seen else False, limit=limit)
        return [views.alert_document(row, self._workspace.zone) for row in rows]

    def test_rule(self, id: str, limit: int = 1000) -> Document:
        """See ``TroubleService``; what the job's own retry took care of never came to a rule."""
        from engine.model.rules import Rule
        from engine.planning.handling import matches

        rule = Rule.model_validate(_rule(self._store, id).content)
        seen, matched = 0, []
        for row in self._newest(limit):
            seen += 1
            if row.handled_by != "retry" and matches(rule, self._trouble(row)):
                matched.append(views.exception_document(row, self._workspace.zone))
        return {"rule": id, "looked_at": seen, "matched": matched}

    def _newest(self, limit: int) -> Iterator[ExceptionRow]:
        before: int | None = None
        while limit > 0 and (page := self._store.exceptions(before=before, limit=min(limit, _PAGE))):
            yield from page
            before, limit = page[-1].id, limit - len(page)

    def _trouble(self, row: ExceptionRow) -> Any:
        from engine.planning.handling import Trouble
        from engine.runtime.run_state.origins import origin_of

        trigger = origin_of(self._store, row.instance or 0, row.run or 0)
        return Trouble(row.code, row.message, row.task or "", row.job, row.node, str(trigger))


class ClosedTroubles:
    """While no engine runs nothing is answered, seen or switched."""

    def handle(self, exception: int, answer: str | None, reason: str) -> Document:
        """Refused."""
        refuse(f"handle exception {exception}")

    def acknowledge(self, alerts: Sequence[int] | None) -> Document:
        """Refused."""
        refuse("acknowledge alerts")

    def enable_rule(self, id: str, enabled: bool) -> Document:
        """Refused."""
        refuse(f"switch rule {id!r}")


def _rule(store: Store, id: str) -> DefinitionRow:
    row = store.definition("rule", id)
    if row is None:
        raise Invalid(NO_SUCH_DEFINITION, f"there is no rule {id!r} in the workspace", where=id)
    return row


def _part(id: str) -> str:
    from urllib.parse import quote

    return quote(id, safe="")
