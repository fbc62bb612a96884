"""Hosts on which people log in to another shell than sh, or where sh and its programs are busybox."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.execution.outcomes import Exit
from engine.model.codes.ssh import NO_SHELL
from tests.execution.conftest import Workbench
from tests.execution.ssh.conftest import Site
from tests.execution.ssh.test_examination import wrong
from tests.servers.cable import cable
from tests.servers.private import folder, program
from tests.servers.ssh_workers import serving

LOGINS = {  # by their packages
    "csh": "bsd-csh", "tcsh": "tcsh", "fish": "fish", "zsh": "zsh", "ksh93u+m": "ksh93", "mksh": "mksh"
}  # fmt: skip
_SERVERS = "/usr/lib/openssh:/usr/libexec/openssh:/usr/lib/ssh"
SFTP = f"sftp {shutil.which('sftp-server', path=_SERVERS)}"
ODD = 'it\'s "odd" $(touch X) `touch X`;\n* \\ %s 马'


@contextmanager
def host(bench: Workbench, place: Path, more: str) -> Iterator[Site]:
    """One whose server has these further lines of configuration; its SFTP is a program as any other."""
    with folder() as here, serving(here, more, SFTP) as server, cable(server.port) as wire:
        site = Site(bench, server, wire, place / "remote")
        try:
            yield site
        finally:
            site.host.close()


def assert_works(site: Site) -> None:
    """Output, variables, results and the exit status come back, and what lives is found and ended."""
    end, here = site.run('printf "%s|" "$odd"; pwd; echo 5 > "$SKERRY_OUTPUTS/n"; exit 3', env={"odd": ODD})
    stage, _ = site.start("setsid sleep 600 & sleep 600")
    known = [(stage.directory, stage.mark)]
    assert len(site.host.living(known)) > 1
    left = site.host.stop(stage.directory, stage.mark, 0.2)

    assert end == Exit(3)
    assert (here / "job.log").read_text().startswith(f"{ODD}|{site.root}/")
    assert (here / "outputs" / "n").read_text() == "5\n"
    assert left.verified
    assert site.host.living(known) == ()


@pytest.mark.parametrize("package", LOGINS)
def test_jobs_run_whatever_shell_people_log_in_to(package: str, bench: Workbench, tmp_path: Path) -> None:
    # given a server that hands what is executed to that shell
    path = program(LOGINS[package], package)

    with host(bench, tmp_path, f'ForceCommand {path} -c "$SSH_ORIGINAL_COMMAND"') as site:
        assert_works(site)


def test_jobs_run_where_sh_and_all_its_programs_are_busybox(bench: Workbench, tmp_path: Path) -> None:
    # given a host on which each program that is asked for is one of busybox
    programs, busybox = tmp_path / "programs", program("busybox", "busybox")
    programs.mkdir()
    names = [
        "sh",
        "setsid",
        "mkdir",
        "kill",
        "grep",
        "rm",
        "cat",
        "chmod",
        "sleep",
        "date",
        "wc",
        "df",
        "du",
        "sha256sum",
        "ls",
        "touch",
        "env",
    ]
    for name in names:
        (programs / name).symlink_to(busybox)

    with host(bench, tmp_path, f"SetEnv PATH={programs}:/usr/bin:/bin") as site:
        assert_works(site)


def test_a_folder_for_temporary_files_that_is_not_there_is_not_needed(
    bench: Workbench, tmp_path: Path
) -> None:
    with host(bench, tmp_path, f"SetEnv TMPDIR={tmp_path}/nowhere") as site:
        assert_works(site)


@pytest.mark.parametrize(
    "start",
    ["head -c 5000000 /dev/zero >&2;", "(while head -c 100000 /dev/zero; do sleep 0.02; done) >&2 &"],
    ids=["before", "all the time"],
)
def test_what_start_files_write_to_standard_error_is_in_nobodys_way(
    start: str, bench: Workbench, tmp_path: Path
) -> None:
    with host(bench, tmp_path, f'ForceCommand {start} sh -c "$SSH_ORIGINAL_COMMAND"') as site:
        first = site.host.standing.place
        for number in range(40):
            assert site.run(f"exit {number}")[0] == Exit(number)

        assert site.host.standing.place is first  # the link was never lost


AS_SH = "exec unshare -rm bash -c 'mount --bind {ksh} {sh} && exec sh'\n"


def test_jobs_run_where_the_sh_that_is_found_first_is_ksh(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "sh").symlink_to(program("ksh93", "ksh93u+m"))
    with host(bench, tmp_path, f"SetEnv PATH={tmp_path}:/usr/bin:/bin") as site:
        assert_works(site)
        assert site.run("kill -KILL $$")[0] == Exit(128 + 9, 9)


def test_an_sh_that_no_job_can_be_begun_with_is_found(tmp_path: Path) -> None:
    # given a host whose sh takes what it inherits as standard input for something that is only read
    script = tmp_path / "start"
    ksh = program("ksh93", "ksh93u+m")
    script.write_text(AS_SH.format(ksh=ksh, sh=Path("/bin/sh").resolve()))
    with folder() as place, serving(place, f"ForceCommand bash {script}") as server:
        [remark] = wrong(server.settings(tmp_path / "root"))

    assert (remark.step, remark.code) == ("shell", NO_SHELL.number)
    assert "cannot write into the file that it reads" in remark.message


def test_a_grep_that_colours_what_it_finds_is_found(tmp_path: Path) -> None:
    """Else nothing of a job would be found, and its end would pass for certain."""
    grep = tmp_path / "grep"
    grep.write_text(f'#!/bin/sh\nexec {shutil.which("grep")} --color=always "$@"\n')
    grep.chmod(0o755)
    with folder() as place, serving(place, f"SetEnv PATH={tmp_path}:/usr/bin:/bin") as server:
        [remark] = wrong(server.settings(tmp_path / "root"))

    assert (remark.step, remark.code) == ("shell", NO_SHELL.number)
    assert "has no grep that prints names as they are" in remark.message
