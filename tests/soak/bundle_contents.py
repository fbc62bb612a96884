"""Bundles that are in order on the outside and lie in their contents: rows, definitions, logs, settings.

    python -m tests.soak.bundle_contents [--count 400] [--seed N]

A run is exported; some of its files are spoilt, all is packed again by the rules of the format, and imported. Whatever
is looked at then (instances, context, findings, every expression again, search, comparison, a stand-in run) gives an
answer or an error with a code, and takes at most ten seconds of CPU.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from app import wiring
from engine.model.catalogue import codes_of
from engine.model.codes.runtime import INTERNAL
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from export_import.case import Case
from export_import.container import BundleWriter, open_bundle
from export_import.desk.comparing import compare
from export_import.desk.evidence import Evidence
from export_import.desk.findings import Study, findings
from export_import.desk.reevaluation import reevaluate
from export_import.desk.searching import search
from export_import.desk.stand_in_choices import Choices
from export_import.desk.standin import Trial, try_out
from export_import.importing import import_bundle
from tests.bundles.case_service import service_of
from tests.bundles.conftest import Place, run
from tests.soak.bundle_damage import spoil

CLOCK = SystemClock()
SECONDS = 10.0
LAUGHS = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 8)}]\n" for n in range(12)
)
BOMBS: tuple[bytes, ...] = (
    b"", b"null", b"[]", b"{}", b"0", b'"x"', b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe\x00", b"NaN",
    b'{"a":' + b"9" * 50_000 + b"}", b'{"a":"\\ud800"}', LAUGHS.encode(), b"a: &a [*a]\n", b"\x00" * 1000,
    b'{"instance":{}}', b"timezone: [1]\n", b"timezone: Nowhere/Land\n", b"\n" * 1000, b'{"seq":1}\n' * 10,
)  # fmt: skip


class Sample:
    """The files of an honest bundle, and what it tells of itself."""

    def __init__(self, folder: Path) -> None:
        assert run(folder / "site") == 1
        site = Place(folder / "site")
        bundle = open_bundle([site.export(folder / "out").path], site.keys, clock=CLOCK)
        self.files = {name: bundle.read(name) for name in bundle.entries}
        self.roles = {name: entry.role for name, entry in bundle.entries.items()}
        self.facts = dict(bundle.facts)

    def pack(self, path: Path, changed: Mapping[str, bytes]) -> Path:
        with BundleWriter(path, kind="diagnostic", clock=CLOCK) as writer:
            for name, data in {**self.files, **changed}.items():
                writer.add(name, [data], role=self.roles.get(name, "file"))
            return writer.finish(**self.facts)


def spoilt(sample: Sample, rng: random.Random) -> dict[str, bytes]:
    """One to three files, each with something else in it."""
    telling = [name for name, data in sample.files.items() if data and not name.endswith((".csv", "job.log"))]
    return {name: _spoilt(sample.files[name], rng) for name in rng.sample(telling, rng.randrange(1, 4))}


def _spoilt(data: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.2:
        return rng.choice(BOMBS)
    lines = data.splitlines(keepends=True)
    place = rng.randrange(len(lines))
    try:
        tree = json.loads(data) if rng.random() < 0.5 else json.loads(lines[place])
        whole = json.loads(data) == tree if len(lines) == 1 else b"\n" not in data.strip()
    except ValueError:
        try:
            tree, whole = json.loads(lines[place]), False
        except ValueError:
            return data[: rng.randrange(len(data))] + rng.randbytes(8) + data[rng.randrange(len(data)) :]
    for _ in range(rng.randrange(1, 4)):
        if isinstance(tree, (dict, list)):
            spoil(tree, rng)
    payload = json.dumps(tree, default=str).encode()
    if whole or len(lines) == 1:
        return payload
    return b"".join([*lines[:place], payload + b"\n", *lines[place + 1 :]])


def examine(folder: Path, scratch: Path) -> None:
    """All that a supporter may ask of a case; each part may refuse with a code."""
    types = wiring.installed_types()
    codes = (*codes_of(types.job_types.values()), *codes_of(set(types.resource_types.values())))

    def trial(evidence: Evidence) -> object:
        wanted = Trial(1, None, {}, Choices(others="recorded"))
        return try_out(evidence, types, wanted, scratch / "workspace")

    parts: tuple[Callable[[Evidence], object], ...] = (
        lambda evidence: list(evidence.instances()),
        lambda evidence: findings(Study(evidence, 1, codes)),
        lambda evidence: reevaluate(evidence, 1),
        lambda evidence: list(search(evidence, "rows", limit=50)),
        lambda evidence: compare(evidence, 1, evidence, 1),
        trial,
    )
    with service_of(Case(folder)) as service:
        for look in (service.instance, service.context):
            _asked(lambda look=look: look(1))  # type: ignore[misc]
    with Evidence.open(folder) as evidence:
        for part in parts:
            _asked(lambda part=part: part(evidence))  # type: ignore[misc]


def _asked(what: Callable[[], object]) -> None:
    try:
        what()
    except SkerryError as error:
        if error.entry is INTERNAL:
            raise AssertionError(str(error)) from error


def attempt(sample: Sample, folder: Path, changed: Mapping[str, bytes]) -> str:
    """Import it and look at everything; what became of it."""
    desk, start = folder / "desk", time.process_time()
    shutil.rmtree(folder, ignore_errors=True)
    desk.mkdir(parents=True)
    path = sample.pack(folder / "bundle", changed)
    try:
        case = import_bundle(desk, [path], clock=CLOCK)
    except SkerryError as error:
        return f"refused: {error.code}"
    examine(case.folder, folder)
    assert time.process_time() - start < SECONDS
    return "looked at"


def soak(folder: Path, count: int, seed: int) -> tuple[Counter[str], dict[str, str]]:
    """So many spoilt bundles: what became of them, and the faults by their place with a first example."""
    sample, rng = Sample(folder), random.Random(seed)
    found: Counter[str] = Counter()
    faults: dict[str, str] = {}
    for _ in range(count):
        changed = spoilt(sample, rng)
        try:
            found[attempt(sample, folder / "tried", changed)] += 1
        except Exception as fault:
            last = traceback.extract_tb(fault.__traceback__)[-1]
            files = {name: data[:300] for name, data in changed.items()}
            faults.setdefault(f"{last.filename}:{last.lineno}: {fault!r:.200}", f"{files}")
    return found, faults


def main() -> int:
    """Run it and tell what became of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=20261121)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found, faults = soak(Path(name), given.count, given.seed)
    sys.stdout.write(f"{dict(found)}\n")
    for place, files in faults.items():
        sys.stdout.write(f"{place}\n  {files}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
