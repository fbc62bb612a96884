"""The rows of workers: what is decided about one is written with the turn, and its state follows from it."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from typing import Any

from engine.model.reason import Kind, Reason
from engine.model.reason_words import said
from engine.model.states import WorkerState
from engine.model.worker import state_of
from engine.runtime.queue.workers import LiveWorker
from engine.runtime.services import EngineServices
from engine.runtime.upkeep import registry_file
from engine.store.rows import WorkerRow

_OF_PEOPLE = (WorkerState.PAUSED, WorkerState.DRAINING)


def write(services: EngineServices, live: LiveWorker, why: Reason | None = None, **columns: Any) -> None:
    """Other ``columns`` of its row, and the state that follows; ``why``: what people said about that."""
    before = live.row
    live.put(replace(before, **columns))
    trusted = live.trusted and live.changed_key is None
    state = state_of(live.row.wanted, trusted=trusted, reached=live.reached)  # type: ignore[arg-type]
    since = before.since if state == before.state else services.now()
    reason = why if why is not None and state in _OF_PEOPLE else _reason(live, state)
    live.put(replace(live.row, state=str(state), since=since, **said(reason)))
    _store(services, live, before)
    services.workers.changed()


def away_since(services: EngineServices, live: LiveWorker) -> str:
    """Since when it is not reached, as people read it: also by the word of an earlier engine."""
    if live.unreached is not None and (at := live.unreached.facts.get("at")):
        return str(at)
    since = live.row.since if live.row.state == WorkerState.OFFLINE else None
    return services.local(services.loop.now() if since is None else datetime.fromisoformat(since))


def _store(services: EngineServices, live: LiveWorker, before: WorkerRow) -> None:
    if not live.stored:
        live.stored = True
        services.changes.insert("worker", asdict(live.row))
        publish(services, live.row)
        return registry_file.keep(services)
    was, now = asdict(before), asdict(live.row)
    changed = {name: value for name, value in now.items() if value != was[name] and name != "state"}
    if changed or before.state != live.row.state:
        services.changes.move("worker", live.name, before.state, live.row.state, changed)
        publish(services, live.row)
    if changed.keys() & {"wanted", "content", "host_keys"}:
        registry_file.keep(services)


def publish(services: EngineServices, row: WorkerRow) -> None:
    """When it is durable: who hears of it looks at it."""
    event = {"kind": "worker", "worker": row.name, "status": row.state}
    services.loop.after_commit(partial(services.events.publish, event))


def _reason(live: LiveWorker, state: WorkerState) -> Reason | None:
    """Why it is in that state, as far as that is not a person's word; such a word stays."""
    if state is WorkerState.UNTRUSTED:
        return live.changed_key or Reason(Kind.UNTRUSTED)
    if state in _OF_PEOPLE:
        kind = Kind.WORKER_PAUSED if state is WorkerState.PAUSED else Kind.WORKER_DRAINING
        return live.row.because if live.row.state == state else Reason(kind)
    return (live.unreached or Reason(Kind.NOT_REACHED)) if state is WorkerState.OFFLINE else live.skewed
