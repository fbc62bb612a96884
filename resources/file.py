"""The ``file`` resource: a file or folder, its age, its size, its content, the room around it."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Annotated, Any, ClassVar
from urllib.parse import unquote, urlsplit

from pydantic import Field

from engine.model.base import Bool, Frozen, Seconds, Size
from engine.model.codes.runtime import CANCELLED
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.model.plain_words import quoted
from engine.plugins.resource_type import ResolvedResource
from resources.clients.checking import CheckedAnswer, CheckedType, OnCancel, read_keys
from resources.codes import MISSING, NO_PATH, NO_ROOM, OTHER_CONTENT, THERE, TOO_OLD, TOO_SMALL, UNREADABLE

_PIECE = 1 << 20


class FileRequest(Frozen):
    """A file needs no request."""


class FileCheck(Frozen):
    """Any of these; without one the file must exist."""

    exists: Bool | None = None
    readable: Bool = False
    min_size: Size | None = None
    max_age: Seconds | None = None
    min_free: Size | None = None
    sha256: Annotated[str | None, Field(pattern=r"^\s*[0-9a-fA-F]{64}\s*$")] = None

    @property
    def needs_file(self) -> bool:
        """Whether a key is about the file itself."""
        asked = (self.min_size, self.max_age, self.sha256)
        nothing_else = self.min_free is None and self.exists is None
        return self.exists is True or self.readable or any(each is not None for each in asked) or nothing_else


class File(CheckedType):
    """A path on this machine."""

    kind = "file"
    label = ("File", "文件")
    help = (
        (
            "A file or folder of the machine that runs the engine, as a path or `file:///path`. Without a "
            "check it must exist. `exists: false` means that it must not; `readable` opens it; `min_size` "
            "is in bytes or as `10MB`; `max_age` counts from the last change; `min_free` is the room left "
            "on its disk; `sha256` is compared with the whole content."
        ),
        (
            "运行引擎的机器上的文件或目录，写作路径或 `file:///路径`。不给出检查条件时必须存在。"
            "`exists: false` 表示必须不存在；`readable` 会打开文件；`min_size` 为字节数或 `10MB` 的形式；"
            "`max_age` 从最后修改时间算起；`min_free` 为所在磁盘的剩余空间；`sha256` 与整个内容比较。"
        ),
    )
    check_keys = FileCheck
    request_keys = FileRequest
    codes = (MISSING, THERE, UNREADABLE, TOO_SMALL, TOO_OLD, NO_ROOM, OTHER_CONTENT, NO_PATH)
    meanings: ClassVar[Mapping[str, tuple[str, str]]] = {
        "exists": ("Whether it must be there, or must not.", "必须存在，或必须不存在。"),
        "readable": ("Whether it must open for reading.", "是否必须可以读取。"),
        "min_size": ("The smallest size.", "最小大小。"),
        "max_age": ("The longest time since its last change.", "距最后修改的最长时间。"),
        "min_free": ("The room that must be left on its disk.", "所在磁盘必须剩余的空间。"),
        "sha256": ("The SHA-256 of its content, in hexadecimal.", "内容的 SHA-256，十六进制。"),
    }
    example = """\
type: file
uri: /data/incoming/today.csv
check: {readable: true, min_size: 1KB, max_age: 1d}
"""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now

    def look(self, resource: ResolvedResource, on_cancel: OnCancel | None) -> CheckedAnswer:
        """Look at the file; nothing is changed, not even its time of access where that can be avoided."""
        stop = Event()
        if on_cancel:
            on_cancel(stop.set)
        keys = read_keys(FileCheck, resource.check, "check")
        read_keys(FileRequest, resource.request, "request")
        path = _path(resource.uri)
        details: dict[str, Any] = {"path": str(path)}
        status = _status(path)
        if keys.min_free is not None:
            details["free"] = _has_room(path, keys.min_free)
        if keys.exists is False:
            return _is_absent(path, status, details)
        if status is None:
            if keys.needs_file:
                raise SkerryError(MISSING, "not there: {path}", path=path, details=details)
            return CheckedAnswer(Message.of("{path} is not there; there is room for it", path=path), details)
        found = _Found(path, status, self._now())
        details |= _facts(found)
        for part in (_is_readable, _is_big_enough, _is_new_enough):
            part(found, keys, details)
        if keys.sha256 is not None:
            details["sha256"] = _is_expected(path, keys.sha256.strip().lower(), stop)
        return CheckedAnswer(Message.of("{path} is in order", path=path), details)


@dataclass(frozen=True)
class _Found:
    path: Path
    status: os.stat_result
    now: float

    @property
    def age(self) -> float:
        return max(self.now - self.status.st_mtime, 0.0)


def _path(uri: str) -> Path:
    """The absolute path that a uri means."""
    url = urlsplit(uri) if uri.startswith("file:") else None
    elsewhere = url is not None and url.netloc not in ("", "localhost")
    text = unquote(url.path) if url is not None else uri
    if not text or "\0" in text or elsewhere:
        raise SkerryError(NO_PATH, "this is not the path of a file here: {uri}", uri=quoted(uri))
    return Path(os.path.abspath(text))


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(error, path, {"path": str(path)}) from error


def _unreadable(error: OSError, path: Path, details: dict[str, Any]) -> SkerryError:
    problem = Message.of(error.strerror or str(error))
    return SkerryError(UNREADABLE, "{path}: {error}", path=path, error=problem, details=details)


def _has_room(path: Path, least: int) -> int:
    """The free bytes for ordinary users on the disk that the path, or its nearest folder, is on."""
    disk = next(each for each in (path, *path.parents) if each.exists())
    free = shutil.disk_usage(disk).free
    if free < least:
        message = "{free:,} bytes are free at {disk}, {least:,} are wanted"
        details: dict[str, object] = {"path": str(path), "free": free}
        raise SkerryError(NO_ROOM, message, free=free, disk=disk, least=least, details=details)
    return free


def _is_absent(path: Path, status: os.stat_result | None, details: dict[str, Any]) -> CheckedAnswer:
    if status is not None or path.is_symlink():
        raise SkerryError(THERE, "it is there: {path}", path=path, details=details)
    return CheckedAnswer(Message.of("{path} is not there, as it should be", path=path), details)


def _facts(found: _Found) -> dict[str, Any]:
    modified = datetime.fromtimestamp(found.status.st_mtime, UTC).isoformat(timespec="microseconds")
    return {"size": found.status.st_size, "modified": modified, "age": round(found.age, 3)}


def _is_readable(found: _Found, keys: FileCheck, details: dict[str, Any]) -> None:
    if not keys.readable:
        return
    try:
        if stat.S_ISDIR(found.status.st_mode):
            os.scandir(found.path).close()
        else:
            os.close(os.open(found.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as error:
        raise _unreadable(error, found.path, details) from error


def _is_big_enough(found: _Found, keys: FileCheck, details: dict[str, Any]) -> None:
    size = found.status.st_size
    if keys.min_size is not None and size < keys.min_size:
        message = "{path} has {size:,} bytes, {least:,} are wanted"
        raise SkerryError(
            TOO_SMALL, message, path=found.path, size=size, least=keys.min_size, details=details
        )


def _is_new_enough(found: _Found, keys: FileCheck, details: dict[str, Any]) -> None:
    if keys.max_age is not None and found.age > keys.max_age:
        message = "{path} is {age:,.0f} s old, {most:,.0f} s are allowed"
        raise SkerryError(
            TOO_OLD, message, path=found.path, age=found.age, most=keys.max_age, details=details
        )


def _is_expected(path: Path, expected: str, stop: Event) -> str:
    found = _sum(path, stop)
    if found != expected:
        details: dict[str, object] = {"path": str(path), "sha256": found}
        message = "{path} has the SHA-256 {found}"
        raise SkerryError(OTHER_CONTENT, message, path=path, found=found, details=details)
    return found


def _sum(path: Path, stop: Event) -> str:
    digest = hashlib.sha256()
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise IsADirectoryError(0, "not a regular file")
            while piece := file.read(_PIECE):
                if stop.is_set():
                    raise SkerryError(CANCELLED, "stopped on request")
                digest.update(piece)
    except OSError as error:
        raise _unreadable(error, path, {"path": str(path)}) from error
    return digest.hexdigest()
