"""Amendments: definitions and values that come together, once, and can be taken back to the byte."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.api.local import LocalService
from engine.context import TaskContext
from engine.definitions.writer import dump
from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from engine.runtime.interventions import amending
from engine.runtime.interventions.amending import log_hash
from engine.runtime.interventions.amendment import Amendment, Base, NewDefinition, NewValue
from tests.desk.conftest import REPAIR
from tests.runtime.site import TESTED, Site

PATH = "$.TASK.PARAMS['limit']"
RULE = {"id": "look", "match": {"code": -11000000000}, "action": "skip"}


def loaded(site: Site) -> LocalService:
    service = LocalService(site.engine, "ada")
    service.load([{"name": "repair.yaml", "text": REPAIR.read_text()}])
    return service


def base(site: Site, instance: int) -> Base:
    lines = list(site.engine.store.lines(instance))
    run = site.engine.store.run(instance, 1)
    assert run is not None
    return Base(instance, "nightly", len(lines), json.loads(lines[-1])["time"], log_hash(lines), run.snapshot)


def failed(site: Site, service: LocalService) -> int:
    from engine.api.documents import RunRequest

    instance = service.run(RunRequest("nightly"))
    site.engine.wait(instance, 60)
    return instance


def changed(site: Site) -> tuple[NewDefinition, ...]:
    row = site.engine.store.definition("task", "nightly")
    assert row is not None
    content = {**row.content, "params": {**row.content["params"], "limit": 30}}
    entry = {"title": {"en": "Too many rows", "zh": "行数过多"}}
    return (
        NewDefinition("task", "nightly", content, row.hash),
        NewDefinition("error", "-11000001003", entry),
    )


def amendment(site: Site, instance: int, **keys: Any) -> Amendment:
    values = (NewValue(PATH, 30, "more rows came", 10),)
    made: dict[str, Any] = {"base": base(site, instance), "definitions": changed(site), "values": values}
    return Amendment("f1", "fix", **{**made, **keys})


def state(site: Site) -> Any:
    """Everything that a refused amendment must not have changed."""
    store = site.engine.store
    return (
        dump(store.raw_definitions()),
        [list(store.lines(1)), store.instance(1)],
        store.setting("amendments"),
    )


def test_all_of_it_comes_together_and_is_recorded(site: Site) -> None:
    service = loaded(site)
    instance = failed(site, service)

    record = service.operations.amend_verified(amendment(site, instance))

    assert service.definition("task", "nightly")["definition"]["params"]["limit"] == 30
    assert service.own_errors()["-11000001003"]["title"]["zh"] == "行数过多"
    seen = site.see(instance)
    assert seen.context["TASK"]["PARAMS"]["limit"] == 30
    assert seen.row.edited == [PATH]
    assert (seen.lines[-1]["actor"], seen.lines[-1]["why"]) == ("ada", "fix f1: more rows came")
    seen.assert_replays()
    assert service.amendments() == [record]
    assert (record["by"], record["instance"], record["undone_at"]) == ("ada", instance, None)


def test_taking_it_back_restores_definitions_to_the_byte_and_the_log_only_grows(site: Site) -> None:
    service = loaded(site)
    instance = failed(site, service)
    before, lines = dump(site.engine.store.raw_definitions()), list(site.engine.store.lines(instance))
    hashes = [(row.id, row.hash, row.position) for row in site.engine.store.definitions("task")]
    service.operations.amend_verified(amendment(site, instance))

    record = service.take_back("f1", "it was the wrong one")

    assert dump(site.engine.store.raw_definitions()) == before
    assert [(row.id, row.hash, row.position) for row in site.engine.store.definitions("task")] == hashes
    now = list(site.engine.store.lines(instance))
    assert now[: len(lines)] == lines
    assert len(now) == len(lines) + 2
    seen = site.see(instance)
    assert seen.context["TASK"]["PARAMS"]["limit"] == 10
    assert seen.row.edited == []
    seen.assert_replays()
    assert (record["undone_by"], record["undone_why"]) == ("ada", "it was the wrong one")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"expires": "2020-01-01T00:00:00+00:00"}, -15021004000),
        ({"base": Base(7, "nightly", 1, "")}, -15021005000),
        ({"base": Base(1, "weekly", 1, "")}, -15021005000),
        ({"base": Base(1, "nightly", 3, "")}, -15021007000),
        ({"definitions": (NewDefinition("task", "nightly", {"nodes": {}}, "0" * 64),)}, -15021007000),
        ({"definitions": (NewDefinition("task", "other", {"nodes": {"a": {"type": "no"}}}),)}, None),
        ({"values": (NewValue(PATH, 30, "why", 11),)}, -15021007000),
        ({"values": (NewValue("$.JOB['nobody'].RESULT['x']", 30, "why"),)}, -15021007000),
        ({"base": None}, -15021008000),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(
    site: Site, change: dict[str, Any], code: int | None
) -> None:
    service = loaded(site)
    instance = failed(site, service)
    before = state(site)

    with pytest.raises(SkerryError) as caught:
        service.operations.amend_verified(amendment(site, instance, **change))

    assert code is None or caught.value.code == code
    assert state(site) == before


def test_it_is_applied_once_also_after_it_was_taken_back(site: Site) -> None:
    service = loaded(site)
    instance = failed(site, service)
    wanted = amendment(site, instance)
    service.operations.amend_verified(wanted)

    with pytest.raises(SkerryError) as caught:
        service.operations.amend_verified(wanted)
    service.take_back("f1", "no")
    with pytest.raises(SkerryError) as again:
        service.operations.amend_verified(wanted)

    assert caught.value.code == again.value.code == -15021006000
    with pytest.raises(SkerryError) as twice:
        service.take_back("f1", "no")
    assert twice.value.code == -15021009000


def test_what_an_operator_changed_since_is_not_undone(site: Site) -> None:
    service = loaded(site)
    instance = failed(site, service)
    service.operations.amend_verified(amendment(site, instance))
    service.load([{"name": "repair.yaml", "text": REPAIR.read_text()}])
    before = state(site)

    with pytest.raises(SkerryError) as caught:
        service.take_back("f1", "no")

    assert caught.value.code == -15021010000
    assert state(site) == before


def test_a_value_that_an_operator_changed_since_is_not_undone(site: Site) -> None:
    service = loaded(site)
    instance = failed(site, service)
    service.operations.amend_verified(amendment(site, instance, definitions=()))
    service.set_value(instance, PATH, "40", "still more")

    with pytest.raises(SkerryError) as caught:
        service.take_back("f1", "no")

    assert caught.value.code == -15021010000


def test_a_dry_run_changes_nothing(site: Site) -> None:
    service = loaded(site)
    instance = failed(site, service)
    before = state(site)

    assert service.operations.amend_verified(amendment(site, instance), dry_run=True)["applied_at"] is None

    assert state(site) == before


def test_a_new_definition_is_gone_when_it_is_taken_back(site: Site) -> None:
    service = loaded(site)
    new = (
        NewDefinition("job", "say", {"type": "shell", "process": "echo hi"}),
        NewDefinition("rule", "look", RULE),
    )
    service.operations.amend_verified(Amendment("d1", "delivery", definitions=new))
    assert service.definition("job", "say")["definition"]["process"] == "echo hi"

    service.take_back("d1", "not needed")

    assert service.definitions("job") == []
    assert site.engine.store.definitions("rule") == []


def test_files_follow_after_an_engine_that_died_between(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    service = loaded(site)
    instance = failed(site, service)
    folder = site.see(instance).folder
    monkeypatch.setattr(amending, "file_now", lambda *_: None)
    service.operations.amend_verified(amendment(site, instance))
    stored = list(site.engine.store.lines(instance))
    assert len((folder / "ctx.log").read_text().splitlines()) == len(stored) - 1
    monkeypatch.undo()

    site.again()

    assert (folder / "ctx.log").read_text().splitlines() == stored
    assert (folder / "ctx.json").read_bytes() == TaskContext.replay(stored, SystemClock()).canonical()
    assert not Path(site.root, ".amended").exists()


@pytest.mark.parametrize(
    "package",
    [
        {}, {"kind": "fix"}, {"kind": "fix", "paths": []}, {"kind": "fix", "paths": ["here"]},
        {"kind": "virus", "paths": ["/x"]}, {"kind": "fix", "paths": [3]}, {"kind": "fix", "paths": "/x"},
        {"kind": "delivery", "paths": ["/x"], "decisions": {"take": [1]}},
        {"id": "x", "kind": "fix", "origin": {"signer": "SHA256:claimed"}, "definitions": []},
    ],
)  # fmt: skip
def test_what_is_no_package_is_refused_also_with_a_signer_that_is_only_claimed(
    site: Site, package: dict[str, Any]
) -> None:
    with pytest.raises(SkerryError) as caught:
        LocalService(site.engine, "ada").amend(package)

    assert caught.value.code == -15021008000
    assert site.engine.store.setting("amendments") is None


def test_without_an_engine_only_the_records_are_read(site: Site) -> None:
    from app import wiring
    from engine.api.read_only import ReadOnlyService

    site.close()
    store = wiring.open_reader(site.root)
    service = ReadOnlyService(store, wiring.open_workspace(site.root))
    assert service.amendments() == []
    with pytest.raises(SkerryError):
        service.amend({"id": "x"})
    with pytest.raises(SkerryError):
        service.take_back("x", "y")
    store.close()


def test_an_instance_at_work_is_left_alone(site: Site) -> None:
    service = loaded(site)
    instance = failed(site, service)
    wanted = amendment(site, instance)
    service.operations.amend_verified(wanted)
    gate = site.root / "gate"
    again = REPAIR.read_text().replace("limit: 10", "limit: 30").replace(
        "echo load >>", f"while {TESTED} && [ ! -e {gate} ]; do sleep 0.02; done; echo load >>"
    )  # fmt: skip
    service.load([{"name": "r", "text": again}])
    from engine.api.documents import Rerun

    service.rerun([Rerun(instance, "all", current=True)])
    with pytest.raises(SkerryError) as caught:
        service.operations.amend_verified(replace(wanted, id="f2"))
    with pytest.raises(SkerryError) as back:
        service.take_back("f1", "no")
    assert caught.value.code == back.value.code == -11200007000
    gate.touch()
    site.engine.wait(instance, 60)
