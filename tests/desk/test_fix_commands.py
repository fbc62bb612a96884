"""The loop over the gap on the command line, as people go it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.cli.main import cli
from tests.desk.conftest import REPAIR


class Place:
    """A workspace and its command line."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(exist_ok=True)
        (root / "workspace.yaml").write_text("timezone: UTC\nmonitor: false\ndurability: normal\n")

    def __call__(self, *args: object, status: int | None = 0) -> Any:
        """The document of a command that ends with ``status``; None: whatever its run came to."""
        words = [*map(str, args), "--workspace", str(self.root), "--json"]
        result = CliRunner().invoke(cli, words, prog_name="skerry")
        assert result.exit_code in ((0, 1) if status is None else (status,)), result.output + result.stderr
        return json.loads(result.stdout)

    def text(self, *args: object, status: int = 0) -> str:
        """What it prints for people."""
        words = [*map(str, args), "--workspace", str(self.root)]
        result = CliRunner().invoke(cli, words, prog_name="skerry")
        assert result.exit_code == status, result.output + result.stderr
        return result.stdout + result.stderr


@pytest.fixture
def places(tmp_path: Path) -> tuple[Place, Place]:
    """A site and a desk that trust each other's keys."""
    from engine.runtime.clock import SystemClock
    from export_import.keys import Keys

    site, desk = Place(tmp_path / "site"), Place(tmp_path / "desk")
    clock = SystemClock()
    Keys(site.root, clock).trust(Keys(desk.root, clock).card("support"), roles=("support",))
    Keys(desk.root, clock).trust(Keys(site.root, clock).card("site"), roles=("site",))
    return site, desk


CHANGED = REPAIR.read_text().replace("limit: 10", "limit: 30")


def case_of(site: Place, desk: Place, tmp_path: Path) -> tuple[int, Path]:
    site("load", REPAIR)
    instance = site("run", "nightly", status=1)["instance"]
    bundle = tmp_path / "out.skerry"
    site.text("export", instance, "-o", bundle, "--to", "support")
    desk.text("bundle", "import", bundle)
    [case] = (desk.root / "cases").iterdir()
    return instance, case


def test_a_fix_goes_from_the_desk_to_its_site_and_its_receipt_back(
    places: tuple[Place, Place], tmp_path: Path
) -> None:
    site, desk = places
    instance, case = case_of(site, desk, tmp_path)

    replayed = desk("bundle", "replay", case)
    assert {name: replayed[name] for name in ("instance", "status", "differences", "redacted")} == {
        "instance": instance, "status": "failed", "differences": 0, "redacted": 0,
    }  # fmt: skip
    assert desk("bundle", "replay", tmp_path / "out.skerry") == replayed
    assert desk("bundle", "replay", case.name) == replayed
    assert "0 differences" in desk.text("bundle", "replay", case.name)

    changed = tmp_path / "changed.yaml"
    changed.write_text(REPAIR.read_text().replace("limit: 10", "limit: 30"))
    fix = tmp_path / "fix.skerry"
    made = desk(
        "fix", "build", case, "-o", fix, "--title", "Raise the limit", "--letter", "More rows came.",
        "--definitions", changed, "--set", "$.TASK.PARAMS['limit']=30", "--rerun", "failed", "--to", "site",
    )  # fmt: skip
    assert (made["path"], made["encrypted"], made["rerun"]["current"]) == (str(fix), True, True)

    shown = site("fix", "preview", fix)
    assert shown["refused"] is None
    assert shown["reruns"]["run"] == ["load", "index", "publish"]
    output = site.text("fix", "preview", fix)
    assert "10 -> 30" in output
    assert "load: runs" in output

    receipt = tmp_path / "receipt.skerry"
    applied = site("fix", "apply", fix, "--receipt", receipt)
    assert (applied["status"], applied["run"], applied["id"]) == ("succeeded", 2, made["id"])
    assert site("show", instance)["status"] == "succeeded"
    assert "Raise the limit" in site.text("fix", "list")

    assert desk("fix", "receipt", receipt)["run"]["status"] == "succeeded"
    assert "succeeded" in desk.text("fix", "receipt", receipt)

    assert site("fix", "apply", fix, status=3)["error"]["code"] == -15021006000
    assert site("fix", "preview", fix, status=1)["refused"]["code"] == -15021006000
    assert "cannot be applied" in site.text("fix", "preview", fix, status=1)
    site("fix", "undo", made["id"][:8], "--reason", "enough")
    assert "limit: 10" in site.text("dump", "nightly")
    assert site("context", instance)["TASK"]["PARAMS"]["limit"] == 10
    assert site("fix", "undo", made["id"], "--reason", "again", status=3)["error"]["code"] == -15021009000


def test_a_fix_is_encrypted_to_the_site_of_its_case_unless_that_is_declined(
    places: tuple[Place, Place], tmp_path: Path
) -> None:
    site, desk = places
    _, case = case_of(site, desk, tmp_path)
    build = ("fix", "build", case, "--title", "t", "--set", "$.TASK.PARAMS['limit']=30", "-o")

    for_site, for_all = desk(*build, tmp_path / "a.skerry"), desk(*build, tmp_path / "b.skerry", "--plain")

    assert (for_site["encrypted"], for_all["encrypted"]) == (True, False)
    assert site("fix", "preview", tmp_path / "a.skerry")["title"] == "t"
    refused = desk(*build, tmp_path / "c.skerry", "--plain", "--to", "site", status=2)
    assert "contradict" in refused["error"]["message"]


def test_a_fix_for_a_site_that_is_not_trusted_is_not_encrypted_and_says_so(
    places: tuple[Place, Place], tmp_path: Path
) -> None:
    site, desk = places
    _, case = case_of(site, desk, tmp_path)
    desk.text("keys", "revoke", "site", "--reason", "lost")

    said = desk.text("fix", "build", case, "--title", "t", "--set", "$.TASK.PARAMS['limit']=30",
                     "-o", tmp_path / "a.skerry")  # fmt: skip

    assert "the key of the case's site is not trusted here, so the fix is not encrypted" in said


def test_a_fix_brings_a_calendar(places: tuple[Place, Place], tmp_path: Path) -> None:
    site, desk = places
    _, case = case_of(site, desk, tmp_path)
    changed, fix = tmp_path / "changed.yaml", tmp_path / "fix.skerry"
    changed.write_text(REPAIR.read_text() + 'calendars: {harbour: {off: ["2026-10-01"]}}\n')
    desk("fix", "build", case, "-o", fix, "--title", "t", "--definitions", changed)

    made = site("fix", "apply", fix)["id"]
    shown = site("calendars", "show", "harbour")["definition"]
    site("fix", "undo", made, "--reason", "not yet")

    assert shown == {"off": ["2026-10-01"]}
    assert site("calendars")["calendars"] == []


def test_a_fix_is_refused_elsewhere(places: tuple[Place, Place], tmp_path: Path) -> None:
    site, desk = places
    instance, case = case_of(site, desk, tmp_path)
    fix, limit = tmp_path / "fix.skerry", "$.TASK.PARAMS['limit']=30"
    desk("fix", "build", case, "-o", fix, "--title", "t", "--set", limit, "--plain")

    other = Place(tmp_path / "other")
    assert other("fix", "apply", fix, status=3)["error"]["code"] == -15001001000
    assert desk("fix", "apply", fix, status=3)["error"]["code"] == -15021005000
    site("set", instance, "$.TASK.PARAMS['limit']", "12", "--reason", "we tried")
    assert site("fix", "apply", fix, status=3)["error"]["code"] == -15021007000


def test_what_is_wrong_with_the_command_is_reported(places: tuple[Place, Place], tmp_path: Path) -> None:
    site, desk = places
    _, case = case_of(site, desk, tmp_path)
    build = ("fix", "build", case, "-o", tmp_path / "fix.skerry", "--title", "t")

    assert desk(*build, status=2)["error"]["code"] == -15021001000
    assert desk(*build, "--set", "$.TASK.PARAMS['nothing']=3", status=2)["error"]["code"] == -15021008000
    desk(*build, "--rerun", "some", status=2)
    desk("bundle", "replay", "nowhere", status=2)
    desk("fix", "receipt", tmp_path / "out.skerry", status=3)


def test_a_case_is_studied(places: tuple[Place, Place], tmp_path: Path) -> None:
    site, desk = places
    instance, case = case_of(site, desk, tmp_path)

    found = desk("bundle", "findings", case, status=1)
    assert found["instance"] == instance
    assert found["findings"][0]["analyzer"] == "failing_job"
    assert "作业 'load' 失败" in desk.text("bundle", "findings", case.name, "--lang", "zh", status=1)
    assert "job-error.log:1: too many rows" in desk.text("bundle", "search", case, "too many")
    assert desk("bundle", "search", case, "nowhere to be found")["hits"] == []
    desk("bundle", "note", case, "the limit is too low")
    assert "the limit is too low" in desk.text("bundle", "note", case.name)

    site("run", "nightly", "-p", "limit=30")
    again = tmp_path / "again.skerry"
    site("export", 2, "-o", again)
    differs = desk("bundle", "diff", case, again)
    assert (differs["a"], differs["b"], differs["same"]) == (1, 2, False)
    assert {"name": "limit", "a": 10, "b": 30} in differs["params"]
    output = desk.text("bundle", "diff", case, again, "--instances", "1:2")
    assert "the instance" in output
    assert '"failed"' in output
    assert desk("bundle", "diff", case, case)["same"] is True
    desk("bundle", "diff", case, again, "--instances", "x", status=2)


def test_a_case_is_tried(places: tuple[Place, Place], tmp_path: Path) -> None:
    site, desk = places
    _, case = case_of(site, desk, tmp_path)

    assert desk("bundle", "try", case, status=1)["status"] == "failed"
    changed = tmp_path / "changed.yaml"
    changed.write_text(REPAIR.read_text().replace("limit: 10", "limit: 30"))
    found = desk("bundle", "try", case, "--definitions", changed, "--others", "run")
    assert (found["status"], found["recorded_status"]) == ("succeeded", "failed")
    assert found["first_divergence"]["path"] == "$.TASK.PARAMS['limit']"
    output = desk.text("bundle", "try", case.name, "--set", "$.TASK.PARAMS['limit']=30", status=1)
    assert "its inputs differ: limit" in output
    by_hand = ("--outcome", "load=succeeded", "--outcome", 'index={"results": {}}', "--run", "publish")
    assert desk("bundle", "try", case, *by_hand)["status"] == "succeeded"
    desk("bundle", "try", case, "--outcome", "load=maybe", status=2)
    desk("bundle", "try", case, "--run", "nobody", status=2)


def test_a_run_of_a_file_is_repaired_too(places: tuple[Place, Place], tmp_path: Path) -> None:
    site, desk = places
    instance = site("run", REPAIR, status=1)["instance"]
    bundle = tmp_path / "out.skerry"
    site("export", instance, "-o", bundle)
    changed = tmp_path / "changed.yaml"
    changed.write_text(REPAIR.read_text().replace('[ "${rows}" -gt "${limit}" ]', "false"))
    fix, values = tmp_path / "fix.skerry", tmp_path / "values.skerry"
    desk("fix", "build", bundle, "-o", fix, "--title", "t", "--definitions", changed, "--rerun", "from:load")
    desk("fix", "build", bundle, "-o", values, "--title", "t", "--set", "$.TASK.PARAMS['limit']=30")

    applied = site("fix", "apply", values)
    assert (applied["run"], applied["status"]) == (None, None)
    assert site("context", instance)["TASK"]["PARAMS"]["limit"] == 30
    site("fix", "undo", applied["id"], "--reason", "the other one")
    assert site("fix", "apply", fix, status=3)["error"]["code"] == -15021007000  # the log has grown

    again = tmp_path / "again.skerry"
    site("export", instance, "-o", again)
    desk(
        "fix",
        "build",
        again,
        "-o",
        tmp_path / "fix2",
        "--title",
        "t",
        "--definitions",
        changed,
        "--rerun",
        "from:load",
    )
    assert site("fix", "apply", tmp_path / "fix2")["status"] == "succeeded"
    assert "then echo" in site.text("dump", "nightly")


def test_several_media_and_several_places_are_replayed(places: tuple[Place, Place], tmp_path: Path) -> None:
    site, desk = places
    instance, case = case_of(site, desk, tmp_path)
    bundle = tmp_path / "parts"
    site("export", instance, "-o", bundle)
    other = tmp_path / "second"
    other.mkdir()
    volume = next(bundle.glob("vol-*"))
    volume.rename(other / volume.name)

    assert desk("bundle", "replay", bundle, other)["differences"] == 0
    both = desk("bundle", "replay", case, site.root)["instances"]
    assert [each["instance"] for each in both] == [instance, instance]


def test_a_site_can_make_a_fix_for_itself(places: tuple[Place, Place], tmp_path: Path) -> None:
    site, _ = places
    site("run", REPAIR, status=1)
    fix = tmp_path / "fix.skerry"

    site(
        "fix",
        "build",
        site.root,
        "-o",
        fix,
        "--title",
        "t",
        "--set",
        "$.TASK.PARAMS['limit']=30",
        "--rerun",
        "failed",
    )

    assert "load: runs" in site.text("fix", "preview", fix)
    assert site("fix", "apply", fix)["status"] == "succeeded"


def test_a_new_default_that_the_rerun_does_not_take_is_reported(
    places: tuple[Place, Place], tmp_path: Path
) -> None:
    site, desk = places
    _, case = case_of(site, desk, tmp_path)
    (tmp_path / "changed.yaml").write_text(CHANGED)
    how = ("fix", "build", case, "--title", "t", "--definitions", tmp_path / "changed.yaml")

    answer = desk(*how, "-o", tmp_path / "a.skerry", "--rerun", "failed")
    assert answer["kept"] == [{"path": "$.TASK.PARAMS['limit']", "value": 10, "new": 30}]
    said = desk.text(*how, "-o", tmp_path / "b.skerry", "--rerun", "failed")
    assert "mind: what runs again goes on with $.TASK.PARAMS['limit'] = 10, not 30;" in said
    assert "--set \"$.TASK.PARAMS['limit']=30\" changes it there too" in said
    for more in (("--rerun", "failed", "--set", "$.TASK.PARAMS['limit']=30"), ("--rerun", "all"), ()):
        assert desk(*how, "-o", tmp_path / f"c{len(more)}{more[1:2]}.skerry", *more)["kept"] == []


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--expires", "0s", "more than nothing and at most 3650d"),
        ("--expires", "99999999d", "more than nothing and at most 3650d"),
        ("--expires", "soon", "expected a duration"),
        ("--title", " ", "say in one line"),
        ("--letter", "letter.bin", "is not UTF-8 text"),
    ],
)
def test_what_makes_no_fix_is_said_so(
    places: tuple[Place, Place],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    value: str,
    message: str,
) -> None:
    site, desk = places
    _, case = case_of(site, desk, tmp_path)
    (tmp_path / "changed.yaml").write_text(CHANGED)
    (tmp_path / "letter.bin").write_bytes(b"\xff\xfe")
    monkeypatch.chdir(tmp_path)
    given = {"--title": "t", "-o": "x.skerry", "--definitions": "changed.yaml", option: value}

    answer = desk("fix", "build", case, *(each for pair in given.items() for each in pair), status=2)

    assert message in answer["error"]["message"]
    assert not (tmp_path / "x.skerry").exists()


def test_a_letter_may_be_long(places: tuple[Place, Place], tmp_path: Path) -> None:
    site, desk = places
    _, case = case_of(site, desk, tmp_path)
    (tmp_path / "changed.yaml").write_text(CHANGED)
    how = ("fix", "build", case, "--title", "t", "--definitions", tmp_path / "changed.yaml")

    assert desk(*how, "-o", tmp_path / "a.skerry", "--letter", "x" * 5000)["letter"] == "x" * 5000


def test_what_was_not_applied_here_is_not_taken_back(places: tuple[Place, Place]) -> None:
    site, _ = places
    for command in (("fix", "undo"), ("delivery", "rollback")):
        for id in ("", "x"):
            answer = site(*command, id, "--reason", "no", status=3)
            assert answer["error"]["message"] == f"there is no {command[0]} {id!r} here"


def test_a_receipt_that_cannot_be_written_keeps_the_fix_from_being_applied(
    places: tuple[Place, Place], tmp_path: Path
) -> None:
    site, desk = places
    _, case = case_of(site, desk, tmp_path)
    (tmp_path / "changed.yaml").write_text(CHANGED)
    fix, thesis = tmp_path / "fix.skerry", tmp_path / "thesis.txt"
    desk("fix", "build", case, "-o", fix, "--title", "t", "--definitions", tmp_path / "changed.yaml")
    thesis.write_text("the only copy")

    for place in (thesis, tmp_path / "nothing" / "r.skerry"):
        assert site("fix", "apply", fix, "--receipt", place, status=3)["error"]["code"] == -15000007000
    assert site("fix", "list")["fixes"] == []
    assert site("fix", "apply", fix, "--receipt", tmp_path / "r.skerry")["receipt"]
    assert thesis.read_text() == "the only copy"


def test_a_fix_carries_a_calendar_and_the_times_of_an_online_task_follow_it_there_and_back(
    places: tuple[Place, Place], tmp_path: Path
) -> None:
    # given a task that failed, online by a calendar, and its bundle at the desk
    site, desk = places
    scheduled = "  nightly:\n    schedule: {level: day, every: 1, at: '02:00', calendar: harbour}\n"
    calendars = "calendars: {harbour: {weekend: [], off: ['2031-01-01']}}\n"
    text = REPAIR.read_text().replace("  nightly:\n", scheduled) + calendars
    before, changed = tmp_path / "before.yaml", tmp_path / "changed.yaml"
    before.write_text(text)
    changed.write_text(text.replace("limit: 10", "limit: 30").replace("off: [", "off: ['2031-01-03', "))
    site("load", before)
    instance = site("run", "nightly", status=1)["instance"]
    bundle, fix = tmp_path / "out.skerry", tmp_path / "fix.skerry"
    site.text("export", instance, "-o", bundle, "--to", "support")
    site("online", "nightly")
    desk.text("bundle", "import", bundle)
    [case] = (desk.root / "cases").iterdir()

    def days() -> list[str]:
        found = site("next", "nightly", "--from", "2030-12-31T12:00", "-n", 3)["times"]
        return [each["time"][:10] for each in found if each["time"]]

    assert days() == ["2031-01-02", "2031-01-03", "2031-01-04"]

    # when the fix with another day off is applied
    made = desk(
        "fix", "build", case, "-o", fix, "--title", "A day off", "--letter", "The third is a holiday.",
        "--definitions", changed, "--rerun", "failed", "--to", "site",
    )  # fmt: skip
    assert "harbour" in site.text("fix", "preview", fix)
    site("fix", "apply", fix, "--receipt", tmp_path / "receipt.skerry", status=None)

    # then the times follow it, and those of before come back when it is undone
    assert days() == ["2031-01-02", "2031-01-04", "2031-01-05"]
    site("fix", "undo", made["id"], "--reason", "no holiday after all")
    assert days() == ["2031-01-02", "2031-01-03", "2031-01-04"]
    assert site("tasks", "show", "nightly")["state"] == "online"
