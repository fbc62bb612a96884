"""What opens the vault is not to be read from the outside of the engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

PHRASE = "open sesame 77"
READS = "echo up; for each in /proc/[0-9]*/environ; do tr '\\0' '\\n' < $each 2>/dev/null | grep -a ^SKERRY_PASS; done; true"


def test_a_job_does_not_find_the_passphrase_in_the_environment_of_its_engine(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text(
        json.dumps({"skerry": 1, "tasks": {"t": {"nodes": {"a": {"type": "shell", "process": READS}}}}})
    )
    command = [
        sys.executable,
        "-m",
        "app.cli.main",
        "--workspace",
        str(tmp_path / "w"),
        "run",
        str(file),
        "--json",
    ]

    done = subprocess.run(
        command, env={**os.environ, "SKERRY_PASSPHRASE": PHRASE}, capture_output=True, text=True, check=True
    )

    log = Path(json.loads(done.stdout)["jobs"][0]["directory"], "job.log").read_text()
    assert log.startswith("up\n")
    assert PHRASE not in log


def test_an_engine_that_is_started_for_a_command_still_has_the_passphrase() -> None:
    text = (
        "import os; from engine.secrets.hiding import hide; hide()\n"
        "import subprocess; print(subprocess.run(['printenv', 'SKERRY_PASSPHRASE'], capture_output=True).stdout)\n"
        "try: print(open('/proc/self/environ', 'rb').read().count(b'sesame'))\n"
        "except PermissionError: print(0)"  # to any account but root it is closed altogether
    )
    done = subprocess.run(
        [sys.executable, "-c", text],
        env={**os.environ, "SKERRY_PASSPHRASE": PHRASE}, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert done.stdout == "b'open sesame 77\\n'\n0\n"
