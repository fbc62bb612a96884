"""Jobs on hosts behind SSH, from the registration of the worker to the results of a run."""

from __future__ import annotations

import getpass
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.model.codes.secrets import SECRET_UNKNOWN
from engine.model.codes.ssh import ROOT_READ_ONLY, UNTRUSTED_HOST
from tests.cli.conftest import Answer, Skerry
from tests.servers.ssh_workers import Sshd
from tests.waiting import until

TASK = """\
skerry: 1
tasks:
  t:
    nodes:
      a:
        type: shell
        on: {workers: [build]}
        params: {greeting: "it's $HOME; `id`"}
        ready: test -d "$SKERRY_OUTPUTS"
        process: printf '%s' "$greeting" > "$SKERRY_OUTPUTS/text"; pwd > "$SKERRY_OUTPUTS/where"; echo done; exit 3
        end: cat "$SKERRY_OUTPUTS/twice" > "$SKERRY_OUTPUTS/end"
        results: {text: {kind: text}, where: {kind: text}, twice: {value: "{$.JOB['a'].RESULT.text}{$.JOB['a'].RESULT.text}"}}
        success: "$.JOB['a'].EXIT_CODE == 3"
      p:
        type: python
        on: {workers: [build]}
        process: import os; open(os.environ["SKERRY_OUTPUTS"] + "/pid", "w").write(str(os.getpid()))
        results: {pid: {kind: number}}
      c:
        type: command
        on: {workers: [build]}
        argv: [printf, "%s|", "a b", "'", "$x"]
        results: {out: {value: "$.JOB['c'].OUTPUT"}}
"""


@pytest.fixture
def build(skerry: Skerry, ssh_workers: Sshd, tmp_path: Path) -> Answer:
    """A worker of that name that is trusted."""
    address = f"{getpass.getuser()}@127.0.0.1:{ssh_workers.port}"
    root = str(tmp_path / "remote")
    added = skerry("worker", "add", "build", "--ssh", address, "--key", str(ssh_workers.key), "--root", root)
    assert added.status == 0, added.err
    return skerry("worker", "trust", "build", "--json")


def test_the_key_of_a_worker_is_pinned_without_a_question(
    build: Answer, skerry: Skerry, ssh_workers: Sshd
) -> None:
    print_ = ssh_workers.host_key.fingerprint

    assert [each["fingerprint"] for each in build.document["host_keys"]] == [print_]
    assert build.document["state"] == "offline"
    assert print_ in skerry("worker", "trust", "build", "--fingerprint", print_).out
    assert skerry("worker", "trust", "build", "--fingerprint", "SHA256:x").status == 3


def test_the_key_is_pinned_before_the_password_is_stored(skerry: Skerry, ssh_workers: Sshd) -> None:
    address = f"{getpass.getuser()}@127.0.0.1:{ssh_workers.port}"
    skerry("worker", "add", "build", "--ssh", address, "--password-secret", "pw")

    trusted = skerry("worker", "trust", "build")

    assert (trusted.status, trusted.err) == (0, "")
    assert ssh_workers.host_key.fingerprint in trusted.out
    checked = skerry("worker", "check", "build", "--json")
    assert checked.status == 1
    [remark] = checked.document["remarks"]
    assert (remark["step"], remark["code"]) == ("login", SECRET_UNKNOWN.number)


def test_a_job_runs_on_the_worker_that_it_names(
    build: Answer, skerry: Skerry, tmp_path: Path, workspace: Path
) -> None:
    (tmp_path / "t.yaml").write_text(TASK)

    ran = skerry("run", str(tmp_path / "t.yaml"), "--json")

    assert ran.status == 0, ran.out + ran.err
    jobs = {each["node"]: each for each in ran.document["jobs"]}
    assert ran.document["status"] == "succeeded", ran.out
    results = jobs["a"]["results"]
    assert results["text"] == "it's $HOME; `id`"
    assert results["twice"] == results["text"] * 2
    assert results["where"].startswith(str(tmp_path / "remote"))
    assert {each["worker"] for each in jobs.values()} == {"build"}
    assert jobs["c"]["results"]["out"] == "a b|'|$x|"
    assert jobs["p"]["pid"] == jobs["p"]["results"]["pid"]
    folder = Path(jobs["a"]["directory"])
    assert (folder / "job.log").read_text() == "done\n"
    assert (folder / "outputs" / "end").read_text() == results["twice"]
    until(lambda: [each.name for each in (tmp_path / "remote").iterdir()] == [".skerry-root"])


JAVA = """\
skerry: 1
tasks:
  t:
    nodes:
      j:
        type: java
        on: {workers: [build]}
        params: {word: "it's"}
        process: |
          import java.nio.file.*;
          public class Anything {
            public static void main(String[] arguments) throws Exception {
              Files.writeString(Path.of(System.getenv("SKERRY_OUTPUTS"), "word"), System.getenv("word"));
              System.exit(3);
            }
          }
        success: "$.JOB['j'].EXIT_CODE == 3"
"""


@pytest.mark.skipif(shutil.which("java") is None, reason="no java (apt-get install default-jdk)")
def test_a_java_program_runs_with_the_java_of_its_worker(
    build: Answer, skerry: Skerry, tmp_path: Path
) -> None:
    (tmp_path / "t.yaml").write_text(JAVA)

    ran = skerry("run", str(tmp_path / "t.yaml"), "--json")

    assert ran.document["status"] == "succeeded", ran.out
    [job] = ran.document["jobs"]
    assert (job["worker"], job["results"]["word"], job["exit_code"]) == ("build", "it's", 3)


LONG = """\
skerry: 1
tasks:
  t:
    nodes:
      a:
        type: shell
        on: {{workers: [build]}}
        process: echo ran >> {ran}; echo up; until test -e {go}; do sleep 0.1; done; echo bye; exit 3
        success: "$.JOB['a'].EXIT_CODE == 3"
"""


def test_an_engine_that_is_killed_finds_its_job_on_the_worker(
    build: Answer, skerry: Skerry, tmp_path: Path, workspace: Path
) -> None:
    # given a job on a worker, and an engine that is killed twice meanwhile
    ran, go = tmp_path / "ran", tmp_path / "go"
    (tmp_path / "t.yaml").write_text(LONG.format(ran=ran, go=go))
    command = [sys.executable, "-m", "app.cli.main", "--workspace", str(workspace)]
    for arguments in (["run", str(tmp_path / "t.yaml")], ["serve"]):
        with subprocess.Popen([*command, *arguments], stdout=subprocess.DEVNULL) as engine:
            until(lambda: skerry("logs", "1", "a").out == "up\n", "its first line")
            engine.kill()

    # when it ends while no engine is there
    go.touch()
    until(lambda: "bye" in next((tmp_path / "remote").glob("1.1.*/job.log")).read_text())

    # then the next one knows its end, and it ran once
    with subprocess.Popen([*command, "serve"], stdout=subprocess.DEVNULL) as engine:
        try:
            until(lambda: skerry("show", "1", "--json").document["status"] == "succeeded", "its end")
        finally:  # else a test that fails waits for it
            engine.terminate()
    assert skerry("logs", "1", "a").out == "up\nbye\n"
    assert ran.read_text() == "ran\n"


def test_a_worker_that_is_in_order_is_checked(build: Answer, skerry: Skerry) -> None:
    found = skerry("worker", "check", "build", "--json")

    remarks = {each["step"]: each for each in found.document["remarks"]}
    assert found.status == 0, found.out
    assert list(remarks) == ["login", "folder", "tools", "files", "disk", "clock", "python", "java"]
    assert {remarks[step]["level"] for step in ("login", "folder", "tools", "files", "clock")} == {"ok"}
    assert remarks["python"]["message"].startswith("Python 3")
    assert "lets the user in" in skerry("worker", "check", "build").out


def test_what_is_wrong_with_a_worker_is_an_exit_status_and_a_code(
    build: Answer, skerry: Skerry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    skerry("worker", "set", "build", "--root", str(tmp_path / "file"))

    found = skerry("worker", "check", "build", "--json")

    assert (found.status, found.document["ok"]) == (1, False)
    [remark] = found.document["remarks"]
    assert (remark["step"], remark["level"], remark["code"]) == ("folder", "error", ROOT_READ_ONLY.number)
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert "不正常" in skerry("worker", "check", "build").out
    assert skerry("worker", "check", "local").status == 3
    assert skerry("worker", "check", "nobody").status == 2


def test_a_worker_that_nobody_trusts_is_checked_without_a_word_to_it(
    skerry: Skerry, ssh_workers: Sshd
) -> None:
    skerry("worker", "add", "new", "--ssh", f"127.0.0.1:{ssh_workers.port}", "--key", str(ssh_workers.key))

    found = skerry("worker", "check", "new", "--json")

    assert (found.status, found.document["remarks"][0]["code"]) == (1, UNTRUSTED_HOST.number)
