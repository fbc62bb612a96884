"""Applies amendments (definitions and values from outside) in one transaction, and takes them back.

A fix of a supporter and a delivery of an author are amendments. Whoever calls has verified them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.context import MISSING, Line, parse_path
from engine.context.line import json_text
from engine.execution.files import replace as write_file
from engine.model.codes import desk as codes
from engine.model.codes.runtime import STILL_RUNNING
from engine.model.disk import read_file
from engine.model.errors import Refused, SkerryError
from engine.model.states import InstanceState
from engine.runtime.interventions.amendment import Amendment, Base, NewDefinition, NewValue
from engine.runtime.interventions.amendment_files import file_record, recovered
from engine.runtime.interventions.ended_instances import file_now, in_turn
from engine.runtime.recovery import file_repair
from engine.runtime.recovery.rebuilt_run import ended_run
from engine.runtime.run_state.context_paths import meant
from engine.runtime.run_state.restart import Edit
from engine.runtime.runs.control import RunControl
from engine.runtime.runs.run import Run
from engine.runtime.upkeep.file_sync import touch
from engine.store.changes import Changes, Placed
from engine.store.rows import DefinitionRow, InstanceRow
from engine.store.sql_store import Store

SETTING = "amendments"
_NO_STATES: Mapping[str, str] = {}
_UNFILED = ".amended"  # names the instance whose files have yet to follow
Record = dict[str, Any]


def log_hash(lines: Iterable[str]) -> str:
    """The hash of a context log: of its lines, each with its newline."""
    found = sha256()
    for line in lines:
        found.update(line.encode() + b"\n")
    return found.hexdigest()


def records(store: Store) -> list[Record]:
    """What was applied here so far, the first one first."""
    found: list[Record] = store.setting(SETTING, [])
    return found


# -- applying --------------------------------------------------------------------------------------


def amend(control: RunControl, wanted: Amendment, actor: str, states: Mapping[str, str]) -> Record:
    """Apply all of it, once; gives its record. Refused, with nothing changed, when anything does not fit.

    ``states``: of the tasks that come, as they are to be.
    """
    instances = [wanted.base.instance] if wanted.base else []
    _settle(control)
    return in_turn(control.services, instances, lambda: _amend(control, wanted, actor, states))


def verify(control: RunControl, wanted: Amendment) -> None:
    """Refused when it could not be applied now."""
    control.services.loop.ask(lambda: _verified(control, wanted))


def _verified(
    control: RunControl, wanted: Amendment, states: Mapping[str, str] = _NO_STATES
) -> tuple[Run | None, list[Placed]]:
    if any(each["id"] == wanted.id for each in records(control.store)):
        raise Refused.at(codes.REPLAYED, "{kind} {where} was applied before", wanted.id, kind=wanted.kind)
    if wanted.expires and datetime.fromisoformat(wanted.expires) <= control.services.clock.now():
        raise Refused(codes.EXPIRED, "it was good until {expires}", where=wanted.id, expires=wanted.expires)
    run = _instance(control, wanted.base) if wanted.base else None
    for value in wanted.values:
        _check_value(run, value)
    placed = (_placed(control.store, new, states.get(new.id)) for new in wanted.definitions)
    return run, [each for each in placed if each is not None]


def _instance(control: RunControl, base: Base) -> Run:
    row = control.store.instance(base.instance)
    if row is None or row.task != base.task:
        message = "there is no instance {where} of task {task!r} here"
        raise Refused.at(codes.FOREIGN, message, base.instance, task=base.task)
    _refuse_at_work(control, row)
    run = control.store.run(row.id, row.run)
    _check_log(control.store, base)
    if base.snapshot is not None and (run is None or run.snapshot != base.snapshot):
        message = "instance {where} ran with other definitions than the supporter saw"
        raise Refused.at(codes.OUTDATED, message, base.instance)
    return ended_run(control, base.instance)


def _check_log(store: Store, base: Base) -> None:
    lines = list(store.lines(base.instance))
    last = f'"time":"{base.time}"'
    is_other = len(lines) != base.seq or (lines and last not in lines[-1])
    if is_other or (base.log is not None and log_hash(lines) != base.log):
        message = "the log of instance {where} is not the one that the supporter saw"
        raise Refused.at(codes.OUTDATED, message, base.instance)


def _check_value(run: Run | None, value: NewValue) -> None:
    if run is None:
        raise Refused.at(codes.FIX_INVALID, "{where}: no instance is named", value.path)
    now = _current_value(run, value.path)
    if now is MISSING:
        raise Refused.at(codes.OUTDATED, "{where}: there is no such value", value.path)
    if value.old is not MISSING and json_text(now) != json_text(value.old):
        raise Refused.at(codes.OUTDATED, "{where} has another value now", value.path)


def _current_value(run: Run, path: str) -> Any:
    found: Any = run.context.tree
    try:
        for step in meant(run.facts.plan, run.context.tree, parse_path(path)):
            found = found[step]
    except (SkerryError, KeyError, IndexError, TypeError):
        return MISSING
    return found


def _placed(store: Store, new: NewDefinition, state: str | None) -> Placed | None:
    """The content it is to have; None where it has that already. ``state``: that of a task then."""
    row = store.definition(new.kind, new.id)
    if new.base != "" and (row.hash if row else None) != new.base:
        message = "{kind} {where!r} is not what the supporter saw"
        raise Refused.at(codes.OUTDATED, message, new.id, kind=new.kind)
    if row is not None and json_text(row.content) == json_text(new.content):
        return None
    tree = new.content if isinstance(new.content, Mapping) else {}
    project = tree.get("project") if new.kind == "task" else row.project if row else None
    position = row.position if row else _last(store, new.kind) + 1
    return Placed(
        new.kind, new.id, new.content, row.revision if row else None, project, position,
        state if new.kind == "task" else None, row.state if row else None,
    )  # fmt: skip


def _last(store: Store, kind: str) -> int:
    return max((row.position for row in store.definitions(kind)), default=-1)


def _amend(control: RunControl, wanted: Amendment, actor: str, states: Mapping[str, str]) -> Record:
    run, placed = _verified(control, wanted, states)
    changes = Changes()
    changes.actor = actor
    for each in placed:
        changes.define(each)
    name = f"{wanted.kind} {wanted.id}"
    values = [
        {"path": each.path, "old": _current_value(run, each.path), "value": each.value}
        for each in wanted.values
        if run
    ]
    edits = [(each.path, each.value, f"{name}: {each.reason}") for each in wanted.values]
    lines = _written(control, run, edits, changes, actor)
    record = {
        "id": wanted.id, "kind": wanted.kind, "applied_at": control.services.now(), "by": actor,
        "instance": wanted.base.instance if wanted.base else None, "origin": dict(wanted.origin or {}),
        "definitions": [_definition_record(control.store, each) for each in placed], "values": values,
        "undone_at": None, "undone_by": None, "undone_why": None,
    }  # fmt: skip
    changes.setting(SETTING, [*records(control.store), record])
    changes.act(actor, "apply", name, **_in_the_audit(record))
    _commit(control, run, lines, changes, f"{name} applied by {actor}")
    file_record(control.workspace.root, record)
    return record


def _in_the_audit(record: Record) -> Record:
    """What the audit says of an amendment; the rest is in its record."""
    definitions = [f"{each['kind']} {each['id']}" for each in record["definitions"]]
    signer = record["origin"].get("signer")
    return {
        "definitions": definitions,
        "values": [each["path"] for each in record["values"]],
        "signer": signer,
    }


def _definition_record(store: Store, placed: Placed) -> Record:
    """What a record keeps of a definition: its revision before (None: none was there), and the one now."""
    history = store.history(placed.kind, placed.id)
    made = history[0].revision + 1 if history else 1
    return {"kind": placed.kind, "id": placed.id, "before": placed.expected, "made": made}


# -- taking back -----------------------------------------------------------------------------------


def restored(control: RunControl, id: str) -> list[Placed]:
    """The definitions as taking an amendment back would leave them; Refused when it cannot be."""
    _settle(control)
    record = _applied(control.store, id)
    row = control.store.instance(record["instance"]) if record["values"] else None
    if row is not None:
        _refuse_at_work(control, row)
    return [_restored(control.store, record, each) for each in record["definitions"]]


def take_back(control: RunControl, id: str, reason: str, actor: str) -> Record:
    """Restore the definitions and, by further entries, the values; gives the record as it is then."""
    instances = [each["instance"] for each in records(control.store) if each["id"] == id]
    _settle(control)
    return in_turn(control.services, instances, lambda: _take_back(control, id, reason, actor))


def _take_back(control: RunControl, id: str, reason: str, actor: str) -> Record:
    known, record = records(control.store), _applied(control.store, id)
    run = _awake(control, record) if record["values"] else None
    changes = Changes()
    changes.actor = actor
    for each in record["definitions"]:
        changes.define(_restored(control.store, record, each))
    edits = [(each["path"], each["old"], f"{record['kind']} {id} taken back: {reason}")
             for each in reversed(record["values"])]  # fmt: skip
    lines = _written(control, run, edits, changes, actor)
    undone = {**record, "undone_at": control.services.now(), "undone_by": actor, "undone_why": reason}
    changes.setting(SETTING, [undone if each == record else each for each in known])
    changes.act(actor, "undo", f"{record['kind']} {id}", **_in_the_audit(record))
    _commit(control, run, lines, changes, f"{record['kind']} {id} taken back by {actor}")
    file_record(control.workspace.root, undone)
    return undone


def _applied(store: Store, id: str) -> Record:
    found = [each for each in records(store) if each["id"] == id and each["undone_at"] is None]
    if not found:
        raise Refused.at(codes.NOT_APPLIED, "there is no {where!r} to take back", id)
    return found[0]


def _awake(control: RunControl, record: Record) -> Run:
    row = control.store.instance(record["instance"])
    if row is None:
        message = "instance {instance} is not kept any more"
        raise Refused(codes.OVERTAKEN, message, where=record["id"], instance=record["instance"])
    _refuse_at_work(control, row)
    run = ended_run(control, row.id)
    for each in record["values"]:
        now = _current_value(run, each["path"])
        if json_text(None if now is MISSING else now) != json_text(each["value"]):
            raise Refused.at(codes.OVERTAKEN, "{where} was changed since", each["path"])
    return run


def _restored(store: Store, record: Record, definition: Mapping[str, Any]) -> Placed:
    """A definition as it was before, to the byte: the content of that revision."""
    kind, id, before = definition["kind"], definition["id"], definition["before"]
    row = store.definition(kind, id)
    if row is None or not _is_as_made(store, row, definition["made"]):
        raise Refused.at(codes.OVERTAKEN, "{kind} {where!r} was changed since", id, kind=kind)
    old = None if before is None else store.definition(kind, id, before)
    if before is None:
        gone = "deleted" if kind == "task" else None
        return Placed(kind, id, None, row.revision, row.project, row.position, gone, row.state)
    if old is None:
        message = "what {kind} {where!r} was before is not kept any more"
        raise Refused.at(codes.OVERTAKEN, message, id, kind=kind)
    return Placed(kind, id, old.content, row.revision, old.project, row.position, row.state, row.state)


def _is_as_made(store: Store, row: DefinitionRow, revision: int) -> bool:
    """Whether it is what the amendment made, perhaps again: what came after it was taken back."""
    if row.revision == revision:
        return True
    made = store.definition(row.kind, row.id, revision)
    now = row.hash, row.project, row.position
    return made is not None and (made.hash, made.project, made.position) == now


def _settle(control: RunControl) -> None:
    """What was decided before is durable: the store has the current state of everything."""
    control.services.loop.ask(lambda: None)


def _refuse_at_work(control: RunControl, row: InstanceRow) -> None:
    if row.id in control.runs or not InstanceState(row.status).ended:
        raise Refused.at(STILL_RUNNING, "instance {where} is at work: wait for its end or cancel it", row.id)


# -- the transaction, and the files that follow ----------------------------------------------------


def _written(
    control: RunControl, run: Run | None, edits: Sequence[tuple[str, Any, str]], changes: Changes, actor: str
) -> list[Line]:
    """The edits as lines and rows of ``changes``, not of the engine's turn."""
    if run is None or not edits:
        return []
    services = control.services
    with services.turn.aside(changes, run.facts.id):
        for path, value, reason in edits:
            run.edits.make(
                Edit(path, meant(run.facts.plan, run.context.tree, parse_path(path)), value, reason, actor)
            )
    lines = run.context.values.drain()
    for line in lines:
        changes.line(run.facts.id, line.seq, line.text)
    return lines


def _commit(control: RunControl, run: Run | None, lines: list[Line], changes: Changes, message: str) -> None:
    services, note = control.services, control.workspace.root / _UNFILED
    if run is not None:
        write_file(str(note), f"{run.facts.id}\n".encode())  # a power cut may take it, but not the setting
        touch(services, run.facts.id, changes)
    control.store.commit(changes)
    services.say(message)
    if run is not None:
        run.files.unfiled.extend(lines)
        file_now(services, run, partial(note.unlink, missing_ok=True))


def catch_up(control: RunControl) -> None:
    """After an engine that ended between the transaction and its files: the files follow now."""
    recover_records(control.workspace.root, control.store)
    note = control.workspace.root / _UNFILED
    try:
        instance = int(read_file(note))
    except (OSError, ValueError):
        return
    control.services.changing.add(instance)
    control.services.writes.when_disk_has_room(partial(_file_amended, control, instance, note))


def recover_records(root: Path, store: Store) -> None:
    """After the loss of the database the records of what was applied come from their files."""
    known = records(store)
    if lost := recovered(root, known):
        changes = Changes()
        changes.setting(SETTING, [*lost, *known])
        store.commit(changes)


def _file_amended(control: RunControl, instance: int, note: Path) -> None:
    if instance not in control.runs and control.store.instance(instance) is not None:
        run = ended_run(control, instance)
        file_repair.files(run, control.store, ())
        run.files.journal.close()
    note.unlink(missing_ok=True)
    control.services.is_filed(instance)


__all__ = [
    "Amendment", "Base", "NewDefinition", "NewValue", "amend", "catch_up", "log_hash", "records", "take_back",
    "verify",
]  # fmt: skip
