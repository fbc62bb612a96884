"""Power cuts on a real file system: an ext4 that stops between two writes, played back, looked at with stock tools.

    python -m tests.soak.power_loss [--rounds 300] [--seed N]

An engine runs tasks in a workspace on a loop device. What it acknowledges is written down outside of that file
system, and so is every start of a job. After a moment the file system is shut down without its journal being
flushed (FS_IOC_SHUTDOWN), everything on it is killed, it is mounted again, and the next engine finds another boot
id. Then: no acknowledged outcome may be lost, no job may have been started a second time, and each file of an
ended instance must be whole or said to be missing. Needs root, loop devices and e2fsprogs.
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shutil import which
from threading import Thread
from typing import Any

_MODULE = "tests.soak.power_loss"
_SHUTDOWN, _NO_LOG_FLUSH = 0x8004587D, 2  # FS_IOC_SHUTDOWN and its flag, linux/fs.h
_NEW_NAMESPACE = 0x00020000  # CLONE_NEWNS
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_MOMENTS = (0.2, 0.7, 1.5, 3.0, 3.0, 14.0)  # seconds of work before a cut; the longest has a sync in it
_SETTINGS = "places: 6\ntimezone: UTC\ngrace: 1\nmonitor: false\n"


def unavailable() -> str:
    """Why this cannot be played here; empty where it can."""
    if os.geteuid() != 0:
        return "needs root"
    lacking = [tool for tool in ("mkfs.ext4", "losetup", "mount", "umount", "sqlite3") if which(tool) is None]
    if lacking:
        return f"needs {', '.join(lacking)}"
    with tempfile.TemporaryDirectory() as folder:
        tried = program(Path(folder), "--rounds", "0")
    return f"needs loop devices: {tried.stderr[-200:]}" if tried.returncode else ""


def program(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it with its disk in ``folder``."""
    words = [sys.executable, "-m", _MODULE, "--folder", str(folder), *arguments]
    return subprocess.run(words, check=False, capture_output=True, text=True, cwd=Path(__file__).parents[2])


# -- the engine: a process of its own ----------------------------------------------------------------


def tasks(starts: Path) -> dict[str, Any]:
    """Definitions of jobs that write each of their starts outside of the file system."""
    begun = f'echo "$PWD" >> {starts}; echo "out $PWD"'
    short = {
        "type": "shell",
        "process": f"{begun}; printf 5 > outputs/n",
        "results": {"n": {"kind": "number"}},
    }
    slow = {
        "type": "shell",
        "process": f"{begun}; sleep 0.$(( $(date +%N | cut -c1-6 | sed 's/^0*//') % 9 ))",
    }
    long = {"type": "shell", "process": f"{begun}; sleep 3"}
    check = {"every": "200ms", "times": 50, "success": "1 == 1", "after": "500ms"}
    hidden = {"s": {"value": "hush-hush-7", "secret": True}}
    nodes = {
        "a": short,
        "b": {**slow, "after": ["a"], "end": "echo end"},
        "e": {**short, "for_each": ["$.JOB['a'].RESULT['n']", 2], "after": ["a"]},
        "g": {"type": "group", "jobs": [short, slow]},
        "m": {**short, "params": hidden},
        "c": {**slow, "mode": "async", "check": check},
        "s": {"type": "task", "task": "inner", "after": ["a"]},
        "r": {"type": "shell", "process": f"{begun}; [ -e again ] || {{ touch again; exit 3; }}",
              "retry": {"times": 1, "interval": 0}},
    }  # fmt: skip
    inner = {"nodes": {"i": slow, "j": {**short, "after": ["i"]}}}
    ended = {"nodes": {"x": short, "y": {**short, "after": ["x"]}}}
    return {
        "skerry": 1,
        "tasks": {"inner": inner, "mixed": {"nodes": nodes}, "brief": ended, "long": {"nodes": {"l": long}}},
    }


def engine(root: Path, starts: Path, seed: int) -> None:
    """Run tasks until killed; each outcome is printed on standard output once it is acknowledged."""
    from app import wiring
    from engine.definitions.reader import read_raw
    from engine.runtime.submission import Submission

    definitions = read_raw(tasks(starts), wiring.job_types(), wiring.resource_types())
    luck = random.Random(seed)
    with wiring.open_engine(root) as at_work:
        while running := list(at_work.services.runs):
            at_work.wait(running[0])
        print("up", flush=True)
        sys.stdin.readline()  # until what the cut before left was looked at

        def one_after_the_other(names: list[str]) -> None:
            while True:
                id = at_work.submit(Submission(luck.choice(names), definitions))
                os.write(1, f"begun {id}\n".encode())  # whole, whatever the other threads write
                at_work.wait(id)
                row = at_work.store.instance(id)
                os.write(1, f"ended {id} {row.status if row else ''}\n".encode())

        for names in (["brief"], ["mixed", "long"], ["mixed", "inner"]):
            Thread(target=one_after_the_other, args=(names,), daemon=True).start()
        signal.pause()


# -- the file system, and what is cut -----------------------------------------------------------------


class Disk:
    """An ext4 on a loop device, in a mount namespace of this process."""

    def __init__(self, folder: Path) -> None:
        self.image, self.place = folder / "disk.img", folder / "disk"
        self._boot = folder / "boot_id"
        self.place.mkdir()
        with open(self.image, "wb") as image:
            image.truncate(4 << 30)  # sparse; 300 rounds fill a smaller one
        _run("mkfs.ext4", "-q", "-b", "1024", "-i", "4096", "-J", "size=4", self.image)
        _run("mount", "--make-rprivate", "/")
        self.reboot()
        _run("mount", "--bind", self._boot, _BOOT_ID)
        self.mount()

    def mount(self) -> None:
        """Attach it; the journal is played back."""
        _run("mount", "-o", "loop", self.image, self.place)

    def cut(self) -> None:
        """What was not synced is gone; every process on it too."""
        fd = os.open(self.place, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(fd, _SHUTDOWN, _NO_LOG_FLUSH.to_bytes(4, sys.byteorder))
        finally:
            os.close(fd)

    def unmount(self) -> None:
        """Once nothing lives on it."""
        for _ in range(200):
            for pid in self._users():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if subprocess.run(["umount", self.place], check=False, capture_output=True).returncode == 0:
                return
            signal.sigtimedwait([], 0.05)
        _run("umount", self.place)

    def reboot(self) -> None:
        """Another boot id."""
        self._boot.write_text(f"{uuid.uuid4()}\n")

    def _users(self) -> Iterator[int]:
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdigit() and Path(os.readlink(entry / "cwd")).is_relative_to(self.place):
                    yield int(entry.name)


def _run(*words: str | Path) -> str:
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


class Soak:
    """Rounds of work and a cut; ``problems`` are what was wrong, in words."""

    def __init__(self, folder: Path, seed: int, longest: float) -> None:
        self.luck = random.Random(seed)
        self._moments = [each for each in _MOMENTS if each <= longest]
        self.disk = Disk(folder)
        self.root = self.disk.place / "site"
        self.starts = folder / "starts"
        self.starts.touch()
        self.recorded: dict[int, str] = {}  # acknowledged: the outcome, or "" of one that has begun
        self.counts: Counter[str] = Counter()
        self.problems: list[str] = []
        self._seen = 0
        self.root.mkdir(mode=0o700)
        (self.root / "workspace.yaml").write_text(_SETTINGS)

    def round(self) -> None:
        """An engine takes up what the cut before left, works, and the power fails."""
        words = [sys.executable, "-m", _MODULE, "--engine", str(self.root), "--starts", str(self.starts)]
        words += ["--seed", str(self.luck.randrange(1 << 30))]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            first = process.stdout.readline()
            if first != "up\n":
                self._found(f"an engine does not start: {first}")
            if self.counts["cuts"] % 10 == 9:
                self._seen = 0  # what was whole after an earlier cut has to be so after this one
            self._look()
            process.stdin.write("go\n")
            process.stdin.flush()
            reader = Thread(target=self._hear, args=(process.stdout,))
            reader.start()
            signal.sigtimedwait([], self.luck.choice(self._moments))
            process.send_signal(signal.SIGSTOP)  # nobody sees the errors of a disk that is gone
            self.disk.cut()
            process.kill()
            reader.join()
            process.stdin.close()
        self.counts["cuts"] += 1
        self.disk.unmount()
        self.disk.reboot()
        self.disk.mount()
        self._outcomes()

    def _found(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)
            print(problem, flush=True)

    def _hear(self, lines: Any) -> None:
        for line in lines:
            if not line.endswith("\n"):
                continue  # it was killed in the middle of it
            word, id, *outcome = line.split()
            self.recorded[int(id)] = (
                outcome[0] if word == "ended" and outcome else self.recorded.get(int(id), "")
            )

    # what must hold

    def _outcomes(self) -> None:
        """As the journal left it, with sqlite3 and sort alone, before an engine comes near it."""
        database = self.root / "skerry.db"
        there = dict(
            line.split("|") for line in _run("sqlite3", database, "SELECT id, status FROM instance").split()
        )
        for id, outcome in self.recorded.items():
            status = there.get(str(id))
            self.counts["acknowledged"] += bool(outcome)
            if status is None or (outcome and status != outcome):
                self._found(f"instance {id}: {outcome or 'begun'} was acknowledged, it is {status}")
        self.recorded = {}
        twice = {"\n".join(_run("sh", "-c", f"sort {self.starts} | uniq -d").split())} - {""}
        allowed = {line for line in "".join(twice).split("\n") if "/job-r-" in line}
        for each in {line for text in twice for line in text.split("\n")} - allowed:
            self._found(f"started twice: {each}")

    def _look(self) -> None:
        """Every instance since the latest look, when an engine has brought all that was left to its end."""
        ended = f"FROM instance WHERE id > {self._seen} AND ended_at IS NOT NULL"
        lines: dict[int, list[str]] = {}
        for row in self._asked(
            f"SELECT id >> 32 AS id, text FROM context_line WHERE id >> 32 > {self._seen}"
        ):
            lines.setdefault(row["id"], []).append(row["text"])
        jobs: dict[int, list[dict[str, Any]]] = {}
        for row in self._asked(
            f"SELECT instance, directory, status FROM job_instance WHERE instance > {self._seen} AND directory IS NOT NULL"
        ):
            jobs.setdefault(row["instance"], []).append(row)
        for row in self._asked(f"SELECT id, directory {ended}"):
            self.counts["instances"] += 1
            wrong = self._wrong(Path(row["directory"]), lines.get(row["id"], []), jobs.get(row["id"], []))
            for each in wrong:
                self._found(f"instance {row['id']}: {each}")
        [newest] = self._asked("SELECT coalesce(max(id), 0) AS id FROM instance")
        self._seen = newest["id"]

    def _asked(self, query: str) -> list[dict[str, Any]]:
        return json.loads(_run("sqlite3", "-json", self.root / "skerry.db", query) or "[]")  # type: ignore[no-any-return]

    def _wrong(self, folder: Path, lines: list[str], jobs: list[dict[str, Any]]) -> Iterator[str]:
        wanted = "".join(f"{line}\n" for line in lines)
        missing = self._missing(folder)
        self.counts["missing files"] += len(missing)
        if _text(folder / "ctx.log") != wanted:
            yield "ctx.log is not what the database has"
        for name in ("ctx.json", "params.json", "environment.json", ".skerry/definitions.json"):
            if name not in missing and not _is_json(folder / name):
                yield f"{name} is no JSON"
        for job in jobs:
            self.counts["jobs"] += 1
            yield from self._wrong_job(Path(job["directory"]), job["status"], folder, missing)

    def _wrong_job(self, job: Path, status: str, folder: Path, missing: dict[str, Any]) -> Iterator[str]:
        name = job.relative_to(folder).as_posix()
        if f"{name}/status" not in missing and _text(job / "status") != f"{int(status == 'succeeded')}\n":
            yield f"{name}/status is {_text(job / 'status')!r} of one that {status}"
        if not _is_json(job / "ctx.json"):
            yield f"{name}/ctx.json is no JSON"
        if status == "succeeded" and f"{name}/job.log" not in missing:
            if not _text(job / "job.log").startswith(f"out {job}\n"):
                yield f"{name}/job.log is {_text(job / 'job.log')!r}"
            if f"{name}/executeCode/process" not in missing and not _text(job / "executeCode/process"):
                yield f"{name}/executeCode/process is empty"

    def _missing(self, folder: Path) -> dict[str, Any]:
        text = _text(folder / ".skerry/missing.json")
        return json.loads(text)["files"] if text else {}  # type: ignore[no-any-return]


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


def _is_json(path: Path) -> bool:
    with suppress(OSError, ValueError):
        json.loads(path.read_bytes())
        return True
    return False


def main() -> None:
    """See the module."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=300)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    options.add_argument("--longest", type=float, default=14.0, help="seconds of work before a cut")
    options.add_argument("--engine", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--starts", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.engine:
        return engine(given.engine, given.starts, given.seed)
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_NAMESPACE):
        raise SystemExit("needs root")
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        soak = Soak(Path(folder), given.seed, given.longest)
        try:
            for number in range(given.rounds):
                soak.round()
                if number % 10 == 9:
                    print(f"{number + 1}: {dict(soak.counts)}, {len(soak.problems)} problems", flush=True)
        finally:
            soak.disk.unmount()
    print(f"seed {given.seed}: {len(soak.problems)} problems; {dict(soak.counts)}")
    raise SystemExit(bool(soak.problems))


if __name__ == "__main__":
    main()
