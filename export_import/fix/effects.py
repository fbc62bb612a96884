"""What definitions from outside will do, now or later, that is not done here yet: for people who decide.

They are read as data; what counts as a host or an address says ``addresses``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from engine.planning.outline import map_of
from engine.runtime.interventions.amendment import Amendment, NewDefinition
from engine.store.sql_store import Store
from export_import.delivery.references import Name, references
from export_import.fix.addresses import addresses

Key = tuple[str, str]
Find = Callable[[str, str], Any]
Users = Mapping[Key, Sequence[str]]
_BESIDE = ("secret", "worker", "group")  # what definitions name and sites have besides definitions
_STARTS = ("schedule", "depends_on")


@dataclass(frozen=True, slots=True)
class FixEffect:
    """One thing that will happen.

    ``kind`` is node, rule, online, schedule, used, secret, worker, group or reach;
    ``where`` is the definition (``task nightly``), ``what`` the node, task, times, secret or address.
    """

    kind: str
    where: str
    what: str


def effects(
    new: Iterable[NewDefinition], store: Store, values: Mapping[str, Any], task: str | None = None
) -> tuple[FixEffect, ...]:
    """All of it, each once; ``values`` of a context of ``task``, by their paths, are looked through, too."""
    fresh = {(each.kind, each.id): each.content for each in new}
    here = cache(store.content)
    users = cache(partial(_users, store, here, fresh))
    found = [each for key, content in fresh.items() for each in _own(key, content, store, users)]
    found += (
        FixEffect(kind, " ".join(key), what)
        for key in fresh
        for kind, what in sorted(_reach(key, _over(fresh, here)) - _reach(key, here))
    )
    used = _closure(("task", task), _over(fresh, here)).values() if task else ()
    found += (
        FixEffect("reach", path, what)
        for path, value in values.items()
        for what in sorted(addresses([value], _last_name(path), used))
    )
    return tuple(dict.fromkeys(found))


def effects_of(amendment: Amendment, store: Store) -> tuple[FixEffect, ...]:
    values = {each.path: each.value for each in amendment.values}
    return effects(amendment.definitions, store, values, amendment.base.task if amendment.base else None)


def new_nodes(content: Any, old: Any) -> list[str]:
    """The nodes of a task that it did not have, also those of its handlers."""
    before = {*_nodes(old)}
    return [node for node in _nodes(content) if node not in before]


def _own(key: Key, content: Any, store: Store, users: Callable[[], Users]) -> Iterator[FixEffect]:
    """The effects of a definition itself, against the present one."""
    kind, id = key
    where, row = " ".join(key), store.definition(kind, id)
    old = row.content if row else None
    if kind == "task":
        for node in new_nodes(content, old):
            yield FixEffect("node", where, node)
        state = (row.state if row else None) or map_of(content).get("state") or "init"
        times = {name: map_of(content)[name] for name in _STARTS if map_of(content).get(name)}
        if state == "online" and (row is None or row.state != "online"):
            yield FixEffect("online", where, _short(times or "manual"))
        elif times and any(map_of(old).get(name) != times.get(name) for name in _STARTS):
            yield FixEffect("schedule", where, _short(times))
    elif kind == "rule" and content != old:
        runs = [f"{name} {each}" for (name, each) in references("rule", content)]
        yield FixEffect("rule", where, ", ".join(runs) or _short(map_of(content).get("action")))
    elif kind in ("job", "resource", "calendar") and old is not None and content != old:
        for user in users().get(key, ()):
            yield FixEffect("used", where, user)


def _nodes(content: Any) -> Iterator[str]:
    for name, node in map_of(map_of(content).get("nodes")).items():
        yield str(name)
        yield from (f"{name}.{each}" for each in _handlers(node))
    yield from _handlers(content)


def _handlers(content: Any) -> Iterator[str]:
    return (f"on_end.{name}" for name in map_of(map_of(content).get("on_end")))


def _users(store: Store, here: Find, fresh: Mapping[Key, Any]) -> Users:
    """The tasks of this workspace that are not brought along, by what they use."""
    found: dict[Key, list[str]] = {}
    for row in store.definitions("task"):
        if ("task", row.id) not in fresh:
            user = f"task {row.id}" + (" (online)" if row.state == "online" else "")
            for key in _closure(("task", row.id), here):
                found.setdefault(key, []).append(user)
    return found


def _over(fresh: Mapping[Key, Any], standing: Find) -> Find:
    return lambda kind, id: fresh[kind, id] if (kind, id) in fresh else standing(kind, id)


def _closure(key: Key, find: Find) -> dict[Key, Any]:
    """A definition and all that it names, and so on."""
    found: dict[Key, Any] = {}
    pending: list[Name] = [key]
    while pending:
        kind, id = pending.pop()
        if (kind, id) in found or kind not in ("task", "job", "resource", "calendar", "rule"):
            continue
        content = find(kind, id)
        if content is not None:
            found[kind, id] = content
            pending.extend(references(kind, content))
    return found


def _reach(key: Key, find: Find) -> set[Key]:
    """Secrets, workers and addresses that a definition comes to with all that it uses."""
    used = _closure(key, find)
    found = {("reach", each) for each in addresses(used.values())}
    for (kind, _), content in used.items():
        found |= {(name, each) for name, each in references(kind, content) if name in _BESIDE}
    return found


def _last_name(path: str) -> str:
    """What a value of the context is called: ``host`` in ``$.TASK.PARAMS['host']``."""
    names = [each for each in re.split(r"[.\[\]'\"]+", path) if each and not each.isdigit()]
    return names[-1] if names else ""


def _short(tree: Any) -> str:
    text = tree if isinstance(tree, str) else json.dumps(tree, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 200 else text[:199] + "…"
