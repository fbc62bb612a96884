"""Kill the engine at random moments while it works: 20 times over 200 jobs, with --long 200 over 2,000.

    python -m tests.soak.crash [--long] [--seed N] [--keep]

Exit status 1 if any outcome is wrong, a line lost or doubled, or a job started twice.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.runtime.crashing import Crashes


def main() -> int:
    """Run it and tell what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="200 kills over 2,000 jobs")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--kills", type=int)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", action="store_true", help="leave the workspace there")
    options = parser.parse_args()
    jobs, kills = (2000, 200) if options.long else (200, 20)
    jobs, kills = options.jobs or jobs, options.kills or kills
    folder = Path(tempfile.mkdtemp(prefix="skerry-crash-"))
    print(f"seed {options.seed}, {jobs} jobs, {kills} kills, in {folder}", flush=True)
    return _run(Crashes(folder, jobs, kills, options.seed), folder, options.keep)


def _run(crashes: Crashes, folder: Path, keep: bool) -> int:
    began = time.monotonic()
    crashes.run()
    wrongs = crashes.wrongs(crashes.seen())
    print(f"killed {crashes.killed} times in {time.monotonic() - began:.0f} s; wrong: {len(wrongs)}")
    print("\n".join(wrongs))
    if not keep and not wrongs:
        shutil.rmtree(folder)
    return 1 if wrongs else 0


if __name__ == "__main__":
    sys.exit(main())
