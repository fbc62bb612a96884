"""The whole loop: a run fails at its site, is understood at the desk, repaired by a signed fix, and reported back."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import wiring
from engine.api.documents import RunRequest
from engine.api.local import LocalService
from engine.definitions.writer import dump
from engine.runtime.clock import SystemClock
from export_import.container import open_bundle
from export_import.desk.evidence import Evidence
from export_import.desk.reevaluation import reevaluate
from export_import.desk.stand_in_choices import Choices
from export_import.desk.standin import Trial, try_out
from export_import.export import export
from export_import.export_request import ExportRequest
from export_import.export_source import InstanceChoice
from export_import.fix.applying import answer_to, apply, read_receipt, receipt, write_receipt
from export_import.fix.building import FixSource, Repair, make_fix, write_fix
from export_import.fix.checking import open_fix
from export_import.fix.fix_content import RerunPlan
from export_import.fix.preview import preview
from export_import.importing import import_bundle
from export_import.keys import Keys
from tests.desk.conftest import REPAIR
from tests.runtime.site import Site

LIMIT = "$.TASK.PARAMS['limit']"
CLOCK = SystemClock()


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """The supporter's workspace."""
    folder = tmp_path / "desk"
    folder.mkdir()
    return folder


def test_a_failed_run_goes_to_the_desk_and_comes_back_repaired(
    site: Site, desk: Path, tmp_path: Path
) -> None:
    # Given two places that trust each other, and a run that fails at the site
    service = LocalService(site.engine, "operator")
    service.load([{"name": "repair.yaml", "text": REPAIR.read_text()}])
    at_site, at_desk = Keys(site.root, CLOCK), Keys(desk, CLOCK)
    at_site.trust(at_desk.card("support"), roles=("support",))
    at_desk.trust(at_site.card("site"), roles=("site",))
    instance = service.run(RunRequest("nightly"))
    site.engine.wait(instance, 60)
    seen = site.see(instance)
    assert seen.status == "failed"
    before = dump(site.engine.store.raw_definitions())

    # When it leaves as an encrypted, redacted bundle and is opened at the desk
    wanted = ExportRequest((InstanceChoice(instance),), recipients=(at_site.recipient_for("support"),))
    sent = export(site.root, tmp_path / "out.skerry", wanted, clock=CLOCK)
    case = import_bundle(desk, [sent.path], clock=CLOCK)
    assert case.bundle["trust"] == "known"

    # Then the desk sees what the site saw, and every expression gives what it gave
    with Evidence.open(case.folder) as evidence:
        there = [
            (row.node, row.status, row.exit_code, row.error_code) for row in evidence.store.jobs(instance)
        ]
        assert there == [(row.node, row.status, row.exit_code, row.error_code) for row in seen.rows]
        done = reevaluate(evidence, instance)
        assert (done.status, done.differences, done.lines) == ("failed", (), len(seen.lines))

        # And with a limit of 30 it would have succeeded
        trial = Trial(instance, values={LIMIT: 30}, choices=Choices(others="run"))
        tried = try_out(evidence, wiring.installed_types(), trial, case.folder / "trials" / "1")
        assert tried.status == "succeeded", tried.jobs

        # And a fix is made of that, bound to what was seen
        task = evidence.store.definition("task", "nightly")
        assert task is not None
        changed = {**task.content, "params": {**task.content["params"], "limit": 30}}
        repair = Repair(
            "More rows than expected", "The limit was too low.", instance,
            {"tasks": {"nightly": changed}}, {LIMIT: 30}, rerun=RerunPlan("failed"),
        )  # fmt: skip
        fix = make_fix(evidence, FixSource.of(case.folder), repair, CLOCK, wiring.installed_types())
    back = write_fix(fix, tmp_path / "fix.skerry", at_desk, CLOCK, [at_desk.recipient_for("site")])

    # When the site looks at it, it sees what would change and run
    opened = open_fix([back], at_site, CLOCK)
    store = site.engine.store
    shown = preview(opened, service, store, at_site, CLOCK)
    assert shown.refused is None
    assert shown.reruns == {"run": ["load", "index", "publish"], "keep": ["extract", "audit"], "skip": []}
    [definition], [value] = shown.definitions, shown.values
    assert any(line.startswith("+") and "limit: 30" in line for line in definition.lines)
    assert (value.old, value.new) == (10, 30)

    # And applies it: the rerun succeeds
    applied = apply(opened, service, store, at_site, CLOCK)
    site.engine.wait(instance, 60)
    assert site.see(instance).status == "succeeded"
    assert (seen.folder / "journal").read_text().split().count("load") == 3

    # And the desk hears of it
    answer = receipt(applied.record, service.instance(instance), at_site, CLOCK)
    path = write_receipt(
        answer, tmp_path / "receipt.skerry", at_site, CLOCK, answer_to(opened.signer, at_site)
    )
    heard = open_bundle([path], at_desk, clock=CLOCK)
    assert (heard.trust, heard.encrypted) == ("known", True)
    assert read_receipt(heard)["run"]["status"] == "succeeded"
    assert read_receipt(heard)["fix"] == fix.id

    # And it can be taken back
    service.take_back(fix.id, "tried only")
    assert dump(store.raw_definitions()) == before
    assert site.see(instance).context["TASK"]["PARAMS"]["limit"] == 10
