"""What dumps show is read back, whole and while their rows are still arriving."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from engine.secrets.dumps import blocks, may_become
from engine.secrets.masking import ValueMasker

SECRET = 'Reede \\ "Hafen"\n7714-é'
TOOLS = (
    "xxd", "xxd -b", "xxd -u -g 1", "xxd -c 7", "hexdump", "hexdump -C", "hexdump -b", "hexdump -x", "hexdump -d",
    "od", "od -b", "od -c", "od -x", "od -t x4", "od -A x -t x1z", "od -An -x", "od -An -c",
)  # fmt: skip


def dump(tool: str, text: str) -> bytes:
    if shutil.which(tool.split()[0]) is None:
        pytest.skip(f"{tool.split()[0]} is not installed")
    return subprocess.run(tool.split(), input=text.encode(), stdout=subprocess.PIPE, check=True).stdout


@pytest.mark.parametrize("tool", TOOLS)
def test_what_a_dump_shows_is_read(tool: str) -> None:
    text = f"around it {SECRET} and some more of it\n"
    shown = b"a line before\n" + dump(tool, text) + b"and one after\n"

    readings = [reading for block in blocks(shown) for reading in block.readings()]

    assert any(SECRET.encode() in reading for reading in readings)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_every_beginning_of_a_row_may_become_one(tool: str, end: bytes) -> None:
    for row in dump(tool, SECRET).replace(b"\n", end).split(b"\n"):
        assert all(may_become(row[:size]) for size in range(len(row) + 1)), row


@pytest.mark.parametrize("tool", TOOLS)
def test_the_rows_of_a_dump_are_masked_wherever_it_is_cut(tool: str) -> None:
    masker = ValueMasker([SECRET])
    shown = b"a\n" + dump(tool, f"user anna {SECRET}\n") + b"z\n"

    def masked(cut: int) -> bytes:
        stream = masker.stream()
        return stream.feed(shown[:cut]) + stream.feed(shown[cut:]) + stream.close()

    assert b"******" in masked(0)
    assert {masked(cut) for cut in range(len(shown))} == {masked(0)}


def test_rows_that_a_dump_leaves_out_are_masked_too() -> None:
    shown = dump("hexdump -C", "Z9" * 40)

    done = ValueMasker(["Z9" * 40]).text(shown.decode())

    assert b"*\n" in shown
    assert "5a 39" not in done


@pytest.mark.parametrize("line", ["2026-11-22 10:00:00 INFO", "Loading ...", "   done", "[12%]", "name = 3"])
def test_ordinary_lines_do_not_wait_for_their_end(line: str) -> None:
    assert not may_become(line.encode())
