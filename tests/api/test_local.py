"""The service of an engine in this process, with real tasks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from engine.api.documents import RunRequest
from engine.api.examine import examine, only_task
from engine.api.local import LocalService
from engine.api.probing import Probe
from engine.api.service import Service
from engine.model.codes.commands import DEFINITION_IN_USE, NO_SUCH_DEFINITION, ONLINE_UNCHANGED, TASK_NEEDED
from engine.model.codes.definitions import INVALID
from engine.model.codes.runtime import EDIT_INVALID, NO_SUCH_TASK
from engine.model.errors import Invalid, Refused
from engine.runtime.engine import Engine
from tests.waiting import until

TEXT = """\
skerry: 1
resources:
  disk: {type: file, uri: "{$.TASK.PARAMS['dir']}/x", check: {exists: true}}
  locked: {type: http, uri: "http://localhost:1/", request: {secret: nobody}}
jobs:
  say: {type: shell, params: {what: {value: hello}}, process: 'echo "${what}"'}
tasks:
  inner: {nodes: {a: {job: say}}}
  outer: {params: {n: 1}, nodes: {b: {type: task, task: inner}, c: {job: say, after: [b]}}}
"""


def sources(text: str = TEXT) -> list[Any]:
    return [{"name": "f.yaml", "text": text}]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with wiring.open_engine(tmp_path) as engine:
        yield engine


@pytest.fixture
def service(engine: Engine) -> LocalService:
    return LocalService(engine, actor="me")


def ended(service: LocalService, engine: Engine, request: RunRequest) -> Any:
    number = service.run(request)
    assert engine.wait(number, 30)
    return service.instance(number)


def test_it_is_a_service(service: LocalService) -> None:
    assert isinstance(service, Service)
    assert service.idle()


def test_a_file_runs_and_leaves_the_workspace_as_it_was(service: LocalService, engine: Engine) -> None:
    document = ended(service, engine, RunRequest(sources=sources(), texts={"n": "5"}))

    assert (document["task"], document["status"], document["definition"]) == ("outer", "succeeded", None)
    assert service.definitions("task") == []
    assert service.context(document["instance"])["TASK"]["PARAMS"] == {"n": 5}


def test_a_task_of_the_workspace_runs_with_its_revision(service: LocalService, engine: Engine) -> None:
    service.load(sources())

    document = ended(service, engine, RunRequest("outer"))

    assert document["definition"] == 1
    assert service.definition("task", "outer")["actor"] == "me"


def test_loading_the_same_again_changes_nothing(service: LocalService) -> None:
    first, again = service.load(sources()), service.load(sources())

    assert {each["changed"] for each in first} == {True}
    assert {each["changed"] for each in again} == {False}


def test_what_is_wrong_is_reported_with_every_finding(service: LocalService) -> None:
    text = "skerry: 1\ntasks: {t: {nodes: {a: {job: none}, b: {type: odd}}}}\n"

    with pytest.raises(Invalid) as caught:
        service.load(sources(text))

    findings: Any = caught.value.details["findings"]
    assert caught.value.entry is INVALID
    assert len(findings) >= 2
    assert caught.value.where == f"f.yaml:{findings[0]['line']}:{findings[0]['column']}"
    assert service.definitions("task") == []


def test_a_bad_file_of_several_stores_none(service: LocalService) -> None:
    with pytest.raises(Invalid):
        service.load([*sources(), {"name": "g.yaml", "text": "skerry: 2"}])

    assert service.definitions("job") == []


def test_what_is_used_is_not_deleted(service: LocalService) -> None:
    service.load(sources())

    with pytest.raises(Refused) as caught:
        service.delete("job", "say")
    service.delete("resource", "disk")

    assert caught.value.entry is DEFINITION_IN_USE
    assert "task inner, task outer" in caught.value.message
    assert [each["id"] for each in service.definitions("resource")] == ["locked"]
    with pytest.raises(Invalid):
        service.delete("job", "nobody")


def test_a_deleted_task_runs_no_more_and_keeps_its_history(service: LocalService) -> None:
    service.load(sources())
    service.delete("task", "outer")

    with pytest.raises(Refused) as caught:
        service.run(RunRequest("outer"))

    assert caught.value.entry is NO_SUCH_TASK
    assert service.history("task", "outer")[0]["deleted"] is True
    with pytest.raises(Invalid) as gone:
        service.definition("task", "outer")
    assert gone.value.entry is NO_SUCH_DEFINITION


def test_an_online_task_keeps_its_schedule(service: LocalService) -> None:
    text = "skerry: 1\ntasks: {t: {schedule: manual, nodes: {a: {type: shell, process: 'true'}}}}\n"
    service.load(sources(text))
    assert service.set_state("t", "online")["state"] == "online"

    service.load(sources(text.replace("true", "false")))
    with pytest.raises(Refused) as caught:
        service.load(sources(text.replace("schedule: manual, ", "")))

    assert caught.value.entry is ONLINE_UNCHANGED


@pytest.mark.parametrize(
    ("tasks", "asked", "chosen"),
    [
        ("{t: {nodes: {}}}", None, "t"),
        ("{t: {nodes: {a: {type: task, task: u}}}, u: {nodes: {}}}", None, "t"),
        ("{t: {nodes: {}}, u: {nodes: {}}}", "u", "u"),
        ("{t: {nodes: {}}, u: {nodes: {}}}", None, None),
        ("{}", None, None),
    ],
)
def test_the_task_of_a_file(tasks: str, asked: str | None, chosen: str | None) -> None:
    text = f"skerry: 1\ntasks: {tasks}\n"
    definitions = examine(sources(text), wiring.job_types(), wiring.resource_types()).definitions
    if chosen:
        assert only_task(definitions, asked) == chosen
        return
    with pytest.raises(Invalid) as caught:
        only_task(definitions, asked)
    assert caught.value.entry is TASK_NEEDED


def test_events_tell_how_a_run_goes(service: LocalService) -> None:
    stream = service.events()
    number = service.run(RunRequest("inner", sources()))

    seen = []
    for event in stream:
        seen.append(event)
        if event["kind"] == "instance" and event["status"] == "succeeded":
            break
    stream.close()

    assert {event["instance"] for event in seen} == {number}
    assert {event["node"] for event in seen if event["kind"] == "job"} == {"a"}


def test_a_value_is_edited_as_the_kind_it_was(service: LocalService, engine: Engine) -> None:
    number = ended(service, engine, RunRequest(sources=sources()))["instance"]

    service.set_value(number, "$.TASK.PARAMS['n']", "-7", "because")

    assert service.context(number)["TASK"]["PARAMS"]["n"] == -7
    with pytest.raises(Invalid) as caught:
        service.set_value(number, "$.TASK.PARAMS['n']", "many", "because")
    assert caught.value.entry is EDIT_INVALID


def test_a_resource_is_checked_with_values_for_its_expressions(service: LocalService, tmp_path: Path) -> None:
    service.load(sources())

    assert service.check_resource("disk", {"dir": str(tmp_path)})["ok"] is False
    (tmp_path / "x").touch()
    found = service.check_resource("disk", {"dir": str(tmp_path)})

    assert found["ok"] is True
    assert found.keys() == {"ok", "message", "message_facts", "details", "took", "code"}
    with pytest.raises(Invalid):
        service.check_resource("disk", {})
    with pytest.raises(Invalid):
        service.check_resource("locked", {})


def test_a_secret_never_comes_back_from_a_check(service: LocalService, engine: Engine) -> None:
    service.load(sources())
    probe = Probe(engine.services.resource_types, lambda name: "localhost:1", engine.workspace)

    found = probe.check("locked", service.definition("resource", "locked")["definition"], {})

    assert found["ok"] is False
    assert "localhost:1" not in str(found)


def test_what_waits_for_an_answer_neither_runs_on_its_worker_nor_takes_a_slot_there(
    service: LocalService,
) -> None:
    asks = "skerry: 1\ntasks: {t: {nodes: {ask: {type: approve, question: Load?, choices: [a, b]}}}}\n"
    service.load(sources(asks))
    number = service.run(RunRequest(task="t"))

    until(lambda: service.instance(number)["jobs"][0]["status"] == "waiting")

    [here] = service.workers()
    shown = service.worker("local")
    assert (here["running"], shown["running"]) == (0, 0)
    assert shown["attempts"] == []
    service.cancel(number)
