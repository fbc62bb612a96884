"""The command as its users have it: real processes, a real engine, a real workspace."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import commands
from tests.cli.conftest import complaints
from tests.waiting import until

EXAMPLES = Path(__file__).parents[2] / "examples"
GATE = f"""\
skerry: 1
tasks:
  gate:
    params: {{dir: {{required: true}}}}
    nodes:
      hold:
        type: shell
        params: &p {{dir: "$.TASK.PARAMS['dir']"}}
        process: 'touch "${{dir}}/up"; while [ -d /proc/{os.getpid()} ] && [ ! -e "${{dir}}/go" ]; do sleep 0.05; done'
      done: {{type: shell, after: [hold], params: *p, process: 'echo through'}}
"""
QUICK = "skerry: 1\ntasks: {quick: {nodes: {a: {type: shell, process: 'echo quick'}}}}\n"


class Site:
    """A workspace, with commands that run in it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "workspace"
        self.gate = folder / "gate"
        self.gate.mkdir()
        self.environ = {**os.environ, "SKERRY_WORKSPACE": str(self.root), "LANG": "C.UTF-8"}
        self.program = commands.skerry()
        self.file = folder / "gate.yaml"
        self.file.write_text(GATE)
        self.quick = folder / "quick.yaml"
        self.quick.write_text(QUICK)

    def __call__(self, *args: str, status: int = 0) -> Any:
        """The JSON document of a command that must end with ``status``."""
        done = subprocess.run(
            [*self.program, *args, "--json"],
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == status, (done.stdout, done.stderr)
        return json.loads(done.stdout)

    @contextmanager
    def begun(self, *args: str) -> Iterator[subprocess.Popen[str]]:
        """A command in the background."""
        with subprocess.Popen(
            [*self.program, *args],
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def run_gate(self) -> list[str]:
        """The command line of a task that goes on when ``open`` is called."""
        return ["run", str(self.file), "-p", f"dir={self.gate}", "--json"]

    def open(self) -> None:
        """Let the gate's job end."""
        (self.gate / "go").touch()

    def until_held(self) -> None:
        """Until the gate's job runs."""
        until((self.gate / "up").exists)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_an_example_gives_its_results(site: Site, tmp_path: Path) -> None:
    first, second = tmp_path / "a b'$(id)", tmp_path / "second"
    first.write_text("1\n2\n")
    second.write_text("3\n")

    document = site("run", str(EXAMPLES / "concat.yaml"), "-p", f"first={first}", "-p", f"second={second}")

    assert document["status"] == "succeeded"
    assert document["jobs"][0]["results"] | {"exit_code": 0} == {
        "fileOutput": str(first), "after": 3, "grown": True, "exit_code": 0,
    }  # fmt: skip
    assert site("show", str(document["instance"])) == document


def test_without_an_engine_everything_can_be_read(site: Site) -> None:
    site.root.mkdir()
    assert site("list") == {"instances": []}
    number = str(site("run", str(site.quick))["instance"])

    assert site("list")["instances"][0]["task"] == "quick"
    assert site("logs", number, "a")["logs"][0]["text"] == "quick\n"
    assert site("context", number)["JOB"]["a"]["STATUS"] == "succeeded"
    assert site("context", number, "--at", "0") == {}
    assert site("stats", "quick")["stats"][0]["count"] == 1
    assert site("tasks") == {"tasks": []}
    assert not (site.root / "engine.sock").exists()


def test_commands_talk_to_the_run_that_owns_the_workspace(site: Site) -> None:
    with site.begun(*site.run_gate()) as run:
        site.until_held()

        shown = site("show", "1")
        other = site("run", str(site.quick))
        refused = site("rebuild", status=3)
        site.open()
        out, _ = run.communicate(timeout=60)

    reasons = {job["node"]: (job["status"], job["reason"]) for job in shown["jobs"]}
    assert reasons == {"hold": ("running", None), "done": ("pending", "waits for hold")}
    assert other["status"] == "succeeded"
    assert "owns" in refused["error"]["message"]
    assert json.loads(out)["status"] == "succeeded"


def test_one_that_follows_takes_over_when_the_owner_ends(site: Site, tmp_path: Path) -> None:
    with site.begun(*site.run_gate()) as owner:
        site.until_held()
        (tmp_path / "second").mkdir()
        second = Site(tmp_path / "second")
        second.root, second.environ = site.root, site.environ
        with site.begun(*second.run_gate()) as follower:
            second.until_held()
            site.open()
            assert owner.wait(60) == 0
            second.open()
            out, errors = follower.communicate(timeout=60)

    assert complaints(errors) == ""
    assert json.loads(out)["status"] == "succeeded"


def test_an_interrupt_cancels_and_tells_how_it_ended(site: Site) -> None:
    with site.begun(*site.run_gate()) as run:
        site.until_held()
        run.send_signal(signal.SIGINT)
        out, errors = run.communicate(timeout=60)

    document = json.loads(out)
    assert run.returncode == 1
    assert document["status"] == "cancelled"
    assert [job["status"] for job in document["jobs"]] == ["cancelled", "skipped"]
    assert "cancelling instance 1" in errors
    assert "Traceback" not in errors


def test_a_second_interrupt_waits_for_the_cancelling_too(site: Site, tmp_path: Path) -> None:
    # given a job that ignores TERM and ends when it is let
    up, go = tmp_path / "up", tmp_path / "go"
    site.root.mkdir()
    (site.root / "workspace.yaml").write_text("grace: 10m\n")
    script = (
        f"trap '' TERM; touch {up}; while [ -d /proc/{os.getpid()} ] && [ ! -e {go} ]; do sleep 0.05; done"
    )
    site.file.write_text(json.dumps({"skerry": 1, "tasks": {"t": {"nodes": {"a": _shell(script)}}}}))

    # when an operator interrupts twice
    with site.begun("run", str(site.file), "--json") as run:
        until(up.exists)
        run.send_signal(signal.SIGINT)
        assert run.stderr is not None
        assert "cancelling instance 1" in run.stderr.readline()
        run.send_signal(signal.SIGINT)
        still = run.stderr.readline()
        go.touch()
        out, errors = run.communicate(timeout=60)

    # then it is reported, and nothing is left half stopped
    assert run.returncode == 1
    assert still == "still cancelling…\n"
    assert errors == ""
    assert json.loads(out)["status"] == "cancelled"
    assert site("show", "1")["jobs"][0]["status"] == "cancelled"


def _shell(script: str) -> dict[str, str]:
    return {"type": "shell", "process": script}


def test_what_a_killed_run_left_is_adopted(site: Site) -> None:
    with site.begun(*site.run_gate()) as run:
        site.until_held()
        commands.kill(run)
    assert site("show", "1")["jobs"][0]["status"] == "running"

    with site.begun("serve") as engine:
        assert engine.stdout is not None
        assert engine.stdout.readline() == "ready\n"
        site.open()
        document = until(lambda: (d := site("show", "1"))["status"] != "running" and d)
        engine.terminate()
        assert engine.wait(60) == 0

    assert document["status"] == "succeeded"
    assert not (site.root / "engine.sock").exists()


def test_ending_the_engine_ends_no_job(site: Site) -> None:
    with site.begun("serve", "--json") as engine:
        assert engine.stdout is not None
        assert json.loads(engine.stdout.readline())["ready"] is True
        begun = site(*site.run_gate()[:-1], "--detach")
        site.until_held()
        site("serve", status=3)
        engine.terminate()
        assert engine.wait(60) == 0
    site.open()
    with site.begun("serve", "--until-idle"):
        document = until(lambda: (d := site("show", "1"))["status"] != "running" and d)

    assert begun["status"] == "running"
    assert document["status"] == "succeeded"


def test_detached_runs_leave_an_engine_that_ends_when_idle(site: Site) -> None:
    site.root.mkdir()
    (site.root / "workspace.yaml").write_text("idle: 4s\n")
    site.program = commands.INTERPRETER
    begun = site(*site.run_gate()[:-1], "--detach")
    site.program = commands.skerry()

    with site.begun("logs", str(begun["instance"]), "--follow") as follower:
        site.open()
        out, _ = follower.communicate(timeout=60)

    assert out == "through\n"
    until(lambda: not (site.root / "engine.sock").exists())
    assert site("show", "1")["status"] == "succeeded"


def test_cancelling_one_node_leaves_the_rest(site: Site) -> None:
    begun = site(*site.run_gate()[:-1], "--detach")
    site.until_held()

    site("cancel", str(begun["instance"]), "hold")
    document = until(lambda: (d := site("show", "1"))["status"] != "running" and d)

    assert [job["status"] for job in document["jobs"]] == ["cancelled", "skipped"]
    site("cancel", "1", status=3)
    site("cancel", "77", status=2)


def test_everything_can_be_stopped(site: Site) -> None:
    begun = [site(*site.run_gate()[:-1], "--detach")["instance"] for _ in range(2)]
    site.until_held()

    stopped = site("cancel", "--all")

    assert stopped == {"cancelled": begun, "problems": []}
    assert {each["status"] for each in site("list")["instances"]} == {"cancelled"}
    assert site("cancel", "--all")["cancelled"] == []
    site("cancel", status=2)
    site("cancel", "1", "--all", status=2)


def test_a_value_is_changed_by_hand(site: Site) -> None:
    site("load", str(EXAMPLES / "repair.yaml"))
    number = str(site("run", "nightly", status=1)["instance"])
    path = "$.TASK.PARAMS['limit']"

    site("set", number, path, "-100", "--reason", "too strict")
    site("set", number, path, "many", "--reason", "no number", status=2)
    site("set", number, path, "1", "--reason", " ", status=2)

    assert site("context", number)["TASK"]["PARAMS"]["limit"] == -100
    assert site("show", number)["edited"] == [path]


def test_definitions_go_in_and_out_without_loss(site: Site, tmp_path: Path) -> None:
    files = [str(EXAMPLES / name) for name in ("tour.yaml", "batch.yaml", "loop.yaml")]
    first = site("load", *files)["loaded"]
    dumped = tmp_path / "dump.yaml"
    dumped.write_text(site("dump")["text"])

    again = site("load", str(dumped))["loaded"]

    assert all(each["changed"] for each in first)
    assert not any(each["changed"] for each in again)


def test_a_file_may_build_on_what_is_loaded(site: Site, tmp_path: Path) -> None:
    (tmp_path / "jobs.yaml").write_text("skerry: 1\njobs: {one: {type: shell, process: 'true'}}\n")
    (tmp_path / "t.yaml").write_text("skerry: 1\ntasks: {t: {nodes: {a: {job: one}}}}\n")

    missing = site("load", str(tmp_path / "t.yaml"), status=2)
    site("load", str(tmp_path / "jobs.yaml"))
    site("load", str(tmp_path / "t.yaml"))

    assert missing["error"]["where"].startswith(f"{tmp_path}/t.yaml:2:")
    assert missing["findings"][0]["severity"] == "error"
    assert site("run", "t")["definition"] == 1
    assert "task t" in site("jobs", "delete", "one", status=3)["error"]["message"]
    site("delete", "t")
    site("jobs", "delete", "one")
    site("run", "t", status=3)


def test_an_online_task_keeps_its_schedule(site: Site, tmp_path: Path) -> None:
    schedule = "schedule: {level: day, every: 1, at: '02:00'}"
    text = f"skerry: 1\ntasks: {{t: {{{schedule}, nodes: {{a: {{type: shell, process: 'true'}}}}}}}}\n"
    file = tmp_path / "t.yaml"
    file.write_text(text)
    site("load", str(file))
    site("online", "t")

    file.write_text(text.replace("02:00", "03:00"))
    site("load", str(file), status=3)
    file.write_text(text.replace("'true'", "'false'"))
    site("load", str(file))
    site("delete", "t", status=3)
    site("offline", "t")
    site("delete", "t")


def test_a_resource_is_checked_with_and_without_an_engine(site: Site) -> None:
    site("load", str(EXAMPLES / "tour.yaml"))
    check = ("resource", "check", "ledger", "-p", f"dir={site.gate}")

    alone = site(*check)
    site("resource", "check", "ledger", status=2)
    site("resource", "check", "nobody", status=2)
    with site.begun("serve") as engine:
        assert engine.stdout is not None
        engine.stdout.readline()
        served = site(*check)

    assert alone["ok"] is served["ok"] is True


def test_the_database_is_made_again(site: Site) -> None:
    number = str(site("run", str(site.quick))["instance"])
    before = site("show", number)
    for file in site.root.glob("skerry.db*"):
        file.unlink()

    found = site("rebuild")

    assert (found["instances"], found["problems"]) == (1, [])
    assert site("show", number)["status"] == before["status"]
    assert site("logs", number)["logs"][0]["text"] == "quick\n"


def test_a_workspace_deep_down_is_no_obstacle(site: Site, tmp_path: Path) -> None:
    site.root = tmp_path / ("x" * 120) / ("y" * 120)
    site.environ["SKERRY_WORKSPACE"] = str(site.root)

    with site.begun(*site.run_gate()) as run:
        site.until_held()
        assert site("show", "1")["status"] == "running"
        site.open()
        run.communicate(timeout=60)

    assert run.returncode == 0
