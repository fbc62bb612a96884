"""A process that has imported what commands import, and forks itself for each command line.

A command costs most of a second of imports otherwise. What it does then is what an interpreter does that was
started for it: its own pid, streams, environment, folder, umask, signals and exit status. Tests of
the start itself (memory protection, closed streams, light imports) start an interpreter.

Protocol of the socket: a request (``marshal``) comes with the descriptors of the three streams; the answers are
the pid and the exit status (as in ``subprocess``). Who hangs up kills the command. Its pid is in ``pids`` beside
the socket, under that of who asked. An engine that a command starts is forked from here too.
"""

from __future__ import annotations

import atexit
import gc
import io
import marshal
import os
import pkgutil
import select
import shutil
import signal
import socket
import sys
import threading
import time
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from runpy import run_module
from typing import Any, NoReturn
from unittest.mock import patch

from app import wiring
from engine.api import server
from engine.api.server import Streams, create_app
from tests import commands
from tests.api.fake_service import FakeService
from tests.compiled_once import compiled_once

PACKAGES = ("app.cli", "engine", "jobs_builtin", "resources", "export_import")
SERVING = (
    "uvicorn.protocols.http.h11_impl",
    "uvicorn.lifespan.off",
    "anyio._backends._asyncio",
)  # imported late
LIFELINE = 0  # standard input: its other end is whoever needs this server


def main(folder: str) -> None:
    """Serve at ``socket`` in this folder until the one who started this has gone; the folder goes with it."""
    try:
        _import_all()
        with compiled_once(), patch.object(wiring, "_PROGRAM", commands.client(Path(folder))):
            _open_an_engine(Path(folder, "warm"))
            gc.freeze()
            _listen(Path(folder))
    finally:
        shutil.rmtree(folder)


def _open_an_engine(workspace: Path) -> None:
    """What is found, compiled and made for the first one is there for all."""
    server._operations(False)
    with wiring.open_engine(workspace):
        create_app(FakeService(), Streams())
    assert threading.active_count() == 1, "a process with threads cannot be forked safely"


def _listen(folder: Path) -> None:
    pids = folder / "pids"
    pids.mkdir()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(folder / "begun"))
        listener.listen(64)
        (folder / "begun").rename(folder / "socket")
        _serve(listener, pids)


def _import_all() -> None:
    for package in PACKAGES:
        module = import_module(package)
        for each in pkgutil.walk_packages(module.__path__, f"{package}."):
            import_module(each.name)
    for name in SERVING:
        import_module(name)


def _serve(listener: socket.socket, folder: Path) -> None:
    pids: dict[socket.socket, int] = {}
    ends: dict[int, socket.socket] = {}  # by pidfd
    while True:
        ready, _, _ = select.select([LIFELINE, listener, *ends, *pids], [], [])
        if LIFELINE in ready:
            return
        for each in ready:
            if each is listener:
                asker, _ = listener.accept()
                pids[asker] = _begin(asker, [listener, *pids], ends, folder)
                ends[os.pidfd_open(pids[asker])] = asker
            elif each in ends:
                asker = ends.pop(each)
                os.close(each)
                _answer(asker, os.waitstatus_to_exitcode(os.waitpid(pids.pop(asker), 0)[1]))
            elif each in pids and not each.recv(1):
                os.kill(pids[each], signal.SIGKILL)


def _answer(asker: socket.socket, status: int) -> None:
    with asker, suppress(OSError):  # it may have gone
        asker.send(b"%d" % status)


def _begin(asker: socket.socket, sockets: list[socket.socket], ends: dict[int, Any], folder: Path) -> int:
    """Start what is asked for; its pid."""
    request, streams, _, _ = socket.recv_fds(asker, 1 << 20, 3)
    peer = int.from_bytes(asker.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 4), sys.byteorder)
    pid = os.fork()
    if pid == 0:
        try:
            (folder / str(peer)).write_text(str(os.getpid()))
            for each in (*sockets, asker):
                each.close()
            for pidfd in ends:
                os.close(pidfd)
            _become(marshal.loads(request), streams)
        finally:
            os._exit(1)
    for fd in streams:
        os.close(fd)
    asker.send(b"%d" % pid)
    return pid


def _become(request: dict[str, Any], streams: list[int]) -> NoReturn:
    """Be the interpreter that was started with this command line."""
    for number, fd in enumerate(streams):
        os.dup2(fd, number)
        os.close(fd)
    sys.stdin, sys.stdout, sys.stderr = _text(0, "r"), _text(1, "w"), _text(2, "w")
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    sys.argv = [request["module"], *request["args"]]
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    os.chdir(request["cwd"])
    os.umask(request["umask"])
    _leave(_status(request["module"]))


def _status(module: str) -> int:
    """What running it as a program ends with."""
    sys.modules.pop(module, None)  # as it is when python -m runs it
    try:
        run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as leaving:
        return int(leaving.code or 0)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _leave(status: int) -> NoReturn:
    """End as an interpreter does, but for taking all modules apart."""
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


def _text(fd: int, mode: str) -> Any:
    """A standard stream as an interpreter opens it under C.UTF-8."""
    raw = open(fd, f"{mode}b", closefd=False)  # noqa: SIM115
    errors = "backslashreplace" if fd == 2 else "surrogateescape"
    line_buffering = fd == 2 or raw.isatty()
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, line_buffering=line_buffering)


if __name__ == "__main__":
    main(sys.argv[1])
