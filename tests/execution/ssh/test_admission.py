"""Two engines with one root: the host itself lets nothing begin beside what is exclusive, not for a moment."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from engine.execution.host import LivingStage
from engine.execution.outcomes import Exit, Lost
from engine.model.codes.confirmation import BUSY_THERE
from engine.model.errors import SkerryError
from tests.effort import effort
from tests.execution.ssh.conftest import Site
from tests.execution.ssh.test_shell import FUNCTIONS, SHELLS

End = Exit | Lost | SkerryError
ALONE = """\
mkdir {folder}/alone 2>/dev/null || echo overlap >> {folder}/wrong
[ -z "$(ls {folder} | grep beside)" ] || echo beside >> {folder}/wrong
sleep 0.05
rmdir {folder}/alone
"""
BESIDE = """\
: > {folder}/beside.$$
[ ! -e {folder}/alone ] || echo beside >> {folder}/wrong
sleep 0.05
rm {folder}/beside.$$
"""


def ends(site: Site, stages: dict[str, LivingStage], hosts: dict[str, object]) -> dict[str, End]:
    found: dict[str, End] = {}
    for name, stage in stages.items():
        hosts[name].wake(stage, lambda end, name=name: found.update({name: end}))  # type: ignore[attr-defined]
    site.turns.until(lambda: len(found) == len(stages))
    return found


def test_what_two_engines_begin_at_once_never_overlaps_an_exclusive_one(site: Site, tmp_path: Path) -> None:
    other, begun = site.connected(), 0
    texts = {name: text.format(folder=tmp_path) for name, text in (("alone", ALONE), ("beside", BESIDE))}
    for number in range(effort(12, all=100)):
        # given an engine that begins an exclusive one, while another begins an exclusive one or a plain one
        kind = ("alone", "beside")[number % 2]
        mine = site.launch(texts["alone"], alone=True)
        theirs = site.launch(texts[kind], alone=kind == "alone")

        stages = {"mine": site.host.start(mine), "theirs": other.start(theirs)}
        found = ends(site, stages, {"mine": site.host, "theirs": other})

        # then each of them has run, or was refused and never begun
        for end in found.values():
            assert end == Exit(0) or (isinstance(end, SkerryError) and end.entry is BUSY_THERE), end
        begun += sum(end == Exit(0) for end in found.values())
    assert not (tmp_path / "wrong").exists()
    assert begun > 0
    other.close()


def test_who_is_in_the_way_is_named_and_what_was_refused_may_begin_later(site: Site) -> None:
    # given a job of another engine
    other = site.connected()
    first = site.launch(f"read -r x < {site.bench.gate}")
    runs = other.start(first)
    other.wake(runs, lambda end: None)
    site.turns.until(lambda: runs.pid > 0)

    # when an exclusive one is to begin beside it
    launch = site.launch("true", alone=True)
    with pytest.raises(SkerryError) as refused:
        site.turns.end_of(site.host, site.host.start(launch))

    # then it is refused, with the mark of the other
    assert refused.value.entry is BUSY_THERE
    assert first.mark in refused.value.message
    assert not (site.root / launch.mark / ".skerry" / "alone").exists(), "it is in nobody's way"

    # and begins under the same mark once that has ended
    assert other.stop(runs.directory, runs.mark, 0.2).verified
    assert site.turns.end_of(site.host, site.host.start(launch)) == Exit(0)
    other.close()


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: str(shell[0]))
@pytest.mark.parametrize(
    ("claimed", "is_in_the_way"),
    [("$NOW", True), ("$((NOW - 40))", True), ("$((NOW - 70))", False)],
    ids=["now", "so long ago that it begins no more", "so long ago that it is given up"],
)
def test_what_was_claimed_and_is_not_yet_begun_is_in_the_way_as_long_as_it_may_begin(
    shell: list[str], tmp_path: Path, claimed: str, is_in_the_way: bool
) -> None:
    stage = tmp_path / "7.1.a" / ".skerry" / "process"
    stage.parent.mkdir(parents=True)
    (tmp_path / "8.1.b" / ".skerry").mkdir(parents=True)
    (tmp_path / "8.1.b" / ".skerry" / "alone").touch()
    asked = (
        f"K=key\n{FUNCTIONS.read_text()}\nhello 1\nread -r NOW X </proc/uptime\nNOW=${{NOW%.*}}\n"
        f"printf 'boot %s\\nclaimed %s\\nmark 7.1.a\\n' $B {claimed} >'{stage}'\n"
        f"look 3 '{stage}'\n"
        f"admit 2 '{tmp_path}/8.1.b/.skerry/process' '' && say 2 free\ntrue\n"
    )

    done = subprocess.run(shell, input=asked, text=True, check=True, stdout=subprocess.PIPE)

    assert done.stdout.splitlines()[-2:] == (
        ["key 3 begins", "key 2 busy 7.1.a"] if is_in_the_way else ["key 3 lost 0", "key 2 free"]
    )


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: str(shell[0]))
def test_beside_an_exclusive_one_that_an_older_version_began_nothing_begins(
    shell: list[str], tmp_path: Path
) -> None:
    # given a root in which an exclusive one works, and nothing says that there ever was one
    root = tmp_path / "root"
    stage = root / "7.1.a" / ".skerry" / "process"
    stage.parent.mkdir(parents=True)
    (stage.parent / "alone").touch()
    (root / ".skerry-root").touch()
    (root / "8.1.b" / ".skerry").mkdir(parents=True)
    asked = (
        f"K=key\n{FUNCTIONS.read_text()}\nhello 1\nread -r NOW X </proc/uptime\n"
        f"printf 'boot %s\\nclaimed %s\\nmark 7.1.a\\n' $B ${{NOW%.*}} >'{stage}'\n"
        f"root 1 '{root}'\nadmit 2 '{root}/8.1.b/.skerry/process' '' && say 2 free\ntrue\n"
    )

    # when an engine connects and begins another one
    done = subprocess.run(shell, input=asked, text=True, check=True, stdout=subprocess.PIPE)

    # then it gives way
    assert done.stdout.splitlines()[-1] == "key 2 busy 7.1.a:alone"


@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: str(shell[0]))
@pytest.mark.parametrize(("seconds", "may_begin"), [(0, True), (29, True), (30, False)])
def test_what_took_too_long_from_its_claim_begins_no_more(
    shell: list[str], seconds: int, may_begin: bool
) -> None:
    asked = (
        f"K=key\n{FUNCTIONS.read_text()}\nread -r NOW X </proc/uptime\nclaimed=$((${{NOW%.*}} - {seconds}))\n"
        "fresh && say 1 fresh\ntrue\n"
    )

    done = subprocess.run(shell, input=asked, text=True, check=True, stdout=subprocess.PIPE)

    assert bool(done.stdout) == may_begin
