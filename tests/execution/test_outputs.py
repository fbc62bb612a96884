"""Reading what a program left behind, whatever it left."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pytest

from engine.execution import outputs
from engine.model.codes import processes as codes
from engine.model.errors import SkerryError
from tests.execution.conftest import Workbench, put_in_place


def test_every_plain_file_is_a_result_by_name(bench: Workbench) -> None:
    ended = bench.run('cd "$SKERRY_OUTPUTS"; printf 2 > b; printf 1 > a; printf é > "名 字"; : > empty')

    found = ended.job.outputs()

    assert [(each.name, each.size, each.text) for each in found] == [
        ("a", 1, "1"), ("b", 1, "2"), ("empty", 0, ""), ("名 字", 2, "é"),
    ]  # fmt: skip


def test_folders_links_and_pipes_are_passed_over_and_every_name_can_be_read(bench: Workbench) -> None:
    job = bench.job()
    root = Path(job.path, "outputs")
    for what in ("link", "pipe", "folder"):
        put_in_place(root / what, what)
    (root / "folder" / "inner").write_text("x")
    Path(os.fsdecode(bytes(root) + b"/\xff")).write_text("x")
    (root / "good").write_text("x")

    assert [(each.name, each.named, each.text) for each in job.outputs()] == [
        ("good", True, "x"),
        ("\\xff", False, "x"),
    ]


def test_what_is_too_big_or_no_text_says_so(bench: Workbench) -> None:
    job = bench.job()
    Path(job.output("big")).write_bytes(b"x" * 11)
    Path(job.output("raw")).write_bytes(b"\xff\xfe")

    found = job.outputs(most=10)

    assert found == [
        outputs.Output("big", 11, None, codes.OUTPUT_TOO_BIG),
        outputs.Output("raw", 2, None, codes.OUTPUT_NOT_TEXT),
    ]


def test_results_become_private(bench: Workbench) -> None:
    ended = bench.run("umask 022; echo 1 > outputs/x; ls -l outputs/x | cut -c1-10", umask=0o022)
    assert ended.out == "-rw-r--r--\n"

    ended.job.outputs()

    assert stat.S_IMODE(Path(ended.job.output("x")).stat().st_mode) == 0o600


def test_outputs_replaced_by_a_link_is_an_error(bench: Workbench) -> None:
    ended = bench.run("rmdir outputs; ln -s /etc outputs")

    with pytest.raises(SkerryError) as caught:
        ended.job.outputs()

    assert caught.value.entry is codes.DIRECTORY_CHANGED


def test_outputs_removed_is_an_error(bench: Workbench) -> None:
    with pytest.raises(SkerryError) as caught:
        bench.run("rmdir outputs").job.outputs()

    assert caught.value.entry is codes.DIRECTORY_FAILED


def test_one_result_is_read_with_a_limit_of_its_own(bench: Workbench) -> None:
    job = bench.job()
    Path(job.output("x")).write_bytes("é".encode() * 500)

    assert outputs.read_text(job.path, "x", 1000) == "é" * 500
    for most, expected in ((999, codes.OUTPUT_TOO_BIG), (5000, None)):
        if expected is None:
            Path(job.output("x")).write_bytes(b"\xff")
            expected = codes.OUTPUT_NOT_TEXT
        with pytest.raises(SkerryError) as caught:
            outputs.read_text(job.path, "x", most)
        assert caught.value.entry is expected


@pytest.mark.parametrize("what", ["link", "pipe", "folder"])
def test_a_result_that_is_no_plain_file_is_an_error(bench: Workbench, what: str) -> None:
    job = bench.job()
    put_in_place(Path(job.output("x")), what)

    for read in (lambda: outputs.read_text(job.path, "x", 10), lambda: outputs.digest(job.path, "x")):
        with pytest.raises(SkerryError) as caught:
            read()
        assert caught.value.entry is codes.OUTPUT_NOT_A_FILE


def test_a_missing_result_is_an_error(bench: Workbench) -> None:
    with pytest.raises(SkerryError) as caught:
        outputs.read_text(bench.job().path, "x", 10)

    assert caught.value.entry is codes.DIRECTORY_FAILED


def test_a_big_result_is_named_by_its_digest(bench: Workbench) -> None:
    job = bench.job()
    data = os.urandom(1_000_000)
    Path(job.output("x")).write_bytes(data)

    assert outputs.digest(job.path, "x") == hashlib.sha256(data).hexdigest()
