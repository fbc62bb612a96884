"""Bundles made to fill memory, disk and time, signed by a trusted key: under limits that the kernel enforces.

    python -m tests.soak.hostile_bundles [--rounds 2000] [--seed N]

Each is below 10 MB and a bomb of some kind at some layer: the manifest, the names, the objects, the rows, the context
log, the definitions, other documents; or an honest one with its manifest spoilt and signed again. Every third is made
heavy with noise, because more is allowed to what weighs more. A copy of a process that has everything loaded, with
256 MB of data and 5 s of CPU from then on, imports it and looks at the case. What must come of it: it is imported, or
refused with a code. Never a killed process, never a traceback.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.runtime.clock import SystemClock
from export_import.container import BundleWriter
from export_import.container.form import OBJECT
from export_import.keys import Keys
from tests.bundles.hostile import Forged, file_of, manifest_of, volume_of
from tests.soak.bundle_contents import Sample
from tests.soak.bundle_damage import spoil
from tests.soak.within_limits import SECONDS, Nursery

CLOCK = SystemClock()
LARGEST = 10_000_000  # bytes of a bundle
DISK = 1 << 30  # bytes of what an import may leave
ZEROS = b"\0" * OBJECT
LARGE = file_of("large", ZEROS)


class Forge:
    """Makes bombs; what is honest in them comes from a real export."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.rng = rng
        self.sample = Sample(folder)
        for each in ("sender", "desk"):
            (folder / each).mkdir()
        self.keys, desk = Keys(folder / "sender", CLOCK), Keys(folder / "desk", CLOCK)
        desk.trust(self.keys.card("sender"), roles=["site"])
        self._recipient = desk.recipient
        self.noise: list[bytes] = []  # objects that only weigh
        self._context = next(name for name in self.sample.files if name.endswith("/ctx.log"))

    def size(self, low: int, high: int) -> int:
        """Anything between, as likely small as large."""
        return int(low * (high / low) ** self.rng.random())

    def take_up(self, seed: int) -> None:
        """Begin another bomb."""
        self.rng.seed(seed)
        heavy = self.rng.random() < 1 / 3
        weight = self.size(10_000, 9_500_000) if heavy else 0
        self.noise = [self.rng.randbytes(min(weight - at, OBJECT)) for at in range(0, weight, OBJECT)]

    # -- the manifest and the names -------------------------------------------------------------

    def forged(self, path: Path, *objects: bytes, **tree: Any) -> Path:
        """A bundle with such a manifest."""
        volumes = [volume_of(*(objects or (b"content",)), *self.noise)]
        return Forged(tree=manifest_of(**tree), volumes=volumes, keys=self.keys).write(path)

    def many_lists(self, path: Path) -> Path:
        return self.forged(path, facts={"instances": [], "x": [[]] * self.size(1_000, 15_000_000)})

    def many_numbers(self, path: Path) -> Path:
        return self.forged(path, facts={"instances": [], "x": list(range(self.size(1_000, 5_000_000)))})

    def deep_facts(self, path: Path) -> Path:
        manifest = b'{"facts":' + b"[" * self.size(10, 5_000_000)
        return Forged(manifest=_packed(manifest), keys=self.keys).write(path)

    def zeros_for_a_manifest(self, path: Path) -> Path:
        return Forged(manifest=_packed(b" " * self.size(1_000, 63 << 20)), keys=self.keys).write(path)

    def one_object_with_many_names(self, path: Path) -> Path:
        files = [file_of(f"logs/{number}") for number in range(self.size(1_000, 400_000))]
        return self.forged(path, files=files)

    def one_large_object_with_many_names(self, path: Path) -> Path:
        files = [{**LARGE, "name": f"logs/{number}"} for number in range(self.size(10, 100_000))]
        return self.forged(path, ZEROS, files=files)

    def a_file_of_one_object_over_and_over(self, path: Path) -> Path:
        times, ref = self.size(10, 200_000), [sha256(ZEROS).hexdigest(), len(ZEROS), 0]
        name = self.rng.choice(["logs/x", "instances/task-t-1/jobs/job-a-1/job.log"])
        entry = file_of(name, objects=[ref] * times, size=len(ZEROS) * times)
        return self.forged(path, ZEROS, files=[entry])

    def many_empty_files(self, path: Path) -> Path:
        count = self.size(1_000, 400_000)
        return self.forged(path, files=[file_of(f"logs/{n}", objects=[], size=0) for n in range(count)])

    def chains_of_folders(self, path: Path) -> Path:
        levels = self.rng.choice([10, 30, 32, 400])
        names = (f"logs/{n}" + "/d" * levels + "/f" for n in range(self.size(10, 100_000)))
        return self.forged(path, files=[file_of(name, objects=[], size=0) for name in names])

    def many_instances(self, path: Path) -> Path:
        answer = [{"id": number + 1} for number in range(self.size(100, 500_000))]
        return self.forged(path, facts={"instances": answer})

    def much_left_out(self, path: Path) -> Path:
        answer = [{"name": "x", "reason": "y" * 50, "size": None}] * self.size(100, 500_000)
        return self.forged(path, omitted=answer)

    def spoilt_and_signed_again(self, path: Path) -> Path:
        tree = manifest_of(
            files=[file_of("rows/1.json"), file_of("logs/x")], facts={"instances": [{"id": 1}]}
        )
        for _ in range(self.rng.randrange(1, 4)):
            spoil(tree, self.rng)
        return Forged(manifest=_packed(json.dumps(tree, default=str).encode()), keys=self.keys).write(path)

    # -- the contents -----------------------------------------------------------------------------

    def packed(self, path: Path, changed: Mapping[str, bytes]) -> Path:
        """The honest bundle with some files changed: signed, and sealed for the desk."""
        to = [self._recipient] if self.rng.random() < 0.3 else []
        noise = {f"logs/noise-{number}": data for number, data in enumerate(self.noise)}
        with BundleWriter(path, kind="diagnostic", clock=CLOCK, keys=self.keys, recipients=to) as writer:
            for name, data in {**self.sample.files, **noise, **changed}.items():
                writer.add(name, [data], role=self.sample.roles.get(name, "file"))
            return writer.finish(**self.sample.facts)

    def rows(self, path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
        tree = json.loads(self.sample.files["rows/1.json"])
        change(tree)
        return self.packed(path, {"rows/1.json": json.dumps(tree).encode()})

    def many_rows(self, path: Path) -> Path:
        section, count = (
            self.rng.choice(["alerts", "jobs", "exceptions", "stats"]),
            self.size(1_000, 3_000_000),
        )
        return self.rows(path, lambda tree: tree.update({section: [{}] * count}))

    def many_proper_rows(self, path: Path) -> Path:
        count = self.size(1_000, 200_000)

        def change(tree: dict[str, Any]) -> None:
            tree["jobs"] = [{**tree["jobs"][0], "id": number} for number in range(1, count)]

        return self.rows(path, change)

    def a_long_text_in_a_row(self, path: Path) -> Path:
        text = "x" * self.size(1_000_000, 400_000_000)
        return self.rows(path, lambda tree: tree["instance"].update(reason=text))

    def lists_in_a_row(self, path: Path) -> Path:
        count = self.size(100_000, 50_000_000)
        tree = json.loads(self.sample.files["rows/1.json"])
        text = json.dumps({**tree, "alerts": "HERE"}).encode()
        return self.packed(path, {"rows/1.json": text.replace(b'"HERE"', b"[[" + b"[]," * count + b"[]]]")})

    def depth_in_a_row(self, path: Path) -> Path:
        text = json.dumps({"instance": "HERE"}).encode()
        deep = b'{"a":' * self.size(100, 5_000_000)
        return self.packed(path, {"rows/1.json": text.replace(b'"HERE"', deep)})

    def a_long_line(self, path: Path) -> Path:
        line = b'{"seq":1,"new":"' + b"x" * self.size(1_000_000, 400_000_000) + b'"}\n'
        return self.packed(path, {self._context: line})

    def a_line_of_lists(self, path: Path) -> Path:
        line = b'{"seq":1,"new":[' + b"[]," * self.size(100_000, 50_000_000) + b"0]}\n"
        return self.packed(path, {self._context: line})

    def many_empty_lines(self, path: Path) -> Path:
        return self.packed(path, {self._context: b"\n" * self.size(1_000, 300_000_000)})

    def a_large_document(self, path: Path) -> Path:
        names = ("definitions/current.json", "environment-now.json", "settings.yaml", "rows/audit.json")
        name = self.rng.choice([*names, *(n for n in self.sample.files if n.endswith(".json"))])
        filling = self.rng.choice([b"[]", b"0", b'"x"', b'{"a":{}}', b"1e5"])
        body = b'{"jobs":{"j":[' + (filling + b",") * self.size(1_000, 20_000_000) + b"0]}}"
        return self.packed(path, {name: body})


def _packed(data: bytes) -> bytes:
    from export_import.container.pieces import compress

    return compress(data)


BOMBS: tuple[Callable[[Forge, Path], Path], ...] = (
    Forge.many_lists, Forge.many_numbers, Forge.deep_facts, Forge.zeros_for_a_manifest,
    Forge.one_object_with_many_names, Forge.one_large_object_with_many_names,
    Forge.a_file_of_one_object_over_and_over, Forge.many_empty_files, Forge.chains_of_folders,
    Forge.many_instances, Forge.much_left_out, Forge.spoilt_and_signed_again, Forge.many_rows,
    Forge.many_proper_rows, Forge.a_long_text_in_a_row, Forge.lists_in_a_row, Forge.depth_in_a_row,
    Forge.a_long_line, Forge.a_line_of_lists, Forge.many_empty_lines, Forge.a_large_document,
)  # fmt: skip


# -- under the kernel's limits ----------------------------------------------------------------------


def _weight(folder: Path) -> int:
    return sum(each.lstat().st_blocks * 512 for each in folder.rglob("*"))


def is_fine(outcome: str) -> bool:
    """Whether that is what a hostile bundle may come to."""
    return outcome.startswith(("imported", "refused"))


def soak(
    folder: Path, rounds: int, seed: int, say: Callable[[str], None] = print, cpu: int = SECONDS
) -> dict[str, str]:
    """So many bombs of every kind in turn, each with ``cpu`` seconds; the faults by kind and seed."""
    faults: dict[str, str] = {}
    outcomes: Counter[str] = Counter()
    most_seconds, most_memory = 0.0, 0
    with Nursery() as nursery:
        forge = Forge(folder, random.Random(seed))
        for number in range(rounds):
            kind = BOMBS[number % len(BOMBS)]
            forge.take_up(seed * 1_000_003 + number)
            made, weight = _made(forge, kind, folder)
            if weight > LARGEST:
                outcomes["too large to count"] += 1
                continue
            outcome, seconds, memory = nursery.attempt(made, folder / "desk", cpu=cpu)
            if is_fine(outcome) and _weight(folder / "desk") > DISK:
                outcome = f"left {_weight(folder / 'desk'):,} bytes on the disk"
            most_seconds, most_memory = max(most_seconds, seconds), max(most_memory, memory)
            outcomes[outcome if is_fine(outcome) else "FAULT"] += 1
            say(
                f"{number + 1}/{rounds} {kind.__name__} ({weight:,} bytes): {outcome}, {seconds:.1f} s, {memory} MB"
            )
            if not is_fine(outcome):
                faults[f"{kind.__name__} {seed}/{number}"] = outcome
    counted = ", ".join(f"{what}: {count}" for what, count in outcomes.most_common())
    say(f"{counted}; at most {most_seconds:.1f} s, {most_memory} MB")
    return faults


def _made(forge: Forge, kind: Callable[[Forge, Path], Path], folder: Path) -> tuple[Path, int]:
    """A bomb of that kind and its bytes, where nothing is left of the one before."""
    for each in (folder / "desk" / "cases", folder / "bomb"):
        shutil.rmtree(each, ignore_errors=True)
    made = kind(forge, folder / "bomb")
    return made, _weight(made) if made.is_dir() else made.stat().st_size


def main() -> int:
    """Run it; 1 when anything was killed or raised."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 20))
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="skerry-hostile-") as folder:
        faults = soak(Path(folder), given.rounds, given.seed, lambda line: print(line, flush=True))
    for where, what in faults.items():
        print(f"FAULT {where}: {what}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
