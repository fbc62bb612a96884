"""Reading a file over SFTP with many requests under way, in the thread that asks.

The library's own way starts a thread for each block, which a cut link ends with a traceback on stderr.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import paramiko


class _Answers:
    """The data of each request by its number; an error of one is kept."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.data: dict[int, bytes] = {}
        self.problem: OSError | EOFError | None = None

    def _async_response(self, kind: int, message: Any, number: int) -> None:  # its name is the library's
        from paramiko.sftp import CMD_STATUS

        self.data[number] = b""
        if kind != CMD_STATUS:
            self.data[number] = message.get_binary()
            return
        try:
            self._client._convert_status(message)
        except EOFError:
            return
        except OSError as error:
            self.problem = error


def read_window(file: paramiko.SFTPFile, offset: int, end: int, piece: int, most: int) -> Iterator[bytes]:
    """What is there from ``offset`` on, at most ``most`` pieces; ends before the first that is short.

    OSError, EOFError, SSHException.
    """
    from paramiko.sftp import CMD_READ, int64

    client: Any = file.sftp
    answers = _Answers(client)
    asked = [
        (client._async_request(answers, CMD_READ, file.handle, int64(at), min(piece, end - at)), at)
        for at in range(offset, min(end, offset + most * piece), piece)
    ]
    while len(answers.data) < len(asked):
        client._read_response()
    for number, at in asked:
        data = answers.data[number]
        if data:
            yield data
        if len(data) < min(piece, end - at):
            break
    if answers.problem is not None:
        raise answers.problem
