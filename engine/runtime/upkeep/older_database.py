"""A database that is older than the instances' directories: what it does not know is taken in from them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from engine.context.line import is_sound, read_line
from engine.model.disk import end_of
from engine.model.message import Message
from engine.runtime.upkeep.trash import Trash
from engine.runtime.workspace import Workspace
from engine.store.changes import Changes

if TYPE_CHECKING:
    from engine.store.sql_store import Store

UNDER_WAY = "taking in"  # the setting with the instances that are being taken in
UNREAD = "unread instances"  # the setting with those whose directories cannot be read
_END = 64 * 1024  # bytes of a context log that are looked at


def is_older(store: Store, workspace: Workspace) -> bool:
    """Whether files are ahead of the database, which is written first: an older one was put in its place."""
    if store.setting(UNDER_WAY, []):  # a kill was in between
        return True
    trash, last, unread = Trash(workspace.instances), store.last_instance(), set(store.setting(UNREAD, []))
    ahead = store.made_ahead()
    for id, name in _directories(workspace):
        if (id > last or id in ahead) and id not in unread and trash.is_ours(name):
            return True
    unfinished = ((row.id, workspace.task_directory(row.task, row.id)) for row in store.unfinished())
    return any(_last_seq(directory) > store.last_seq(id) for id, directory in unfinished)


def caught_up(store: Store, workspace: Workspace) -> Message:
    """Take in what it does not know; says what that was. Refused while another engine is at work."""
    from engine.store.taking_in import take_in

    with workspace.own():
        ids = {*store.setting(UNDER_WAY, []), *_ahead(store, workspace)}
        _remember(store, {UNDER_WAY: ids})
        done = take_in(workspace.instances, ids, store)
        unread = {*store.setting(UNREAD, []), *(id for id in ids if store.instance(id) is None)}
        _remember(store, {UNDER_WAY: (), UNREAD: unread})
    template = (
        "{place}: the database was older than the directories of instances; {count} of them were taken in."
        " What was loaded, put online or taken offline since is not known"
    )
    message = Message.of(template, place=store.url, count=done.instances)
    if done.problems:
        more = "{message}. {count} directories or parts of them could not be read"
        return Message.of(more, message=message, count=len(done.problems))
    return message


def _remember(store: Store, settings: Mapping[str, Iterable[int]]) -> None:
    changes = Changes()
    for name, ids in settings.items():
        changes.setting(name, sorted(ids))
    store.commit(changes)


def _directories(workspace: Workspace) -> Iterator[tuple[int, str]]:
    """Those that are named like an instance's: its number and the name."""
    for name in os.listdir(workspace.instances):
        id_ = name.rpartition("-")[2] if name.startswith("task-") else ""
        if id_.isdecimal():
            yield int(id_), name


def _ahead(store: Store, workspace: Workspace) -> Iterator[int]:
    """The instances whose logs go on where those of the database end; also those that cannot be read."""
    trash, last = Trash(workspace.instances), store.last_instance()
    ahead = store.made_ahead()  # what was to come when it was kept may have begun since
    for id, name in _directories(workspace):
        is_new = (id > last or id in ahead) and trash.is_ours(name)
        if is_new or _last_seq(workspace.instances / name) > store.last_seq(id):
            yield id


def _last_seq(directory: Path) -> int:
    """The number of the last line of its log that is what was written; 0 where the end of it has none."""
    with suppress(OSError):
        for line in reversed(end_of(directory / "ctx.log", _END).splitlines()):
            if is_sound(line):
                return int(read_line(line)["seq"])
    return 0
