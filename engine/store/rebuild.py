"""The database rebuilt from the directories of the instances, after its own loss.

``ctx.log`` gives runs, jobs, attempts and every context line; ``.skerry/definitions.json`` what they ran.
What was never run (and settings, states of tasks) is in no directory and has to be loaded again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.context.line import ENGINE, is_sound
from engine.model.clock import Clock
from engine.model.codes import store as codes
from engine.model.disk import read_plain
from engine.model.errors import Refused
from engine.model.plain_words import wording
from engine.store.changes import Changes
from engine.store.encoding import content_hash, json_text
from engine.store.filters import InstanceCursor
from engine.store.healing import restored_line
from engine.store.history import Entry, History, read_history
from engine.store.opening import file_of, open_store
from engine.store.rebuilt_rows import InstanceFolder, RebuiltRows
from engine.store.replacement import fresh_beside, take_place
from engine.store.revisions import SavedDefinition
from engine.store.rows import InstanceRow
from engine.store.salvage import salvage
from engine.store.sql_store import Store
from engine.store.sqlite import no_plain_file


@dataclass(frozen=True, slots=True)
class UnreadPart:
    """What of a directory could not be read, or only in part."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What is in the new database; ``aside`` is where the old file went."""

    instances: int = 0
    runs: int = 0
    jobs: int = 0
    lines: int = 0
    definitions: int = 0
    problems: tuple[UnreadPart, ...] = ()
    aside: Path | None = None


def rebuild_database(url: str, instances: Path, *, clock: Clock) -> Rebuilt:
    """A SQLite file is made beside the old one and takes its place when it is whole; the old one is kept.

    A server's database must be empty (NOT_EMPTY). No engine may own the workspace meanwhile.
    """
    path = file_of(url)
    if path is None:
        store = open_store(url, clock=clock)
        try:
            done = rebuild(instances, store)
            _take_offline(store)
            return done
        finally:
            store.close()
    new = fresh_beside(path)
    store = open_store(f"sqlite:///{new}", durability="normal", clock=clock)
    try:
        rebuilt = rebuild(instances, store)
        if path.is_file() and no_plain_file(path) is None:
            rebuilt = replace(rebuilt, definitions=rebuilt.definitions + salvage(path, store))
        _take_offline(store)
    finally:
        store.close()
    return replace(rebuilt, aside=take_place(new, path, clock.now()))


def rebuild(instances: Path, store: Store) -> Rebuilt:
    """Fill an empty store from ``instances/task-*``; NOT_EMPTY if it is not."""
    if store.instances(limit=1) or store.raw_definitions():
        raise Refused.at(codes.NOT_EMPTY, "{where} has instances or definitions", store.url)
    done = Rebuilt()
    for folder in sorted(folders(instances), key=lambda each: each.id):
        done = _add(done, folder, store)
    link_subtasks(store, _all_instances(store))
    changes = Changes()
    changes.act(ENGINE, "rebuild", "database", instances=done.instances)  # what was in the audit is gone
    store.commit(changes)
    return done


def _take_offline(store: Store) -> None:
    """Nobody knows which tasks were online: none with a schedule starts by itself before a person says so."""
    changes = Changes()
    for head in store.task_heads():
        row = store.definition("task", head.task)
        if row is not None and isinstance(row.content, Mapping) and row.content.get("schedule"):
            changes.move_task(head.task, head.state, "offline")
    store.commit(changes)


def folders(instances: Path) -> Iterator[InstanceFolder]:
    """The directories that are named like those of instances."""
    for entry in os.scandir(instances) if instances.is_dir() else ():
        task, _, id_ = entry.name.removeprefix("task-").rpartition("-")
        named = entry.name.startswith("task-") and task and id_.isdecimal()
        if named and entry.is_dir(follow_symlinks=False):
            yield InstanceFolder(Path(entry.path), task, int(id_))


def _add(done: Rebuilt, folder: InstanceFolder, store: Store) -> Rebuilt:
    history, definitions, problems = read_folder(folder)
    done = replace(done, problems=(*done.problems, *problems))
    if history is None:
        return done
    saved = _load(definitions, store)
    revision = next((each.revision for each in saved if (each.kind, each.id) == ("task", folder.task)), None)
    store.commit(RebuiltRows(folder, history, definitions, store, revision).changes())
    skip_ids(folder, history, store)
    done = replace(done, definitions=done.definitions + sum(each.new for each in saved))
    return with_history(done, history)


def with_history(done: Rebuilt, history: History) -> Rebuilt:
    """One instance more."""
    return replace(
        done,
        instances=done.instances + 1,
        runs=done.runs + len(history.runs),
        jobs=done.jobs + len(history.jobs),
        lines=done.lines + len(history.lines),
    )


def read_folder(folder: InstanceFolder) -> tuple[History | None, Entry, list[UnreadPart]]:
    """What its log and its definitions tell, None where nothing can be read, and what could not be."""
    problems: list[UnreadPart] = []
    path = folder.path / "ctx.log"
    try:
        log = read_plain(path)
        if log is None:
            raise ValueError("there is no ctx.log that can be read")
        history = read_history(list(_put_right(log.splitlines(), path, problems)))
    except (OSError, ValueError) as error:
        return None, {}, [*problems, UnreadPart(str(folder.path), wording(error))]
    problems += (UnreadPart(str(path), each) for each in history.problems)
    if not history.runs:
        return None, {}, [*problems, UnreadPart(str(folder.path), "the log tells of no run")]
    return history, _definitions(folder, problems), problems


def _put_right(lines: Sequence[bytes], log: Path, problems: list[UnreadPart]) -> Iterator[bytes]:
    """The lines, those with one flipped bit as they were written."""
    for number, line in enumerate(lines, 1):
        whole = line if is_sound(line) else restored_line(line, number)
        if whole is not None and whole != line:
            problems.append(UnreadPart(str(log), f"line {number} had a flipped bit, which was put right"))
        yield line if whole is None else whole


def _definitions(folder: InstanceFolder, problems: list[UnreadPart]) -> Entry:
    """What ran there; nothing, with its problem, when it is not what was written."""
    file = folder.path / ".skerry" / "definitions.json"
    if not os.path.lexists(file):
        problems.append(UnreadPart(str(file), "it is missing: what ran there is not known"))
        return {}
    try:
        found = json.loads(read_plain(file) or b"")
    except ValueError as error:
        problems.append(UnreadPart(str(file), f"it cannot be read: {wording(error)}"))
        return {}
    given = found.get("hash") if isinstance(found, dict) else None
    if not isinstance(found, dict) or given not in (None, content_hash(json_text(found.get("raw")))):
        problems.append(UnreadPart(str(file), "it is not what was written"))
        return {}
    return found


def _load(definitions: Mapping[str, Any], store: Store) -> Sequence[SavedDefinition]:
    """The workspace's definitions: those of later instances come later. What became of each."""
    raw = definitions.get("raw")
    if not raw or definitions.get("definition", 0) is None:
        return ()
    return store.save_definitions(raw, actor="rebuild")


def skip_ids(folder: InstanceFolder, history: History, store: Store) -> None:
    """Neither its number nor those of its jobs are used again."""
    store.skip_ids("instance", folder.id)
    if history.jobs:
        store.skip_ids("job_instance", max(history.jobs))


def link_subtasks(store: Store, instances: Iterable[InstanceRow]) -> None:
    """A sub-task's instance names the JobInstance that started it, which has its number as a result."""
    changes = Changes()
    for row in instances:
        for job in store.jobs(row.id):
            child = job.results.get("instance") if job.type == "task" else None
            if isinstance(child, int) and store.instance(child):
                changes.update("instance", child, {"parent": job.id})
    store.commit(changes)


def _all_instances(store: Store) -> Iterator[InstanceRow]:

    after = None
    while page := store.instances(after=after):
        yield from page
        after = InstanceCursor.after(page[-1])
