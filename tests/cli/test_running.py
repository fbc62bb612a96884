"""run: what is sent, what is shown, what comes back."""

import io
import json
import re
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from app.cli.cli_context import CliContext
from app.cli.interrupts import Interrupts
from app.cli.progress_picture import ProgressPicture
from app.cli.run_progress import ProgressLines, name_of
from engine.model.codes.commands import PARAMS_FILE_INVALID
from tests.api.fake_service import FakeService, instance, job
from tests.cli.conftest import Skerry

ENDED = instance(1, "succeeded", results={"after": 4}, jobs=[job("load", "succeeded")])


def test_a_task_runs_with_its_parameters(skerry: Skerry, service: FakeService, tmp_path: Path) -> None:
    service.answers["run"] = ENDED
    values = tmp_path / "values.json"
    values.write_text(json.dumps({"big": "x" * 200_000, "n": 5, "p": "file", "code": "$.TASK.ID"}))

    answer = skerry("run", "nightly", "-p", "p=-1", "-p", "q=a=b", "-p", "p=--json", "--params", str(values))

    (_, request) = service.asked[0]
    assert answer.status == 0
    assert request.task == "nightly"
    assert request.sources is None
    assert request.texts == {"p": "--json", "q": "a=b"}
    assert request.params == {"big": "x" * 200_000, "n": 5, "code": "$.TASK.ID"}


@pytest.mark.parametrize("name", ["job.yaml", "job.yml", "job.json", "sub/job"])
def test_a_file_runs_as_it_is(
    skerry: Skerry, service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    service.answers["run"] = ENDED
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("skerry: 1")

    skerry("run", name, "--task", "tour")

    (_, request) = service.asked[0]
    assert (request.task, request.sources) == ("tour", [{"name": name, "text": "skerry: 1"}])


@pytest.mark.parametrize("text", ["[1, 2]", "no: [", "a: 1\na: 2", "text"])
def test_a_file_of_parameters_is_a_map(
    skerry: Skerry, service: FakeService, tmp_path: Path, text: str
) -> None:
    values = tmp_path / "values.yaml"
    values.write_text(text)

    answer = skerry("run", "nightly", "--params", str(values), "--json")

    assert answer.status == 2
    assert answer.document["error"]["code"] == PARAMS_FILE_INVALID.number
    assert service.asked == []


def test_values_of_a_file_are_typed_by_yaml_1_2(skerry: Skerry, service: FakeService, tmp_path: Path) -> None:
    service.answers["run"] = ENDED
    values = tmp_path / "values.yaml"
    values.write_text(
        "a: no\nb: 012\nc: 2026-11-21\nd: {$.TASK.ID}: 1\n".replace("{$.TASK.ID}: 1", "'{$.TASK.ID}'")
    )

    skerry("run", "nightly", "--params", str(values))

    assert service.asked[0][1].params == {"a": "no", "b": 12, "c": "2026-11-21", "d": "{$.TASK.ID}"}


def test_json_is_the_document_and_nothing_else(skerry: Skerry, service: FakeService) -> None:
    service.answers["run"] = ENDED

    answer = skerry("run", "nightly", "--json")

    assert answer.document == ENDED
    assert answer.err == ""


@pytest.mark.parametrize("status", ["failed", "cancelled", "timed_out", "lost"])
def test_a_bad_end_is_status_1_and_still_the_document(
    skerry: Skerry, service: FakeService, status: str
) -> None:
    service.answers["run"] = instance(1, status)

    answer = skerry("run", "nightly", "--json")

    assert answer.status == 1
    assert answer.document["status"] == status


def test_progress_is_reported_in_plain_lines(skerry: Skerry, service: FakeService) -> None:
    bad = {"error_code": -11000001003, "error_message": "exit status 3"}

    def play() -> None:
        assert service.listening.wait(10)
        event = {"kind": "job", "instance": 1, "job_instance": 1, "node": "load", "index": None, "round": 1}
        service.published.publish({**event, "status": "running"})
        service.published.publish({**event, "kind": "progress", "text": "40 half"})
        service.found[1] = instance(1, "failed", jobs=[job("load", "failed", **bad), job("x", "skipped")])
        service.published.publish({"kind": "instance", "instance": 1, "status": "failed"})

    player = threading.Thread(target=play)
    player.start()
    answer = skerry("run", "nightly")
    player.join()

    assert answer.status == 1
    assert answer.out.splitlines()[0] == "instance 1: nightly"
    assert "load: failed  error -11000001003: exit status 3" in answer.out
    assert "instance 1: failed in 1.5 s" in answer.out
    assert "\x1b" not in answer.out


def test_detached_gives_the_document_at_once(skerry: Skerry, service: FakeService) -> None:
    service.answers["run"] = instance(1, "running", jobs=[job("load", "pending", reason="waits for extract")])

    answer = skerry("run", "nightly", "--detach", "--json")

    assert answer.status == 0
    assert answer.document["status"] == "running"
    assert skerry("run", "nightly", "--detach").out.startswith("instance 2 is started")


@pytest.mark.parametrize("command", [("run", "nightly"), ("run", "nightly", "--detach")])
@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"online": 1, "fires": False}, ["1 task is online, but schedules do not fire in this engine"]),
        ({"online": 3, "fires": False}, ["3 tasks are online, but schedules do not fire in this engine"]),
        ({"online": 0, "fires": False}, []),
        ({"online": None, "fires": True}, []),
    ],
)
def test_it_says_when_schedules_do_not_fire_in_its_engine(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...], about: dict[str, object], said: list[str],
) -> None:  # fmt: skip
    own = service.about()
    monkeypatch.setattr(service, "about", lambda: {**own, **about})
    service.answers["run"] = instance(1, "succeeded")

    answer = skerry(*command)

    assert [line for line in answer.err.splitlines() if "schedules" in line] == said


def test_interrupting_cancels_and_waits(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.answers["run"] = instance(1, "cancelled")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("app.cli.running.follow_through", interrupted)
    answer = skerry("run", "nightly", "--json")

    assert answer.status == 1
    assert answer.document["status"] == "cancelled"
    assert ("cancel", 1, None) in service.asked


@pytest.mark.parametrize("moment", ["run", "warnings", "events", "cancel"])
def test_an_interrupt_is_lost_at_no_moment(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, moment: str
) -> None:
    def interrupting(asked: str) -> None:
        perform = getattr(service, asked)

        def interrupted(*given: Any, **named: Any) -> Any:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            return perform(*given, **named)

        monkeypatch.setattr(service, asked, interrupted)

    # given an instance that is cancelled while its start, its warnings or its events are asked for
    service.answers["run"] = instance(1, "cancelled")
    file = tmp_path / "t.yaml"
    file.write_text("skerry: 1")
    for each in {moment, "events" if moment == "cancel" else moment}:
        interrupting(each)

    answer = skerry("run", str(file), "--json")

    # then it is cancelled, and the command ends with its document
    assert answer.status == 1
    assert answer.document["status"] == "cancelled"
    assert ("cancel", 1, None) in service.asked
    assert ("still cancelling" in answer.err) == (moment == "cancel")


def test_an_interrupt_that_python_dropped_is_heard_the_next_time() -> None:
    heard: list[str] = []
    interrupts = Interrupts(lambda: heard.append("still"), lambda: heard.append("starting"))
    interrupts.follow()
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            interrupts()
    interrupts.answered()
    interrupts()

    assert heard == ["still"]


def test_pressed_twice_while_it_is_started_it_is_cancelled_then() -> None:
    heard: list[str] = []
    interrupts = Interrupts(lambda: heard.append("still"), lambda: heard.append("starting"))
    for _ in range(2):
        interrupts()

    assert heard == ["starting"]
    with pytest.raises(KeyboardInterrupt):
        interrupts.follow()


def test_a_third_time_leaves_a_start_that_hangs() -> None:
    interrupts = Interrupts(print, print)
    for _ in range(2):
        interrupts()

    with pytest.raises(KeyboardInterrupt):
        interrupts()


def test_interrupting_what_has_just_ended_is_no_error(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.answers |= {"run": ENDED, "cancel": "refused"}

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("app.cli.running.follow_through", interrupted)

    assert skerry("run", "nightly", "--json").status == 0


def test_an_event_from_before_the_look_reports_nothing_again(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ProgressLines(CliContext())
    lines.state(instance(1, jobs=[job("a", "succeeded", instance=7)]))

    for status in ("running", "succeeded"):
        lines.event({"kind": "job", "job_instance": 7, "node": "a", "index": None, "status": status})

    assert capsys.readouterr().out == "instance 1: nightly\na: succeeded\n"


def test_a_look_that_is_late_reports_in_the_order_of_what_happened(
    capsys: pytest.CaptureFixture[str],
) -> None:
    at = "2026-03-02T08:00:0{}.000000+00:00".format
    published = job("publish", "succeeded", instance=3, started_at=at(2), ended_at=at(5))
    skipped = job("complain", "skipped", instance=4, ended_at=at(2))

    ProgressLines(CliContext()).state(instance(1, jobs=[published, skipped]))

    assert capsys.readouterr().out.splitlines()[1:] == ["complain: skipped", "publish: succeeded"]


def test_members_and_rounds_are_named() -> None:
    assert name_of({"node": "look", "index": None, "round": 3}) == "look (round 3)"
    assert name_of({"node": "size", "index": 2, "round": 1}) == "size[2]"


def test_the_picture_shows_what_is_at_work() -> None:
    from rich.console import Console

    picture = ProgressPicture(CliContext())
    many = [job(f"n{i}", "succeeded", instance=i) for i in range(20)]
    picture.state(
        instance(1, jobs=[*many, job("now", "running", instance=21), job("bad", "failed", instance=22)])
    )
    picture.event({"kind": "progress", "job_instance": 21, "text": "40 half\x1b"})
    picture.event({"kind": "job", "job_instance": 22, "status": "retrying", "node": "bad"})
    picture.event({"kind": "job", "job_instance": 23, "status": "running", "node": "far", "worker": "build"})
    picture.close()

    console = Console(width=80, record=True, file=io.StringIO())
    console.print(picture._render())
    text = console.export_text()
    assert "now" in text
    assert r"40 half\x1b" in text
    assert "n3" not in text
    assert re.search(r"far +running .*on build", text)
    assert "20/23" in text
