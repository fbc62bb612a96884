"""Exceptions, alerts and handling rules as the store has them, with an engine or without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from engine.api import trouble_views as views
from engine.api.documents import Document, ExceptionQuery
from engine.api.faults import no_definition
from engine.api.service import Service
from engine.api.views import utc
from engine.model.codes.commands import WRONG_USE
from engine.model.codes.recovery import NO_SUCH_EXCEPTION
from engine.model.errors import Invalid
from engine.model.plain_words import wording
from engine.planning.outline import Outline, outline_in
from engine.runtime.run_state.origins import origin_of
from engine.store.filters import ExceptionFilter

if TYPE_CHECKING:
    from engine.runtime.workspace import Workspace
    from engine.store.rows import DefinitionRow, ExceptionRow, InstanceRow
    from engine.store.sql_store import Store

_PAGE = 500


class TroubleReader(Service):
    """The part of ``engine.api.service.Service`` that reads these."""

    def __init__(self, store: Store, workspace: Workspace) -> None:
        self._store = store
        self._workspace = workspace

    def exceptions(self, query: ExceptionQuery) -> list[Document]:
        which = ExceptionFilter(query.instance, query.task, query.code, query.status, utc(query.since))
        rows = self._store.exceptions(which, limit=query.limit)
        return [views.exception_document(row, self._workspace.zone) for row in rows]

    def exception(self, id: int) -> Document:
        from engine.runtime.reruns.preparation import living

        row = self._store.exception(id)
        if row is None:
            raise Invalid.at(NO_SUCH_EXCEPTION, "there is no exception {where}", id)
        job = self._store.job(row.job_instance) if row.job_instance is not None else None
        instance = self._store.instance(row.instance) if row.instance is not None else None
        found = views.FoundException(row, job, instance)
        if instance is not None and row.node is not None:
            before = self._outline(instance).parents.get(views.node_of(row.node), ())
            jobs = self._store.jobs(instance.id) if before else []
            found = found._replace(before=tuple(each for each in jobs if each.node in before))
        pids = living(self._store, job) if job is not None and job.status in ("lost", "retrying") else ()
        return views.whole_exception(found, pids, self._workspace.zone, self._workspace.root)

    def alerts(self, instance: int | None = None, seen: bool = False, limit: int = 100) -> list[Document]:
        rows = self._store.alerts(instance=instance, acknowledged=None if seen else False, limit=limit)
        return [views.alert_document(row, self._workspace.zone) for row in rows]

    def test_rule(self, id: str, limit: int = 1000) -> Document:
        return self.try_rule(self.known("rule", id).content, limit)

    def try_rule(self, rule: Document, limit: int = 1000) -> Document:
        """See ``Service``; what the job's own retry took care of never came to a rule."""
        from engine.model.rules import Rule
        from engine.planning.handling import matches

        try:
            model = Rule.model_validate(rule)
        except ValueError as error:
            raise Invalid(WRONG_USE, wording(error), where="rule") from error
        seen, matched = 0, []
        for row in self._newest(limit):
            seen += 1
            if row.handled_by != "retry" and matches(model, self._trouble(row)):
                matched.append(views.exception_document(row, self._workspace.zone))
        return {"rule": model.id, "looked_at": seen, "matched": matched}

    def _newest(self, limit: int) -> Iterator[ExceptionRow]:
        before: int | None = None
        while limit > 0 and (page := self._store.exceptions(before=before, limit=min(limit, _PAGE))):
            yield from page
            before, limit = page[-1].id, limit - len(page)

    def _trouble(self, row: ExceptionRow) -> Any:
        from engine.planning.handling import Trouble

        trigger = origin_of(self._store, row.instance or 0, row.run or 0)
        return Trouble(row.code, row.message, row.task or "", row.job, row.node, str(trigger))

    def known(self, kind: str, id: str, revision: int | None = None) -> DefinitionRow:
        """A definition; Invalid when there is none, or not this revision of it."""
        row = self._store.definition(kind, id, revision)
        if row is None:
            raise no_definition(kind, id, revision)
        return row

    def _outline(self, row: InstanceRow) -> Outline:
        raw = self._store.snapshot(row.id, row.run)
        return outline_in(raw, row.task) if raw else Outline()
