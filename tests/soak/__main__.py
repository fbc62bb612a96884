"""``python -m tests.soak full_disk`` or ``power_cuts``: builds the shim, loads it and runs the program."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.soak import shim


def main() -> int:
    """Pass the arguments on, and the status back."""
    if problem := shim.missing():
        sys.stderr.write(f"{problem}\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        name, *arguments = sys.argv[1:]
        done = shim.run(f"tests.soak.{name}", *arguments, folder=Path(folder), timeout=None)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
