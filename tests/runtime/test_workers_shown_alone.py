"""What is shown of workers and of what waits for them while no engine runs, or one has only begun."""

from __future__ import annotations

import pytest

from engine.api.local import LocalService
from engine.api.read_only import ReadOnlyService
from engine.api.waiting_reason import with_queue
from engine.execution.vitals import Vitals
from engine.model.reason import Reason
from engine.model.reason_words import words
from tests.runtime.site import Gate, Site, shell, task
from tests.runtime.workers_of_site import add_worker, reach

AT_THE_SITE = {"local": "online", "a": "online", "off": "offline"}

pytestmark = pytest.mark.usefixtures("namesakes_only")


@pytest.fixture
def full(site: Site, gate: Gate) -> Site:
    """A worker whose slots are taken while jobs wait: for one of these, for every worker, for this machine."""
    add_worker(site, "a", slots=1)
    add_worker(site, "off", online=False)
    there, every = {"workers": ["a"]}, {"workers": ["a", "local"], "strategy": "all"}
    runs = site.begin(task({"there": shell(gate.script("there"), on=there)}))
    gate.until_up("there")
    waits = site.begin(task({"next": shell("true", on=there), "all": shell("true", on=every)}))
    site.until_state(waits, "next", "queued")
    site.until_state(waits, "all@a", "queued")
    site.until_state(waits, "all@local", "succeeded")
    nowhere = site.begin(task({"nowhere": shell("true", on={"workers": ["off"]})}))
    site.until_state(nowhere, "nowhere", "no_worker")
    assert (runs, waits, nowhere) == (1, 2, 3)
    return site


def alone(site: Site) -> ReadOnlyService:
    return ReadOnlyService(site.engine.store, site.engine.workspace)


def test_without_an_engine_no_worker_is_reached_whatever_the_last_one_saw(full: Site, gate: Gate) -> None:
    reader = alone(full)

    shown = {each["name"]: (each["state"], each["reason"], each["since"]) for each in reader.workers()}

    nobody = ("offline", "no engine is connected to it", None)
    assert (shown["a"], shown["off"]) == (nobody, nobody)
    assert shown["local"][:2] == ("online", None)
    assert (reader.worker("a")["state"], reader.worker("a")["running"]) == ("offline", 1)
    gate.open("there")


def test_a_case_has_its_workers_as_they_were_at_the_site(full: Site, gate: Gate) -> None:
    (full.root / "case.json").touch()

    shown = {each["name"]: (each["state"], each["load"], each["disk"]) for each in alone(full).workers()}

    assert shown == {name: (state, None, None) for name, state in AT_THE_SITE.items()}
    (full.root / "case.json").unlink()
    gate.open("there")


def test_without_an_engine_only_what_has_a_slot_of_this_machine_counts_as_that(
    full: Site, gate: Gate
) -> None:
    queue = alone(full).queue()

    assert queue["taken"] == 0
    assert [(each["node"], each["worker"]) for each in queue["running"]] == [("there", "a")]
    assert {each["node"] for each in queue["waiting"]} == {"next", "all@a"}, (
        "nobody waits for a slot of no worker"
    )
    gate.open("there")


def test_an_engine_that_has_only_begun_says_for_whom_a_job_waits(site: Site) -> None:
    add_worker(site, "a", online=False)
    live = site.engine.services.workers.find("a")
    assert live
    live.settle(False)
    waits = site.begin(task({"x": shell("true", on={"workers": ["a", "local"]})}))
    site.until_state(waits, "x", "queued")

    [entry] = LocalService(site.engine).queue()["waiting"]

    assert entry["why"] == {"kind": "connects", "names": ["a"]}
    site.engine.services.loop.ask(site.engine.services.workers.settle)
    assert site.end(waits).states == {"x": "succeeded"}


def test_nothing_is_shown_of_a_worker_from_the_time_when_it_was_still_reached(site: Site) -> None:
    for name in ("away", "coming"):
        add_worker(site, name)
    registry = site.engine.services.workers
    away, coming = registry.find("away"), registry.find("coming")
    assert away
    assert coming
    away.vitals = coming.vitals = Vitals(load=0.5, memory=1, disk=2, skew=0.0)

    reach(site, "away", False)
    coming.reached = False
    coming.settle(False)

    shown = {each["name"]: each for each in LocalService(site.engine).workers()}
    assert [shown["away"][each] for each in ("state", "load", "memory", "disk", "skew")] == [
        "offline",
        *[None] * 4,
    ]
    assert (shown["coming"]["state"], shown["coming"]["reason"]) == (
        "offline",
        "no engine is connected to it",
    )


def test_without_an_engine_nobody_is_said_to_be_in_the_way_of_who_waits_for_another_worker(
    full: Site, gate: Gate
) -> None:
    reader = alone(full)

    jobs = with_queue(reader.instance(2), reader.queue())["jobs"]

    shown = {each["node"]: Reason.read(each["why"], each["reason"]) for each in jobs}
    assert {name: words(why) for name, why in shown.items() if why} == {
        "next": "waits for a slot",
        "all@a": "waits for a slot",
    }
    gate.open("there")
