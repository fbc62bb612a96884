"""Power cuts played on what the store really wrote: no acknowledged transition is lost, no file is spoilt.

    python -m tests.soak power_cuts [--cuts 1000] [--seed N]

Some callers commit transitions while every write and sync of the database is recorded (``shim.c``). A cut
at any moment keeps what was synced before it; of every later write it keeps all, nothing, or some sectors
of 512 bytes. The database that comes out must open, verify, and have all that was acknowledged before.
"""

from __future__ import annotations

import argparse
import random
import struct
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from engine.context.line import body, seal
from engine.runtime.clock import SystemClock
from engine.store.backend import Durability
from engine.store.changes import Changes
from engine.store.opening import open_store
from tests.soak.shim import Shim

_CALLERS, _SECTOR, _TIME = 4, 512, "2026-11-21T08:00:00.000000+00:00"
_STEP = 1_000_000  # a mark is caller * _STEP + number


class Operation(NamedTuple):
    """One recorded call: w(rite), t(runcate), s(ync), u(nlink), l(ink: ``data`` is the other name) or m(ark)."""

    kind: str
    path: str
    offset: int
    data: bytes


@dataclass
class File:
    """What of a file is surely on the disk, and what may be."""

    synced: bytearray = field(default_factory=bytearray)
    since: list[Operation] = field(default_factory=list)

    def sync(self) -> None:
        """All of it is there."""
        for each in self.since:
            _apply(self.synced, each)
        self.since = []

    def after_a_cut(self, luck: random.Random) -> bytes:
        """One of the contents that a power cut may leave."""
        content = bytearray(self.synced)
        for each in self.since:
            for part in _surviving(each, luck):
                _apply(content, part)
        return bytes(content)


def record(folder: Path, transitions: int, durability: Durability) -> Path:
    """Commit transitions from several threads; gives the recording."""
    shim, journal, place = Shim(), folder / "recording", folder / "site"
    place.mkdir()
    shim.watch(place)
    shim.record(journal)
    store = open_store(f"sqlite:///{place / 'skerry.db'}", durability=durability, clock=SystemClock())
    start = Changes()
    instance = {"task": "t", "status": "running", "trigger": "manual", "created_at": _TIME}
    for caller in range(_CALLERS):
        id = caller + 1
        start.insert("instance", {"id": id, "scheduled_time": f"{_TIME[:-7]}{id}+00:00", **instance})
        row = {"id": id, "instance": id, "run": 1, "node": "a", "job": "a", "status": "running"}
        start.insert("job_instance", {**row, "created_at": _TIME})
    store.commit(start)

    def work(caller: int) -> None:
        for number in range(1, transitions // _CALLERS + 1):
            changes = Changes()
            changes.update("job_instance", caller + 1, {"attempt": number, "reason": "x" * (number % 300)})
            changes.line(caller + 1, number, seal(body(number, _TIME, 1, "engine", ("JOB", "a"))))
            store.commit(changes)
            shim.mark(caller * _STEP + number)

    threads = [threading.Thread(target=work, args=(caller,)) for caller in range(_CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    return journal


def operations(journal: Path) -> Iterator[Operation]:
    """What was recorded, in order."""
    data = journal.read_bytes()
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<ci", data, at)
        path = data[at + 5 : at + 5 + size].decode()
        offset, length = struct.unpack_from("<qq", data, at + 5 + size)
        at += 21 + size
        yield Operation(kind.decode(), path, offset, data[at : at + length])
        at += length


def soak(folder: Path, transitions: int, cuts: int, seed: int, durability: Durability = "full") -> list[str]:
    """What was wrong after a cut, for every cut."""
    luck = random.Random(seed)
    done = list(operations(record(folder, transitions, durability)))
    moments = sorted(luck.randrange(len(done) + 1) for _ in range(cuts))
    files: dict[str, File] = {}
    acknowledged = [0] * _CALLERS
    problems: list[str] = []
    at = 0
    for moment in moments:
        for each in done[at:moment]:
            _happens(each, files, acknowledged)
        at = moment
        problems += (
            f"cut {moment}: {answer}" for answer in _after(folder, files, acknowledged, luck, durability)
        )
    return problems


def _happens(each: Operation, files: dict[str, File], acknowledged: list[int]) -> None:
    name = Path(each.path).name
    if each.kind == "m":
        acknowledged[each.offset // _STEP] = each.offset % _STEP
    elif each.kind == "u":
        files.pop(name, None)
    elif each.kind == "l":
        files[Path(each.data.decode()).name] = files[name]
    elif name.endswith("-shm"):
        return  # never outlives a cut: it is made again
    elif each.kind == "s":
        files.setdefault(name, File()).sync()
    else:
        files.setdefault(name, File()).since.append(each)


def _after(
    folder: Path, files: dict[str, File], acknowledged: list[int], luck: random.Random, durability: Durability
) -> Iterator[str]:
    with tempfile.TemporaryDirectory(dir=folder) as left:
        for name, file in files.items():
            Path(left, name).write_bytes(file.after_a_cut(luck))
        try:
            store = open_store(f"sqlite:///{left}/skerry.db", durability=durability, clock=SystemClock())
        except Exception as error:
            yield f"it does not open: {error}"
            return
        try:
            yield from (f"damaged: {each}" for each in store.verify())
            for caller, number in enumerate(acknowledged):
                row = store.job(caller + 1)
                there, lines = row.attempt if row else 0, store.last_seq(caller + 1)
                if there < number or lines < number:
                    yield f"caller {caller}: {number} acknowledged, {there} and {lines} lines there"
        finally:
            store.close()


def _surviving(each: Operation, luck: random.Random) -> Iterator[Operation]:
    fate = luck.randrange(3)
    if fate == 0 or (fate == 2 and each.kind == "t"):
        yield each
    elif fate == 2:
        for start in range(0, len(each.data), _SECTOR):
            if luck.random() < 0.5:
                part = each.data[start : start + _SECTOR]
                yield each._replace(offset=each.offset + start, data=part)


def _apply(content: bytearray, each: Operation) -> None:
    if each.kind == "t":
        del content[each.offset :]
        content.extend(bytes(each.offset - len(content)))
        return
    content.extend(bytes(max(each.offset - len(content), 0)))
    content[each.offset : each.offset + len(each.data)] = each.data


def main() -> None:
    """See the module."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cuts", type=int, default=1000)
    options.add_argument("--transitions", type=int, default=2000)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    options.add_argument("--durability", choices=("full", "normal"), default="full", help="normal loses some")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        problems = soak(Path(folder), given.transitions, given.cuts, given.seed, given.durability)
    print("\n".join(problems[:50]))
    print(f"seed {given.seed}: {len(problems)} problems after {given.cuts} power cuts")
    raise SystemExit(bool(problems))


if __name__ == "__main__":
    main()
