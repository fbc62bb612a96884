"""Workers of a server of SSH for benchmarks: registered until all are online, and a run there to its end."""

from __future__ import annotations

import getpass
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app.wiring import job_types, resource_types
from engine.definitions.reader import read_raw
from engine.model.worker_request import WorkerRequest
from engine.runtime.engine import Engine
from engine.runtime.submission import Submission
from tests.servers.ssh_workers import Sshd

_ACTOR = "benchmark"
_LOOK = 0.02  # seconds


def connected(
    opened: Engine, server: Sshd, roots: Mapping[str, Path], slots: int, groups: Sequence[str] = ()
) -> None:
    """Register workers with their folders, and wait until all are online."""
    address = f"{getpass.getuser()}@127.0.0.1:{server.port}"
    for name, root in roots.items():
        asked = WorkerRequest(
            ssh=address, key=str(server.key), root=str(root), slots=str(slots), groups=groups
        )
        opened.workers.add(name, asked, _ACTOR)
        opened.workers.trust(name, None, _ACTOR)
    while sum(row.state == "online" for row, *_ in opened.workers.now()) <= len(roots):  # and this machine
        time.sleep(_LOOK)


def submitted(opened: Engine, nodes: Mapping[str, Any]) -> int:
    """Start a task of these nodes; the number of its instance."""
    definitions = read_raw({"tasks": {"t": {"nodes": dict(nodes)}}}, job_types(), resource_types())
    return opened.submit(Submission("t", definitions))


def succeeded(opened: Engine, instance: int) -> None:
    """Wait until it has ended; AssertionError where it did not succeed."""
    opened.wait(instance)
    row = opened.store.instance(instance)
    assert row is not None
    assert row.status == "succeeded", row
