"""Jobs on a host behind SSH: a cut link, hostile values, processes that hide."""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from engine.execution.outcomes import RESTARTED, Exit, Left, Lost
from engine.execution.ssh.stage import SshStage
from engine.execution.strangers import Stranger
from engine.model.codes.processes import NO_WORKING_DIR
from engine.model.codes.ssh import SECRETS_REFUSED, SHELLS_OWN_NAME
from engine.model.errors import SkerryError
from tests.execution.ssh.conftest import Site
from tests.waiting import until


def test_what_a_job_leaves_is_brought_here(site: Site) -> None:
    script = 'echo 1 > "$SKERRY_STATUS"; printf abc > "$SKERRY_OUTPUTS/x"; ln -s /etc/passwd "$SKERRY_OUTPUTS/y"; pwd'

    end, directory = site.run(script)

    assert end == Exit(0)
    assert (directory / "status").read_text() == "1\n"
    assert [each.name for each in (directory / "outputs").iterdir()] == ["x"]
    assert (directory / "outputs" / "x").read_text() == "abc"
    assert (directory / "job.log").read_text().startswith(str(site.root))


def test_what_a_job_puts_in_the_place_of_its_own_files_is_not_followed(site: Site, tmp_path: Path) -> None:
    # given a job that has links to another file where its logs, its status and its progress were
    other = tmp_path / "other"
    other.write_text("10%\nnot its own\n")
    names = ("job.log", "job-error.log", "status", ".skerry/progress")
    replaced = "; ".join(
        f'rm -f "$SKERRY_JOB_DIR/{name}"; ln -s {other} "$SKERRY_JOB_DIR/{name}"' for name in names
    )

    # when it ends
    end, directory = site.run(f'{replaced}; ln -s {other} "$SKERRY_OUTPUTS/x"')

    # then nothing of that file is here
    assert end == Exit(0)
    assert [(directory / name).read_text() for name in names[:2]] == ["", ""]
    assert [(directory / name).exists() for name in ("status", "outputs/x")] == [False, False]
    assert "not its own" not in (directory / ".skerry" / "progress").read_text()


def test_a_big_result_is_the_same_here(site: Site) -> None:
    end, directory = site.run(
        'head -c 5000000 /dev/urandom > "$SKERRY_OUTPUTS/x"; cp "$SKERRY_OUTPUTS/x" ../x'
    )

    assert end == Exit(0)
    assert (directory / "outputs" / "x").read_bytes() == (site.root / "x").read_bytes()


def test_a_link_that_is_cut_in_mid_job_changes_nothing(site: Site) -> None:
    # given a job that runs while the link is cut
    ran = site.bench.instance.path + "/ran"
    launch = site.launch(f"echo ran >> {ran}; echo one; read -r x < {site.bench.gate}; echo two; exit 3")
    stage = site.host.start(launch)
    ends: list[object] = []
    site.host.wake(stage, ends.append)
    log = Path(launch.directory, "job.log")
    site.turns.until(lambda: log.read_text() == "one\n")
    site.wire.cut()
    site.turns.until(lambda: site.host.standing.place is None)

    # when it ends meanwhile
    site.bench.open_gate()
    assert ends == []
    site.wire.mend()

    # then its end and all its output are known as soon as the host answers
    site.turns.until(lambda: bool(ends))
    assert ends == [Exit(3)]
    assert log.read_text() == "one\ntwo\n"
    assert Path(ran).read_text() == "ran\n"


def test_a_link_that_flaps_starts_nothing_twice(site: Site) -> None:
    ran = Path(site.bench.instance.path, "ran")
    ends: list[object] = []
    for number in range(8):
        launch = site.launch(f"echo {number} >> {ran}")
        site.host.wake(site.host.start(launch), ends.append)
        site.wire.cut()
        site.wire.mend()
        if number % 2:
            site.turns.until(lambda: site.host.standing.place is not None)

    site.turns.until(lambda: len(ends) == 8)

    assert ends == [Exit(0)] * 8
    assert sorted(ran.read_text().split()) == list(map(str, range(8)))


def test_a_double_fork_with_its_own_session_is_killed_there(site: Site) -> None:
    script = "setsid sh -c 'sh -c \"trap : TERM; while :; do sleep 1; done\" & exit 0'; echo up; sleep 1000"
    stage, directory = site.start(script)
    site.turns.until(lambda: (directory / "job.log").read_text() == "up\n")
    assert len(site.host.living([(str(directory), stage.mark)])) >= 3

    left = site.host.stop(str(directory), stage.mark, 0.3)

    assert left == Left()
    assert site.host.living([(str(directory), stage.mark)]) == ()


def test_hostile_values_arrive_as_they_are(site: Site) -> None:
    # given values that a shell would act upon, anywhere but in a quoted word
    draw = random.Random(4)
    pieces = ["'", '"', "\\", "`touch X`", "$(touch X)", "${HOME}", "; touch X;", "\n", "\r", "*", "~", "#", "!", "&&",
              "|", "<", ">", "\t", "马", "\x7f", "\x01", "END", "$K", "%s", "-n", "\udcff"]  # fmt: skip
    values = {f"v{n}": "".join(draw.choices(pieces, k=draw.randint(1, 12))) for n in range(400)}

    # when they are parameters, arguments and the text of a script
    text = '"$SKERRY_OUTPUTS"/all'
    script = f"env -0 > {text}; for each in X ../X; do test ! -e $each || exit 9; done"
    end, directory = site.run(script, env=values)
    arguments = tuple(values.values())
    site.host.start(launch := site.launch(argv=("/usr/bin/printf", "%s\\0", *arguments)))
    other = site.turns.end_of(site.host, site.host.look(launch.directory, "process", launch.mark))  # type: ignore[arg-type]

    # then none was executed, and none is another
    assert (end, other) == (Exit(0), Exit(0))
    lines = (directory / "outputs" / "all").read_bytes().split(b"\0")
    found = dict(line.split(b"=", 1) for line in lines if line)
    assert {name: found[name.encode()] for name in values} == {
        name: os.fsencode(value) for name, value in values.items()
    }
    assert Path(launch.directory, "job.log").read_bytes().split(b"\0")[:-1] == list(
        map(os.fsencode, arguments)
    )


def test_variables_named_as_those_of_the_engines_shell_are_the_jobs_alone(site: Site) -> None:
    # given values under the names that the shell there works with
    names = ("SETSID", "INNER", "K", "I", "W", "Q", "F", "P", "X", "k", "B", "D", "begin", "over")
    values = {name: f"/nowhere/{name}" for name in names}

    end, directory = site.run('env > "$SKERRY_OUTPUTS"/all; exit 3', env=values)
    again = site.run("echo next")[0]

    assert (end, again) == (Exit(3), Exit(0))
    lines = (directory / "outputs" / "all").read_text().splitlines()
    assert {f"{name}={value}" for name, value in values.items()} <= set(lines)


def test_a_host_that_was_started_again_and_lost_everything_begins_nothing_again(site: Site) -> None:
    # given a job whose start came through just before the host went down, with its folder
    ran = Path(site.bench.instance.path, "ran")
    ends: list[object] = []
    stage = site.host.start(site.launch(f"echo ran >> {ran}; sleep 1000"))
    site.host.wake(stage, ends.append)
    until(ran.exists)
    site.wire.cut()
    for each in site.root.glob("[0-9]*"):
        shutil.rmtree(each)

    # when it is up again, with another boot id
    assert isinstance(stage, SshStage)
    stage.sent_in = "the one before"
    site.wire.mend()
    site.turns.until(lambda: bool(ends))

    # then it is gone, and was not begun beside that
    assert ends == [Lost(RESTARTED)]
    assert ran.read_text() == "ran\n"
    site.host.stop(stage.directory, stage.mark, 0)


@pytest.mark.parametrize("name", ["SECONDS", "a.b", "x y", "ä", "1st", ""])
def test_a_variable_that_a_shell_cannot_hand_on_is_refused(name: str, site: Site) -> None:
    launch = site.launch("true")

    with pytest.raises(SkerryError) as caught:
        site.host.start(replace(launch, env={**launch.env, name: "7"}))

    assert caught.value.entry == SHELLS_OWN_NAME


def test_a_job_with_a_secret_is_refused_unless_that_is_allowed(site: Site) -> None:
    with pytest.raises(SkerryError) as caught:
        site.host.start(site.launch("true", secrets=("sesame",), has_secret=True))

    assert caught.value.entry == SECRETS_REFUSED


def test_a_folder_that_is_not_there_is_named(site: Site) -> None:
    launch = site.launch("true", working_dir="/nowhere")

    with pytest.raises(SkerryError) as caught:
        site.turns.end_of(site.host, site.host.start(launch))

    assert caught.value.entry == NO_WORKING_DIR


def test_a_directory_that_is_forgotten_is_gone_there(site: Site) -> None:
    end, directory = site.run("echo x")
    mark = site.bench.marks[-1]
    assert (site.root / mark).is_dir()

    site.host.forget(str(directory), mark)

    site.turns.until(lambda: not (site.root / mark).exists())
    assert (end, (directory / "job.log").read_text()) == (Exit(0), "x\n")


def test_what_another_engine_runs_in_the_root_is_known(site: Site) -> None:
    # given two engines with one root, and a job of the first, then an exclusive one
    met: list[tuple[Stranger, ...]] = []
    first, mark = site.start(f"read -r x < {site.bench.gate}")[0], site.bench.marks[-1]
    other = site.connected(strangers=met.append)
    number = int(mark.partition(".")[0]) if mark.partition(".")[0].isdecimal() else None
    site.turns.until(lambda: bool(met))
    assert met == [(Stranger(mark, number),)]
    launch = site.launch(f"read -r x < {site.bench.gate}", alone=True)
    alone = site.host.start(launch)
    site.turns.until(lambda: len(met[-1]) == 2)
    assert {each.mark: each.alone for each in met[-1]} == {mark: False, alone.mark: True}

    # when both are ended
    for each in (first, alone):
        site.host.stop(each.directory, each.mark, 0.2)

    # then nothing is there that it does not know
    site.turns.until(lambda: met[-1] == ())
    other.close()
