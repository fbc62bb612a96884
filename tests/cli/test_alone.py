"""Commands that find no engine: they are the engine, or read the store, or wait for one."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.cli import across_engines, engine_access
from app.cli.cli_context import CliContext
from app.cli.following_runs import Display, follow_through
from engine.api.client import Client
from engine.api.listener import Listener
from engine.model.codes.commands import NO_ANSWER
from engine.model.codes.runtime import ENGINE_BUSY
from engine.model.errors import SkerryError
from engine.runtime.workspace import Workspace
from tests.api.fake_service import FakeService, instance
from tests.cli.conftest import Answer, Skerry
from tests.waiting import until

QUICK = "skerry: 1\ntasks: {quick: {nodes: {a: {type: shell, process: 'echo quick'}}}}\n"


@pytest.fixture
def quick(tmp_path: Path) -> str:
    (tmp_path / "quick.yaml").write_text(QUICK)
    return str(tmp_path / "quick.yaml")


@pytest.fixture
def cli(workspace: Path) -> CliContext:
    cli = CliContext()
    cli.workspace = str(workspace)
    return cli


def test_a_run_is_the_engine_for_as_long_as_it_lasts(skerry: Skerry, quick: str, workspace: Path) -> None:
    reply = skerry("run", quick)

    assert reply.status == 0
    assert reply.out.startswith("instance 1: quick\n")
    assert "instance 1: succeeded" in reply.out
    assert not (workspace / "engine.sock").exists()
    assert skerry("list", "--json").document["instances"][0]["status"] == "succeeded"
    assert skerry("logs", "1").out == "quick\n"


def test_an_empty_workspace_can_be_read(skerry: Skerry) -> None:
    assert skerry("list", "--json").document == {"instances": []}
    assert skerry("tasks").status == 0


def test_an_unfinished_instance_without_an_engine_is_said_to_stand_still(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.found[1] = instance(1, "running")
    monkeypatch.setattr(service, "about", lambda: {"pid": None})

    assert "no engine runs" in skerry("show", "1").err


def test_a_resource_is_checked_without_an_engine(skerry: Skerry, tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text("skerry: 1\nresources: {here: {type: file, uri: /, check: {exists: true}}}\n")
    skerry("load", str(file))

    assert skerry("resource", "check", "here", "--json").document["ok"] is True


def test_what_a_check_finds_is_said_in_chinese(
    skerry: Skerry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "r.yaml"
    file.write_text("skerry: 1\nresources: {there: {type: file, uri: /nowhere, check: {exists: true}}}\n")
    skerry("load", str(file))
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")

    assert skerry("resource", "check", "there").out.startswith("there：不正常：不存在：/nowhere（")
    assert skerry("resource", "check", "there", "--json").document["message"] == "not there: /nowhere"


def test_the_database_is_made_again(skerry: Skerry, quick: str, workspace: Path) -> None:
    skerry("run", quick)
    for file in workspace.glob("skerry.db*"):
        file.unlink()

    assert "instances    1" in skerry("rebuild").out
    assert skerry("show", "1").status == 0


def test_rebuild_is_refused_while_an_engine_owns_the_workspace(skerry: Skerry, workspace: Path) -> None:
    lock = Workspace.open(workspace).own()

    reply = skerry("rebuild", "--json")
    lock.close()

    assert reply.status == 3
    assert reply.document["error"]["code"] == ENGINE_BUSY.number


@contextmanager
def asked_to_end(workspace: Path, number: int = signal.SIGTERM) -> Iterator[None]:
    """Ends the ``serve`` of this process once it answers."""

    def end() -> None:
        try:
            until(Client(workspace / "engine.sock").alive, "an answer of the engine")
        finally:
            os.kill(os.getpid(), number)

    thread = threading.Thread(target=end)
    thread.start()
    yield
    thread.join()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_says_ready_and_ends_when_asked(skerry: Skerry, workspace: Path, number: int) -> None:
    before = signal.getsignal(number)
    with asked_to_end(workspace, number):
        reply = skerry("serve")

    assert (reply.status, reply.out) == (0, "ready\n")
    assert signal.getsignal(number) == before
    assert not (workspace / "engine.sock").exists()


def test_serve_tells_programs_where_it_listens(skerry: Skerry, workspace: Path) -> None:
    with asked_to_end(workspace):
        reply = skerry("serve", "--json")

    assert reply.lines == [{"ready": True, "pid": os.getpid(), "socket": str(workspace / "engine.sock")}]


def test_serve_ends_by_itself_when_idle(skerry: Skerry, workspace: Path) -> None:
    (workspace / "workspace.yaml").write_text("idle: 500ms\n")

    assert skerry("serve", "--until-idle").out == "ready\n"


def test_detaching_starts_an_engine_and_waits_for_it(
    cli: CliContext, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Listener] = []

    def spawn(of: Workspace) -> int:
        started.append(Listener(FakeService(), of.socket))
        return 1

    monkeypatch.setattr("app.wiring.spawn_engine", spawn)
    client = engine_access.detached(cli)
    again = engine_access.detached(cli)

    assert client.about() == again.about()
    assert len(started) == 1
    started[0].close()


def test_an_engine_that_does_not_come_is_an_error(cli: CliContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.wiring.spawn_engine", lambda workspace: subprocess.Popen("true"))
    monkeypatch.setattr(engine_access, "_STARTING", 0.05)

    with pytest.raises(SkerryError) as caught:
        engine_access.detached(cli)

    assert caught.value.entry is NO_ANSWER


def _refused(workspace: Workspace) -> subprocess.Popen[bytes]:
    (workspace.logs / "serve.log").write_text("ready\nerror -17000020000: it belongs to /b\n")
    return subprocess.Popen("false")


def test_an_engine_that_fails_to_start_is_not_waited_for_and_its_reason_is_shown(
    cli: CliContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.wiring.spawn_engine", _refused)
    monkeypatch.setattr(engine_access, "_STARTING", 3600.0)

    with pytest.raises(SkerryError) as caught:
        engine_access.detached(cli)

    assert "did not start: error -17000020000: it belongs to /b (see " in caught.value.message


def test_an_owner_that_is_just_starting_is_waited_for(cli: CliContext, workspace: Path) -> None:
    place = Workspace.open(workspace)
    lock = place.own()
    listeners: list[Listener] = []
    threading.Timer(0.2, lambda: listeners.append(Listener(FakeService(), place.socket))).start()

    with engine_access.working(cli) as service:
        version = service.about()["version"]

    listeners[0].close()
    lock.close()
    assert version == "test"


class Gone(FakeService):
    """An engine that ends while a command follows."""

    def events(self, instance: int | None = None) -> Any:
        raise SkerryError(NO_ANSWER, "gone")


def test_who_follows_goes_to_the_next_engine(cli: CliContext, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = FakeService()
    owner.found[1] = instance(1, "succeeded")
    services = iter([Gone(), owner])

    @contextmanager
    def next_one(_: CliContext) -> Iterator[Any]:
        yield next(services)

    monkeypatch.setattr(across_engines, "working", next_one)

    assert follow_through(cli, Gone(), 1, Display())["status"] == "succeeded"


def test_who_follows_gives_up_when_no_engine_stays(cli: CliContext, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def gone(_: CliContext) -> Iterator[Any]:
        yield Gone()

    monkeypatch.setattr(across_engines, "working", gone)

    with pytest.raises(SkerryError) as caught:
        follow_through(cli, Gone(), 1, Display())
    assert caught.value.entry is NO_ANSWER


def test_other_errors_are_reported_at_once(cli: CliContext) -> None:
    with pytest.raises(SkerryError) as caught:
        follow_through(cli, FakeService(), 9, Display())

    assert caught.value.entry is not NO_ANSWER


@pytest.fixture
def typed(skerry: Skerry, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a command before a person who types these answers unseen."""

    def run(*args: str, answers: list[str]) -> Answer:
        monkeypatch.setattr("app.cli.secrets._at_terminal", lambda: True)
        return skerry(*args, input="".join(f"{answer}\n" for answer in answers))

    return run


def test_a_person_is_asked_for_passphrase_and_value(
    typed: Any, skerry: Skerry, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SKERRY_PASSPHRASE", "SKERRY_PASSPHRASE_FILE", "SKERRY_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)

    first = typed("secret", "set", "x", answers=["open", "open", "value", "value"])
    again = typed("secret", "set", "y", answers=["open", "other", "other"])
    wrong = typed("secret", "set", "z", answers=["wrong", "v", "v"])

    assert (first.status, again.status, wrong.status) == (0, 0, 3)
    assert skerry("secret", "list").out == "x\ny\n"
