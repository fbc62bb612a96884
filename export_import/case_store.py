"""The database of a case, filled from the rows in the bundle; where they are lost, from the directories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from engine.context.line import is_whole, read_line
from engine.model.clock import Clock
from engine.model.codes.bundles import TOO_MUCH
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.model.names import is_id
from engine.model.plain_words import wording
from engine.model.reason import Reason
from engine.model.states import AttemptState, InstanceState, JobState, RunState, WorkerState
from engine.model.worker import Worker
from engine.model.worker_request import WorkerRequest, changed, worker_name
from engine.store.changes import Changes, StatIncrement
from engine.store.opening import open_store
from engine.store.rows import WorkerRow, partners_setting
from engine.store.sql_store import Store
from engine.store.tables import TABLES, ColumnSpec
from export_import.case import DATABASE
from export_import.collectors.workers import NAME as WORKERS
from export_import.container.form import USUAL, ReadLimits, fault_of_name, zoned
from export_import.foreign_json import STRANGE, Ration, check_value, load, parts

_LINES = 5_000  # rows and context lines in memory
_MOST = 1_000  # lines about what could not be taken over
_SECTIONS = {"jobs": "job_instance", "attempts": "job_run", "exceptions": "exception", "alerts": "alert"}
_KINDS: Mapping[str, type | tuple[type, ...]] = {"int": int, "text": str, "bool": bool, "json": (dict, list)}
_STATES: Mapping[str, type] = {
    "instance": InstanceState,
    "run": RunState,
    "job_instance": JobState,
    "job_run": AttemptState,
}
_LARGEST = 1 << 62


def fill(folder: Path, instances: list[int], clock: Clock, limits: ReadLimits = USUAL) -> list[str]:
    """Make the database of the case in ``folder``; gives lines about what could not be taken over.

    Refused (TOO_MUCH) when there is more than a bundle of its size may have.
    """
    problems: list[str] = []
    ration = Ration(limits)
    store = open_store(f"sqlite:///{folder / DATABASE}", durability="normal", clock=clock)
    kept: set[int] = set()  # schedules, which several instances may share
    try:
        _load_definitions(store, folder, problems)
        _load_workers(store, folder, problems, ration)
        for instance in instances:
            try:
                _add(store, folder, instance, problems, ration, kept)
            except STRANGE as error:
                if isinstance(error, SkerryError) and error.entry is TOO_MUCH:
                    raise
                problems.append(f"instance {instance} cannot be shown: {_line(error)}")
    finally:
        store.close()
    return [*problems[:_MOST], "and more"] if len(problems) > _MOST else problems


def _load_definitions(store: Store, folder: Path, problems: list[str]) -> None:
    try:
        tree = load(folder / "definitions" / "current.json")
        store.save_definitions({key: value for key, value in tree.items() if key != "skerry"}, actor="import")
    except STRANGE as error:
        problems.append(f"the present definitions cannot be shown: {_line(error)}")


def _load_workers(store: Store, folder: Path, problems: list[str], ration: Ration) -> None:
    """The workers of the site, for who looks at where its jobs ran; none where it sent none."""
    path = folder / WORKERS
    if not path.exists():
        return
    changes = Changes()
    try:
        for section, number, row in parts(path, ration):
            if section == "workers" and number is not None:
                changes.insert("worker", _worker(row))
        store.commit(changes)
    except STRANGE as error:
        problems.append(f"the workers of the site cannot be shown: {_line(error)}")


def _worker(values: Mapping[str, Any]) -> dict[str, Any]:
    """A row with nothing but what a worker here could be registered with; ValueError or Invalid otherwise."""
    found = WorkerRow(**_row("worker", {**values, "host_keys": {}}))
    WorkerState(found.state)
    Reason.read(found.why, found.reason)
    known = found.worker
    asked = WorkerRequest(
        slots=str(known.slots),
        groups=[str(each) for each in known.groups],
        labels=[f"{key}={value}" for key, value in known.labels.items()],
        application=str(known.application or ""),
    )
    if known.kind == "ssh":
        asked = replace(
            asked,
            ssh=str(known.address),
            jumps=[str(each) for each in known.jumps],
            root=str(known.root or ""),
            fence="never" if known.fence is None else f"{float(known.fence):g}s",
            secrets="allow" if known.secrets == "allow" else "refuse",
        )
    made = changed(Worker(worker_name(known.name), known.kind), asked)
    return {**asdict(found), "content": made.to_json()}


def _add(
    store: Store, folder: Path, instance: int, problems: list[str], ration: Ration, kept: set[int]
) -> None:
    """The rows are read twice, never held: for what they refer to, then into the database, all or none."""
    rows = folder / "rows" / f"{instance}.json"
    snapshots, directory = _looked_at(rows, instance, store, ration)
    noticed: list[str] = []
    schedules: dict[int, Any] = {}
    log = folder / directory / "ctx.log"

    def found() -> Iterator[Changes]:
        schedules.clear()
        yield from _rows(rows, snapshots, Ration(ration.limits), schedules)
        yield _of_schedules(schedules, kept)
        if snapshots or log.exists():  # one that never began has none
            yield from _lines(log, instance, noticed, ration)

    store.commit_together(found)
    kept.update(schedules)
    problems += noticed


def _rows(
    path: Path, snapshots: Mapping[str, str], ration: Ration, schedules: dict[int, Any]
) -> Iterator[Changes]:
    changes = Changes()
    for section, number, row in parts(path, ration):
        if section == "instance":
            changes.insert("instance", _row("instance", {**row, "parent": None}))
        elif section == "runs" and number is not None:
            changes.insert("run", _row("run", {**row, "snapshot": snapshots.get(str(row["run"]))}))
        elif section == "links" and number is not None:
            _add_link(changes, row)
        elif section == "schedules" and number is not None:
            found = _row("schedule", row)
            schedules[found["id"]] = found
        elif section in _SECTIONS and number is not None:
            changes.insert(_SECTIONS[section], _row(_SECTIONS[section], row))
        elif section == "stats" and number is not None:
            _add_stat(changes, row)
        if len(changes) >= _LINES:
            yield changes
            changes = Changes()
    yield changes


def _looked_at(rows: Path, instance: int, store: Store, ration: Ration) -> tuple[dict[str, str], str]:
    """The stored definitions of each run, and the instance's directory; ValueError where one is missing."""
    seen: set[str] = set()
    snapshots: dict[str, str] = {}
    directory = ""
    for section, key, value in parts(rows, ration, deep=("snapshots",)):
        seen.add(section)
        if section == "instance":
            if value["id"] != instance:
                raise ValueError("its rows are those of another one")
            directory = _directory(value)
        elif section == "snapshots" and key is not None and value:
            snapshots[key] = _kept(store, value)
    if missing := {"instance", "runs", "snapshots", "stats", *_SECTIONS} - seen:
        raise ValueError(Message.of("it has no {sections}", sections=", ".join(sorted(missing))))
    return snapshots, directory


def _kept(store: Store, snapshot: Mapping[str, Any]) -> str:
    changes = Changes()
    name = changes.snapshot(snapshot)
    store.commit(changes)
    return name


def _row(table: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Only columns that this program knows (a newer site may have others), and no directory elsewhere."""
    found = {name: value for name, value in values.items() if name in _FITS[table]}
    if "directory" in found:
        found["directory"] = _inside(found["directory"])
    _check_row(table, found)
    return found


def _inside(directory: Any) -> str | None:
    """A directory below ``instances/`` of the case, where everything else is read from too."""
    fits = isinstance(directory, str) and directory.startswith("instances/") and not fault_of_name(directory)
    return directory if fits else None


def _directory(instance: Mapping[str, Any]) -> str:
    if not is_id(str(instance["task"])):
        raise ValueError("its task has an id that cannot be")
    return f"instances/task-{instance['task']}-{instance['id']}"


def _add_link(changes: Changes, link: Mapping[str, Any]) -> None:
    """What it waited for; the instances of the other task are not in the bundle, only their states."""
    row = _row("link", link)
    changes.insert("link", row)
    states = [[id, time, str(InstanceState(state))] for id, time, state in link.get("states") or []]
    if not all(_is_number(id) and zoned(time) is not None for id, time, _ in states):
        raise ValueError("the states of what it waits for cannot be")
    changes.setting(partners_setting(row["instance"], row["upstream"]), states)


def _of_schedules(schedules: Mapping[int, Any], kept: set[int]) -> Changes:
    """What fired it; several instances may name the same."""
    changes = Changes()
    for id, row in schedules.items():
        if id not in kept:
            changes.insert("schedule", row)
    return changes


def _add_stat(changes: Changes, each: Mapping[str, Any]) -> None:
    codes = {int(code): int(times) for code, times in each["error_code_counts"].items()}
    changes.stats[str(each["kind"]), str(each["id"])] = StatIncrement(
        int(each["counts"]),
        int(each["failed"]),
        int(each["success"]),
        float(each["total_execute_time"]),
        float(each["max_execute_time"]),
        codes,
    )


def _lines(path: Path, instance: int, problems: list[str], ration: Ration) -> Iterator[Changes]:
    """The context log, as far as it is whole and in order."""
    changes, expected = Changes(), 1
    for text, record in _whole_lines(path, instance, problems, ration):
        if record.get("seq") != expected:
            problems.append(f"the context log of instance {instance} ends before line {record.get('seq')}")
            break
        changes.line(instance, expected, text)
        expected += 1
        if len(changes) >= _LINES:
            yield changes
            changes = Changes()
    yield changes


def _whole_lines(
    path: Path, instance: int, problems: list[str], ration: Ration
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Lines with what they say, up to the first that is not as it was written."""
    if not path.exists():
        problems.append(f"the context log of instance {instance} is missing")
        return
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as log:
        while line := log.readline(ration.limits.value):
            text = line.removesuffix("\n")
            ration.read(len(text))
            ration.row()
            try:
                check_value(text, ration.limits)
                record = read_line(text)
            except (SkerryError, ValueError, RecursionError) as error:
                if text != line or is_whole(text):  # else it was being written while it was exported
                    problems.append(f"the context log of instance {instance} is damaged: {_line(error)}")
                return
            yield text, record


def _line(error: Exception) -> str:
    return wording(error)[:300]


# -- rows from another site: each value is checked against its column before anything shows it ------


def _check_row(table: str, row: Mapping[str, Any]) -> None:
    """ValueError unless every value is one that its column may hold (a missing one is no matter here)."""
    fits = _FITS[table]
    for name, value in row.items():
        if not fits[name](value):
            text = "{column} cannot be {value!r}"
            raise ValueError(Message.of(text, column=f"{table}.{name}", value=str(value)[:60]))
    if table in _STATES:
        _STATES[table](row["status"])


def _is_number(value: Any) -> bool:
    return type(value) is int and -_LARGEST < value < _LARGEST


def _check_of(column: ColumnSpec) -> Callable[[Any], bool]:
    """Whether a value fits that column; there may be a hundred thousand rows."""
    kinds: Any = _KINDS[column.kind]
    is_time = column.name.endswith("_at") or column.name in ("scheduled_time", "since", "until")

    def fits(value: Any) -> bool:
        if value is None:
            return column.nullable
        if column.kind == "int":
            return _is_number(value)
        return isinstance(value, kinds) and (not is_time or zoned(value) is not None)

    return fits


_FITS = {name: {column.name: _check_of(column) for column in table.columns} for name, table in TABLES.items()}
