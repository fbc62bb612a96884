"""A redacted case: what was masked or renamed is counted apart, and everything else gives what it gave."""

from __future__ import annotations

import json
from pathlib import Path

from app import wiring
from engine.context.timeline import Timeline
from engine.runtime.clock import SystemClock
from export_import.desk.evidence import Evidence
from export_import.desk.omission_marks import is_renamed
from export_import.desk.reevaluation import reevaluate
from export_import.desk.standin import Trial, try_out
from export_import.export import export
from export_import.export_request import ExportRequest
from export_import.export_source import InstanceChoice
from export_import.importing import import_bundle
from tests.runtime.site import Site, shell, task

CLOCK = SystemClock()


def test_names_and_secrets_do_not_become_differences(site: Site, tmp_path: Path) -> None:
    say = 'echo "host db7.harbour.example at 10.20.30.40 by ada@harbour.example"; echo "key $token" >&2'
    nodes = {
        "say": shell(
            say,
            params={"where": "10.20.30.40", "token": {"value": "x", "secret": True}},
            results={
                "ip": {"value": "{$.JOB['say'].OUTPUT}:REGEX:at (\\S+)"},
                "net": {"value": "{$.JOB['say'].OUTPUT}:REGEX:at (\\d+\\.\\d+\\.\\d+)"},
                "long": {"kind": "boolean", "value": "{$.JOB['say'].RESULT['ip']} == '10.20.30.40'"},
                "mail": {"value": "{$.JOB['say'].OUTPUT}:REGEX:by (\\S+)@"},
            },
        ),
        "use": shell("true", after=["say"], params={"ip": "to {$.JOB['say'].RESULT['ip']}"}),
    }
    seen = site.run(
        task(nodes, params={"pass": {"secret": True, "value": ""}}), **{"pass": "hunter2-hunter2"}
    )
    assert seen.status == "succeeded"
    sent = export(site.root, tmp_path / "out.skerry", ExportRequest((InstanceChoice(seen.id),)), clock=CLOCK)
    desk = tmp_path / "desk"
    desk.mkdir()

    case = import_bundle(desk, [sent.path], clock=CLOCK)

    with Evidence.open(case.folder) as evidence:
        assert evidence.redacted
        log = "\n".join(evidence.store.lines(seen.id))
        assert "10.20.30.40" not in log
        assert is_renamed(json.loads(json.dumps(log)))
        assert Timeline(evidence.store.lines(seen.id)).last == len(seen.lines)
        done = reevaluate(evidence, seen.id)
        assert done.differences == ()
        assert 0 < done.redacted < done.expressions
        tried = try_out(evidence, wiring.installed_types(), Trial(seen.id), tmp_path / "trial")
        assert tried.status == "succeeded", tried.jobs
