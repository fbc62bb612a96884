"""Everything that the locator can find: from the engine, from the table of actions, from the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.desktop.kernel.actions import Actions
from app.desktop.kernel.console import Target
from app.desktop.kernel.error_codes import Explained
from app.desktop.kernel.language import tr
from app.desktop.shell.locator_search import LocatorEntry
from app.desktop.subjects.table import OF_ANOTHER_KIND
from engine.api.documents import InstanceQuery, Kind

if TYPE_CHECKING:
    from engine.api.service import Service

_NEWEST = 200
_KINDS: tuple[Kind, ...] = ("task", "job", "resource", "calendar", "rule")


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


def from_actions(actions: Actions, modes: Sequence[str]) -> list[LocatorEntry]:
    """What can be done in these modes; of what cannot be done now, why."""
    found = []
    for spec, action in actions.all():
        why = actions.refusal(spec.id)
        refused = bool(why) and why not in OF_ANOTHER_KIND
        if spec.mode in (None, *modes) and (action.isEnabled() or refused):
            about = tr(why) if refused else action.shortcut().toString()
            name = action.text().replace("&", "")
            found.append(LocatorEntry("command", name, about, command=spec.id, refused=refused))
    return found


def from_codes(codes: Iterable[Explained]) -> list[LocatorEntry]:
    return [
        LocatorEntry("code", str(each.code), each.title, Target("code", str(each.code))) for each in codes
    ]


def _instance(row: Mapping[str, Any]) -> LocatorEntry:
    number = str(row["instance"])
    return LocatorEntry("instance", number, f"{row['task']} {row['status']}", Target("instance", number))
