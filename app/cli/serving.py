"""``skerry serve``, ``claim`` and ``rebuild``: the engine without a window, and its database."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager

import click

from app.cli.cli_context import CliContext, as_json
from app.cli.engine_access import serving, workspace_of
from app.cli.running import say_what_does_not_fire
from app.cli.shell import CliCommand
from app.cli.terminal_text import pairs, visible
from engine.api.local import LocalService, user
from engine.runtime.clock import SystemClock
from engine.runtime.interventions.amending import recover_records
from engine.runtime.upkeep import ownership
from engine.store.opening import open_store

_COUNTED = ("instances", "runs", "jobs", "lines", "definitions")
_LOOK = 0.5  # seconds between two looks whether there is work


@click.command(cls=CliCommand)
@click.option("--until-idle", is_flag=True, help="End when there was no work for a while (setting: idle).")
@click.pass_obj
def serve(cli: CliContext, until_idle: bool) -> None:
    """Run the engine without a window until it gets TERM or Ctrl-C; schedules fire in it.

    Prints a line `ready` when it takes work. Running jobs go on after its end and are adopted by
    the next engine.
    """
    workspace = workspace_of(cli)
    with _signalled_to_end() as signalled, serving(workspace) as service:
        if until_idle:
            say_what_does_not_fire(cli, service)
        else:
            service.fire_schedules()
        if cli.json:
            cli.write(as_json({"ready": True, "pid": os.getpid(), "socket": str(workspace.socket)}))
        else:
            cli.write("ready")
        _stay(signalled, service, workspace.settings.idle if until_idle else None)


@contextmanager
def _signalled_to_end() -> Iterator[int]:
    """A descriptor that becomes readable with TERM or INT, also when another thread gets the signal."""
    reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    woken = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)  # a handler would wait for this thread
    before = {
        number: signal.signal(number, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    }
    try:
        yield reader
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(woken)
        os.close(reader)
        os.close(writer)


def _stay(signalled: int, service: LocalService, idle: float | None) -> None:
    """Wait to be signalled; with ``idle``, end also after so many seconds without work."""
    quiet = 0.0
    while not select.select([signalled], [], [], None if idle is None else _LOOK)[0]:
        quiet = quiet + _LOOK if service.idle() else 0.0
        if idle is not None and quiet >= idle:
            return


@click.command(cls=CliCommand)
@click.pass_obj
def claim(cli: CliContext) -> None:
    """Take the database of the settings over from another workspace, or a copy of this one.

    For a folder that was restored from a backup or moved to another machine. No engine of the other one
    may run meanwhile or afterwards: jobs would run twice.
    """
    workspace = workspace_of(cli)
    with workspace.own(), closing(open_store(workspace.database_url, clock=SystemClock())) as store:
        before = ownership.claim(store, workspace, user())
        url = store.url
    document = {"database": url, "workspace": str(workspace.root), "before": before and before.path}
    cli.answer(document, pairs(cli.facts(document.items())))


@click.command(cls=CliCommand)
@click.pass_obj
def rebuild(cli: CliContext) -> None:
    """Rebuild the database from the directories of the instances, after its loss.

    No engine may run meanwhile. The old file is kept beside the new one.
    """
    from engine.store.rebuild import rebuild_database

    workspace, clock = workspace_of(cli), SystemClock()
    with workspace.own():
        done = rebuild_database(workspace.database_url, workspace.instances, clock=clock)
        with closing(open_store(workspace.database_url, clock=clock)) as store:
            recover_records(workspace.root, store)
    counts = {name: getattr(done, name) for name in _COUNTED}
    problems = [{"path": each.path, "message": each.message} for each in done.problems]
    aside = str(done.aside) if done.aside else None
    for each in done.problems:
        cli.note(visible(cli.tell("warning: {path}: {message}", path=each.path, message=each.message)))
    lines = pairs(cli.facts([*counts.items(), ("old file", aside)]))
    cli.answer({**counts, "problems": problems, "aside": aside}, lines)
