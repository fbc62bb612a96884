"""Analyzers: each failure leads to the finding that explains it, in both languages."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app import wiring
from app.failure_words import finding_words
from engine.api.documents import Rerun
from engine.context.timeline import LineCause, Timeline
from engine.model.catalogue import codes_of
from engine.model.codes.jobs import NO_SPACE
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.store.changes import Changes
from export_import.analyzers import clock, damage, disk, lost, slow, versions
from export_import.desk import findings as found_by
from export_import.desk.comparing import compare, pair
from export_import.desk.evidence import Evidence
from export_import.desk.findings import CaseFinding, Study, analyzers, findings
from export_import.desk.notes import add_note, notes_of
from export_import.desk.records import resource_checks
from export_import.desk.searching import search
from tests.desk.conftest import REPAIR
from tests.runtime.site import Site, shell, task


@pytest.fixture
def evidence(site: Site) -> Iterator[Evidence]:
    with Evidence.open(site.root) as found:
        yield found


def study(evidence: Evidence, instance: int) -> Study:
    return Study(evidence, instance, tuple(codes_of(wiring.job_types().values())))


def by_analyzer(found: list[CaseFinding]) -> dict[str, list[CaseFinding]]:
    groups: dict[str, list[CaseFinding]] = {}
    for each in found:
        groups.setdefault(each.analyzer, []).append(each)
    return groups


def test_the_scan_finds_the_analyzers() -> None:
    assert len(analyzers()) >= 12


def test_a_failed_run_is_explained(site: Site, evidence: Evidence) -> None:
    seen = site.run(REPAIR.read_text())

    found = findings(study(evidence, seen.id))

    groups = by_analyzer(found)
    [failing] = groups["failing_job"]
    assert failing is found[0]
    assert (failing.severity, failing.where.node, failing.code) == ("error", "load", -11000001003)
    assert "limit = 10 ← $.TASK.PARAMS['limit']" in failing.detail.en
    assert "too many rows: 25 > 10" in failing.detail.zh
    assert failing.where.file is not None
    assert failing.where.seq == next(line["seq"] for line in reversed(seen.lines) if "load" in line["path"])
    [known] = groups["known_codes"]
    assert "job-error.log" in known.detail.en
    assert "2 times" in known.detail.en
    assert "处理" in known.detail.zh
    assert groups["since_success"][0].title.en.startswith("No earlier success")
    assert json.dumps([each.to_json() for each in found])


def test_the_failure_that_a_finding_quotes_is_in_the_language_of_the_finding(
    site: Site, evidence: Evidence
) -> None:
    seen = site.run(task({"a": shell("exit 3")}))

    [failing] = by_analyzer(findings(study(evidence, seen.id)))["failing_job"]

    assert finding_words(failing.title, "en") == "Job 'a' failed: exit status 3"
    assert finding_words(failing.title, "zh_CN") == "作业 'a' 失败：退出状态 3"
    assert finding_words(failing.detail, "zh").startswith("第 1 次尝试，错误 -11000001003：退出状态 3")


def test_what_changed_since_the_last_success_is_reported(site: Site, evidence: Evidence) -> None:
    good = site.run(REPAIR.read_text().replace("limit: 10", "limit: 30"))
    bad = site.run(REPAIR.read_text())

    groups = by_analyzer(findings(study(evidence, bad.id)))

    titles = [each.title.en for each in groups["since_success"]]
    assert titles[0] == f"The definitions changed since instance {good.id} succeeded"
    assert "parameter limit changed: 30 -> 10" in titles
    assert "since_success" not in by_analyzer(findings(study(evidence, good.id)))


def test_resources_and_hands_and_limits_are_found(site: Site, evidence: Evidence) -> None:
    from tests.runtime.site import tree

    seen = site.run(
        tree({
            "resources": {"in": {"type": "file", "uri": "/nowhere/at/all", "check": {"exists": True}}},
            "tasks": {"t": {"params": {"n": 1}, "nodes": {
                "a": shell("true", resources=["in"]),
                "b": shell("sleep 30", timeout="50ms"),
                "c": shell("true", changes=["in"]),
            }}},
        })
    )  # fmt: skip
    site.engine.set_value(seen.id, "$.TASK.PARAMS['n']", 2, "to see", "ada")

    groups = by_analyzer(findings(study(evidence, seen.id)))

    assert len(groups["resources"]) == 2
    assert {each.where.node for each in groups["limits"]} == {"b"}
    [edit] = groups["edits"]
    assert edit.title.en == "ada changed $.TASK.PARAMS['n']: 1 -> 2"


def played(evidence: Evidence, instance: int, **facts: Any) -> Study:
    """A study in which some of what was read is something else."""
    made = study(evidence, instance)
    made.__dict__.update(facts)
    return made


def test_little_room_clocks_that_jump_and_drift_are_found(site: Site, evidence: Evidence) -> None:
    first = site.run(task({"a": shell("true")}))
    seen = site.run(task({"a": shell("exit 1")}))
    environment = {
        "disk": {"free": 1 << 20, "total": 1 << 40},
        "versions": {"skerry": "0.0.1", "libc": "old"},
    }
    lines = [line.replace("2026-", "2016-", 1) if at == 5 else line
             for at, line in enumerate(evidence.store.lines(seen.id))]  # fmt: skip

    little = played(evidence, seen.id, environment=environment, timeline=Timeline(lines, verify=False))

    assert [each.severity for each in disk.analyze(little)] == ["warning"]
    [back, *_] = list(clock.analyze(little))
    assert "set back" in back.title.en
    titles = [each.title.en for each in versions.analyze(little)]
    assert any(title.startswith("libc is old, it was") for title in titles)
    assert any(title.startswith("The site runs Skerry 0.0.1") for title in titles)
    assert first.status == "succeeded"


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"code": NO_SPACE.number}, True),
        ({"words": Message.of("{where}: {error}", where="/x", error=os.strerror(errno.EDQUOT))}, True),
        ({"words": Message.of("{error}: {where}", error=os.strerror(errno.ENOENT), where="/x")}, False),
        ({"words": Message.of("the program says: No space left on device")}, False),
    ],
)
def test_a_full_disk_is_known_by_code_or_system_error(
    site: Site, evidence: Evidence, changes: Mapping[str, Any], found: bool
) -> None:
    failed = played(evidence, site.run(task({"a": shell("exit 1")})).id, environment={})
    words = changes.get("words")
    changed = {"message": str(words), "message_facts": words.to_json()} if words else changes
    failed.__dict__["exceptions"] = [replace(each, **changed) for each in failed.exceptions]

    assert bool(list(disk.analyze(failed))) is found


def test_what_is_slow_or_lost_is_found(site: Site, evidence: Evidence) -> None:
    seen = site.run(task({"a": shell("true")}))
    changes = Changes()
    for _ in range(5):
        changes.stat("job", "t.a", ok=True, seconds=1.0)
    changes.update("job_instance", seen["a"].id, {"ended_at": "2099-01-01T00:00:00.000000+00:00"})
    site.engine.store.commit(changes)
    assert "are usual" in next(iter(slow.analyze(study(evidence, seen.id)))).title.en

    for status, title in (("lost", "is lost"), ("queued", "had not ended")):
        job = replace(seen["a"].row, status=status)
        assert title in next(iter(lost.analyze(played(evidence, seen.id, jobs=[job])))).title.en


def test_gaps_of_the_record_are_reported(site: Site, evidence: Evidence) -> None:
    seen = site.run(task({"a": shell("true")}))
    answer = {"lost": [{"name": f"instances/task-t-{seen.id}/ctx.log", "reason": "damaged"}],
            "omitted": [{"name": "instances/task-t-99/x", "reason": "big"}]}  # fmt: skip
    (site.root / "case.json").write_text(json.dumps(answer))
    lines = [*evidence.store.lines(seen.id), '{"seq":']

    torn = played(evidence, seen.id, timeline=Timeline(lines))

    assert [each.title.en for each in damage.analyze(torn)] == [
        "1 files: could not be read from the bundle", "The last line of the context log is torn",
    ]  # fmt: skip


def test_a_check_names_its_resource_also_in_the_log_of_an_older_program() -> None:
    def cause(**more: Any) -> LineCause:
        return LineCause(1, "2026-11-21T08:00:00+08:00", 1, "engine", "$.JOB['a']", **more)

    new = cause(why="whatever it is called", value={"resource": "db", "ok": True})
    old = cause(why="resource db checked after the job", value={"ok": False})
    others = [cause(why="resource db: request", value={"method": "GET"}), cause(why="argv.1", value="ok")]

    assert list(resource_checks([new, *others, old], ["files", "db"])) == [("db", new), ("db", old)]


def test_an_analyzer_that_breaks_stops_nobody(
    site: Site, evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def analyze(self, study: Study) -> list[CaseFinding]:
            raise ValueError("oh")

    seen = site.run(task({"a": shell("exit 1")}))
    known = [("broken", Broken()), *analyzers()]
    monkeypatch.setattr(found_by, "analyzers", lambda: known)
    steps: list[tuple[int, int]] = []

    groups = by_analyzer(findings(study(evidence, seen.id), lambda done, total: steps.append((done, total))))

    assert groups["broken"][0].detail.en == "oh"
    assert groups["failing_job"]
    assert steps[-1] == (len(known), len(known))


def test_two_instances_are_compared(site: Site, evidence: Evidence) -> None:
    a = site.run(REPAIR.read_text().replace("limit: 10", "limit: 30"))
    b = site.run(REPAIR.read_text())

    found = compare(evidence, a.id, evidence, b.id)

    assert not found.same
    assert any("limit: 10" in line for line in found.definitions)
    assert ("load", "succeeded", "failed") in [(each.name, each.a, each.b) for each in found.statuses]
    assert [each.node for each in found.durations][:2] == [None, "extract"]
    assert compare(evidence, b.id, evidence, b.id).same
    assert pair(evidence, evidence) == (b.id, b.id)
    assert pair(evidence, evidence, a.id, b.id) == (a.id, b.id)
    with pytest.raises(SkerryError):
        pair(evidence, evidence, 99)


def test_everything_is_searched(site: Site, evidence: Evidence) -> None:
    seen = site.run(REPAIR.read_text())

    hits = list(search(evidence, "TOO MANY rows"))

    assert {Path(hit.file).name for hit in hits} >= {"job-error.log", "process"}
    first = hits[0]
    assert (first.instance, first.job, first.line) == (seen.id, "load", 1)
    assert first.excerpt == "too many rows: 25 > 10"
    [line] = [hit for hit in search(evidence, "parent_failed: load") if hit.seq and not hit.job]
    assert line.seq == next(each["seq"] for each in seen.lines if each.get("why") == "parent_failed: load")
    assert len(list(search(evidence, "e", limit=3))) == 3


def test_notes_stay_in_the_case(site: Site, tmp_path: Path) -> None:
    (tmp_path / "case.json").write_text("{}")
    from engine.runtime.clock import SystemClock

    assert notes_of(tmp_path) == []
    note = add_note(tmp_path, "the disk again", "ada", SystemClock(), {"node": "load"})
    assert notes_of(tmp_path) == [note]
    for folder, text in ((tmp_path, " "), (tmp_path / "other", "x")):
        with pytest.raises(SkerryError):
            add_note(folder, text, "ada", SystemClock())


def test_a_rerun_counts_its_own_failures_only(site: Site, evidence: Evidence) -> None:
    seen = site.run(REPAIR.read_text())
    from engine.api.local import LocalService

    LocalService(site.engine, "ada").rerun(
        [Rerun(seen.id, "failed", edits=(("$.TASK.PARAMS['limit']", "30"),))]
    )
    site.end(seen.id)

    groups = by_analyzer(findings(study(evidence, seen.id)))

    assert "known_codes" not in groups
    assert "load" in groups["edits"][0].detail.en
