"""Exceptions, alerts, rules, reruns and outcomes: over HTTP as in the process, and without an engine."""

from __future__ import annotations

import os
import pwd
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from engine.api.client import Client
from engine.api.documents import ExceptionQuery, Rerun, RunRequest
from engine.api.listener import Listener
from engine.api.local import LocalService
from engine.api.read_only import ReadOnlyService
from engine.api.service import Service
from engine.model.codes.commands import ENGINE_NEEDED, NO_SUCH_DEFINITION
from engine.model.codes.recovery import NO_SUCH_EXCEPTION, REASON_NEEDED
from engine.model.errors import Invalid, Refused
from tests.runtime.site import Gate, Site
from tests.waiting import until

EXAMPLES = Path(__file__).parents[2] / "examples"
LIMIT = "$.TASK.PARAMS['limit']"
PAUSING = """\
skerry: 1
tasks:
  t: {nodes: {a: {type: shell, process: exit 3}}}
rules:
  - {id: ask, name: Ask first, match: {task: t, message: status 3}, action: pause, priority: 7}
  - {id: later, match: {task: t}, action: {retry: {after: 1h}}, enabled: false}
  - {id: none, match: {trigger: schedule}, action: skip}
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "workspace").start()
    yield site
    site.close()


@pytest.fixture(params=["local", "client"])
def service(request: pytest.FixtureRequest, site: Site, tmp_path: Path) -> Iterator[Service]:
    """The same engine in this process and over its socket."""
    local = LocalService(site.engine, actor="ann")
    if request.param == "local":
        yield local
        return
    with Listener(local, tmp_path / "engine.sock"):
        yield Client(tmp_path / "engine.sock")


@pytest.fixture
def person(service: Service) -> str:
    """Who is named: of a client the account that it runs as."""
    return pwd.getpwuid(os.geteuid()).pw_name if isinstance(service, Client) else "ann"


def source(text: str) -> Any:
    return {"name": "a.yaml", "text": text}


def repair(site: Site, service: Service) -> int:
    """The example after it has failed."""
    number = service.run(RunRequest(None, [source((EXAMPLES / "repair.yaml").read_text())]))
    site.end(number)
    return number


def test_a_failure_is_listed_shown_repaired_and_closed(site: Site, service: Service) -> None:
    number = repair(site, service)
    newest, first = service.exceptions(ExceptionQuery(instance=number))
    assert (newest["node"], newest["attempt"], newest["status"], newest["asks"]) == ("load", 2, "open", False)
    assert (first["handled_by"], first["note"]) == ("retry", "tried again in 1 s")

    shown = service.exception(newest["id"])
    assert shown["context"] == "$.JOB['load']"
    assert (shown["job_status"], shown["instance_status"], shown["waits"]) == ("failed", "failed", False)
    assert shown["commands"] == {
        "look": [
            f"skerry show {number} load",
            f"skerry logs {number} load",
            f"skerry logs {number} load --stderr",
            f"skerry context {number}",
            "skerry errors -11000001003",
        ],
        "edit": [
            f"skerry set {number} \"$.TASK.PARAMS['dir']\" VALUE --reason TEXT",
            f"skerry set {number} \"$.TASK.PARAMS['limit']\" VALUE --reason TEXT",
            f"skerry set {number} \"$.JOB['extract'].RESULT['rows']\" VALUE --reason TEXT",
            f"skerry set {number} \"$.JOB['extract'].RESULT['exit_code']\" VALUE --reason TEXT",
        ],
        "queue": ["skerry queue"],
        "rerun_full": [f"skerry rerun {number} --all"],
        "rerun_manual": [f"skerry rerun {number} --from load --with-upstream"],
        "rerun_smart": [f"skerry rerun {number} --failed"],
        "settle": [
            f"skerry force {number} load succeeded --reason TEXT",
            f"skerry force {number} load failed --reason TEXT",
        ],
        "close": [f"skerry exceptions handle {newest['id']} --reason TEXT"],
    }

    wanted = Rerun(number, "failed", edits=((LIMIT, "30"),))
    assert service.preview(wanted) == {
        "run": ["load", "index", "publish"], "keep": ["extract", "audit"], "skip": [],
    }  # fmt: skip
    assert service.rerun([wanted]) == [{"instance": number, "run": 2}]
    assert site.end(number).status == "succeeded"
    assert service.context(number)["TASK"]["PARAMS"]["limit"] == 30
    assert service.exceptions(ExceptionQuery(instance=number, status="open")) == []


def test_an_outcome_is_settled_and_an_exception_closed(site: Site, service: Service, person: str) -> None:
    number = repair(site, service)
    newest = service.exceptions(ExceptionQuery(code=-11000000000))[0]

    with pytest.raises(Invalid) as invalid:
        service.handle(newest["id"], " ")
    assert invalid.value.entry == REASON_NEEDED
    done = service.handle(newest["id"], "known, the ledger was down")
    assert (done["status"], done["answer"]) == ("handled", None)
    assert service.exceptions(ExceptionQuery(status="open")) == []
    answer = service.force(number, "load", "succeeded", "by hand")

    assert answer["instance_status"] == "failed"
    handled = service.exception(newest["id"])
    assert (handled["handled_by"], handled["note"]) == (person, "known, the ledger was down")
    assert "close" not in handled["commands"]


def test_a_paused_job_is_answered(site: Site, service: Service) -> None:
    service.load([source(PAUSING)])
    number = service.run(RunRequest("t"))
    site.until_state(number, "a", "waiting")
    [asks] = service.exceptions(ExceptionQuery(task="t"))

    shown = service.exception(asks["id"])
    assert (asks["asks"], shown["waits"], shown["reason"][:19]) == (True, True, "paused by rule ask,")
    assert shown["commands"]["answer"][0] == f"skerry exceptions handle {asks['id']} retry --reason TEXT"
    assert "rerun_full" not in shown["commands"]
    service.handle(asks["id"], "it was done by hand", "succeed")

    assert site.end(number).status == "succeeded"


def test_rules_are_listed_shown_tested_and_switched(site: Site, service: Service) -> None:
    loaded = service.load([source(PAUSING)])
    assert [each["id"] for each in loaded if each["kind"] == "rule"] == ["ask", "later", "none"]
    assert {each["id"]: (each["action"], each["priority"], each["enabled"]) for each in service.definitions("rule")} == {
        "ask": ("pause", 7, True), "later": ("retry", 0, False), "none": ("skip", 0, True),
    }  # fmt: skip
    assert service.definition("rule", "ask")["name"] == "Ask first"

    assert service.enable_rule("ask", False) == {"rule": "ask", "enabled": False, "revision": 2}
    number = service.run(RunRequest("t"))
    assert site.end(number).status == "failed"

    tested = service.test_rule("ask")
    assert (tested["rule"], tested["looked_at"], len(tested["matched"])) == ("ask", 1, 1)
    assert service.test_rule("none")["matched"] == []
    assert service.try_rule({**service.definition("rule", "ask")["definition"], "id": "draft"}) == {
        **tested,
        "rule": "draft",
    }
    with pytest.raises(Invalid, match="nothing"):
        service.try_rule({"id": "draft", "match": {"nothing": 1}, "action": "skip"})
    assert service.enable_rule("ask", True)["revision"] == 3
    assert service.definition("rule", "later")["revision"] == 1
    assert service.delete("rule", "later")["revision"] == 2
    for refused in (lambda: service.test_rule("later"), lambda: service.enable_rule("x y?", True)):
        with pytest.raises(Invalid) as invalid:
            refused()
        assert invalid.value.entry == NO_SUCH_DEFINITION


def test_alerts_are_listed_and_seen(site: Site, service: Service, person: str) -> None:
    text = (
        "skerry: 1\ntasks: {t: {nodes: {a: {type: shell, process: exit 1, recovery: {strategy: discard}}}}}\n"
    )
    number = service.run(RunRequest(None, [source(text)]))
    site.end(number)

    [alert] = service.alerts(number)
    assert (alert["kind"], alert["level"], alert["instance"]) == ("recovery_discard", "error", number)
    assert service.acknowledge([alert["id"]]) == {"acknowledged": [alert["id"]]}
    assert service.acknowledge(None) == {"acknowledged": []}
    assert service.alerts() == []
    assert service.alerts(seen=True)[0]["acknowledged_by"] == person


def test_what_still_lives_of_a_lost_job_is_shown(site: Site, gate: Gate) -> None:
    from tests.runtime.site import shell, task

    number = site.begin(task({"a": shell(gate.script())}))
    child = gate.until_up()
    pid = until(lambda: site.see(number)["a"].pid)
    site.close()
    os.kill(pid, signal.SIGKILL)
    site.engine = Site(site.root).engine
    site.start()
    site.end(number)
    service = LocalService(site.engine)
    [lost] = service.exceptions(ExceptionQuery(instance=number))

    assert child in service.exception(lost["id"])["pids"]
    gate.open()
    until(lambda: service.exception(lost["id"])["pids"] == [])


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path / "gate")


def test_without_an_engine_all_can_be_read_and_nothing_done(site: Site) -> None:
    local = LocalService(site.engine)
    local.load([source(PAUSING.replace("action: pause", "action: alert"))])
    number = repair(site, local)
    [newest, _] = local.exceptions(ExceptionQuery(instance=number))
    site.engine.close()
    store = wiring.open_reader(site.root)
    reader: Any = ReadOnlyService(store, site.engine.workspace, types=site.engine.services)

    assert reader.exception(newest["id"])["commands"]["rerun_smart"]
    assert reader.preview(Rerun(number, "failed", edits=((LIMIT, "30"),)))["run"] == [
        "load",
        "index",
        "publish",
    ]
    with pytest.raises(Invalid):
        reader.preview(Rerun(number, "failed", edits=((LIMIT, "many"),)))
    assert reader.alerts() == []
    assert reader.test_rule("ask")["looked_at"] == 2
    assert isinstance(reader, Service)
    for ask in (
        lambda: reader.rerun([Rerun(number, "all")]),
        lambda: reader.force(number, "load", "failed", "x"),
        lambda: reader.handle(newest["id"], "x"),
        lambda: reader.acknowledge(None),
        lambda: reader.enable_rule("ask", False),
        lambda: ReadOnlyService(store, site.engine.workspace).preview(Rerun(number, "all")),
    ):
        with pytest.raises(Refused) as refused:
            ask()
        assert refused.value.entry == ENGINE_NEEDED
    with pytest.raises(Invalid) as invalid:
        reader.exception(4711)
    assert invalid.value.entry == NO_SUCH_EXCEPTION
    store.close()
    site.engine = Site(site.root).engine
    site.start()


def test_several_instances_begin_together_or_not_at_all(site: Site, service: Service) -> None:
    one, two = repair(site, service), repair(site, service)

    with pytest.raises(Invalid):
        service.rerun([Rerun(one, "failed"), Rerun(4711, "failed")])
    assert site.see(one).row.run == 1
    runs = service.rerun([Rerun(one, "failed"), Rerun(two, "failed"), Rerun(one, "failed")])

    assert runs == [{"instance": one, "run": 2}, {"instance": two, "run": 2}]
    [site.end(each) for each in (one, two)]
