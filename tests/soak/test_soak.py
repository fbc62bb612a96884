"""The short versions of the soak programs; each has a long one, see its own ``--help``."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import adoption
from tests.effort import effort
from tests.soak import (
    bit_flips,
    bundle_contents,
    bundle_damage,
    damaged_files,
    life,
    power_loss,
    redaction_matrix,
    secret_spellings,
    shim,
)

shimmed = pytest.mark.skipif(bool(shim.missing()), reason=str(shim.missing()))


def _run(folder: Path, module: str, *arguments: str) -> tuple[int, str]:
    done = shim.run(f"tests.soak.{module}", *arguments, folder=folder, timeout=400)
    return done.returncode, done.stdout + done.stderr


@shimmed
def test_a_full_disk_at_any_write_loses_no_outcome_and_spoils_no_file(tmp_path: Path) -> None:
    status, output = _run(
        tmp_path, "full_disk", "--writes", "240", "--every", str(effort(47, all=13)), "--lasting", "1"
    )
    assert status == 0, output


@shimmed
def test_a_full_disk_that_lasts_for_some_writes(tmp_path: Path) -> None:
    status, output = _run(
        tmp_path, "full_disk", "--writes", "240", "--every", str(effort(79, all=29)), "--lasting", "9"
    )
    assert status == 0, output


@shimmed
def test_a_full_disk_while_the_workspace_and_its_database_are_made(tmp_path: Path) -> None:
    every = str(effort(11, all=5))
    arguments = ("--fresh", "--writes", "60", "--every", every, "--lasting", "1,4")
    status, output = _run(tmp_path, "full_disk", *arguments)
    assert status == 0, output


@shimmed
def test_a_power_cut_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    status, output = _run(tmp_path, "power_cuts", "--cuts", str(effort(20, all=60)), "--transitions", "300")
    assert status == 0, output


@shimmed
def test_a_power_cut_of_a_real_file_system_loses_nothing_and_starts_nothing_again(tmp_path: Path) -> None:
    """What it does is played everywhere by tests/runtime/test_power_cut.py and test_mending.py."""
    if problem := power_loss.unavailable():
        pytest.skip(problem)
    rounds = effort(2, all=4)
    done = power_loss.program(tmp_path, "--rounds", str(rounds), "--longest", "1.5", "--seed", "20261122")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"'cuts': {rounds}" in done.stdout


@shimmed
def test_what_looks_for_losses_finds_them_where_they_are(tmp_path: Path) -> None:
    """Durability ``normal`` does not sync each commit: then cuts must lose some."""
    arguments = ("--cuts", "20", "--transitions", "200", "--durability", "normal", "--seed", "1")
    status, output = _run(tmp_path, "power_cuts", *arguments)
    assert status == 1, output
    assert "acknowledged" in output


def test_a_flipped_bit_is_noticed_or_without_effect_and_a_status_file_decides_nothing(tmp_path: Path) -> None:
    counts, silent = bit_flips.soak(tmp_path, effort(60, all=200), seed=20261121)
    assert silent == []
    assert counts["ctx.log: noticed"] == effort(30, all=100)
    assert bit_flips.statuses_change_nothing(tmp_path)


def test_whatever_file_of_a_workspace_is_damaged_nothing_wrong_is_shown_or_run(tmp_path: Path) -> None:
    rounds = effort(3, all=8)
    found = damaged_files.soak(tmp_path, rounds, seed=20261121)
    assert found.faults == []
    assert sum(found.counts.values()) == 3 * rounds


def test_whatever_happens_to_a_run_its_states_follow_the_tables_and_it_ends() -> None:
    life.soak(effort(4, all=12), steps=6, seed=20261121)


def test_live_jobs_are_taken_up_and_each_has_run_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert adoption.measure(effort(8, all=20)) == 0, capsys.readouterr().out


def test_a_damaged_bundle_of_any_kind_is_refused_or_gives_what_was_written(tmp_path: Path) -> None:
    found = bundle_damage.samples(tmp_path, seed=20261121)
    for each in found:
        large = each.name == "volumes"
        assert bundle_damage.flips(
            each, every=effort(4001, all=1009) if large else effort(241, all=61), seed=1
        )
        assert bundle_damage.cuts(each, every=effort(160, all=40) if large else effort(3, all=1))
    mutations = effort(90, all=300)
    answer = bundle_damage.fuzz(tmp_path, found, mutations, seed=2)
    assert answer["manifest: refused"] > mutations / 6
    assert answer["bytes: refused"] > mutations / 6
    assert "manifest: refused without a code" not in answer


def test_a_bundle_that_lies_in_its_contents_is_looked_at_or_refused(tmp_path: Path) -> None:
    found, faults = bundle_contents.soak(tmp_path, rounds := effort(5, all=12), seed=4)
    assert faults == {}
    assert sum(found.values()) == rounds


def test_no_secret_leaves_by_any_sink_and_harmless_lines_stay(tmp_path: Path) -> None:
    found, altered = redaction_matrix.check(tmp_path, 10, 800, seed=1)
    assert not +found
    assert altered == 0


def test_what_stock_tools_print_of_a_stored_secret_is_in_no_log_and_in_no_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKERRY_PASSPHRASE", "Reede-Wal-0")
    tools = (
        "xxd xxd_plain xxd_c hexdump hexdump_canonical hexdump_octal od od_c od_bytes od_without base64 base64_ten"
        " base32 utf16_lines jq_ascii jq_csv jq_html mysql csv sqlite_quote shell_q declare cat_A reversed"
    )

    found = list(secret_spellings.leaks(tmp_path, ("quotes",), tools.split()))

    assert {leak.tool.split()[0] for leak in found} == {"reversed"}, found
