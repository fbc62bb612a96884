"""Putting the parts together: the only module that knows every layer.

Embedding the engine in a program::

    from app.wiring import open_engine
    with open_engine("/path/to/workspace") as engine:
        instance = engine.submit(Submission("tour"))
        engine.wait(instance)
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jobs_builtin
import resources
from app.failure_words import failure_words
from engine.model.catalogue import Catalogue, codes_of, engine_codes, own_codes
from engine.model.message import Message
from engine.planning.known_plans import KnownPlans
from engine.runtime.upkeep import reserve

if TYPE_CHECKING:
    import subprocess

    from engine.model.clock import Clock
    from engine.plugins.registry import JobTypes, ResourceTypes
    from engine.runtime.engine import Engine
    from engine.runtime.interventions.amendment import Amendment
    from engine.runtime.workspace import Workspace
    from engine.secrets.vault import Vault
    from engine.store.sql_store import Store

_PROGRAM = (sys.executable, "-m", "app.cli.main")
_SWITCH = 0.0005  # seconds of a thread before another one has its turn


@cache
def job_types() -> JobTypes:
    """Every job type: the built-in ones, then those of other installed packages."""
    from engine.plugins import registry

    return registry.job_types(jobs_builtin)


@cache
def resource_types() -> ResourceTypes:
    """Every resource type by kind and alias."""
    from engine.plugins import registry

    return registry.resource_types(resources)


@dataclass(frozen=True)
class InstalledTypes:
    """The job and resource types of this program."""

    job_types: JobTypes
    resource_types: ResourceTypes
    plans: KnownPlans = field(default_factory=KnownPlans)


def installed_types() -> InstalledTypes:
    """Both together."""
    return InstalledTypes(job_types(), resource_types())


def catalogue(own: Mapping[str, Any]) -> Catalogue:
    """The user's own entries (they come first), the engine's, and those of the job and resource types."""
    types = installed_types()
    of_types = (*codes_of(types.job_types.values()), *codes_of(types.resource_types.values()))
    return Catalogue([*own_codes(own), *engine_codes(), *of_types])


def open_workspace(path: str | os.PathLike[str]) -> Workspace:
    """The workspace in a folder, made when it is not there."""
    from engine.runtime.workspace import Workspace

    return Workspace.open(Path(path))


def open_vault(workspace: Workspace) -> Vault:
    """The workspace's secrets, unlocked by the environment when they are asked for."""
    from engine.secrets.vault import Vault

    return Vault(workspace.secret_file, os.environ)


def collect_seldom() -> None:
    """From now on Python looks for garbage once in 10,000 new objects, not in 700."""
    gc.set_threshold(10_000, 10, 10)


@contextmanager
def own_process() -> Iterator[None]:
    """While this process works for an engine alone: garbage is collected seldom, and among new objects only.

    By default Python looks through what a big run keeps every few hundred new objects: a tenth of the
    engine's time (benchmarks/README.md). The loop has its turn soon while another thread computes: by default
    it would wait 5 ms for that each time it has read or written something. A program that embeds the engine
    may do the same.
    """
    before, switch = gc.get_threshold(), sys.getswitchinterval()
    gc.freeze()
    collect_seldom()
    sys.setswitchinterval(_SWITCH)
    try:
        yield
    finally:
        sys.setswitchinterval(switch)
        gc.set_threshold(*before)
        gc.unfreeze()


@dataclass(frozen=True)
class SitePackages:
    """The fixes and deliveries of a workspace, as its engine takes them."""

    root: Path
    clock: Clock
    vault: Vault

    def verified(self, package: Mapping[str, Any], store: Store) -> tuple[Amendment, str]:
        """See ``engine.runtime.interventions.amendment.Packages``."""
        from export_import.packages import verified

        return verified(package, store, self.root, self.clock, self.vault)


def open_engine(
    path: str | os.PathLike[str], *, resume: bool = True, tell: Callable[[str], None] | None = None
) -> Engine:
    """An engine for a workspace, not started yet: a context manager that starts and closes it.

    Without ``resume`` it does not go on with what an earlier engine left. ``tell`` gets a line for people
    when the database was damaged and had to be rebuilt; by default it goes to standard error.
    """
    from engine.runtime.clock import SystemClock
    from engine.runtime.engine import Engine
    from engine.runtime.upkeep.database_opening import open_sound

    workspace = open_workspace(path)
    tell = tell or partial(_complain, workspace.language or "en")
    if reserve.release(workspace.root):
        message = "the disk of {workspace} is full: the reserve on it was given up"
        tell(Message.of(message, workspace=workspace.root))
    clock = SystemClock()
    remarks: list[str] = []
    store = open_sound(workspace, clock, remarks.append)
    for each in remarks:
        tell(each)
    vault = open_vault(workspace)
    return Engine(
        workspace,
        store,
        job_types(),
        resource_types(),
        clock,
        vault,
        resume=resume,
        remarks=remarks,
        packages=SitePackages(workspace.root, clock, vault),
    )


def _complain(language: str, text: str) -> None:
    with suppress(OSError, ValueError):
        sys.stderr.write(f"warning: {failure_words(None, text, language)}\n")


def open_reader(path: str | os.PathLike[str]) -> Store:
    """The store of a workspace for reading, while no engine owns it."""
    from engine.store.quick_reader import quick_reader

    workspace = open_workspace(path)
    whole = partial(_whole_reader, workspace)
    elsewhere = workspace.written and workspace.written.database
    quick = None if elsewhere else quick_reader(workspace.root / "skerry.db", whole)
    return quick or whole()


def _whole_reader(workspace: Workspace) -> Store:
    from engine.runtime.clock import SystemClock
    from engine.runtime.upkeep import ownership
    from engine.store.opening import open_store

    store = open_store(
        workspace.database_url, durability=workspace.settings.durability, read_only=True, clock=SystemClock()
    )
    try:
        ownership.insist(store, workspace)
    except BaseException:
        store.close()
        raise
    return store


def spawn_engine(workspace: Workspace, *, until_idle: bool = True) -> subprocess.Popen[bytes]:
    """Start ``skerry serve`` in a session of its own; it outlives whoever started it."""
    import subprocess

    log = os.open(workspace.logs / "serve.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        idle = ["--until-idle"] if until_idle else []
        command = [*_PROGRAM, "--workspace", str(workspace.root), "serve", *idle]
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    finally:
        os.close(log)
