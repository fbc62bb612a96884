"""Plants defects, each in a copy of the program, and looks whether some life breaks a promise.

python -m tests.simulation.mutants [--lives 2000] [--only WORDS]
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
PARTS = ("app", "engine", "export_import", "jobs_builtin", "resources", "tests")


def main() -> int:
    """See the module; 1 when a defect was not found."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--lives", type=int, default=2000, help="at most so many for each")
    options.add_argument("--only", default="", help="those with these words in their name")
    given = options.parse_args()
    mutants = yaml.safe_load((Path(__file__).parent / "mutants.yaml").read_text())
    chosen = [each for each in mutants if given.only in each["name"]]
    survived = [each["name"] for each in chosen if not _is_found(each, given.lives)]
    print(f"{len(chosen) - len(survived)} of {len(chosen)} found")
    return 1 if survived else 0


def _is_found(mutant: dict[str, str], lives: int) -> bool:
    with tempfile.TemporaryDirectory(prefix="skerry-mutant-") as folder:
        for part in PARTS:
            shutil.copytree(ROOT / part, Path(folder, part), ignore=shutil.ignore_patterns("__pycache__"))
        plant(mutant, Path(folder))
        began = time.monotonic()
        command = [sys.executable, "-m", "tests.simulation", "--first", "0", "--lives", str(lives), "--stop"]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = result.returncode == 1
    first = next((line.strip() for line in result.stdout.splitlines() if line.startswith("    ")), "")
    print(
        f"{'found' if found else 'SURVIVED'} in {time.monotonic() - began:.0f} s: {mutant['name']}: {first[:120]}",
        flush=True,
    )
    return found


def plant(mutant: dict[str, str], root: Path) -> None:
    """Change the one place; ValueError when it is not there, or not the only one."""
    file = root / mutant["file"]
    text = file.read_text()
    if text.count(mutant["find"]) != 1:
        raise ValueError(f"{mutant['name']}: {text.count(mutant['find'])} places in {mutant['file']}")
    file.write_text(text.replace(mutant["find"], mutant["replace"]))


if __name__ == "__main__":
    sys.exit(main())
