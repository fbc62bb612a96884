"""Many short jobs of which is known how each must end, and an engine that is killed again and again."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.runtime.engine_process import EngineProcess
from tests.runtime.site import Member, Seen, Site
from tests.waiting import until

_PAUSES = (0.0, 0.0, 0.01, 0.05, 0.15)


@dataclass(frozen=True)
class Expected:
    """How one node must end, and how often its program must have been started."""

    state: str
    starts: int


class Plan:
    """Random nodes that all write into one journal."""

    def __init__(self, random: Random, jobs: int, journal: Path) -> None:
        self.nodes: dict[str, Any] = {}
        self.expected: dict[str, Expected] = {}
        for number in range(jobs):
            self._add(random, f"n{number}", journal)

    @property
    def raw(self) -> dict[str, Any]:
        """The definitions."""
        return {"skerry": 1, "tasks": {"t": {"nodes": self.nodes}}}

    def _add(self, random: Random, id: str, journal: Path) -> None:
        fails, times = random.choice([(0, 0)] * 6 + [(9, 0), (9, 1), (1, 1), (2, 2)])
        before = random.sample(list(self.nodes)[-8:], min(len(self.nodes), random.choice([0, 1, 1, 2])))
        run_if = random.choice(["all_done", "all_done", "all_succeeded"])
        node: dict[str, Any] = {
            "type": "shell",
            "after": before,
            "run_if": run_if,
            "process": _script(id, fails, random.choice(_PAUSES), journal),
            "retry": {"times": times, "interval": random.choice([0, 0.05])},
            "results": {"n": {"kind": "number"}} if fails == 0 else {},
        }
        if random.random() < 0.15:
            node["ready"] = f"echo 'ready {id}' >> {journal}"
        if random.random() < 0.15:
            node["end"] = f"echo 'end {id}' >> {journal}"
        self.nodes[id] = node
        self.expected[id] = self._outcome(before, run_if, fails, times)

    def _outcome(self, before: list[str], run_if: str, fails: int, times: int) -> Expected:
        states = [self.expected[id].state for id in before]
        if run_if == "all_succeeded" and any(state != "succeeded" for state in states):
            return Expected("skipped", 0)
        return Expected("succeeded" if fails <= times else "failed", min(fails, times) + 1)


def _script(id: str, fails: int, pause: float, journal: Path) -> str:
    return (
        f'echo "start {id} $SKERRY_ATTEMPT" >> {journal}\n'
        "echo one\n"
        f"sleep {pause}\n"
        "echo two\necho bad >&2\nprintf 7 > outputs/n\n"
        f'[ "$(grep -c "^start {id} " {journal})" -gt {fails} ] || exit 3\n'
    )


class Crashes:
    """Runs a plan to its end while the engine is killed ``kills`` times; ``killed`` counts them."""

    def __init__(self, folder: Path, jobs: int, kills: int, seed: int) -> None:
        self.random = Random(seed)
        self.journal = folder / "journal"
        self.journal.touch()
        self.plan = Plan(self.random, jobs, self.journal)
        self.site = Site(folder / "workspace", "places: 6\ndurability: normal\nmonitor: false\ngrace: 1\n")
        self.site.engine.store.close()
        self._kills = kills
        self.killed = 0
        self.instance = 0

    def run(self, longest: float = 0.25) -> None:
        """Kill, start the next one, kill …; the last one comes to the end."""
        process = EngineProcess(self.site.root, self.plan.raw).until_up()
        self.instance = process.instance or 0
        while self.killed < self._kills:
            if process.idle_within(self.random.uniform(0, longest)):
                break
            process.kill()
            self.killed += 1
            process = EngineProcess(self.site.root)
            if self.random.random() < 0.8:  # else it may be killed before it works
                process.until_up()
        end = time.monotonic() + 300
        while not process.idle_within(1.0):
            assert time.monotonic() < end, "it does not come to an end"
        process.kill()

    def seen(self) -> Seen:
        """The end state, as another engine sees it."""
        site = Site(self.site.root, (self.site.root / "workspace.yaml").read_text()).start()
        try:
            seen = site.see(self.instance)
            _ = seen.rows, seen.latest, seen.lines, [each.attempts for each in seen.rows]
            seen.assert_replays()
        finally:
            site.close()
        return seen

    def wrongs(self, seen: Seen) -> list[str]:
        """Every difference from what must be, in words; empty when nothing is wrong."""
        lines = self.journal.read_text().splitlines()
        starts = Counter(line.split()[1] for line in lines if line.startswith("start"))
        marks = Counter(line.split()[2] for line in lines if line.startswith("start"))
        found = [f"started twice: {mark}" for mark, count in marks.items() if count > 1]
        for id, expected in self.plan.expected.items():
            member = seen[id]
            if (str(member.status), starts[id]) != (expected.state, expected.starts):
                found.append(
                    f"{id}: {member.status}, {starts[id]} starts, not {expected}; {member.error_message}"
                )
            found += self._wrong_files(id, member, expected)
        wanted = (
            "failed" if any(each.state == "failed" for each in self.plan.expected.values()) else "succeeded"
        )
        return found + ([] if seen.status == wanted else [f"the run {seen.status}, not {wanted}"])

    def _wrong_files(self, id: str, member: Member, expected: Expected) -> list[str]:
        if not expected.starts:
            return [] if member.directory is None else [f"{id}: never ran but has a directory"]
        found: list[str] = []
        if member.directory is None:
            return [f"{id}: ran but has no directory"]
        logs = [member.folder / "job.log", *member.folder.glob("attempts/*/job.log")]
        texts = [log.read_text() for log in logs if log.exists() and log.read_text()]
        if texts != ["one\ntwo\n"] * expected.starts:
            found.append(f"{id}: logs {texts}")
        status = (member.folder / "status").read_text()
        if status != ("1\n" if expected.state == "succeeded" else "0\n"):
            found.append(f"{id}: status {status!r}")
        if '"STATUS":"' + expected.state not in (member.folder / "ctx.json").read_text():
            found.append(f"{id}: its ctx.json is not current")
        if "n" in self.plan.nodes[id]["results"] and member.results.get("n") != 7:
            found.append(f"{id}: results {member.results}")
        return found


__all__ = ["Crashes", "Expected", "Plan", "until"]
