"""What an instance has waited for goes with it into a bundle, and its case shows that as the site does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from export_import.case import Case
from export_import.desk.evidence import Evidence
from export_import.desk.reevaluation import reevaluate
from export_import.export import export
from export_import.export_request import ExportRequest
from export_import.export_source import InstanceChoice
from export_import.importing import import_bundle
from tests.bundles.case_service import service_of
from tests.timing.conftest import TimedSite
from tests.timing.test_dependencies import FAILING, HOURLY
from tests.timing.test_links import COUNT


def carried(site: TimedSite, instance: int, desk: Path) -> Case:
    """The case that a desk makes of a bundle of one instance."""
    desk.mkdir()
    request = ExportRequest((InstanceChoice(instance),))
    made = export(site.root, desk.parent / f"{instance}.skerry", request, clock=site.clock)
    assert not made.omitted
    case = import_bundle(desk, [made.path], clock=site.clock, name="case")
    assert [each["where"] for each in case.content["bundle"]["findings"]] == ["BUNDLE.json.sig"]  # its signer
    return case


def shown_in(case: Case, instance: int) -> dict[str, Any]:
    with service_of(case) as service:
        return dict(service.instance(instance))


def test_a_case_shows_what_decided_and_computes_it_again(site: TimedSite, tmp_path: Path) -> None:
    site.online("b", HOURLY, results={"hour": COUNT})
    seen = {"seen": {"value": "$.UPSTREAM['b'].RESULT['hour']"}}
    site.online("a", HOURLY, params=seen, depends_on=[{"task": "b"}])
    site.forward(hours=1)
    [row] = site.instances("a")
    known: dict[str, Any] = site.service.instance(row.id)

    case = carried(site, row.id, tmp_path / "desk")

    shown = shown_in(case, row.id)
    assert shown["upstream"] == known["upstream"]
    assert shown["params"] == {"seen": "09"}
    with Evidence.open(case.folder) as evidence:
        again = reevaluate(evidence, row.id)
    assert (again.expressions, again.differences) == (2, ())


def test_also_of_one_that_never_began(site: TimedSite, tmp_path: Path) -> None:
    site.online("b", HOURLY, FAILING)
    site.online("a", HOURLY, depends_on=[{"task": "b"}])
    site.forward(hours=1)
    [row] = site.instances("a")
    known: dict[str, Any] = site.service.instance(row.id)
    assert (row.status, row.run) == ("failed", 0)

    shown = shown_in(carried(site, row.id, tmp_path / "desk"), row.id)

    assert shown["upstream"] == known["upstream"]
    assert [each["status"] for each in shown["upstream"][0]["instances"]] == ["failed"]
    assert (shown["error_code"], shown["reason"]) == (known["error_code"], known["reason"])
