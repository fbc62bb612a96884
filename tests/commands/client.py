"""A command that the server of commands carries out: passes on streams, signals and the exit status.

It runs without site packages and imports what is built in: anything else would cost more than the rest of it.
"""

from __future__ import annotations

import _signal
import _socket
import marshal
import os
import sys


def main(path: str, module: str, *args: str) -> int:
    """Be ``python -m module args``."""
    request = {
        "module": module,
        "args": args,
        "env": dict(os.environ),
        "cwd": os.getcwd(),
        "umask": os.umask(0),
    }
    streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    connection.connect(path)
    connection.sendmsg([marshal.dumps(request)], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
    pid = int(connection.recv(64))

    def pass_on(number: int, _: object) -> None:
        try:  # noqa: SIM105 - contextlib is not built in
            os.kill(pid, number)
        except ProcessLookupError:
            pass  # it has ended, and its status is on its way

    for number in (_signal.SIGINT, _signal.SIGTERM):
        _signal.signal(number, pass_on)
    status = int(connection.recv(64))
    if status < 0:
        if status != -_signal.SIGKILL:
            _signal.signal(-status, _signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
