"""Instances that a database does not know, or knows an earlier state of: taken in from their directories."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from engine.context.line import ENGINE
from engine.model.errors import SkerryError
from engine.store.changes import Changes
from engine.store.rebuild import (
    Rebuilt,
    UnreadPart,
    folders,
    link_subtasks,
    read_folder,
    skip_ids,
    with_history,
)
from engine.store.rebuilt_rows import InstanceFolder, RebuiltRows
from engine.store.rows import InstanceRow
from engine.store.sql_store import Store


def take_in(instances: Path, ids: Collection[int], store: Store) -> Rebuilt:
    """Put the rows of these instances into a store that is in use; no definition changes.

    Their numbers are used no more. No schedule fires again what came before the newest of them began.
    """
    store.skip_ids("instance", max(ids))
    store.remove_instances(store.made_ahead() & set(ids))
    done = Rebuilt()
    for folder in sorted((each for each in folders(instances) if each.id in ids), key=lambda each: each.id):
        done = _taken(done, folder, store)
    rows = [row for id in sorted(ids) if (row := store.instance(id)) is not None]
    link_subtasks(store, rows)
    changes = Changes()
    _let_schedules_go_on(changes, rows, store)
    changes.act(ENGINE, "take in", "instances", count=done.instances)
    store.commit(changes)
    return done


def _taken(done: Rebuilt, folder: InstanceFolder, store: Store) -> Rebuilt:
    history, definitions, problems = read_folder(folder)
    done = replace(done, problems=(*done.problems, *problems))
    if history is None:
        return done
    revision = definitions.get("definition")
    known = isinstance(revision, int) and store.definition("task", folder.task, revision) is not None
    rows = RebuiltRows(folder, history, definitions, store, revision if known else None).changes()
    [scheduled] = [row["scheduled_time"] for row in rows.inserts["instance"].values()]
    other = store.instance_at(folder.task, scheduled)
    not_begun = {other.id} if other is not None and other.run == 0 else set[int]()
    try:
        store.remove_instances({folder.id, *not_begun})
        store.commit(rows)
    except SkerryError as error:
        return replace(done, problems=(*done.problems, UnreadPart(str(folder.path), error.message)))
    skip_ids(folder, history, store)
    return with_history(done, history)


def _let_schedules_go_on(changes: Changes, rows: Collection[InstanceRow], store: Store) -> None:
    """An engine was at work until the newest one began: what was due by then was dealt with."""
    newest = max((row.started_at or row.created_at for row in rows), default="")
    for schedule in store.schedules():
        if (schedule.last_at or schedule.since) < newest:
            changes.update("schedule", schedule.id, {"last_at": newest})
            for row in store.planned(schedule.task, newest):
                changes.remove("instance", row.id, row.status)
