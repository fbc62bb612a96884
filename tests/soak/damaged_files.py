"""Every file of a workspace damaged in turn: nothing wrong is shown or run, and every engine starts.

    python -m tests.soak.damaged_files [--rounds 1000] [--seed N] [--only PART_OF_A_NAME] [--folder DIR]

A workspace is filled by real runs, with secrets, trusted keys, an applied fix and an imported case, and left as a
killed engine leaves it: a job at work, and a part of the database in its WAL. Then, again and again, it is put
back as it was and one file is damaged: a bit flipped, cut off, emptied, removed, not to be read any more, or
replaced by a folder or a pipe. The store is read without an engine, an engine starts and takes up what goes on,
and the database is rebuilt from the directories. Each answer is what it was, or an error or a finding with a
code that says otherwise. Root may read everything: run by root, all of it is done without that right (setpriv).
Most of a round is waiting for the disk: a ``--folder`` in memory takes a fifth of the time.

Not judged is what only a job's own files hold (its output, results as files, files of its own):
no second place says what they were.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app import wiring
from engine.context.line import read_line
from engine.model.codes.runtime import LOST
from engine.model.codes.store import DAMAGED, ROW_DAMAGED
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from engine.runtime.interventions.amending import records
from engine.runtime.interventions.amendment_files import file_record
from engine.runtime.submission import Submission
from engine.secrets.vault import Vault
from engine.store.changes import Changes
from engine.store.opening import open_store
from engine.store.rebuild import rebuild_database
from engine.store.sql_store import Store
from export_import.case import cases_at
from export_import.desk.evidence import Evidence
from export_import.export import export
from export_import.export_request import ExportRequest
from export_import.export_source import InstanceChoice
from export_import.importing import import_bundle
from export_import.keys import Keys
from tests.runtime.site import SETTINGS, shell, task

NODES = {
    "a": shell("echo out; echo 42 > outputs/n"),
    "b": {**shell("exit 3", continue_on_failure=True), "after": ["a"]},
    "c": {**shell("echo $n", params={"n": "$.JOB['a'].RESULT['n']"}), "after": ["b"]},
}
AMENDMENT = {
    "id": "fix-1", "kind": "fix", "applied_at": "2026-11-23T00:00:00+00:00", "by": "support", "instance": 1,
    "origin": {}, "definitions": [], "values": [], "undone_at": None, "undone_by": None, "undone_why": None,
}  # fmt: skip
_NAME = "tests.soak.damaged_files"
_LONGEST = 300  # seconds for one round; a pipe that is waited for takes for ever
_LIKE_OTHERS = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
_NOT_FILES = (".lock", "engine.sock")
_RECORD = "instances/task-t-3/jobs/job-w-*/.skerry"  # of the job at work
_IN_FOLDERS = ("list", "show", "context", "definitions")  # known again after a rebuild that is reported
_MADE_ANEW = ("keys/site.secret",)
_OF_JOBS = ("job.log", "job-error.log", "outputs/", "monitor.csv", "progress")


def flip(file: Path, place: random.Random) -> None:
    """One bit."""
    data = bytearray(file.read_bytes())
    if data:
        data[place.randrange(len(data))] ^= 1 << place.randrange(8)
    file.write_bytes(data)


def cut(file: Path, place: random.Random) -> None:
    """The end is missing."""
    data = file.read_bytes()
    file.write_bytes(data[: place.randrange(len(data) + 1)])


def empty(file: Path, place: random.Random) -> None:
    """Nothing is left of it."""
    file.write_bytes(b"")


def remove(file: Path, place: random.Random) -> None:
    """It is gone."""
    file.unlink()


def folder(file: Path, place: random.Random) -> None:
    """A folder is in its place."""
    file.unlink()
    file.mkdir()


def pipe(file: Path, place: random.Random) -> None:
    """A pipe that nobody writes to is in its place."""
    file.unlink()
    os.mkfifo(file)


def forbid(file: Path, place: random.Random) -> None:
    """Nobody may read it (root may)."""
    file.chmod(0)


HOW = (flip, flip, flip, flip, cut, empty, remove, folder, pipe, forbid)


@dataclass
class Found:
    """How the rounds came out; ``faults`` are what must not be."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


class Place:
    """One workspace that is put back again and again; a job of it goes on all the while."""

    def __init__(self, folder: Path) -> None:
        self.root, self._kept, self._gate = folder / "ws", folder / "kept", folder / "gate"
        self._starts, self._locked, self._record = folder / "starts", folder / "locked", ""
        self._gate.touch()

    def fill(self) -> None:
        """Runs that ended, and one with a job at work whose engine ends."""
        self.root.mkdir()
        (self.root / "workspace.yaml").write_text(
            SETTINGS.replace("normal", "full")
        )  # whose WAL is looked at
        wait = f"echo x >> '{self._starts}'; while [ -e '{self._gate}' ]; do sleep 0.2; done"
        nodes = {"a": shell("echo 1 > outputs/n"), "w": {**shell(wait), "after": ["a"]}}
        vault = Vault(self.root / "secrets.vault")
        vault.unlock(passphrase="open")
        vault.set("token", "a secret")
        with wiring.open_engine(self.root) as engine:
            engine.store.save_definitions({"tasks": {"t": {"nodes": NODES}, "u": {"nodes": NODES}}})
            engine.store.set_task_state("u", "online")
            for _ in range(2):
                engine.wait(engine.submit(Submission("t", task(NODES))))
            last = engine.submit(Submission("t", task(nodes)))
            while not self._starts.exists() or not any(row.pid for row in engine.store.jobs(last)):
                os.sched_yield()
        self._add_foreign(vault)
        self._keep_with_wal()
        [record] = self.root.glob(f"{_RECORD}/process")
        self._record = record.relative_to(self.root).as_posix()
        os.link(record, self._locked)

    def put_back(self) -> None:
        """As it was."""
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self._kept, self.root)
        self._locked.chmod(0o600)
        self._locked.write_bytes((self._kept / self._record).read_bytes())
        (self.root / self._record).unlink()
        os.link(self._locked, self.root / self._record)  # the very file that its wrapper holds locked

    def files(self) -> list[str]:
        """Every file, by its name within the workspace."""
        found = (each.relative_to(self._kept).as_posix() for each in self._kept.rglob("*") if each.is_file())
        return sorted(name for name in found if name not in _NOT_FILES)

    def starts(self) -> int:
        """How often the job at work was begun."""
        return len(self._starts.read_text().split())

    def end(self) -> None:
        """Let the job end."""
        self._gate.unlink(missing_ok=True)

    def _add_foreign(self, vault: Vault) -> None:
        """A trusted key, a revoked one, what was applied, and a case."""
        clock, other, last = SystemClock(), self.root.parent / "other", self.root.parent / "last"
        keys = Keys(self.root, clock)
        for root in (other, last):
            root.mkdir()
            keys.trust(Keys(root, clock).card(root.name), roles=("support",))
        keys.revoke("last", "it was lost")
        file_record(self.root, AMENDMENT)
        bundle = export(
            self.root,
            self.root.parent / "bundle",
            ExportRequest((InstanceChoice(1),)),
            clock=clock,
            vault=vault,
        )
        import_bundle(self.root, [bundle.path], clock=clock)

    def _keep_with_wal(self) -> None:
        store = open_store(f"sqlite:///{self.root / 'skerry.db'}", clock=SystemClock())
        changes = Changes()
        changes.setting("amendments", [AMENDMENT])
        store.commit(changes)
        for name in ("v", "x"):  # each a transaction: the one before was on the disk when it began
            store.save_definitions({"tasks": {name: {"nodes": NODES}}})
        for name in _NOT_FILES:
            (self.root / name).unlink(missing_ok=True)
        shutil.copytree(self.root, self._kept)
        store.close()


def answers(store: Store, root: Path, name: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Everything that people ask for, one thing at a time; what is beside the database where it is damaged."""
    yield from ((part, ask) for part, ask in _beside(root) if not name or name.startswith(part.split()[0]))
    yield "fixes", lambda: records(store)
    yield "list", lambda: [_instance(row) for row in store.instances(limit=100)]
    for id in (1, 2, 3):
        yield f"show {id}", lambda id=id: (_instance(store.instance(id)), _jobs(store, id))
        yield f"context {id}", lambda id=id: [read_line(line) for line in store.lines(id)][:20]
        yield f"definitions {id}", lambda id=id: store.snapshot(id, 1)
    yield "exceptions", lambda: [(row.code, row.message, row.node) for row in store.exceptions()]
    yield "task t", lambda: _standing(store, "t")
    for each in ("u", "v", "x"):
        yield f"task {each}", lambda each=each: _standing(store, each)
    yield "statistics", lambda: [(row.id, row.counts, row.failed) for row in store.stats("task")]


def _beside(root: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    keys = Keys(root, SystemClock())
    yield "secrets", lambda: _secret(root)
    yield "keys trusted", lambda: keys.trusted()
    yield "keys public", lambda: (keys.public, keys.recipient, keys.name)
    yield "keys secret", lambda: keys.site_secret
    yield "cases list", lambda: _cases(root)
    yield "cases instance", lambda: _case(root, lambda e: (_instance(e.instance(1)), _jobs(e.store, 1)))
    yield "cases context", lambda: _case(root, lambda e: e.task_values(1))
    yield "cases definitions", lambda: _case(root, lambda e: e.definitions(1))


def _cases(root: Path) -> Any:
    whole, unreadable = cases_at(root)
    return unreadable[0].error.code if unreadable else [case.name for case in whole if case.files]


def _secret(root: Path) -> str:
    vault = Vault(root / "secrets.vault")
    vault.unlock(passphrase="open")
    return vault.get("token")


def _case(root: Path, look: Callable[[Evidence], Any]) -> Any:
    [folder] = (root / "cases").iterdir()
    with Evidence.open(folder) as evidence:
        return look(evidence)


def _standing(store: Store, task: str) -> Any:
    row = store.definition("task", task)
    return None if row is None else (row.state, row.content)


def _instance(row: Any) -> Any:
    if row is None or row.error_code == ROW_DAMAGED.number or "set aside" in (row.error_message or ""):
        return ROW_DAMAGED.number if row is not None else None
    return (row.id, row.task, str(row.status), row.run, row.params, row.results, row.error_code)


def _jobs(store: Store, id: int) -> Any:
    jobs = store.jobs(id)
    return [(job.node, str(job.status), job.exit_code, job.results, job.params) for job in jobs]


def asked(store: Store, root: Path, name: str = "") -> dict[str, Any]:
    """Each answer, or the code of its error."""
    found: dict[str, Any] = {}
    for part, ask in answers(store, root, name):
        try:
            found[part] = ask()
        except SkerryError as error:
            found[part] = error.code
    return found


def differing(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The answers that are wrong without a word."""
    return [name for name, now in after.items() if not _right(before[name], now)]


def _right(right: Any, now: Any) -> bool:
    if isinstance(now, int) or (isinstance(now, tuple) and now[:1] == (ROW_DAMAGED.number,)):
        return True  # an error with its code
    if isinstance(right, list) and isinstance(now, list) and ROW_DAMAGED.number in now:
        return all(each in right or each == ROW_DAMAGED.number for each in now) and len(now) == len(right)
    return bool(right == now)


class Rounds:
    """Damages one file after the other and judges."""

    def __init__(self, folder: Path, seed: int, only: str = "") -> None:
        self.place = Place(folder)
        self.place.fill()
        self.found = Found()
        self._rng = random.Random(seed)
        self._files = [name for name in self.place.files() if only in name]
        self._rng.shuffle(self._files)
        self._before = self._read()
        self.place.put_back()

    def run(self, count: int) -> Found:
        """So many rounds, every file in turn."""
        for number in range(count):
            name = self._files[number % len(self._files)]
            how = self._rng.choice(HOW)
            faulthandler.dump_traceback_later(_LONGEST, exit=True)
            self._round(name, how)
            faulthandler.cancel_dump_traceback_later()
        return self.found

    def _round(self, name: str, how: Callable[[Path, random.Random], None]) -> None:
        state = self._rng.getstate()
        for part in (self._without_engine, self._with_engine, self._rebuilt):
            self._rng.setstate(state)  # the same damage for each
            self.place.put_back()
            how(self.place.root / name, self._rng)
            what = f"{part.__name__.strip('_')} after {how.__name__} of {name}"
            try:
                outcome = part(name)
            except SkerryError as error:
                named = str(self.place.root / name) in f"{error.message} {error.where}"
                may_refuse = part != self._with_engine or (named and (_is_setting(name) or how is forbid))
                outcome = f"refused {error.code}" if may_refuse else None
                if outcome is None:
                    self.found.faults.append(f"{what}: no engine starts: {error}")
            except Exception:
                self.found.faults.append(f"{what}: {traceback.format_exc()}")
                outcome = "failed"
            self.found.counts[f"{Path(name).name}: {outcome or 'no engine'}"] += 1
            if self.place.starts() != 1:
                raise AssertionError(f"{what}: the job at work was begun again")

    def _without_engine(self, name: str) -> str:
        return self._judged("without an engine", name, self._read(name))

    def _with_engine(self, name: str) -> str:
        with wiring.open_engine(self.place.root, tell=lambda remark: None) as engine:
            engine.services.loop.ask(lambda: None)
            after = asked(engine.store, self.place.root, name)
            if any(each.code == DAMAGED.number for each in engine.store.alerts()):
                after = {
                    **self._before,
                    **{key: after[key] for key in after if key.split()[0] in _IN_FOLDERS},
                }
            return self._judged("with an engine", name, after)

    def _rebuilt(self, name: str) -> str:
        url = f"sqlite:///{self.place.root / 'skerry.db'}"
        done = rebuild_database(url, self.place.root / "instances", clock=SystemClock())
        if done.problems or name.startswith(("skerry.db", "workspace")):
            return "rebuilt with problems reported"
        with _open(url) as store:
            return self._judged("rebuilt", name, asked(store, self.place.root, name))

    def _judged(self, how: str, name: str, after: dict[str, Any]) -> str:
        wrong = [] if self._may_differ(name, after) else differing(self._before, after)
        if wrong and not any(each in name for each in _OF_JOBS):
            first = wrong[0]
            fault = f"{how}, {name}: {first} was {self._before[first]!r}, is {after.get(first)!r}"
            self.found.faults.append(fault)
            return "SILENT"
        return "right" if all(self._before[key] == now for key, now in after.items()) else "reported"

    def _may_differ(self, name: str, after: dict[str, Any]) -> bool:
        gone = not os.path.lexists(self.place.root / name) or name in _MADE_ANEW
        return _says_lost(name, after) or (gone and name.startswith("keys/"))

    def _read(self, name: str = "") -> dict[str, Any]:
        store = wiring.open_reader(self.place.root)
        try:
            return asked(store, self.place.root, name)
        finally:
            store.close()


@contextmanager
def _open(url: str) -> Iterator[Store]:
    store = open_store(url, clock=SystemClock())
    try:
        yield store
    finally:
        store.close()


def _says_lost(name: str, after: dict[str, Any]) -> bool:
    """Whose record of a start is damaged may be reported as lost."""
    return name.endswith(".skerry/process") and any(
        isinstance(row, tuple) and row[-1] == LOST.number for row in after["list"]
    )


def _is_setting(name: str) -> bool:
    """The settings are the operator's words: nobody guesses what they were."""
    return name == "workspace.yaml"


def soak(folder: Path, rounds: int, seed: int, only: str = "") -> Found:
    """See the module; the job at work is ended whatever happens."""
    made = Rounds(folder, seed, only)
    try:
        return made.run(rounds)
    finally:
        made.place.end()
        with suppress(OSError):
            made.place.put_back()


def read_like_others() -> None:
    """Begin again without the right to read everything, where this process has it."""
    with tempfile.NamedTemporaryFile() as file:
        os.chmod(file.name, 0)
        reads_all = os.access(file.name, os.R_OK)
    if reads_all:
        os.execvp(_LIKE_OTHERS[0], (*_LIKE_OTHERS, sys.executable, "-m", _NAME, *sys.argv[1:]))


def main() -> None:
    """See the module."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=1000)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    options.add_argument("--only", default="")
    options.add_argument("--folder", help="where the workspace is made (the machine's place for such files)")
    given = options.parse_args()
    read_like_others()
    with tempfile.TemporaryDirectory(dir=given.folder) as place:
        found = soak(Path(place), given.rounds, given.seed, given.only)
    for name, count in sorted(found.counts.items()):
        print(f"{count:5} {name}")
    print(f"seed {given.seed}; {len(found.faults)} faults")
    for fault in found.faults:
        print("-", fault)
    raise SystemExit(bool(found.faults))


if __name__ == "__main__":
    main()
