"""What people do in a life, by the engine's table of operations; each action is a task of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

from engine.api.documents import Rerun, RunRequest, Source
from engine.api.local import LocalService
from engine.model.errors import SkerryError
from engine.model.question import Question
from engine.model.request_key import with_key
from engine.model.states import InstanceState
from engine.model.worker_request import WorkerRequest
from engine.runtime.timing.backfill_request import BackfillRequest
from engine.store.filters import ExceptionFilter
from engine.store.rows import JobRow
from engine.store.sql_store import Store
from tests.simulation.invariants.life import Life
from tests.simulation.workload.action import Action
from tests.simulation.workload.fleet import GROUP
from tests.simulation.workload.timetable import BEGIN

Facts = Mapping[str, Any]
Act = Callable[[Life, LocalService, Facts], Any]


def act(life: Life, action: Action, index: int) -> Any:
    """Carry an action out; gives the answer, or raises what the engine refuses it with."""
    service = LocalService(life.engine, action.actor)
    with with_key(action.facts.get("key") or f"action-{index}"):
        return _ACTS[action.what](life, service, action.facts)


def source(name: str, tree: Mapping[str, Any]) -> list[Source]:
    """A file of definitions, of the kind that is read soonest."""
    return [Source(name=name, text=json.dumps({"skerry": 1, **tree}))]


def _run(life: Life, service: LocalService, facts: Facts) -> Any:
    sources = source("run.json", life.story.definitions) if facts["file"] else None
    return service.run(RunRequest(facts["task"], sources, params=facts["params"], texts=facts["texts"]))


def _instance(life: Life, facts: Facts) -> int:
    found = life.listed()
    return found[facts["instance"] % len(found)] if found else 1


def _rerun(life: Life, service: LocalService, facts: Facts) -> Any:
    request = Rerun(
        instance=_instance(life, facts),
        mode=facts["mode"],
        nodes=facts["nodes"],
        with_upstream=facts["with_upstream"],
        downstream=facts["downstream"],
        current=facts["current"],
        edits=tuple((path, str(value)) for path, value in facts["edits"]),
        reason="again",
    )
    before = {each.run for each in life.engine.store.runs(request.instance)}
    planned = service.preview(request)
    begun = service.rerun([request])
    own = [each["run"] for each in begun if each["instance"] == request.instance]
    for run in own if not facts["edits"] else ():
        if run not in before:  # else an engine that fell had begun it
            life.history.planned[request.instance, run] = planned["run"]
    return begun


def _answer(life: Life, service: LocalService, facts: Facts) -> Any:
    found = life.engine.store.exceptions(ExceptionFilter(status="open"))
    if not found:
        return None
    return service.handle(found[facts["exception"] % len(found)].id, "said so", facts["word"])


def questions(store: Store) -> list[JobRow]:
    """The jobs that ask people now, the oldest first."""
    return [row for row in store.unfinished_jobs() if Question.of(row.because) is not None]


def _approve(life: Life, service: LocalService, facts: Facts) -> Any:
    found = questions(life.engine.store)
    if not found:
        return None
    row = found[facts["question"] % len(found)]
    return service.approve(row.instance, row.node, facts["choice"], row.index, facts["note"], facts["value"])


def _release(life: Life, service: LocalService, facts: Facts) -> Any:
    """The instance that waits for other tasks, or for an earlier one of its own, goes without."""
    unfinished = life.engine.store.unfinished()
    found = [row.id for row in unfinished if row.status == InstanceState.WAITING and not row.run]
    only = (facts["only"],) if facts["only"] else ()  # one of the tasks that it waits for, or of others
    return service.release(found[facts["waiting"] % len(found)], only, "in a hurry") if found else None


def _backfill(life: Life, service: LocalService, facts: Facts) -> Any:
    since, until = ((BEGIN + timedelta(seconds=facts[end])).isoformat() for end in ("since", "until"))
    kept = {name: value for name, value in facts.items() if name not in ("since", "until", "key")}
    return service.start_backfill(BackfillRequest(since=since, until=until, **kept, reason="it was down"))


def _of_backfill(change: Callable[[LocalService, int], Any]) -> Act:
    def act(life: Life, service: LocalService, facts: Facts) -> Any:
        found = sorted(row.id for row in life.engine.store.backfills(under_way=True))
        return change(service, found[facts["backfill"] % len(found)]) if found else None

    return act


def _release_of_backfill(life: Life, service: LocalService, facts: Facts) -> Any:
    """What a backfill has begun and waits for other tasks goes without them."""
    store = life.engine.store
    under_way = sorted(row.id for row in store.backfills(under_way=True))
    begun = [each.instance or 0 for id in under_way for each in store.backfill_steps(id)]
    rows = filter(None, map(store.instance, dict.fromkeys(begun)))
    found = [row.id for row in rows if row.status == InstanceState.WAITING and not row.run]
    return service.release(found[facts["waiting"] % len(found)], (), "in a hurry") if found else None


def settle_backfills(store: Store, service: LocalService) -> None:
    """Let those go on that are paused, and what they begin that waits for what will never come."""
    for row in store.backfills(under_way=True):
        with suppress(SkerryError):
            service.resume_backfill(row.id)
        for step in store.backfill_steps(row.id):
            instance = store.instance(step.instance or 0)
            if instance is not None and instance.status == InstanceState.WAITING and not instance.run:
                with suppress(SkerryError):
                    service.release(instance.id, (), "settled")


def register(life: Life, service: LocalService) -> str:
    """The workers of a life, whose keys a person has looked at."""
    fences = life.story.fleet.fences
    for name, slots in life.story.fleet.slots.items():
        request = WorkerRequest(
            ssh=f"{name}.example", agent=True, slots=str(slots), groups=[GROUP], fence=fences.get(name)
        )
        with suppress(SkerryError):  # it is registered
            service.add_worker(name, request)
        service.trust_worker(name)
    return "done"


def _gone(life: Life, service: LocalService, facts: Facts) -> Any:
    life.remotes[facts["worker"]].vouch()
    return service.worker_gone(facts["worker"], "it burnt down")


def join(service: LocalService, worker: str, *groups: str) -> Any:
    """It is in these groups from now on."""
    return service.set_worker(worker, WorkerRequest(groups=list(groups)))


def leave_group(life: Life, worker: str) -> Any:
    """It is in no group from now on."""
    return join(LocalService(life.engine, "dana"), worker)


def settle_workers(life: Life, service: LocalService) -> None:
    """Jobs may begin on all of them."""
    for name in life.story.fleet.slots:
        with suppress(SkerryError):
            service.want_worker(name, "online", "settled")
            if life.workers.groups.get(name) == []:
                join(service, name, GROUP)


def settle_questions(store: Store, service: LocalService) -> None:
    """Let everything go on that somebody has to answer."""
    for row in questions(store):
        asked = Question.of(row.because)
        assert asked is not None
        note = None if asked.note == "none" else "settled"
        value = "1" if asked.needs_value("approve") else None
        with suppress(SkerryError):
            service.approve(row.instance, row.node, "approve", row.index, note, value)


def _acknowledge(life: Life, service: LocalService, facts: Facts) -> Any:
    found = [each.id for each in life.engine.store.alerts(acknowledged=False)]
    if facts["alert"] is None or not found:
        return service.acknowledge(None)
    return service.acknowledge([found[facts["alert"] % len(found)]])


def _waiting(life: Life, facts: Facts) -> int:
    found = life.engine.queue.document()["waiting"]
    return int(found[facts["waiting"] % len(found)]["job_instance"]) if found else 0


def _size(life: Life, service: LocalService, facts: Facts) -> Any:
    return service.queue_size(
        3 if facts["size"] == "auto" else facts["size"]
    )  # the load is the real machine's


def _boat(life: Life, there: bool) -> None:
    """The file that a resource of the definitions is."""
    boat = life.root / "boat"
    with suppress(OSError):  # no room
        boat.write_text("afloat") if there else boat.unlink(missing_ok=True)


_ACTS: Mapping[str, Act] = {
    "run": _run,
    "cancel": lambda life, service, facts: service.cancel(_instance(life, facts), facts["node"]),
    "pause": lambda life, service, facts: service.pause(_instance(life, facts), "because"),
    "resume": lambda life, service, facts: service.resume(_instance(life, facts), "because"),
    "rerun": _rerun,
    "set": lambda life, service, facts: service.set_value(
        _instance(life, facts), facts["path"], str(facts["value"]), "typo"
    ),
    "force": lambda life, service, facts: service.force(
        _instance(life, facts), facts["node"], facts["outcome"], "because"
    ),
    "answer": _answer,
    "approve": _approve,
    "release": _release,
    "backfill": _backfill,
    "backfill release": _release_of_backfill,
    "backfill pause": _of_backfill(lambda service, id: service.pause_backfill(id)),
    "backfill resume": _of_backfill(lambda service, id: service.resume_backfill(id)),
    "backfill cancel": _of_backfill(lambda service, id: service.cancel_backfill(id)),
    "worker pause": lambda life, service, facts: service.want_worker(facts["worker"], "paused", "work"),
    "worker drain": lambda life, service, facts: service.want_worker(facts["worker"], "draining", "work"),
    "worker resume": lambda life, service, facts: service.want_worker(facts["worker"], "online", ""),
    "worker gone": _gone,
    "worker joins": lambda life, service, facts: join(service, facts["worker"], GROUP),
    "acknowledge": _acknowledge,
    "queue pause": lambda life, service, facts: service.queue_pause(True),
    "queue resume": lambda life, service, facts: service.queue_pause(False),
    "queue clear": lambda life, service, facts: service.queue_clear(),
    "queue resize": _size,
    "queue add": lambda life, service, facts: service.queue_add(facts["job"], facts["params"]),
    "queue remove": lambda life, service, facts: service.queue_remove(_waiting(life, facts)),
    "queue priority": lambda life, service, facts: service.queue_priority(
        _waiting(life, facts), facts["priority"]
    ),
    "queue clean": lambda life, service, facts: service.queue_clean(facts["minutes"]),
    "load": lambda life, service, facts: service.load(source("load.json", facts["definitions"])),
    "boat": lambda life, service, facts: _boat(life, facts["there"]),
    "remove": lambda life, service, facts: service.delete(facts["kind"], facts["id"]),
    "state": lambda life, service, facts: service.set_state(facts["task"], facts["state"]),
}
LEFT_OUT = frozenset({"amend", "take back"})  # they need signed packages
