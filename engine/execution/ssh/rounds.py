"""Requests of SFTP for several files, under way together: a step of all of them takes one round trip.

The library asks and waits for each; its own way to have several under way starts a thread for each block of a
file, which a cut link ends with a traceback on stderr.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import paramiko

PIECE = 1 << 15  # bytes
WINDOW = 64  # pieces under way of one file: 2 MB, whatever its size

T = TypeVar("T")
Request = tuple[Any, ...]  # its kind, and what belongs to it
Reply = tuple[int, Any]  # its kind, and the message behind the number
Steps = Generator[Sequence[Request], list[Reply], T]
Entry = tuple[str, Any]  # the name and the attributes of what is in a folder


class _Replies:
    """By the number of the request."""

    def __init__(self) -> None:
        self.by_number: dict[int, Reply] = {}

    def _async_response(self, kind: int, message: Any, number: int) -> None:  # its name is the library's
        self.by_number[number] = kind, message


def together(sftp: paramiko.SFTPClient, every: Sequence[Steps[T]]) -> list[T]:
    """What each of them gives in the end. OSError, EOFError, SSHException, or of one of them."""
    results: dict[int, T] = {}
    replies: dict[int, list[Reply]] = {}
    try:
        while True:
            asked = {n: each for n, each in enumerate(every) if n not in results}
            requests: dict[int, Sequence[Request]] = {}
            for n, steps in asked.items():
                try:
                    requests[n] = steps.send(replies[n]) if n in replies else next(steps)
                except StopIteration as end:
                    results[n] = end.value
            if not requests:
                return [results[n] for n in range(len(every))]
            replies = _round(sftp, requests)
    finally:
        for each in every:
            each.close()


def _round(client: Any, requests: dict[int, Sequence[Request]]) -> dict[int, list[Reply]]:
    came = _Replies()
    numbers = {n: [client._async_request(came, *each) for each in found] for n, found in requests.items()}
    while len(came.by_number) < sum(map(len, numbers.values())):
        client._read_response()
    return {n: [came.by_number[each] for each in found] for n, found in numbers.items()}


def appended(client: Any, remote: str, offset: int, take: Callable[[bytes], None]) -> Steps[int]:
    """Hand on what a plain file has behind ``offset``; gives the new offset."""
    from paramiko import SFTPAttributes
    from paramiko.sftp import CMD_CLOSE, CMD_LSTAT, CMD_OPEN, SFTP_FLAG_READ

    path, attributes = os.fsencode(remote), SFTPAttributes
    [found] = yield [(CMD_LSTAT, path)]  # first: whoever opens a pipe waits for its other end
    size = _plain_size(client, found)
    if size is None or size <= offset:
        return offset
    [opened] = yield [(CMD_OPEN, path, SFTP_FLAG_READ, attributes())]
    handle = _good(client, opened).get_binary()
    try:
        while offset < size and (data := (yield from _window(client, handle, offset, size))):
            for each in data:
                take(each)
                offset += len(each)
    finally:
        with suppress(Exception):  # nobody waits for that
            client._async_request(type(None), CMD_CLOSE, handle)
    return offset


def _window(client: Any, handle: bytes, offset: int, size: int) -> Steps[list[bytes]]:
    """What is there from ``offset`` on, a window at most; ends behind the first piece that is short."""
    from paramiko.sftp import CMD_READ, int64

    sizes = [(at, min(PIECE, size - at)) for at in range(offset, min(size, offset + WINDOW * PIECE), PIECE)]
    replies = yield [(CMD_READ, handle, int64(at), length) for at, length in sizes]
    found: list[bytes] = []
    with suppress(EOFError):
        for (_, length), reply in zip(sizes, replies, strict=True):
            found.append(_good(client, reply).get_binary())
            if len(found[-1]) < length:
                break
    return [each for each in found if each]


def entries(client: Any, remote: str) -> Steps[list[Entry]]:
    """What is in a folder; as ``listdir_attr``, which ends at the first name that is no text in UTF-8."""
    from paramiko import SFTPAttributes
    from paramiko.sftp import CMD_CLOSE, CMD_OPENDIR, CMD_READDIR

    attributes: Any = SFTPAttributes
    found: list[Entry] = []
    [opened] = yield [(CMD_OPENDIR, os.fsencode(remote))]
    handle = _good(client, opened).get_binary()
    try:
        while True:
            for each in (yield [(CMD_READDIR, handle)] * 2):
                message = _good(client, each)
                for _ in range(message.get_int()):
                    name, _long = os.fsdecode(message.get_binary()), message.get_binary()
                    found.append((name, attributes._from_msg(message)))
    except EOFError:
        return found
    finally:
        with suppress(Exception):
            client._async_request(type(None), CMD_CLOSE, handle)


def _plain_size(client: Any, reply: Reply) -> int | None:
    """Of a plain file, from the answer to LSTAT; None: it is none, or is not there."""
    from paramiko import SFTPAttributes

    attributes: Any = SFTPAttributes
    try:
        found = attributes._from_msg(_good(client, reply))
    except FileNotFoundError:
        return None
    return (found.st_size or 0) if stat.S_ISREG(found.st_mode or 0) else None


def _good(client: Any, reply: Reply) -> Any:
    """Its message. OSError; EOFError: there is no more."""
    from paramiko.sftp import CMD_STATUS

    kind, message = reply
    if kind == CMD_STATUS:
        client._convert_status(message)
    return message
