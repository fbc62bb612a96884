"""What every analyzer must have: a run in which it finds something, and its line in the pages about the desk.

A new file in ``export_import/analyzers`` is found here, too: without a case below and its two lines it fails.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from engine.context.timeline import Timeline
from engine.model.errors import SkerryError
from engine.store.changes import Changes
from export_import.desk.evidence import Evidence
from export_import.desk.findings import Analyzer, Severity, Study, analyzers
from tests.runtime.site import Site, close_quietly, shell, task, tree

PAGES = [Path(__file__).parents[2] / "docs" / name for name in ("desk.md", "zh/desk.md")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One for all cases."""
    site = Site(tmp_path_factory.mktemp("desk") / "site").start()
    yield site
    with suppress(SkerryError):
        close_quietly(site)


@pytest.fixture(scope="module")
def evidence(site: Site) -> Iterator[Evidence]:
    with Evidence.open(site.root) as found:
        yield found


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    """A run in which nothing is amiss."""
    site = Site(tmp_path_factory.mktemp("sound") / "site").start()
    with Evidence.open(site.root) as evidence:
        study = Study(evidence, site.run(task({"a": shell("true")})).id)
        study.__dict__["environment"] = {}  # the disk of the machine that runs this may be nearly full
        yield study
    with suppress(SkerryError):
        close_quietly(site)


Case = Callable[[Site, Evidence], Study]


def ran(process: str = "exit 1", **keys: Any) -> Case:
    """A run of one job."""
    return lambda site, evidence: Study(evidence, site.run(task({"a": shell(process, **keys)})).id)


def played(**facts: Any) -> Case:
    """A failed run of which something that was read is something else."""

    def study(site: Site, evidence: Evidence) -> Study:
        made = ran()(site, evidence)
        made.__dict__.update(facts)
        return made

    return study


def file(name: str, content: Mapping[str, Any]) -> Case:
    """A failed run, and a file of its case."""

    def study(site: Site, evidence: Evidence) -> Study:
        (site.root / name).parent.mkdir(exist_ok=True)
        (site.root / name).write_text(json.dumps(content))
        return ran()(site, evidence)

    return study


def clock_set_back(site: Site, evidence: Evidence) -> Study:
    made = ran()(site, evidence)
    lines = [line.replace("2026-", "2016-", 1) if at == 5 else line
             for at, line in enumerate(evidence.store.lines(made.instance))]  # fmt: skip
    made.__dict__["timeline"] = Timeline(lines, verify=False)
    return made


def value_changed(site: Site, evidence: Evidence) -> Study:
    seen = site.run(task({"a": shell("true")}, params={"n": 1}))
    site.engine.set_value(seen.id, "$.TASK.PARAMS['n']", 2, "to see", "ada")
    return Study(evidence, seen.id)


def job_lost(site: Site, evidence: Evidence) -> Study:
    made = ran("true")(site, evidence)
    made.__dict__["jobs"] = [replace(made.jobs[0], status="lost")]
    return made


def resource_missing(site: Site, evidence: Evidence) -> Study:
    nowhere = {"in": {"type": "file", "uri": "/nowhere/at/all", "check": {"exists": True}}}
    nodes = {"a": shell("true", changes=["in"])}
    return Study(evidence, site.run(tree({"resources": nowhere, "tasks": {"t": {"nodes": nodes}}})).id)


def longer_than_usual(site: Site, evidence: Evidence) -> Study:
    made = ran("true")(site, evidence)
    changes = Changes()
    for _ in range(5):
        changes.stat("job", "t.a", ok=True, seconds=1.0)
    changes.update("job_instance", made.jobs[0].id, {"ended_at": "2099-01-01T00:00:00.000000+00:00"})
    site.engine.store.commit(changes)
    return Study(evidence, made.instance)


def fired_by_a_schedule(site: Site, evidence: Evidence) -> Study:
    made, changes = ran("true")(site, evidence), Changes()
    holds = {"task": made.row.task, "since": made.row.created_at, "level": "hour", "zone": "UTC"}
    changes.insert("schedule", {"id": 1, "cron": "0 0 * * * ?", **holds})
    site.engine.store.commit(changes)
    made.__dict__["row"] = replace(made.row, trigger="schedule")
    return made


CASES: Mapping[str, Case] = {
    "audit": file("rows/audit.json", {"broken": [{"row": 3, "message": "it was changed"}]}),
    "clock": clock_set_back,
    "damage": file("case.json", {"lost": [{"name": "monitor/1.csv", "reason": "damaged"}]}),
    "disk": played(environment={"disk": {"free": 1 << 20, "total": 1 << 40}}),
    "edits": value_changed,
    "failing_job": ran("echo no rows >&2; exit 1"),
    "known_codes": ran(),
    "limits": ran("sleep 30", timeout="50ms"),
    "lost": job_lost,
    "resources": resource_missing,
    "schedule": fired_by_a_schedule,
    "since_success": ran(),
    "slow": longer_than_usual,
    "versions": played(environment={"versions": {"skerry": "0.0.1"}}),
}


@pytest.fixture(params=analyzers(), ids=lambda each: each[0])
def analyzer(request: pytest.FixtureRequest) -> tuple[str, Analyzer]:
    """Each one that the scan finds."""
    found: tuple[str, Analyzer] = request.param
    return found


def test_it_finds_what_it_is_for(analyzer: tuple[str, Analyzer], site: Site, evidence: Evidence) -> None:
    name, module = analyzer
    assert name in CASES, f"add to CASES of {Path(__file__)} a run in which {name} finds something"

    found = list(module.analyze(CASES[name](site, evidence)))

    assert found
    assert all(each.severity in get_args(Severity) for each in found)
    assert all(text for each in found for text in each.title)
    for words in (each.title for each in found):
        assert words.en != words.zh, f"write the Chinese of {words.en!r} in the file of {name}"


def test_it_finds_nothing_where_nothing_is_amiss(analyzer: tuple[str, Analyzer], sound: Study) -> None:
    assert list(analyzer[1].analyze(sound)) == []


@pytest.mark.parametrize("page", PAGES, ids=["en", "zh"])
def test_it_has_its_line_in_the_pages(analyzer: tuple[str, Analyzer], page: Path) -> None:
    name, _ = analyzer
    assert f"\n| `{name}` | " in page.read_text("utf-8"), f"add a line about {name} to the table in {page}"
