"""Every command of the command line while the engine is stopped: it ends, or says why it waits, within seconds.

``python -m tests.soak.stopped_engine`` asks all of them, one after the other; exit status 1 if one is silent.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from app.cli.main import cli

SECONDS = 5.0
TASK = """
skerry: 1
jobs: {alone: {type: shell, process: 'true'}}
resources: {here: {type: file, uri: /tmp}}
tasks: {quick: {nodes: {a: {type: shell, process: 'true'}}}}
rules: [{id: r, match: {task: quick}, action: pause}]
"""
# what follows the command; those that have none need nothing
WORDS: Mapping[str, str] = {
    "check": "quick.yaml", "load": "quick.yaml", "tasks delete": "quick", "tasks history": "quick",
    "tasks show": "quick", "jobs delete": "alone", "jobs history": "alone", "jobs show": "alone",
    "resources delete": "here", "resources history": "here", "resources show": "here", "online": "quick",
    "offline": "quick", "delete": "quick", "run": "quick --detach", "show": "1", "logs": "1",
    "context": "1", "set": "1 $.TASK.PARAMS['a'] x --reason r", "cancel": "1", "pause": "1", "resume": "1",
    "queue add": "alone", "queue clean": "1", "queue priority": "1 1", "queue remove": "1",
    "queue size": "2", "rerun": "1 --all", "force": "1 a failed --reason r",
    "exceptions handle": "1 --reason r", "exceptions show": "1", "alerts ack": "--all",
    "rules delete": "r", "rules disable": "r", "rules enable": "r", "rules show": "r", "rules test": "r",
    "resource check": "here", "secret remove": "none", "secret set": "one", "export": "1 -o out",
    "bundle inspect": "none", "bundle verify": "none", "bundle import": "none", "bundle replay": "none",
    "bundle try": "none", "bundle findings": "none", "bundle diff": "none none", "bundle search": "none x",
    "bundle note": "none x", "bundle translate": "quick.yaml", "keys export": "-o card",
    "keys revoke": "none --reason r", "keys rotate": "-o card", "keys trust": "none --role site",
    "delivery build": "quick.yaml -o d --title t", "delivery import": "none", "delivery preview": "none",
    "delivery rollback": "none --reason r", "fix apply": "none", "fix build": "none -o f --title t",
    "fix preview": "none", "fix receipt": "none", "fix undo": "none --reason r", "errors": "1",
}  # fmt: skip
NEED_NONE = frozenset(
    {"dump", "list", "audit", "secret", "stats", "clean", "serve", "claim", "rebuild", "queue", "tasks", "jobs",
     "resources", "exceptions", "alerts", "rules", "resource", "bundle", "keys", "delivery", "fix",
     "tasks list", "jobs list", "resources list", "queue clear", "queue list", "queue pause", "queue resume",
     "exceptions list", "alerts list", "audit list", "audit verify", "rules list", "secret accept",
     "secret list", "secret rekey", "secret unlock", "bundle cases", "keys list", "keys show",
     "delivery list", "fix list"}
)  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """How a command fared: seconds until it said something, without those that others took; its status."""

    command: str
    seconds: float
    status: int | None
    printed: str

    @property
    def silent(self) -> bool:
        """Whether nobody learnt in time what is the matter."""
        return self.seconds > SECONDS


def commands() -> list[str]:
    """All of them, with what has to follow; ValueError names those that nobody has given words."""
    found = list(_leaves(cli, (), click.Context(cli)))
    if unknown := set(found) - set(WORDS) - NEED_NONE:
        raise ValueError(f"what do these commands need? {sorted(unknown)}")
    return [f"{each} {WORDS.get(each, '')}".strip() for each in found]


def _leaves(command: click.Command, path: tuple[str, ...], context: click.Context) -> Iterator[str]:
    if not isinstance(command, click.Group) or (command.invoke_without_command and path):
        yield " ".join(path)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _leaves(below, (*path, name), click.Context(below, parent=context))


def ask(folder: Path, command: str) -> Asked:
    """One command in ``folder``, whose workspace is ``w``."""
    words = [sys.executable, "-m", "app.cli.main", "--workspace", "w", *command.split()]
    began = time.monotonic()
    asked = subprocess.Popen(
        words, cwd=folder, env={**os.environ, "LANG": "C.UTF-8", "PYTHONPATH": os.getcwd()},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert asked.stderr is not None
    spoken, _, _ = select.select([asked.stderr], [], [], 6 * SECONDS)
    output = os.read(asked.stderr.fileno(), 4096).decode().strip() if spoken else ""
    took = time.monotonic() - began - _kept_waiting(asked.pid)
    status = None
    with suppress(subprocess.TimeoutExpired):
        status = asked.wait(1.0)
    asked.kill()
    asked.communicate()
    return Asked(command, took, status, output)


def _kept_waiting(pid: int) -> float:
    """Seconds that it was ready to run, but others had the processor (proc(5), schedstat)."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9


@contextmanager
def stopped(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """An engine in ``folder``/w that was at work, and is stopped."""
    (folder / "quick.yaml").write_text(TASK)
    words = [sys.executable, "-m", "app.cli.main", "--workspace", str(folder / "w")]
    engine = subprocess.Popen([*words, "serve"], stdout=subprocess.PIPE, text=True)
    assert engine.stdout is not None
    try:
        engine.stdout.readline()
        subprocess.run([*words, "load", str(folder / "quick.yaml")], check=True, capture_output=True)
        subprocess.run([*words, "run", "quick"], check=True, capture_output=True)
        engine.send_signal(signal.SIGSTOP)
        yield engine
    finally:
        engine.send_signal(signal.SIGCONT)
        engine.terminate()
        engine.communicate()


def _shown(asked: Asked) -> Asked:
    said = asked.printed.splitlines()[0] if asked.printed else ""
    ended = "waits" if asked.status is None else str(asked.status)
    print(f"{asked.seconds:5.1f} s  {ended:>5}  skerry {asked.command:<40} {said[:110]}", flush=True)
    return asked


def main() -> int:
    """Print a line for each; 1 if one was silent."""
    with TemporaryDirectory() as folder, stopped(Path(folder)):
        found = [_shown(ask(Path(folder), each)) for each in commands()]
    silent = [each.command for each in found if each.silent]
    print(f"{len(found)} commands, {len(silent)} silent for more than {SECONDS:g} s")
    return bool(silent)


if __name__ == "__main__":
    sys.exit(main())
