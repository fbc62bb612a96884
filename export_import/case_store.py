"""The database of a case, filled from the rows in the bundle; where they are lost, from the directories."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.context.line import is_whole, read_line
from engine.model.clock import Clock
from engine.model.errors import SkerryError
from engine.model.names import is_id
from engine.store.changes import Changes, StatIncrement
from engine.store.opening import open_store
from engine.store.sql_store import SqlStore
from engine.store.tables import TABLES
from export_import.case import DATABASE
from export_import.case_rows import check_row
from export_import.container.form import fault_of_name
from export_import.strange import STRANGE

_LINES = 5_000  # context lines of one transaction
_SECTIONS = {"jobs": "job_instance", "attempts": "job_run", "exceptions": "exception", "alerts": "alert"}


def fill(folder: Path, instances: list[int], clock: Clock) -> list[str]:
    """Make the database of the case in ``folder``; gives lines about what could not be taken over."""
    problems: list[str] = []
    store = open_store(f"sqlite:///{folder / DATABASE}", durability="normal", clock=clock)
    try:
        _load_definitions(store, folder, problems)
        for instance in instances:
            try:
                _add(store, folder, instance, problems)
            except STRANGE as error:
                problems.append(f"instance {instance} cannot be shown: {_line(error)}")
    finally:
        store.close()
    return problems


def _load_definitions(store: SqlStore, folder: Path, problems: list[str]) -> None:
    try:
        tree = json.loads((folder / "definitions" / "current.json").read_bytes())
        store.save_definitions({key: value for key, value in tree.items() if key != "skerry"}, actor="import")
    except STRANGE as error:
        problems.append(f"the present definitions cannot be shown: {_line(error)}")


def _add(store: SqlStore, folder: Path, instance: int, problems: list[str]) -> None:
    tree = json.loads((folder / "rows" / f"{instance}.json").read_bytes())
    if tree["instance"]["id"] != instance:
        raise ValueError("its rows are those of another one")
    directory = folder / _directory(tree)
    changes = Changes()
    changes.insert("instance", _row("instance", {**tree["instance"], "parent": None}))
    for run in tree["runs"]:
        raw = tree["snapshots"].get(str(run["run"]))
        snapshot = changes.snapshot(raw) if raw else None
        changes.insert("run", _row("run", {**run, "snapshot": snapshot}))
    for section, table in _SECTIONS.items():
        for row in tree[section]:
            changes.insert(table, _row(table, row))
    _add_stats(changes, tree["stats"])
    store.commit(changes)
    _add_lines(store, directory, instance, problems)


def _row(table: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Only columns that this program knows (a newer site may have others), and no directory elsewhere."""
    known = {column.name for column in TABLES[table].columns}
    found = {name: value for name, value in values.items() if name in known}
    if "directory" in found:
        found["directory"] = _inside(found["directory"])
    check_row(table, found)
    return found


def _inside(directory: Any) -> str | None:
    """A directory below ``instances/`` of the case, where everything else is read from too."""
    fits = isinstance(directory, str) and directory.startswith("instances/") and not fault_of_name(directory)
    return directory if fits else None


def _directory(tree: Mapping[str, Any]) -> str:
    if not is_id(str(tree["instance"]["task"])):
        raise ValueError("its task has an id that cannot be")
    return f"instances/task-{tree['instance']['task']}-{tree['instance']['id']}"


def _add_stats(changes: Changes, stats: list[Mapping[str, Any]]) -> None:
    for each in stats:
        codes = {int(code): int(times) for code, times in each["error_code_counts"].items()}
        changes.stats[str(each["kind"]), str(each["id"])] = StatIncrement(
            int(each["counts"]),
            int(each["failed"]),
            int(each["success"]),
            float(each["total_execute_time"]),
            float(each["max_execute_time"]),
            codes,
        )


def _add_lines(store: SqlStore, folder: Path, instance: int, problems: list[str]) -> None:
    """The context log, as far as it is whole and in order."""
    changes, expected = Changes(), 1
    for text, record in _whole_lines(folder / "ctx.log", instance, problems):
        if record.get("seq") != expected:
            problems.append(f"the context log of instance {instance} ends before line {record.get('seq')}")
            break
        changes.line(instance, expected, text)
        expected += 1
        if len(changes) >= _LINES:
            store.commit(changes)
            changes = Changes()
    store.commit(changes)


def _whole_lines(path: Path, instance: int, problems: list[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Lines with what they say, up to the first that is not as it was written."""
    if not path.exists():
        problems.append(f"the context log of instance {instance} is missing")
        return
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as log:
        for line in log:
            text = line.removesuffix("\n")
            try:
                record = read_line(text)
            except (SkerryError, ValueError, RecursionError) as error:
                if text != line or is_whole(text):  # else it was being written while it was exported
                    problems.append(f"the context log of instance {instance} is damaged: {_line(error)}")
                return
            yield text, record


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
