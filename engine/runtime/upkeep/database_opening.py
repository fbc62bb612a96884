"""Opens the database of a workspace; a damaged one is set aside and rebuilt before work begins.

What is checked: the file's structure after a crash, the rows and context lines of everything that goes
on, whether an earlier engine found the file damaged while it worked (it leaves a note), and whether there are
instances that it does not know: an older copy was put in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from engine.model.clock import Clock
from engine.model.codes.store import DAMAGED, DATABASE_OLDER, ROW_DAMAGED
from engine.model.disk import read_file
from engine.model.errors import ErrorCode, SkerryError
from engine.model.message import Message
from engine.runtime.upkeep import older_database, ownership
from engine.runtime.upkeep.trash import MARKER
from engine.runtime.workspace import Workspace
from engine.store.changes import Changes
from engine.store.healing import heal
from engine.store.opening import file_of, open_store, suspect
from engine.store.rows import Damage, time_text
from engine.store.sqlite import no_plain_file

if TYPE_CHECKING:
    from engine.store.rebuild import Rebuilt
    from engine.store.sql_store import Store

LOOKED_AT_WHOLE = 16 * 1024 * 1024  # bytes of a file that is checked as a whole at the start
_END = 64 * 1024  # bytes of a context log that are looked at
_NEEDED = ("setting", "id_block")  # by every engine
Report = Callable[[str], None]


def open_sound(workspace: Workspace, clock: Clock, report: Report) -> Store:
    """The store, sound as far as work depends on it; ``report`` gets a line for people about what was done.

    Raises what ``open_store`` does; Refused when another engine owns the workspace, or another workspace
    the database.
    """
    url = workspace.database_url
    path = file_of(url)
    try:
        if path is not None:
            _look_at(path, workspace)
        return _checked(workspace, path, clock, report)
    except SkerryError as error:
        if path is None or error.entry is not DAMAGED:
            raise
        return _repaired(workspace, path, clock, error, report)


def first_look(store: Store, path: Path | None) -> Sequence[Damage]:
    """What is not what was written: of everything in a file that is read in no time, else of what goes on."""
    if path is not None and path.stat().st_size <= LOOKED_AT_WHOLE:
        return store.verify()
    return store.verify([row.id for row in store.unfinished()])


def _look_at(path: Path, workspace: Workspace) -> None:
    """DAMAGED when an engine said so, or when nothing is left of it although there are instances."""
    with suppress(OSError):
        remark = read_file(suspect(path)).decode("utf-8", "replace").strip()
        remark = remark or Message.of("found damaged by an earlier engine")
        raise SkerryError.at(DAMAGED, "{where}: {remark}", path, remark=remark)
    if no_plain_file(path) is not None:
        return
    lost = not path.exists() or path.stat().st_size == 0
    if lost and any(workspace.instances.glob(f"task-*/{MARKER}")):
        raise SkerryError.at(DAMAGED, "{where}: there is none, but there are instances", path)


def _checked(workspace: Workspace, path: Path | None, clock: Clock, report: Report) -> Store:
    """The store, a flipped bit put right first; DAMAGED when what goes on depends on more than that."""
    store, found = _looked_through(workspace, path, clock, report)
    if not found or path is None:
        return store
    store.close()
    if any(not each.table for each in found):  # the file itself
        raise _damaged(path, found)
    with workspace.own():  # Refused while another engine works: then it is not for us to do
        heal(path, found)
    store, left = _looked_through(workspace, path, clock, report)
    if any(each.table in _NEEDED for each in left) or at_work(store, left):
        store.close()
        raise _damaged(path, left)
    message = _summary(path, found, left)
    report(message)
    alert(store, clock, ROW_DAMAGED, message)
    return store


def _looked_through(
    workspace: Workspace, path: Path | None, clock: Clock, report: Report
) -> tuple[Store, Sequence[Damage]]:
    store = open_store(workspace.database_url, durability=workspace.settings.durability, clock=clock)
    try:
        if store.put_right:
            message = Message.of("{path}: put right: {what}", path=path, what=", ".join(store.put_right))
            report(message)
            alert(store, clock, ROW_DAMAGED, message)
        ownership.take(store, workspace)
        is_older, found = older_database.is_older(store, workspace), first_look(store, path)
        if is_older and found and path is not None:
            raise _damaged(path, found)
        if is_older:
            message = older_database.caught_up(store, workspace)
            report(message)
            alert(store, clock, DATABASE_OLDER, message)
        return store, found
    except BaseException:
        store.close()
        raise


def at_work(store: Store, found: Sequence[Damage]) -> bool:
    """Whether some of it belongs to an instance that goes on, or to an unknown one."""
    return bool(found) and bool(store.verify([row.id for row in store.unfinished()]))


def _summary(path: Path, found: Sequence[Damage], left: Sequence[Damage]) -> str:
    if not left:
        template = "{path}: {count} damaged places were put right, first {first}"
        return Message.of(template, path=path, count=len(found), first=str(found[0]))
    template = "{path}: {count} places are damaged and set aside, first {first}"
    return Message.of(template, path=path, count=len(left), first=str(left[0]))


def _damaged(path: Path, found: Sequence[Damage]) -> SkerryError:
    return SkerryError.at(DAMAGED, "{where}: {damage}", path, damage=str(found[0]))


def _repaired(workspace: Workspace, path: Path, clock: Clock, error: SkerryError, report: Report) -> Store:
    from engine.store.rebuild import rebuild_database

    with workspace.own():  # Refused while another engine works: then it is not for us to do
        done = rebuild_database(workspace.database_url, workspace.instances, clock=clock)
        suspect(path).unlink(missing_ok=True)
    message = _message(error, done)
    report(message)
    store = open_store(workspace.database_url, durability=workspace.settings.durability, clock=clock)
    alert(store, clock, DAMAGED, message)
    return store


def _message(error: SkerryError, done: Rebuilt) -> str:
    template = "{message}: the database was rebuilt from the directories of {count} instances"
    said = Message.of(template, message=error.message, count=done.instances)
    if done.problems:
        said = Message.of("{message}, {count} of them only in part", message=said, count=len(done.problems))
    if done.aside:
        said = Message.of("{message}; the old file is {path}", message=said, path=done.aside)
    return said


def alert(store: Store, clock: Clock, entry: ErrorCode, message: str) -> None:
    """Something about the database that an operator should know of."""
    changes = Changes()
    changes.insert(
        "alert",
        {
            "id": store.next_id("alert"),
            "created_at": time_text(clock.now()),
            "kind": "database",
            "level": "error",
            "code": entry.number,
            "message": message,
        },
    )
    store.commit(changes)
