"""Everything that the locator can find: from the engine, from the table of actions, from the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from app.desktop.kernel.actions import Actions
from app.desktop.kernel.console import Target
from app.desktop.kernel.error_codes import Explained
from app.desktop.shell.locator_search import LocatorEntry
from engine.api.documents import InstanceQuery, Kind

if TYPE_CHECKING:
    from engine.api.service import Service

_NEWEST = 200
_KINDS: tuple[Kind, ...] = ("task", "job", "resource", "rule")


def from_service(service: Service) -> list[LocatorEntry]:
    """Definitions, the nodes of the tasks, the newest instances; on a worker thread."""

    found = list(definitions(service))
    tasks = [entry.name for entry in found if entry.kind == "task"][:_NEWEST]
    found += [node for id in tasks for node in nodes(id, service.definition("task", id)["definition"])]
    return found + [_instance(row) for row in service.instances(InstanceQuery(limit=_NEWEST))]


def definitions(service: Service) -> Iterator[LocatorEntry]:
    for kind in _KINDS:
        for row in service.definitions(kind):
            yield LocatorEntry(kind, str(row["id"]), str(row.get("name") or ""), Target(kind, str(row["id"])))


def nodes(task: str, tree: Mapping[str, Any]) -> Iterator[LocatorEntry]:
    for node in tree.get("nodes") or {}:
        yield LocatorEntry("node", str(node), task, Target("task", task, node=str(node)))


def from_actions(actions: Actions, mode: str) -> list[LocatorEntry]:
    """What can be done now."""
    return [
        LocatorEntry("command", action.text().replace("&", ""), action.shortcut().toString(), command=spec.id)
        for spec, action in actions.all()
        if action.isEnabled() and spec.mode in (None, mode)
    ]


def from_codes(codes: Iterable[Explained]) -> list[LocatorEntry]:
    return [
        LocatorEntry("code", str(each.code), each.title, Target("code", str(each.code))) for each in codes
    ]


def _instance(row: Mapping[str, Any]) -> LocatorEntry:
    number = str(row["instance"])
    return LocatorEntry("instance", number, f"{row['task']} {row['status']}", Target("instance", number))
