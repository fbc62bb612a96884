"""A database belongs to one workspace: a second one is refused before it begins any work.

A SQLite file within the workspace's folder belongs to that folder and goes where it goes. Any other
database is bound to the identity of the workspace, a file ``.identity`` that is made when it is first needed.
"""

from __future__ import annotations

import os
import socket
import uuid
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from engine.execution.files import sync, write_new
from engine.model.codes.store import FOREIGN, IN_USE
from engine.model.disk import read_file, room_on_disk
from engine.model.errors import Refused, SkerryError
from engine.runtime.workspace import Workspace
from engine.store.changes import Changes
from engine.store.opening import file_of
from engine.store.ownership import Owner
from engine.store.sql_store import Store

_IDENTITY = ".identity"


def take(store: Store, workspace: Workspace) -> None:
    """Own the database if it has no owner; Refused (FOREIGN) when it is another workspace's."""
    us = _us(workspace, _identity(workspace.root) if _is_apart(workspace) else "")
    owner = store.owner()
    if owner == us:
        return
    _ours(owner, us, store.url)
    try:
        store.settle_owner(lambda owner: _ours(owner, us, store.url))
    except SkerryError as error:
        if owner is None or not error.entry.retryable:  # on a full disk it is known by its old place
            raise


def insist(store: Store, workspace: Workspace) -> None:
    """The same for a reader, who changes nothing."""
    _ours(store.owner(), _us(workspace, _read(workspace.root)), store.url)


def claim(store: Store, workspace: Workspace, actor: str) -> Owner | None:
    """Make it this workspace's, and give whose it was; Refused (IN_USE) while an engine works with it."""
    us = _us(workspace, _identity(workspace.root) if _is_apart(workspace) else "")
    before = store.owner()
    if before is not None and _works(before, workspace):
        raise Refused.at(IN_USE, "an engine of {path} works with {where}", store.url, path=before.path)
    store.alone()
    store.settle_owner(lambda _: us)
    changes = Changes()
    changes.act(actor, "claim", "database", of=before.path if before else None, by=us.path)
    store.commit(changes)
    return before


def _ours(owner: Owner | None, us: Owner, url: str) -> Owner:
    """Who owns it from now on; Refused when that cannot be us."""
    if owner is None or (us.home and owner.home):
        return us
    if us.home or owner.home or owner.id != us.id:
        message = "{where} belongs to the workspace {path} on {host}, not to {ours}"
        raise Refused.at(FOREIGN, message, url, path=owner.path, host=owner.host, ours=us.path)
    if _copied(owner, us):
        message = "{where} belongs to {path}, of which {ours} is a copy"
        raise Refused.at(FOREIGN, message, url, path=owner.path, ours=us.path)
    return us


def _copied(owner: Owner, us: Owner) -> bool:
    """Whether the folder that we have our identity from is still there; one that was moved is not."""
    there = Path(owner.path)
    try:
        return not there.samefile(us.path) and _read(there) == us.id
    except OSError:
        return False


def _works(owner: Owner, workspace: Workspace) -> bool:
    """Whether an engine of that other folder lives, as far as it can be seen from here."""
    there = Path(owner.path)
    with suppress(OSError):
        return not there.samefile(workspace.root) and replace(workspace, root=there).owner() is not None
    return False


def _us(workspace: Workspace, identity: str) -> Owner:
    return Owner(identity, str(workspace.root), socket.gethostname(), not _is_apart(workspace))


def _is_apart(workspace: Workspace) -> bool:
    file = file_of(workspace.database_url)
    return file is None or not file.resolve().is_relative_to(workspace.root.resolve())


def _identity(root: Path) -> str:
    """Which workspace this is; made when there is none yet, or none that can be read."""
    if found := _read(root):
        return found
    file, new = root / _IDENTITY, root / f"{_IDENTITY}.{uuid.uuid4()}"
    try:
        with room_on_disk(str(file)):
            write_new(str(new), f"{uuid.uuid4()}\n".encode())
            sync(str(new))
            with suppress(FileExistsError):
                os.link(new, file)
            if not _read(root):  # what is there is no identity
                os.replace(new, file)
    finally:
        new.unlink(missing_ok=True)
    return _read(root)


def _read(root: Path) -> str:
    """The identity of the workspace in that folder; empty when it has none that is one."""
    with suppress(OSError, ValueError):
        return str(uuid.UUID(read_file(root / _IDENTITY).decode("ascii").strip()))
    return ""
