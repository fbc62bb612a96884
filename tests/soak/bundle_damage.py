"""Damage to bundles of every kind: a flipped byte at every place, a cut at every block, and mutations at random.

    python -m tests.soak.bundle_damage [--every 1] [--first 0] [--mutations 20000] [--seed N] [--kind NAME]

All of it takes about an hour. In pieces: ``--every 23 --first 0 --mutations 0`` up to ``--first 22`` flip every
byte between them, ``--kind volumes`` only those of the largest sample.

A damaged bundle is refused with a code, or what it gives is what was written; a fix and a delivery, which
change a site, are refused altogether. Nothing appears outside the reader's own folder, no attempt takes
longer than five seconds of CPU, and the memory of the whole stays below 256 MB.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from export_import.container import BundleWriter, open_bundle
from export_import.container.checking import check_bundle
from export_import.importing import import_bundle
from export_import.keys import Keys
from tests.bundles.hostile import Forged, manifest_of

CLOCK = SystemClock()
ASIDE = {"BUNDLE.json.sig"}  # what they say is not believed, or counts as no signature
SECONDS, MEMORY = 5.0, 256.0  # of CPU for one attempt; in MB
BLOCK = 512


@dataclass(frozen=True)
class Sample:
    """A small bundle, and what is in it. ``trusted``: it changes a site, so only a trusted one is read."""

    name: str
    path: Path
    keys: Keys
    files: dict[str, bytes]
    trusted: bool = False

    def parts(self) -> list[Path]:
        return sorted(self.path.iterdir()) if self.path.is_dir() else [self.path]


def samples(folder: Path, seed: int) -> list[Sample]:
    """One of each kind: plain, encrypted, of many volumes, in one file, a fix, a delivery."""
    rng = random.Random(seed)
    keys = Keys(folder / "keys-of", CLOCK)
    keys.folder.parent.mkdir(parents=True, exist_ok=True)
    few = {f"instances/f{n}": rng.randbytes(300 + n) for n in range(3)}
    many = {f"instances/f{n}": rng.randbytes(30_000 + n) for n in range(3)}
    made = [
        ("plain", "diagnostic", few, False, "plain"),
        ("sealed", "diagnostic", few, True, "sealed"),
        ("volumes", "diagnostic", many, True, "volumes"),
        ("one", "diagnostic", few, False, "one.skerry"),
        ("fix", "fix", {"plan.json": b'{"fix":1}' + rng.randbytes(200)}, True, "fix"),
        ("delivery", "delivery", {"definitions.json": b'{"skerry":1}', "docs/a": few["instances/f0"]}, False, "d"),
    ]  # fmt: skip
    found = []
    for name, kind, files, sealed, place in made:
        to = [keys.recipient] if sealed else []
        how: dict[str, Any] = {"kind": kind, "keys": keys, "recipients": to, "clock": CLOCK}
        with BundleWriter(folder / place, volume_size=64 << 10, **how) as writer:
            for each, data in files.items():
                writer.add(each, [data])
            path = writer.finish(instances=[])
        found.append(Sample(name, path, keys, files, kind in ("fix", "delivery")))
    return found


def _judge(sample: Sample, part: Path, place: int) -> str:
    """Nothing wrong is accepted; gives what became of it."""
    start = time.process_time()
    check = check_bundle([sample.path], sample.keys, clock=CLOCK)
    aside = part.name in ASIDE or (sample.path.is_file() and _is_aside(sample, place))
    assert not check.intact or aside, (sample.name, part.name, place)
    assert all(_is_code(each.code) for each in check.wrong)
    read = _reads_right(sample)
    assert time.process_time() - start < SECONDS, (sample.name, part.name, place)
    return read


def _reads_right(sample: Sample) -> str:
    try:
        must = sample.trusted
        bundle = open_bundle([sample.path], sample.keys, clock=CLOCK, must_be_trusted=must)
    except SkerryError:
        return "refused"
    lost = 0
    for name in bundle.entries:
        try:
            assert bundle.read(name) == sample.files[name], (sample.name, name)
        except SkerryError:
            lost += 1
    return "read in part" if lost else "read"


_ASIDE_AT: dict[Path, list[tuple[int, int]]] = {}


def _is_aside(sample: Sample, place: int) -> bool:
    return any(start <= place < stop for start, stop in _ASIDE_AT[sample.path])


def _remember_aside(sample: Sample) -> None:
    from export_import.container import tape

    whole = sample.path.read_bytes()
    members = tape.members(lambda at, size: whole[at : at + size], len(whole), "")
    _ASIDE_AT[sample.path] = [(start, start + size) for name, start, size in members if name in ASIDE]


def _damaged(sample: Sample, change: Callable[[bytes], Iterator[tuple[int, bytes]]]) -> Counter[str]:
    found: Counter[str] = Counter()
    if sample.path.is_file():
        _remember_aside(sample)
    for part in sample.parts():
        whole = part.read_bytes()
        for place, data in change(whole):
            part.write_bytes(data)
            found[_judge(sample, part, place)] += 1
        part.write_bytes(whole)
    assert check_bundle([sample.path], sample.keys, clock=CLOCK).intact
    return found


def flips(sample: Sample, every: int, seed: int, first: int | None = None) -> Counter[str]:
    """One bit of every n-th byte of every part, from the first on (by default at random)."""
    rng = random.Random(seed)

    def change(whole: bytes) -> Iterator[tuple[int, bytes]]:
        for place in range(rng.randrange(every) if first is None else first, len(whole), every):
            flipped = bytes([whole[place] ^ (1 << rng.randrange(8))])
            yield place, whole[:place] + flipped + whole[place + 1 :]

    return _damaged(sample, change)


def cuts(sample: Sample, every: int) -> Counter[str]:
    """Each part ends at every n-th block, and one byte before its end."""

    def change(whole: bytes) -> Iterator[tuple[int, bytes]]:
        for place in (*range(0, len(whole), BLOCK * every), len(whole) - 1):
            yield place, whole[:place]

    return _damaged(sample, change)


def fuzz(folder: Path, all_of: list[Sample], count: int, seed: int) -> Counter[str]:
    """Mutations of bytes, and of manifests that are in order on the outside."""
    rng = random.Random(seed)
    found: Counter[str] = Counter()
    for sample in all_of:
        if sample.path.is_file():
            _remember_aside(sample)
    for number in range(count):
        if number % 2:
            found[_mutated_bytes(rng.choice(all_of), rng)] += 1
        else:
            found[_mutated_manifest(folder, all_of[0].keys, rng)] += 1
    return found


def _mutated_bytes(sample: Sample, rng: random.Random) -> str:
    part = rng.choice(sample.parts())
    whole = part.read_bytes()
    try:
        part.write_bytes(_mutation(whole, rng))
        start = time.process_time()
        found = _reads_right(sample)
        assert time.process_time() - start < SECONDS
        return f"bytes: {found}"
    finally:
        part.write_bytes(whole)


def _mutation(whole: bytes, rng: random.Random) -> bytes:
    one, two = sorted(rng.randrange(len(whole) + 1) for _ in range(2))
    kinds = (
        lambda: whole[:one] + rng.randbytes(rng.randrange(40)) + whole[two:],
        lambda: whole[:one] + whole[two:],
        lambda: whole[:two] + whole[one:two] + whole[two:],
        lambda: whole + rng.randbytes(rng.randrange(1, 2000)),
        lambda: whole[:one] + bytes(two - one) + whole[two:],
        lambda: whole[:one] + whole[one:two][::-1] + whole[two:],
    )
    return rng.choice(kinds)()


_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 1 << 70, "", "..", "../x", "/etc/x", "a\0b", "\u202e", "x" * 2000, "aux.txt",
    [], {}, [[]], {"a": {"b": []}}, "instances/f", "A" * 64, "0" * 64, [None], ["0" * 64, 1, 99],
)  # fmt: skip


def _mutated_manifest(folder: Path, keys: Keys, rng: random.Random) -> str:
    """A proper bundle, but for one to four entries of its manifest or header."""
    from hashlib import sha256

    data = b"content"
    ref = [sha256(data).hexdigest(), len(data), 0]
    file = {"name": "instances/f", "size": len(data), "role": "file", "objects": [ref], "facts": {"a": [1]}}
    omitted = {"name": "x", "reason": "y", "size": 3}
    tree = manifest_of(files=[file], omitted=[omitted], facts={"instances": [], "site": "s"})
    header: dict[str, Any] = {}
    for _ in range(rng.randrange(1, 5)):
        spoil(tree, rng)
    if rng.random() < 0.2:
        header[rng.choice(["kind", "id", "created", "volumes", "manifest", "recipients", "signer"])] = (
            rng.choice(_ODD)
        )
    place, desk = folder / "forged", folder / "desk"
    shutil.rmtree(place, ignore_errors=True)
    try:
        path = Forged(tree=tree, header=header, keys=keys).write(place)
    except (ValueError, TypeError):  # it cannot even be written down
        return "manifest: no bundle"
    before, start = set(folder.iterdir()), time.process_time()
    desk.mkdir(exist_ok=True)
    try:
        case = import_bundle(desk, [path], clock=CLOCK)
        outside = [each for each in case.folder.rglob("*") if not each.resolve().is_relative_to(case.folder)]
        assert not outside
        shutil.rmtree(case.folder)
        return "manifest: imported"
    except SkerryError as error:
        return "manifest: refused" if _is_code(error.code) else "manifest: refused without a code"
    finally:
        assert set(folder.iterdir()) <= before | {desk}
        assert time.process_time() - start < SECONDS


def spoil(tree: Any, rng: random.Random) -> None:
    """Replace, remove or add one thing somewhere in a tree."""
    while True:
        keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
        key = rng.choice(keys) if keys else None
        inner = tree[key] if key is not None else None
        if isinstance(inner, (dict, list)) and inner and rng.random() < 0.7:
            tree = inner
            continue
        break
    if key is None or rng.random() < 0.2:
        if isinstance(tree, dict):
            tree[rng.choice(["x", "name", "size", "__class__"])] = deepcopy(rng.choice(_ODD))
        else:
            tree.append(deepcopy(rng.choice(_ODD)))
    elif rng.random() < 0.25:
        del tree[key]
    else:
        tree[key] = deepcopy(rng.choice(_ODD))


def _is_code(number: int) -> bool:
    return -2 * 10**10 < number <= -(10**10)


def memory() -> float:
    """The most that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Run it and tell what became of the bundles; an assertion tells where it went wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="flip every n-th byte")
    parser.add_argument("--first", type=int, help="and begin with this one")
    parser.add_argument("--mutations", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--kind", help="only this sample")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "samples").mkdir()
        found = [each for each in samples(folder / "samples", given.seed) if given.kind in (None, each.name)]
        for each in found:
            if not given.first:
                sys.stdout.write(f"{each.name}: cut {dict(cuts(each, 1))}\n")
                sys.stdout.flush()
            answer = flips(each, given.every, given.seed, given.first)
            sys.stdout.write(f"{each.name}: flipped {dict(answer)}\n")
            sys.stdout.flush()
        answer = fuzz(folder, found, given.mutations, given.seed)
        assert "manifest: refused without a code" not in answer
        sys.stdout.write(f"mutations: {dict(answer)}\n")
    sys.stdout.write(f"memory: {memory():.0f} MB\n")
    assert memory() < MEMORY
    return 0


if __name__ == "__main__":
    sys.exit(main())
