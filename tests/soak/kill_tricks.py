"""Every published way to get away from a cancel, many at once, in an engine at work.

    python -m tests.soak.kill_tricks [--rounds N]

Exit status 1 if a process survives, or if a kill that cannot be verified is called verified.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from engine.store.rows import JobRow
from tests.runtime.site import DEFAULTS, Site, shell, task
from tests.soak.tricks import GONE, NAMESPACES, ROOT, STAY, UNVERIFIED
from tests.waiting import until

_PATIENCE = 60.0  # seconds until a trick is there


def possible() -> dict[str, str]:
    """The tricks that this machine and user can do, and after which nothing may live."""
    spaces = subprocess.run(["unshare", "-Upf", "true"], capture_output=True, check=False).returncode == 0
    root = os.geteuid() == 0 and shutil.which("setpriv") and shutil.which("su")
    return {**GONE, **(NAMESPACES if spaces else {}), **(ROOT if root else {})}


def survivors(folder: Path) -> dict[str, list[int]]:
    """Who holds the file of a trick open, by trick."""
    found: dict[str, list[int]] = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            name = os.readlink(f"/proc/{pid}/fd/7")
            if name.startswith(f"{folder}/"):
                found.setdefault(Path(name).name, []).append(int(pid))
    return found


class Round:
    """Some tricks as the jobs of one instance, and what became of them."""

    def __init__(self, folder: Path, tricks: Mapping[str, str]) -> None:
        self.folder = folder
        self.beacons = folder / "beacons"
        self.beacons.mkdir(parents=True)
        self.names = {f"t{number}": name for number, name in enumerate(tricks)}
        self._scripts = dict(zip(self.names, tricks.values(), strict=True))

    def run(self) -> list[str]:
        """Do them all, cancel them, look; gives what is wrong."""
        settings = "".join(f"{name}: {value!r}\n" for name, value in {**DEFAULTS, "places": 99}.items())
        site = Site(self.folder / "workspace", settings.replace("False", "false")).start()
        try:
            instance = site.begin(task({node: shell(self._script(node)) for node in self.names}))
            self._until_up()
            self._until_marked(site, instance)
            answer = site.engine.cancel(instance)
            left = survivors(self.beacons)
            marks = {row.node: row.handling["unverified"] for row in _marked(site, instance)}
            return [*self._wrongs(left, marks), *self._untold(bool(answer["verified"]), marks)]
        finally:
            site.close()
            for pids in survivors(self.beacons).values():
                for pid in pids:
                    with suppress(OSError):
                        os.kill(pid, signal.SIGKILL)

    def _script(self, node: str) -> str:
        return (
            f"exec 7>>'{self.beacons}/{node}'\nPY={sys.executable}\nSTAY=\"{STAY}\"\n{self._scripts[node]}\n"
        )

    def _until_up(self) -> None:
        end = time.monotonic() + _PATIENCE
        while missing := [node for node in self.names if not self._is_up(node)]:
            assert time.monotonic() < end, [self.names[node] for node in missing]
            threading.Event().wait(0.05)

    def _until_marked(self, site: Site, instance: int) -> None:
        """Of a cancel that comes before these tricks are done nothing has to be unverified."""
        late = {node for node, name in self.names.items() if name in UNVERIFIED}
        until(
            lambda: late <= {row.node for row in _marked(site, instance)}, "a killed supervisor was noticed"
        )

    def _is_up(self, node: str) -> bool:
        beacon = self.beacons / node
        return beacon.exists() and beacon.stat().st_size > 0

    def _wrongs(self, left: Mapping[str, list[int]], marks: Mapping[str, str]) -> Iterable[str]:
        for node, name in self.names.items():
            certain = name not in UNVERIFIED
            if node in left and (certain or node not in marks):
                yield f"{name}: {left[node]} survived ({marks.get(node) or 'called verified'})"
            elif certain and node in marks:
                yield f"{name}: not verified, {marks[node]}"
            elif not certain and node not in marks:
                yield f"{name}: called verified"

    def _untold(self, verified: bool, marks: Mapping[str, str]) -> Iterable[str]:
        if verified and marks:
            yield "the cancel was called verified although a job was not"


def _marked(site: Site, instance: int) -> list[JobRow]:
    """The jobs of which it is said that something of them may live."""
    return [row for row in site.engine.store.jobs(instance) if "unverified" in row.handling]


def main() -> int:
    """Run it and tell what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=16)
    options = parser.parse_args()
    tricks = list({**possible(), **UNVERIFIED}.items())
    wrong: list[str] = []
    for number in range(options.rounds):
        with tempfile.TemporaryDirectory(prefix="skerry-tricks-") as folder:
            for start in range(0, len(tricks), options.at_once):
                chosen = dict(tricks[start : start + options.at_once])
                wrong += Round(Path(folder) / str(start), chosen).run()
        print(f"round {number + 1}: {len(tricks)} tricks; wrong: {len(wrong)}", flush=True)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
