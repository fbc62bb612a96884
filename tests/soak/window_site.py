"""The workspace behind a window that is soaked: what lies ready in it, and what other processes change in it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import psutil

EXAMPLES = Path(__file__).parents[2] / "examples"
LOADED = (
    *(EXAMPLES / f"{name}.yaml" for name in ("tour", "repair", "loop", "batch")),
    Path(__file__).with_name("window_forms.yaml"),
)
RULES = """\
skerry: 1
rules:
  - {id: later, match: {task: nightly}, action: {retry: {after: 1m, times: 2}}, enabled: false}
"""


def changed_tour(turn: int) -> str:
    """The tour with another name, text and node."""
    tour = (EXAMPLES / "tour.yaml").read_text("utf-8")
    tour = tour.replace("A tour of the job types", f"Tour {turn}").replace("quick brown", f"quick {turn}")
    return tour.replace("exists", f"there_{turn % 3}").replace(f"type: there_{turn % 3}", "type: file_exists")


class Site:
    """A scratch workspace in a folder, with a desk beside it that sent a fix and a delivery."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder, self.root = folder, folder / "workspace"
        self._environment = environment

    def prepare(self) -> None:
        """Definitions, a run that failed, the bundle of it, and what came back."""
        rules = self.folder / "rules.yaml"
        rules.write_text(RULES)
        self._skerry("load", str(rules), *map(str, LOADED))
        self._skerry("run", "nightly")
        self._skerry("run", "--detach", "tour")
        self._skerry("export", "1", "-o", "case.skerry")
        self._skerry("bundle", "import", "case.skerry", at="desk")
        answer = ("--title", "A larger limit", "--letter", "The limit was too small.")
        change = ("--set", "$.TASK.PARAMS['limit']=30", "--rerun", "failed")
        case = next((self.folder / "desk" / "cases").iterdir())
        self._skerry("fix", "build", str(case), "-o", "fix.skerry", *answer, *change, at="desk")
        example = str(EXAMPLES / "concat.yaml")
        self._skerry("delivery", "build", example, "-o", "delivery.skerry", *answer, at="desk")
        self._skerry("keys", "export", "-o", "desk.card", at="desk")
        self._skerry("secret", "set", "password", typed="not a secret")
        self._skerry("keys", "trust", "desk.card", "--name", "desk", "--role", "support", "--role", "author")

    def bundles(self) -> list[Path]:
        """What can be opened in the window."""
        return sorted(self.folder.glob("*.skerry"))

    def change(self, over: threading.Event) -> None:
        """Runs begin and definitions change, by other processes, until it is over."""
        turn = 0
        while not over.wait(1):
            turn += 1
            changed = self.folder / "changed.yaml"
            changed.write_text(changed_tour(turn))
            self._try("load", str(changed))
            self._try("run", "--detach", ("tour", "nightly", "climb")[turn % 3])

    def stop(self) -> None:
        """End whatever still works in it: a window that died leaves its engine."""
        for each in psutil.process_iter(["cmdline"]):
            if str(self.root) in (each.info["cmdline"] or ()):
                with suppress(psutil.Error):
                    each.kill()

    def _skerry(self, *arguments: str, at: str = "workspace", typed: str = "") -> None:
        done = self._try(*arguments, at=at, typed=typed)
        if done.returncode not in (0, 1):  # 1: what was run failed, as it should
            raise RuntimeError(f"{arguments}: {done.stderr}{done.stdout}")

    def _try(
        self, *arguments: str, at: str = "workspace", typed: str = ""
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "app.cli.main", "--workspace", str(self.folder / at), *arguments]
        return subprocess.run(
            command,
            env=self._environment,
            cwd=self.folder,
            input=typed,
            capture_output=True,
            text=True,
            check=False,
        )
