"""After the loss of the database the commands show what they showed before."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import commands

DEFINITIONS = """\
skerry: 1
tasks:
  outer:
    params: {limit: 5}
    nodes:
      make: {type: shell, process: 'printf 10 > outputs/rows', results: {rows: {kind: number}}}
      each: {type: shell, after: [make], process: 'true', params: [{a: 1}, {a: "$.JOB['make'].RESULT[0]"}]}
      bad: {type: shell, after: [make], process: 'exit 3', retry: {times: 1, interval: 0s}}
      never: {type: shell, after: [bad], process: 'true'}
      inner: {type: task, task: inner}
      group: {type: group, jobs: [{type: shell, process: 'true'}, {type: wait, for: 0s}]}
  inner: {nodes: {only: {type: shell, process: 'true', end: 'true'}}}
"""


class Site:
    """A workspace, and commands in it that give their documents."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "workspace"
        (folder / "d.yaml").write_text(DEFINITIONS)
        self("load", str(folder / "d.yaml"))

    def __call__(self, *args: str) -> Any:
        command = [*commands.skerry(), "--workspace", str(self.root), *args, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)

    def answer(self) -> list[Any]:
        """What the reading commands say of every instance."""
        listed = self("list")["instances"]
        for each in listed:
            del each["error_facts"]  # the log has the text of a message alone
        numbers = [str(each["instance"]) for each in listed]
        return [listed, *((self.shown(each), self("context", each)) for each in numbers)]

    def shown(self, instance: str) -> Any:
        """Its document, but for when jobs were made: of those that waited only the start is in the log."""
        document = self("show", instance)
        for each in (document, *document["jobs"]):
            del each["error_facts"]
        for job in document["jobs"]:
            del job["created_at"]
        return document


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_every_document_is_the_same_after_a_rebuild(site: Site) -> None:
    first = str(site("run", "outer")["instance"])
    site("set", first, "$.TASK.PARAMS['limit']", "7", "--reason", "more")
    site("set", first, "$.JOB['make'].RESULT[0]", "12", "--reason", "typo")
    site("run", "outer", "-p", "limit=1")
    before = site.answer()

    for name in os.listdir(site.root):
        if name.startswith("skerry.db"):
            (site.root / name).unlink()
    site("rebuild")

    shown = site("show", first)
    assert (shown["params"], shown["jobs"][0]["results"]["rows"]) == ({"limit": 7}, 12)
    assert site.answer() == before
