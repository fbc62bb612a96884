"""Plants defects, each in a copy of the program, and looks whether some life breaks a promise.

python -m tests.simulation.mutants                     all of mutants.yaml
python -m tests.simulation.mutants "slot" "a key"      those with one of these words in their name
python -m tests.simulation.mutants --record            all, and their table in docs/simulation.md
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "simulation.md"
HEAD = "| planted defect | found by | lives | CPU seconds |\n|---|---|---:|---:|\n"
_PARTS = ("app", "engine", "export_import", "jobs_builtin", "resources", "tests")
_LIVES = 20_000  # some minutes of one processor: few of them have what a defect needs
_WRONG = re.compile(r"WRONG: .* --seed (\d+).*\n\s*(.*)")


@dataclass(frozen=True)
class Mutant:
    """One planted defect: in ``file`` the only occurrence of ``find`` becomes ``replace``.

    Lives without the features, actions or faults that it ``needs`` (by commas) are passed over.
    """

    name: str
    file: str
    find: str
    replace: str
    needs: str = ""

    def plant(self, root: Path) -> None:
        """Change that copy of the program."""
        file = root / self.file
        file.write_text(self.planted_in(file.read_text()))

    def planted_in(self, text: str) -> str:
        """The text of ``file`` with the defect; ValueError when there is not one place for it."""
        if (count := text.count(self.find)) != 1:
            raise ValueError(f"{self.name}: {count} places in {self.file}")
        compile(changed := text.replace(self.find, self.replace), self.file, "exec")
        return changed


@dataclass(frozen=True)
class Trial:
    """What came of one: the promise that was broken (None: it survived), after how many lives.

    Those that were passed over are counted.
    """

    mutant: Mutant
    promise: str | None
    lives: int
    seconds: float  # of CPU
    wrong: str = ""  # the first sentence about it

    def __str__(self) -> str:
        """For the table of the page."""
        found = self.promise or "**nothing**"
        return f"| {self.mutant.name} | {found} | {self.lives} | {self.seconds:.0f} |"


def main() -> int:
    """See the module; 1 when one of them survived."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("words", nargs="*", help="only those with one of these words in their name")
    options.add_argument("--lives", type=int, default=_LIVES, help="at most so many for each")
    options.add_argument("--first", type=int, default=0, help="the first seed")
    options.add_argument("--record", action="store_true", help="write their table into the page")
    given = options.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    chosen = [each for each in planted() if any(word in each.name for word in given.words or [""])]
    trials = [_told(tried(each, given.first, given.lives)) for each in chosen]
    print(f"\n{HEAD}{_rows(trials)}", end="")
    survivors = [each for each in trials if each.promise is None]
    print(f"{len(trials) - len(survivors)} of {len(trials)} found")
    if given.record:
        PAGE.write_text(recorded(PAGE.read_text(), trials))
    return 1 if survivors else 0


def planted() -> list[Mutant]:
    """All that are listed."""
    return [Mutant(**each) for each in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text())]


def tried(mutant: Mutant, first: int = 0, lives: int = _LIVES) -> Trial:
    """Live with it, from the seed ``first`` on, until a promise is broken that holds without it."""
    with tempfile.TemporaryDirectory(prefix="skerry-mutant-") as folder:
        for part in _PARTS:
            shutil.copytree(ROOT / part, Path(folder, part))
        mutant.plant(Path(folder))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        output = _lived(
            Path(folder), ["--first", str(first), "--lives", str(lives), "--with", mutant.needs, "--stop"]
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = _WRONG.search(output)
    if found is None and " 0 wrong" not in output:
        raise RuntimeError(f"{mutant.name}: the lives did not come to their end:\n{output[-3000:]}")
    if found is None:
        return Trial(mutant, None, lives, seconds)
    if _WRONG.search(_lived(ROOT, ["--first", found[1], "--lives", "1"])):
        raise RuntimeError(f"{mutant.name}: seed {found[1]} goes wrong without it too")
    return Trial(mutant, _promise(found[2]), int(found[1]) - first + 1, seconds, found[2])


def _lived(root: Path, arguments: Sequence[str]) -> str:
    command = [sys.executable, "-m", "tests.simulation", "--processes", "1", *arguments]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    with subprocess.Popen(
        command,
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as lives:
        try:
            return lives.communicate()[0]
        finally:  # also when this is ended: the lives have processes of their own
            with suppress(ProcessLookupError):
                os.killpg(lives.pid, signal.SIGKILL)


def _promise(wrong: str) -> str:
    """Its name, or the sentence without what differs from life to life."""
    name, colon, _ = wrong.partition(": ")
    words = name if colon and name.isidentifier() else re.sub(r"\d+", "N", wrong)[:70]
    return words.replace("_", " ").replace("|", "/")


def _told(trial: Trial) -> Trial:
    end = f"after {trial.lives} lives, {trial.seconds:.0f} s of CPU"
    found = f"found {end}: {trial.wrong[:150]}" if trial.promise else f"SURVIVED {end}"
    print(f"{trial.mutant.name}: {found}", flush=True)
    return trial


def _rows(trials: Sequence[Trial]) -> str:
    return "".join(f"{each}\n" for each in trials)


def rows_of(page: str) -> list[str]:
    """The lines of the table on the page."""
    rest = page.partition(HEAD)[2].splitlines(keepends=True)
    return list(takewhile(lambda line: line.startswith("|"), rest))


def recorded(page: str, trials: Sequence[Trial]) -> str:
    """The page with the rows of these trials; those of others stay, those that are not listed any more go."""
    old = rows_of(page)
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in old}
    rows |= {each.mutant.name: f"{each}\n" for each in trials}
    kept = "".join(rows[each.name] for each in planted() if each.name in rows)
    return page.replace(HEAD + "".join(old), HEAD + kept)


if __name__ == "__main__":
    sys.exit(main())
