"""Everything that the locator can find: from the engine, from the table of actions, from the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from app.desktop.codes.catalogue import Explained
from app.desktop.kernel.actions import Actions
from app.desktop.kernel.console import Target
from app.desktop.shell.finding import Entry
from engine.api.documents import Kind

if TYPE_CHECKING:
    from engine.api.service import Service

_NEWEST = 200
_KINDS: tuple[Kind, ...] = ("task", "job", "resource", "rule")


def from_service(service: Service) -> list[Entry]:
    """Definitions, the nodes of the tasks, the newest instances; on a worker thread."""
    from engine.api.documents import InstanceQuery

    found = list(definitions(service))
    tasks = [entry.name for entry in found if entry.kind == "task"][:_NEWEST]
    found += [node for id in tasks for node in nodes(id, service.definition("task", id)["definition"])]
    return found + [_instance(row) for row in service.instances(InstanceQuery(limit=_NEWEST))]


def definitions(service: Service) -> Iterator[Entry]:
    """One entry for each definition."""
    for kind in _KINDS:
        for row in service.definitions(kind):
            yield Entry(kind, str(row["id"]), str(row.get("name") or ""), Target(kind, str(row["id"])))


def nodes(task: str, tree: Mapping[str, Any]) -> Iterator[Entry]:
    """The nodes of a task."""
    for node in tree.get("nodes") or {}:
        yield Entry("node", str(node), task, Target("task", task, node=str(node)))


def from_actions(actions: Actions, mode: str) -> list[Entry]:
    """What can be done now."""
    return [
        Entry("command", action.text().replace("&", ""), action.shortcut().toString(), command=spec.id)
        for spec, action in actions.all()
        if action.isEnabled() and spec.mode in (None, mode)
    ]


def from_codes(codes: Iterable[Explained]) -> list[Entry]:
    """The catalogue."""
    return [Entry("code", str(each.code), each.title, Target("code", str(each.code))) for each in codes]


def _instance(row: Mapping[str, Any]) -> Entry:
    number = str(row["instance"])
    return Entry("instance", number, f"{row['task']} {row['status']}", Target("instance", number))
