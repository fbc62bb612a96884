"""A file resource that is looked at on a worker gets the answer that it would get on that machine itself."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.execution.ssh import files_there
from engine.model.codes.ssh import HOST_UNREACHABLE
from engine.plugins.resource_type import CheckResult, ResolvedResource
from resources.file import File
from tests.execution.ssh.conftest import Site

CONTENT = b"some lines\n" * 1000
CHECKS: tuple[Mapping[str, Any], ...] = (
    {},
    {"exists": True},
    {"exists": False},
    {"readable": True},
    {"min_size": 11_000},
    {"min_size": 11_001},
    {"max_age": 3600},
    {"max_age": 86400},
    {"min_free": 1},
    {"min_free": 1 << 60},
    {"exists": False, "min_free": 1},
    {"sha256": hashlib.sha256(CONTENT).hexdigest()},
    {"sha256": "0" * 64},
)
NAMES = (
    "plain",
    'it\'s "quoted" $(touch X)\nand\tmore 马',
    "-n",
    "folder",
    "nothing",
    "lost link",
    "link",
    "pipe",
    "no/where",
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A file by each of the names, two hours old; a folder, links, a pipe."""
    place = tmp_path / "place"
    (place / "folder").mkdir(parents=True)
    for name in NAMES[:3]:
        (place / name).write_bytes(CONTENT)
    (place / "lost link").symlink_to("nothing")
    (place / "link").symlink_to("plain")
    os.mkfifo(place / "pipe")
    for name in os.listdir(place):
        os.utime(place / name, times=None, follow_symlinks=False)
        if name != "lost link":
            os.utime(place / name, (1e9, os.stat(place).st_mtime - 7200))
    return place


def told(answer: CheckResult) -> tuple[bool, int, str, dict[str, Any]]:
    """What does not change between two looks; a modification in whole seconds, and words of the system aside."""
    details = {
        key: str(value)[:19] if key == "modified" else value
        for key, value in answer.details.items()
        if key not in ("age", "free")
    }
    message = "" if "bytes are free" in answer.message or " s old" in answer.message else answer.message
    return answer.ok, answer.code, message, details


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_is_that_of_the_machine_itself(site: Site, place: Path, name: str) -> None:
    look = File().check
    for check in CHECKS:
        here = ResolvedResource("r", "file", str(place / name), check=check)
        there = ResolvedResource(
            "r", "file", str(place / name), check=check, elsewhere=site.host.look_at_file
        )
        assert told(look(there)) == told(look(here)), check
    assert not (place / "X").exists()


def test_a_host_that_is_not_there_gives_no_answer_about_its_files(site: Site, place: Path) -> None:
    site.wire.cut()
    site.turns.until(lambda: site.host.standing.place is None)

    answer = File().check(ResolvedResource("r", "file", str(place), elsewhere=site.host.look_at_file))

    assert (answer.ok, answer.code) == (False, HOST_UNREACHABLE.number)


def test_a_host_that_answers_too_late_gives_none(
    site: Site, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_there, "ANSWER", 0.0)

    answer = File().check(ResolvedResource("r", "file", str(place), elsewhere=site.host.look_at_file))

    assert answer.code == HOST_UNREACHABLE.number
