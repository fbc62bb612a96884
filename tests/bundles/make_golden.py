"""``python -m tests.bundles.make_golden FOLDER``: bundles of the present format, made once for each version.

What is in ``golden/`` is never made again: those files must open for ever.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from export_import.container import BundleWriter
from export_import.export import export
from export_import.export_request import ExportRequest
from export_import.export_source import InstanceChoice
from export_import.keys import Keys
from tests.bundles.scheduled_site import STATES, instances_of, scheduled_site

SHOWN = ("instance", "task", "status", "trigger", "scheduled_time", "reason", "why", "upstream", "run")
FILES = {
    "instances/task-night-1/ctx.log": b'{"seq":1}\n' * 300,
    "instances/task-night-1/jobs/job-load-2/job.log": "加载 12 rows\n".encode() * 20_000,
    "instances/task-night-1/jobs/job-load-2/empty": b"",
    "definitions/current.json": b'{"skerry":1}',
    "logs/noise": b"".join(sha256(b"%d" % n).digest() for n in range(7000)),
}


class Still:
    """A clock that does not move."""

    def now(self) -> datetime:
        return datetime(2026, 11, 21, 8, 0, tzinfo=UTC)

    def monotonic(self) -> float:
        return 0.0


def main(folder: Path) -> None:
    """A plain one, one in a single file, and an encrypted one with several volumes; and what is in them."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = Keys(folder, Still())
    for name, sealed, size in (
        ("plain", False, None),
        ("one.skerry", False, None),
        ("sealed", True, 100_000),
    ):
        to = [keys.recipient] if sealed else []
        with BundleWriter(
            folder / name, kind="diagnostic", keys=keys, recipients=to, clock=Still(), volume_size=size
        ) as writer:
            for each, data in FILES.items():
                writer.add(each, [data], role="file", about={"n": len(data)})
            writer.omit("outputs/big", "over the size budget", 5 << 30)
            writer.finish(
                instances=[{"id": 1, "task": "night", "status": "failed", "nodes": None}], site="golden"
            )
    answer = {
        "signer": keys.fingerprint,
        "public": keys.public,
        "age": (keys.folder / "age.txt").read_text().strip(),
    }
    (folder / "expected.json").write_text(json.dumps(answer, indent=1) + "\n")


def make_scheduled(folder: Path) -> None:
    """One of instances that schedules started or made ahead, and what the site shows of them."""
    with TemporaryDirectory() as place:
        site = scheduled_site(Path(place) / "site")
        instances = instances_of(site)
        chosen = tuple(InstanceChoice(instances[state]) for state in STATES)
        export(site.root, folder / "scheduled.skerry", ExportRequest(chosen), clock=Still())
        shown = {state: site.service.instance(instances[state]) for state in STATES}
        site.engine.close()
    kept = {state: {key: shown[state][key] for key in SHOWN} for state in STATES}  # type: ignore[literal-required]
    (folder / "scheduled.json").write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    make_scheduled(Path(sys.argv[1]))
