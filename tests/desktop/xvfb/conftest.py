"""A display with a window manager for what the offscreen platform cannot do."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAMS = {"Xvfb": "xvfb", "openbox": "openbox", "xdotool": "xdotool"}


@pytest.fixture
def display(tmp_path: Path) -> Iterator[str]:
    """The name of a display of its own, with a window manager on it."""
    missing = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if missing and not os.environ.get("SKERRY_REQUIRE_SERVERS"):
        pytest.skip(f"not installed: {' '.join(missing)}")
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1920x1080x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    with os.fdopen(reader) as output:
        name = f":{output.readline().strip()}"
    environment = {**os.environ, "DISPLAY": name, "HOME": str(tmp_path)}
    manager = subprocess.Popen(["openbox", "--sm-disable"], env=environment, stderr=subprocess.DEVNULL)
    yield name
    for process in (manager, server):
        process.terminate()
        process.wait(20)
