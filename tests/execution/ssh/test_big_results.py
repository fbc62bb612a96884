"""A big result that is brought over a link which is cut again and again."""

from __future__ import annotations

import time
from hashlib import file_digest
from pathlib import Path

import pytest

from engine.execution.outcomes import Exit
from engine.execution.ssh import files
from tests.effort import effort
from tests.execution.ssh.conftest import Site

SIZE = effort(96, 2048) << 20
CUTS = 5
PATIENCE = effort(60, 1200)  # seconds for each step
MOST = 64 << 20  # bytes by which this process may grow


def _memory() -> int:
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields["VmHWM"].split()[0]) << 10


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def test_a_big_result_that_is_cut_five_times_is_the_same(site: Site) -> None:
    # given a job that leaves a big file, which stays there as well
    kept = site.root / "kept"
    script = f'head -c {SIZE} /dev/urandom > "$SKERRY_OUTPUTS/x"; ln "$SKERRY_OUTPUTS/x" {kept}'
    launch = site.launch(script)
    ends: list[object] = []
    stage = site.host.start(launch)
    site.host.wake(stage, ends.append)
    whole = Path(launch.directory, "outputs", "x")
    part = whole.with_name("x.part")

    def until_here(least: int) -> None:
        until = time.monotonic() + PATIENCE
        while not ends and not (part.exists() and part.stat().st_size >= least):
            assert time.monotonic() < until, "it did not arrive"
            site.turns.nap(0.005)

    # when the link is cut five times while it is brought
    until_here(1)
    before, sizes = _memory(), []
    for number in range(CUTS):
        until_here(SIZE * number // (CUTS + 1) + 1)
        assert not ends, "it was here before it could be cut"
        site.wire.cut()
        site.turns.until(lambda: site.host.standing.place is None)
        sizes.append(part.stat().st_size)
        site.wire.mend()
    until_here(SIZE + 1)

    # then nothing was brought twice, it is the same here, and memory did not follow its size
    assert ends == [Exit(0)]
    assert sizes == sorted(sizes)
    assert _digest(whole) == _digest(kept)
    assert _memory() - before < MOST


def test_a_host_may_take_the_longer_to_sum_up_a_file_the_bigger_it_is(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_DIGEST_SECONDS", 0.0)
    monkeypatch.setattr(files, "_SLOWEST", 1 << 10)

    ended, directory = site.run('head -c 100000 /dev/urandom > "$SKERRY_OUTPUTS/x"')

    assert ended == Exit(0)
    assert (directory / "outputs" / "x").stat().st_size == 100_000
