"""Whether what a key brings stays within the projects that it is trusted for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from engine.model.codes.bundles import NOT_ALLOWED
from engine.model.errors import Refused

if TYPE_CHECKING:
    from engine.runtime.interventions.amendment import NewDefinition
    from engine.store.port import Store
    from export_import.trust import TrustedKey


def insist_on_projects(
    key: TrustedKey | None, definitions: Iterable[NewDefinition], task: str | None, store: Store
) -> None:
    """Refused where a key for certain projects changes, or runs again, anything beyond them.

    Jobs and resources belong to no project: it may add some, but not change those that others use. Rules
    and catalogue entries are for all.
    """
    if key is None or not key.scope.projects:
        return
    outside = [f"{each.kind} {each.id}" for each in definitions if not _is_within(each, key, store)]
    if task is not None and not _has_project(store, task, key):
        outside.append(f"task {task}")
    if outside:
        message = f"the key {key.name!r} is trusted for {', '.join(key.scope.projects)}, not for {outside[0]}"
        raise Refused(NOT_ALLOWED, message, where=outside[0])


def _is_within(new: NewDefinition, key: TrustedKey, store: Store) -> bool:
    if new.kind == "task":
        project = new.content.get("project") if isinstance(new.content, Mapping) else None
        stands = store.definition("task", new.id)
        return project in key.scope.projects and (stands is None or _has_project(store, new.id, key))
    return new.kind in ("job", "resource") and store.definition(new.kind, new.id) is None


def _has_project(store: Store, task: str, key: TrustedKey) -> bool:
    row = store.definition("task", task)
    return row is not None and row.project in key.scope.projects
