"""The ``file`` resource: a file or folder, its age, its size, its content, the room around it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Annotated, Any, ClassVar
from urllib.parse import unquote, urlsplit

from pydantic import Field

from engine.model.base import Bool, Frozen, Seconds, Size
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.model.plain_words import quoted
from engine.plugins.resource_type import ResolvedResource
from resources.clients.checking import CheckedAnswer, CheckedType, OnCancel, read_keys
from resources.clients.file_places import FilePlace, FoundFile, HereFile, WorkerFile
from resources.codes import MISSING, NO_PATH, NO_ROOM, OTHER_CONTENT, THERE, TOO_OLD, TOO_SMALL, UNREADABLE


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
            "on its disk; `sha256` is compared with the whole content. With `at: worker` it is looked at on "
            "the worker that runs the job, by that machine's clock; everywhere else on this one."
        ),
        (
            "运行引擎的机器上的文件或目录，写作路径或 `file:///路径`。不给出检查条件时必须存在。"
            "`exists: false` 表示必须不存在；`readable` 会打开文件；`min_size` 为字节数或 `10MB` 的形式；"
            "`max_age` 从最后修改时间算起；`min_free` 为所在磁盘的剩余空间；`sha256` 与整个内容比较。"
            "写 `at: worker` 时在运行作业的执行主机上查看，以该主机的时钟为准；其他情况都在本机查看。"
        ),
    )
    looks_elsewhere = True
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
        place: FilePlace
        if resource.elsewhere is None:
            place = HereFile(path, self._now(), stop.is_set)
        else:
            place = WorkerFile(path, resource.elsewhere, keys.sha256 is not None)
        return _look(path, place, keys)


def _look(path: Path, place: FilePlace, keys: FileCheck) -> CheckedAnswer:
    details: dict[str, Any] = {"path": str(path)}
    found = place.found
    if keys.min_free is not None:
        details["free"] = _has_room(path, place, keys.min_free)
    if keys.exists is False:
        return _is_absent(path, place, details)
    if found is None:
        if keys.needs_file:
            raise SkerryError(MISSING, "not there: {path}", path=path, details=details)
        details["there"] = False
        return CheckedAnswer(Message.of("{path} is not there; there is room for it", path=path), details)
    details |= _facts(found)
    if keys.readable:
        place.open()
    for part in (_is_big_enough, _is_new_enough):
        part(found, keys, details)
    if keys.sha256 is not None:
        details["sha256"] = _is_expected(path, keys.sha256.strip().lower(), place.sha256())
    return CheckedAnswer(Message.of("{path} is in order", path=path), details)


def _path(uri: str) -> Path:
    """The absolute path that a uri means."""
    url = urlsplit(uri) if uri.startswith("file:") else None
    elsewhere = url is not None and url.netloc not in ("", "localhost")
    text = unquote(url.path) if url is not None else uri
    if not text or "\0" in text or elsewhere:
        raise SkerryError(NO_PATH, "this is not the path of a file here: {uri}", uri=quoted(uri))
    return Path(os.path.abspath(text))


def _has_room(path: Path, place: FilePlace, least: int) -> int:
    """The free bytes there, which must be so many."""
    free, disk = place.free()
    if free < least:
        message = "{free:,} bytes are free at {disk}, {least:,} are wanted"
        details: dict[str, object] = {"path": str(path), "free": free}
        raise SkerryError(NO_ROOM, message, free=free, disk=disk, least=least, details=details)
    return free


def _is_absent(path: Path, place: FilePlace, details: dict[str, Any]) -> CheckedAnswer:
    if place.is_taken:
        raise SkerryError(THERE, "it is there: {path}", path=path, details=details)
    return CheckedAnswer(Message.of("{path} is not there, as it should be", path=path), details)


def _facts(found: FoundFile) -> dict[str, Any]:
    modified = datetime.fromtimestamp(found.modified, UTC).isoformat(timespec="microseconds")
    return {"size": found.size, "modified": modified, "age": round(found.age, 3)}


def _is_big_enough(found: FoundFile, keys: FileCheck, details: dict[str, Any]) -> None:
    size = found.size
    if keys.min_size is not None and size < keys.min_size:
        message = "{path} has {size:,} bytes, {least:,} are wanted"
        raise SkerryError(
            TOO_SMALL, message, path=found.path, size=size, least=keys.min_size, details=details
        )


def _is_new_enough(found: FoundFile, keys: FileCheck, details: dict[str, Any]) -> None:
    if keys.max_age is not None and found.age > keys.max_age:
        message = "{path} is {age:,.0f} s old, {most:,.0f} s are allowed"
        raise SkerryError(
            TOO_OLD, message, path=found.path, age=found.age, most=keys.max_age, details=details
        )


def _is_expected(path: Path, expected: str, found: str) -> str:
    if found != expected:
        details: dict[str, object] = {"path": str(path), "sha256": found}
        message = "{path} has the SHA-256 {found}"
        raise SkerryError(OTHER_CONTENT, message, path=path, found=found, details=details)
    return found
