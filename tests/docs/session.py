"""A page as a reader who follows it: a home of his own, and the commands one after the other."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests import commands
from tests.docs.blocks import ROOT, Block

_SECONDS = 60
_PASSING = re.compile(r"\S+: running")  # a short job has ended when a busy machine looks


class Session:
    """One reader in one folder; ``close`` ends what he started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        shutil.copytree(ROOT / "examples", self.folder / "examples")
        home = folder / "home"
        home.mkdir()
        self.env = _environment(home)
        self.said = ""
        self._served: list[subprocess.Popen[str]] = []

    def follow(self, block: Block) -> None:
        """Do what a block asks for; AssertionError when the page is not right."""
        if block.language == "yaml" and "name" in block.marks:
            (self.folder / block.marks["name"]).write_text(block.definition, "utf-8")
        elif block.language == "sh" and "serve" in block.marks:
            self._serve(block)
        elif block.language == "sh" and "run" in block.marks:
            self._run(block)
        elif block.language == "text" and "output" in block.marks:
            check_output(block, self.said)
        elif block.language == "python":
            self._python(block)

    def close(self) -> None:
        """End the engines that the page started."""
        for served in self._served:
            served.terminate()
            served.communicate(timeout=_SECONDS)

    def _run(self, block: Block) -> None:
        answer = self._told(["sh", "-e", "-c", block.text])
        self.said = answer.stdout + answer.stderr
        assert answer.returncode == int(block.marks["run"] or 0), f"{block}: {answer.returncode}\n{self.said}"

    def _python(self, block: Block) -> None:
        answer = self._told(commands.script(block.text))
        self.said = answer.stdout + answer.stderr
        assert answer.returncode == 0, f"{block}\n{self.said}"

    def _told(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self.env, timeout=_SECONDS, text=True,
            stdin=subprocess.DEVNULL, capture_output=True, check=False,
        )  # fmt: skip

    def _serve(self, block: Block) -> None:
        command = f"exec {block.text.strip()}"
        served = subprocess.Popen(
            ["sh", "-c", command], cwd=self.folder, env=self.env, text=True, stdout=subprocess.PIPE
        )
        self._served.append(served)
        assert served.stdout is not None
        self.said = served.stdout.readline()
        assert self.said, f"{block}: it did not start"


def check_output(block: Block, said: str) -> None:
    """Every line of the block is among the lines of the output, in that order; ``…`` is anything."""
    lines = iter(said.splitlines())
    for wanted in filter(None, map(str.rstrip, block.text.splitlines())):
        if _PASSING.fullmatch(wanted) and wanted not in said:
            continue
        pattern = ".*".join(map(_spaces, wanted.split("…")))
        found = any(re.fullmatch(pattern, line.rstrip()) for line in lines)
        assert found, f"{block}: no line {wanted!r} (or not there) in\n{said}"


def _spaces(text: str) -> str:
    """Columns may be wider than on the page."""
    return re.sub(r"(?:\\ ){2,}", r"\\s{2,}", re.escape(text))


def _environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    programs = f"{commands.programs()}:{Path(sys.executable).parent}:{kept.get('PATH', '/usr/bin:/bin')}"
    return {**kept, "PATH": programs, "HOME": str(home), "LANG": "C.UTF-8", "TZ": "UTC", "USER": "operator"}
