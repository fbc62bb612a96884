"""Members written into a folder of our own, and from there moved into the target."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from engine.model.errors import SkerryError
from jobs_builtin.archives.budget import Budget
from jobs_builtin.archives.codes import IN_THE_WAY
from jobs_builtin.archives.member import ArchiveMember
from jobs_builtin.archives.names import ArchiveNames, safe_parts


def unpack(members: Iterable[ArchiveMember], target: Path, budget: Budget) -> list[str]:
    """Write all members below ``target``; the absolute paths of the files, in the archive's order.

    Nothing appears there unless the whole archive is sound. Raises SkerryError and OSError.
    """
    target.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".skerry-", dir=target))
    try:
        names = ArchiveNames()
        for member in members:
            budget.entry()
            _write(member, draft, names)
        _nothing_in_the_way(names, target)
        return _publish(names, draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _write(member: ArchiveMember, draft: Path, names: ArchiveNames) -> None:
    parts = safe_parts(member.name)
    if not parts:  # the folder itself, as in `tar -c .`
        return
    names.claim(parts, folder=member.folder)
    path = draft.joinpath(*parts)
    if member.folder:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    # Of the mode only "executable" is taken over, never set-user-id; the rest is the umask's.
    handle = os.open(path, flags, 0o777 if member.executable else 0o666)
    with os.fdopen(handle, "wb") as file:
        file.writelines(member.data())


def _nothing_in_the_way(names: ArchiveNames, target: Path) -> None:
    """A link in the target could lead the files elsewhere; it is looked at, never followed."""
    for parts in names.folders():
        _must_be(target.joinpath(*parts), stat.S_ISDIR)
    for parts in names.files():
        _must_be(target.joinpath(*parts), stat.S_ISREG)


def _must_be(path: Path, kind: Callable[[int], bool]) -> None:
    mode = _mode(path)
    if mode is not None and not kind(mode):
        raise SkerryError.at(IN_THE_WAY, "in the way: {where}", path)


def _mode(path: Path) -> int | None:
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def _publish(names: ArchiveNames, draft: Path, target: Path) -> list[str]:
    for parts in names.folders():
        target.joinpath(*parts).mkdir(exist_ok=True)
    for parts in names.files():
        os.replace(draft.joinpath(*parts), target.joinpath(*parts))
    return [str(target.joinpath(*parts)) for parts in names.files()]
