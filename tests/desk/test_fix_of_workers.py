"""A run that fails on a worker goes out with pseudonyms, and comes back as a fix that says where it runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyrage
import pytest

from app import wiring
from engine.api.documents import RunRequest
from engine.api.local import LocalService
from engine.context.line import json_text
from engine.runtime.clock import SystemClock
from export_import.case import Case
from export_import.desk.evidence import Evidence
from export_import.desk.reevaluation import reevaluate
from export_import.desk.standin import Trial, try_out
from export_import.export import export
from export_import.export_request import ExportRequest
from export_import.export_source import InstanceChoice
from export_import.fix.applying import apply, receipt
from export_import.fix.building import FixSource, Repair, make_fix, write_fix
from export_import.fix.checking import open_fix
from export_import.fix.fix_content import RerunPlan
from export_import.fix.preview import preview
from export_import.importing import import_bundle
from export_import.keys import Keys
from export_import.redaction.pseudonyms import Pseudonyms
from tests.bundles import third_party
from tests.runtime.conftest import namesakes_only as namesakes_only  # a fixture
from tests.runtime.site import Site
from tests.runtime.workers_of_site import add_worker

pytestmark = pytest.mark.usefixtures("namesakes_only")
CLOCK = SystemClock()
GOOD, BAD, SHORT, SHARED, OFF = "harbour-render7", "harbour-render8", "w2", "frames", "quay.render9"
TASK = f"""
skerry: 1
tasks:
  render:
    nodes:
      frames:
        type: shell
        process: |
          echo "frames of $PWD"; echo "harbour-render7 is not {BAD}-x" >&2
          case $PWD in */{BAD}) exit 3;; esac; printf {SHORT} > "$SKERRY_OUTPUTS/at"
        on: {{workers: [{GOOD}, {BAD}, {SHORT}, {SHARED}], strategy: all}}
        results: {{at: {{kind: text}}}}
        retry: {{times: 1, interval: 0}}
      sums:
        type: shell
        params: {{codes: "$.JOB['frames'].WORKERS['{GOOD}'].EXIT_CODE", at: "$.JOB['frames'].WORKERS['{SHORT}'].STATUS",
                 shared: "{{$.JOB['frames'].WORKERS['{SHARED}'].STATUS}} there"}}
        process: 'test "$codes" = 0'
        on: {{workers: [{GOOD}]}}
        after: [frames]
"""
NAMES = {name: re.escape(name.encode()) for name in (GOOD, BAD, OFF)}


@dataclass
class Sent:
    """What a site has sent of a failed run, and who may read it."""

    site: Site
    service: LocalService
    keys: Keys
    desk_keys: Keys
    instance: int
    bundle: Path
    case: Path

    def shown(self, name: str) -> str:
        return Pseudonyms(self.keys).of("worker", name)

    def files(self) -> dict[str, bytes]:
        """Everything that a stranger with the key reads, the lists of the bundle too."""
        key = pyrage.x25519.Identity.from_str((self.keys.folder / "age.txt").read_text().split()[-1])
        header, manifest, files = third_party.read(self.bundle, [key])
        return {**files, "header": json.dumps(header).encode(), "manifest": json.dumps(manifest).encode()}


@pytest.fixture
def sent(site: Site, tmp_path: Path) -> Sent:
    """A job of four workers has failed on one; a fifth one has left, and is in the audit alone."""
    for name in (GOOD, BAD, SHORT, SHARED):
        add_worker(site, name, groups=("farm",))
    add_worker(site, OFF, online=False)
    service = LocalService(site.engine, "operator")
    service.want_worker(OFF, "paused", f"{OFF} and {SHORT} are moved")
    service.remove_worker(OFF)
    service.load([{"name": "render.yaml", "text": TASK}])
    instance = service.run(RunRequest("render"))
    site.engine.wait(instance, 60)
    assert site.see(instance).status == "failed"
    keys, desk = Keys(site.root, CLOCK), tmp_path / "desk"
    desk.mkdir(exist_ok=True)
    desk_keys = Keys(desk, CLOCK)
    keys.trust(desk_keys.card("support"), roles=("support",))
    desk_keys.trust(keys.card("site"), roles=("site",))
    wanted = ExportRequest((InstanceChoice(instance),), recipients=(keys.recipient_for("support"),))
    result = export(site.root, tmp_path / "out.skerry", wanted, clock=CLOCK)
    case = import_bundle(desk, [result.path], clock=CLOCK)
    assert case.bundle["findings"] == []
    return Sent(site, service, keys, desk_keys, instance, result.path, case.folder)


def test_no_file_of_a_bundle_names_a_worker(sent: Sent) -> None:
    files = sent.files()

    for name, pattern in NAMES.items():
        found = [path for path, data in files.items() if re.search(pattern, data) or name in path]
        assert found == [], name
    assert sent.shown(OFF).encode() in files["rows/audit.json"]
    assert f"{sent.shown(BAD)}-x".encode() in b"".join(files.values())


def test_names_that_are_short_or_also_ids_are_replaced_where_something_says_that_they_are_workers(
    sent: Sent,
) -> None:
    files = sent.files()

    rows = json.loads(files[f"rows/{sent.instance}.json"])
    names = {sent.shown(name) for name in (GOOD, BAD, SHORT, SHARED)}
    assert {job["worker"] for job in rows["jobs"]} <= {*names, None}
    assert {job["node"] for job in rows["jobs"]} == {"frames", "sums", *(f"frames@{name}" for name in names)}
    assert {each["name"] for each in json.loads(files["rows/workers.json"])["workers"]} == names
    task = json.loads(files["definitions/current.json"])["tasks"]["render"]["nodes"]
    assert set(task["frames"]["on"]["workers"]) == names
    assert task["sums"]["after"] == ["frames"]
    for name in (SHORT, SHARED):
        marks = (f"@{name}\b", f"WORKERS\\['{name}'", f"workers/{name}\b", f"orkers?:? '?{name}\b")
        found = [
            path
            for path, data in files.items()
            if any(
                re.search(mark.replace("\b", r"\b").encode(), data) or re.search(mark, path) for mark in marks
            )
        ]
        assert found == [], name


def test_the_desk_sees_and_repeats_the_records_under_their_pseudonyms(sent: Sent, tmp_path: Path) -> None:
    with Evidence.open(sent.case) as evidence:
        statuses = {row.node: row.status for row in evidence.store.jobs(sent.instance)}
        assert statuses[f"frames@{sent.shown(BAD)}"] == "failed"
        assert statuses[f"frames@{sent.shown(SHARED)}"] == "succeeded"
        assert reevaluate(evidence, sent.instance).differences == ()
        tried = try_out(evidence, wiring.installed_types(), Trial(sent.instance), tmp_path / "trial")
        assert (tried.status, tried.divergences) == ("failed", ())
        logs = {path.parent.name for path in sent.case.rglob("job-error.log")}
        assert {sent.shown(name) for name in (GOOD, BAD, SHORT, SHARED)} <= logs


def fix_for(sent: Sent, tmp_path: Path, changed: Callable[[dict[str, Any]], None]) -> Path:
    """A fix of the task, signed at the desk."""
    with Evidence.open(sent.case) as evidence:
        task = json.loads(json_text(evidence.store.content("task", "render")))
        changed(task["nodes"]["frames"])
        rerun = RerunPlan("failed", current=True)
        repair = Repair("Elsewhere", "", sent.instance, {"tasks": {"render": task}}, rerun=rerun)
        fix = make_fix(evidence, FixSource.of(sent.case), repair, CLOCK, wiring.installed_types())
    return write_fix(fix, tmp_path / "fix.skerry", sent.desk_keys, CLOCK)


def test_a_fix_with_other_workers_makes_the_rerun_go_there(sent: Sent, tmp_path: Path) -> None:
    # given a fix that names workers as the case does
    chosen = [sent.shown(name) for name in (SHORT, GOOD, SHARED)]
    path = fix_for(sent, tmp_path, lambda node: node.update(on={"workers": chosen, "strategy": "all"}))

    # when the site looks at it and applies it
    opened = open_fix([path], sent.keys, CLOCK)
    shown = preview(opened, sent.service, sent.site.engine.store, sent.keys, CLOCK)
    assert shown.refused is None
    assert shown.effects == ()
    lines = [line for each in shown.definitions for line in each.lines]
    assert any(line.startswith("+") and SHORT in line for line in lines), lines
    applied = apply(opened, sent.service, sent.site.engine.store, sent.keys, CLOCK)
    sent.site.engine.wait(sent.instance, 60)

    # then it ran on these, and on no other
    seen = sent.site.see(sent.instance)
    assert seen.status == "succeeded"
    last = [row for row in seen.rows if row.node.startswith("frames@") and row.run == applied.run]
    assert {row.worker for row in last} == {SHORT, GOOD, SHARED}
    content = sent.site.engine.store.content("task", "render")
    assert content["nodes"]["frames"]["on"]["workers"] == [SHORT, GOOD, SHARED]

    # and the receipt names none
    answer = json.dumps(receipt(applied.record, sent.service.instance(sent.instance), sent.keys, CLOCK))
    assert GOOD not in answer
    assert f"frames@{sent.shown(SHORT)}" in answer


def test_a_fix_with_a_group_makes_the_rerun_go_to_its_members(sent: Sent, tmp_path: Path) -> None:
    with Evidence.open(sent.case) as evidence:
        assert {row.worker.groups for row in evidence.store.workers()} == {("farm",)}
    path = fix_for(sent, tmp_path, lambda node: node.update(on={"group": "farm"}, process="true", results={}))

    opened = open_fix([path], sent.keys, CLOCK)
    apply(opened, sent.service, sent.site.engine.store, sent.keys, CLOCK)
    sent.site.engine.wait(sent.instance, 60)

    seen = sent.site.see(sent.instance)
    assert [row.worker for row in seen.rows if row.node == "frames"][-1] in (GOOD, BAD, SHORT, SHARED)


def test_a_worker_that_the_site_does_not_have_is_shown_before_a_fix_is_applied(
    sent: Sent, tmp_path: Path
) -> None:
    path = fix_for(sent, tmp_path, lambda node: node.update(on={"workers": ["nowhere"]}))

    shown = preview(
        open_fix([path], sent.keys, CLOCK), sent.service, sent.site.engine.store, sent.keys, CLOCK
    )

    assert [(each.kind, each.what) for each in shown.effects] == [("worker", "nowhere")]


def test_a_bundle_without_redaction_has_the_names(sent: Sent, tmp_path: Path) -> None:
    wanted = ExportRequest((InstanceChoice(sent.instance),), redact=False)
    path = export(sent.site.root, tmp_path / "raw.skerry", wanted, clock=CLOCK).path

    assert GOOD in third_party.read(path, [])[2]["rows/workers.json"].decode()
    assert Case(sent.case).bundle["trust"] == "known"
