"""Reaching the workspace: the engine that owns it, an engine of our own, or just its store."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from app import wiring
from app.cli.engine_delays import watching
from app.cli.reconnecting import reconnecting
from app.cli.workspace_folder import check_path, open_workspace
from engine.model.codes.commands import NO_ANSWER, NO_WORKSPACE
from engine.model.codes.runtime import ENGINE_BUSY
from engine.model.codes.store import MISSING, OLDER, READ_ONLY
from engine.model.errors import Invalid, Refused, SkerryError
from engine.model.message import Message
from engine.runtime.workspace import Workspace, last_line

if TYPE_CHECKING:
    import subprocess

    from app.cli.cli_context import CliContext
    from engine.api.client import Client
    from engine.api.local import LocalService
    from engine.api.probing import Probe
    from engine.api.service import Service
    from engine.runtime.library import Types
    from engine.store.sql_store import Store

Answer = TypeVar("Answer")
_STARTING = 40.0  # seconds that an engine may have its lock without answering: it starts, or ends
_WORKSPACE_FILES = frozenset(
    {"workspace.yaml", "skerry.db", "instances", "case.json", "engine.sock", ".lock"}
)
_LOOK = 0.02  # seconds between two looks for it


def workspace_of(cli: CliContext) -> Workspace:
    """The workspace, made when it is not there; Invalid or Refused when its folder cannot be used."""
    return open_workspace(cli.root)


def existing(cli: CliContext) -> Workspace:
    """The workspace to look at; Invalid where the folder that was named is none: a typing mistake makes
    nothing. An empty folder is an empty workspace, and so is the user's own before anything has run.
    """
    check_path(cli.root)
    root = cli.root
    holds = set(os.listdir(root)) if cli.named and os.access(root, os.R_OK) and root.is_dir() else set()
    if cli.named and (_missing(root) or (holds and not holds & _WORKSPACE_FILES)):
        why = "there is no such folder" if not holds else "this folder is no workspace"
        raise Invalid.at(NO_WORKSPACE, "{where}: {why}", root, why=Message.of(why))
    return workspace_of(cli)


def _missing(path: Path) -> bool:
    """Whether nothing is there; False where the way to it cannot be gone, which is another error."""
    try:
        path.lstat()
    except OSError as error:
        return isinstance(error, FileNotFoundError)
    return False


def reading(
    cli: CliContext,
    probe: Callable[[Workspace], Probe] | None = None,
    types: Callable[[], Types] | None = None,
) -> AbstractContextManager[Service]:
    """The running engine, else the store itself: nothing is started to look at something."""
    workspace = existing(cli)

    def alone(stack: ExitStack) -> Service:
        from engine.api.read_only import ReadOnlyService

        store = stack.enter_context(closing(reader(workspace)))
        return ReadOnlyService(store, workspace, probe and probe(workspace), types and types())

    return _reaching(cli, workspace, alone)


def reader(workspace: Workspace) -> Store:
    """The store for reading; a new workspace gets its empty one first, an old one is brought up to date."""
    try:
        return wiring.open_reader(workspace.root)
    except SkerryError as error:
        if error.entry not in (MISSING, OLDER):
            raise
    wiring.open_engine(workspace.root, resume=False).store.close()  # never started: it may be another's too
    return wiring.open_reader(workspace.root)


def working(cli: CliContext, *, resume: bool = True) -> AbstractContextManager[Service]:
    """The running engine, else one of our own for as long as this lasts.

    Without ``resume`` that one leaves alone what an earlier engine left: it has other things to do.
    """
    workspace = workspace_of(cli)
    return _reaching(cli, workspace, lambda stack: _own_or_theirs(stack, workspace, resume))


def ask(cli: CliContext, question: Callable[[Service], Answer]) -> Answer:
    """One answer; see ``reading``."""
    with reading(cli) as service:
        return question(service)


def change(cli: CliContext, request: Callable[[Service], Answer], *, resume: bool = False) -> Answer:
    """One change, and what it gives; see ``working``."""
    with working(cli, resume=resume) as service:
        return request(service)


@contextmanager
def _reaching(
    cli: CliContext, workspace: Workspace, otherwise: Callable[[ExitStack], Service]
) -> Iterator[Service]:
    """The running engine, ``otherwise`` where none answers; the same again when that one goes."""
    with ExitStack() as stack:

        def reach() -> Service:
            return _client(workspace) if answered(workspace) else otherwise(stack)

        first = reach()
        with watching(cli, first):
            yield reconnecting(first, reach)


@contextmanager
def serving(workspace: Workspace, *, resume: bool = True) -> Iterator[LocalService]:
    """An engine of our own that answers on the workspace's socket; Refused while another one owns it."""
    from engine.api.listener import Listener
    from engine.api.local import LocalService

    _check_writable(workspace)
    os.umask(0o077)  # what jobs write that run in this very process is private too
    with wiring.own_process(), wiring.open_engine(workspace.root, resume=resume) as engine:
        service = LocalService(engine)
        with Listener(service, workspace.socket):
            yield service


def detached(cli: CliContext) -> Client:
    """The running engine, else a new one in the background that ends when it has nothing to do."""
    workspace = workspace_of(cli)
    if not answered(workspace):
        _check_writable(workspace)
        _wait(workspace, wiring.spawn_engine(workspace))
    return _client(workspace)


def _check_writable(workspace: Workspace) -> None:
    if not os.access(workspace.root, os.W_OK):
        raise Refused(READ_ONLY, "{folder} can only be read; nothing can run in it", folder=workspace.root)


def answered(workspace: Workspace) -> bool:
    """Whether an engine listens on the workspace's socket; asks nothing of it."""
    if not os.path.lexists(workspace.socket):
        return False
    from engine.api import sockets  # most commands that only look find no engine

    with suppress(OSError):
        sockets.connect(workspace.socket, _STARTING).close()
        return True
    return False


def _client(workspace: Workspace) -> Client:
    from engine.api.client import Client  # a run of our own never needs it

    return Client(workspace.socket)


def _own_or_theirs(stack: ExitStack, workspace: Workspace, resume: bool) -> Service:
    """Owners come and go: one may be starting (locked, not answering yet) or just ending.

    Each gets its time. To look who owns it costs next to nothing; an engine is only made when nobody does:
    many commands at once would else keep the one that works from its work.
    """
    owner, until = None, 0.0
    while True:
        now = workspace.owner()
        if now != owner or until == 0.0:
            owner, until = now, time.monotonic() + _STARTING
        if now is None or time.monotonic() > until:
            try:
                return stack.enter_context(serving(workspace, resume=resume))
            except Refused as refused:
                if refused.entry is not ENGINE_BUSY or time.monotonic() > until:
                    raise
        if answered(workspace):
            return _client(workspace)
        time.sleep(_LOOK)


def _wait(workspace: Workspace, engine: subprocess.Popen[bytes]) -> None:
    """Until an engine answers: this one, or the other one that it left the workspace to."""
    until = time.monotonic() + _STARTING
    while not answered(workspace):
        failed = engine.poll() not in (None, 0) and workspace.owner() is None
        if failed or time.monotonic() > until:
            why = f": {line}" if (line := last_line(workspace)) else ""
            log = workspace.logs / "serve.log"
            raise SkerryError(NO_ANSWER, "the engine did not start{why} (see {log})", why=why, log=log)
        time.sleep(_LOOK)
