"""Bundles of what schedules started, or made ahead: with what they waited for, what fired them, and their zones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from export_import.case import Case
from export_import.desk.evidence import Evidence
from export_import.desk.findings import CaseFinding, Study, findings
from export_import.desk.reevaluation import reevaluate
from export_import.desk.standin import Trial, try_out
from export_import.export import export
from export_import.export_request import ExportRequest
from export_import.export_source import InstanceChoice
from export_import.importing import import_bundle
from tests.bundles.case_service import service_of
from tests.bundles.conftest import CLOCK
from tests.bundles.scheduled_site import STATES, instances_of, scheduled_site
from tests.timing.conftest import TimedSite


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TimedSite]:
    made = scheduled_site(tmp_path_factory.mktemp("scheduled") / "site")
    yield made
    made.engine.close()


@pytest.fixture(scope="module")
def instances(site: TimedSite) -> dict[str, int]:
    return instances_of(site)


@pytest.fixture(scope="module")
def case(site: TimedSite, instances: dict[str, int], tmp_path_factory: pytest.TempPathFactory) -> Case:
    folder = tmp_path_factory.mktemp("desk")
    chosen = tuple(InstanceChoice(instances[state]) for state in STATES)
    export(site.root, folder / "b.skerry", ExportRequest(chosen), clock=CLOCK)
    return import_bundle(folder, [folder / "b.skerry"], clock=CLOCK)


def found_in(case: Case, instance: int) -> list[CaseFinding]:
    with Evidence.open(case.folder) as evidence:
        return [each for each in findings(Study(evidence, instance)) if each.analyzer == "schedule"]


@pytest.mark.parametrize("state", STATES)
def test_an_instance_is_shown_at_the_desk_as_at_the_site(
    site: TimedSite, case: Case, instances: dict[str, int], state: str
) -> None:
    there = site.service.instance(instances[state])
    with service_of(case) as service:
        here = service.instance(instances[state])

    assert here["status"] == state
    for part in ("trigger", "scheduled_time", "reason", "why", "upstream", "run"):
        assert here[part] == there[part], part  # type: ignore[literal-required]


def test_the_desk_says_what_fired_it(site: TimedSite, case: Case, instances: dict[str, int]) -> None:
    for state in STATES:
        [fired] = found_in(case, instances[state])
        zone = "Europe/Berlin" if state == "succeeded" else "UTC"
        assert f"in {zone}" in fired.title.en
        assert "Made by: schedule" in fired.detail.en
    with Evidence.open(case.folder) as evidence:
        [held] = evidence.store.schedules_of("succeeded")
        assert held == site.engine.store.schedules_of("succeeded")[0]
        assert evidence.store.schedules_of("up")


def test_a_desk_whose_clocks_change_otherwise_says_so(
    case: Case, instances: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = json.loads((case.folder / "environment-now.json").read_text())["time_zones"]["Europe/Berlin"]
    assert [moment for moment, _ in table["changes"] if moment.startswith("2026-")] == [
        "2026-03-29T01:00:00+00:00",
        "2026-10-25T01:00:00+00:00",
    ]
    monkeypatch.setattr("export_import.analyzers.schedule.zone_table", lambda zone, first, last: {})

    other = [each.severity for each in found_in(case, instances["succeeded"])]

    assert other == ["warning", "info"]


def test_what_a_run_read_of_others_replays_without_them(case: Case, instances: dict[str, int]) -> None:
    with Evidence.open(case.folder) as evidence:
        found = reevaluate(evidence, instances["succeeded"])

    assert found.expressions == 1
    assert found.differences == ()


def test_a_stand_in_run_reads_of_others_what_was_recorded(
    case: Case, instances: dict[str, int], tmp_path: Path
) -> None:
    with Evidence.open(case.folder) as evidence:
        tried = try_out(evidence, wiring.installed_types(), Trial(instances["succeeded"]), tmp_path / "w")

    assert tried.status == "succeeded"
    assert tried.has_times
    assert tried.divergences == ()


def test_rows_of_a_schedule_that_cannot_be_are_not_taken_over(
    case: Case, instances: dict[str, int], tmp_path: Path
) -> None:
    from export_import.case_store import fill

    (tmp_path / "rows").mkdir()
    (tmp_path / "definitions").mkdir()
    (tmp_path / "definitions" / "current.json").write_text("{}")
    file = f"rows/{instances['planned']}.json"
    tree: dict[str, Any] = json.loads((case.folder / file).read_text())
    tree["schedules"][0]["since"] = "soon"
    (tmp_path / file).write_text(json.dumps(tree))

    problems = fill(tmp_path, [instances["planned"]], CLOCK)

    assert "schedule.since cannot be 'soon'" in problems[0]
