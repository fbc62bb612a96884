"""Bundles made to fill memory, disk and time: refused with a code, or harmless (short form of the soak)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.model.codes.bundles import TOO_MUCH
from engine.model.errors import SkerryError
from export_import.container import ReadLimits, open_bundle
from export_import.importing import import_bundle
from export_import.keys import Keys
from tests.bundles.conftest import CLOCK, Write
from tests.bundles.hostile import Forged, file_of, manifest_of, volume_of
from tests.effort import effort
from tests.soak import hostile_bundles

MEBIBYTE = b"\0" * (1 << 20)


def test_a_bomb_of_every_kind_stays_within_what_the_kernel_allows(tmp_path: Path) -> None:
    said: list[str] = []

    kinds = effort(5, all=len(hostile_bundles.BOMBS))
    faults = hostile_bundles.soak(tmp_path, rounds=kinds, seed=3, say=said.append, cpu=60)  # a busy machine

    assert faults == {}
    assert len(said) == kinds + 1
    assert "refused" in said[-1]


@pytest.mark.parametrize(
    "files",
    [
        lambda: [file_of(f"logs/{n}", MEBIBYTE) for n in range(2_000)],  # one object, named often
        lambda: [file_of(f"logs/{n}", objects=[], size=0) for n in range(11_000)],
        lambda: [file_of(f"logs/{n}" + "/d" * 20 + "/f", objects=[], size=0) for n in range(600)],
    ],
)
def test_what_it_unpacks_to_is_measured_against_what_it_weighs(
    tmp_path: Path, files: Callable[[], list[object]]
) -> None:
    path = Forged(tree=manifest_of(files=files()), volumes=[volume_of(MEBIBYTE)]).write(tmp_path / "bomb")
    (tmp_path / "desk").mkdir()

    with pytest.raises(SkerryError) as caught:
        import_bundle(tmp_path / "desk", [path], clock=CLOCK)

    assert caught.value.entry == TOO_MUCH
    assert list((tmp_path / "desk" / "cases").glob("*")) == []


def test_volumes_that_are_only_promised_weigh_nothing(tmp_path: Path) -> None:
    promised = [{"name": "vol-000.tar", "size": 64 << 20, "sha256": "0" * 64}]
    files = [file_of(f"logs/{n}", objects=[], size=0) for n in range(11_000)]
    forged = Forged(tree=manifest_of(files=files), volumes=(), header={"volumes": promised})

    with pytest.raises(SkerryError) as caught:
        open_bundle([forged.write(tmp_path / "bomb")], None, clock=CLOCK)

    assert caught.value.entry == TOO_MUCH


def test_an_honest_bundle_stays_far_below(write: Write, keys: Keys) -> None:
    path = write("out", {f"logs/{n}": b"a line of a log\n" * 5_000 for n in range(200)})

    bundle = open_bundle([path], keys, clock=CLOCK)

    assert len(bundle.entries) * 20 < bundle.limits.files
    assert sum(each.size for each in bundle.entries.values()) * 5 < bundle.limits.laid_out
    assert bundle.limits.files < ReadLimits().files
