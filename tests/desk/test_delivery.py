"""Deliveries: definitions from their author, with conflicts and missing names decided, and rolled back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.model.errors import SkerryError
from engine.runtime.clock import SystemClock
from export_import.container import BundleWriter
from export_import.delivery.content import CONTENT, read_delivery
from export_import.delivery.importing import open_delivery
from export_import.delivery.references import references, rewritten
from export_import.keys import Keys
from tests.desk.test_fix_commands import Place

CLOCK = SystemClock()
FILE = """
skerry: 1
resources:
  api: {type: http, uri: "http://127.0.0.1:9/", request: {secret: api-key}}
jobs:
  fetch: {type: http, resource: api, method: GET}
  say: {type: shell, process: "echo hi", params: {who: {value: you, secret: name}, job: nobody}}
tasks:
  daily:
    nodes:
      get: {job: fetch}
      tell: {job: say, after: [get]}
rules:
  - {id: again, match: {code: -12000000000}, action: {run: {task: daily}}}
errors:
  "-12007000404": {title: Not there, remedy: Ask the harbour.}
"""


@pytest.fixture
def places(tmp_path: Path) -> tuple[Place, Place]:
    """An author and a site that trusts his key."""
    author, site = Place(tmp_path / "author"), Place(tmp_path / "site")
    Keys(site.root, CLOCK).trust(Keys(author.root, CLOCK).card("author"), roles=("author",))
    return author, site


def delivered(author: Place, tmp_path: Path, text: str = FILE, name: str = "d1") -> Path:
    file, handbook = tmp_path / f"{name}.yaml", tmp_path / "handbook.txt"
    file.write_text(text)
    handbook.write_text("how to")
    target = tmp_path / f"{name}.skerry"
    author("delivery", "build", file, "-o", target, "--title", name, "--with", handbook)
    return target


def dumped(place: Place) -> str:
    return place.text("dump")


def test_a_delivery_is_brought_in_and_rolled_back(places: tuple[Place, Place], tmp_path: Path) -> None:
    author, site = places
    bundle = delivered(author, tmp_path)
    before = dumped(site)

    shown = site("delivery", "preview", bundle, status=1)
    assert [(each["kind"], each["name"]) for each in shown["missing"]] == [
        ("secret", "api-key"), ("secret", "name"),
    ]  # fmt: skip
    assert site("delivery", "import", bundle, status=3)["error"]["code"] == -15022003000
    assert site("delivery", "import", bundle, "--allow-missing", "--dry-run")["applied_at"] is None
    assert dumped(site) == before
    mapped = ("--map", "secret:api-key=ours", "--map", "secret:name=names", "--allow-missing")
    record = site("delivery", "import", bundle, *mapped)

    assert len(record["changes"]) == 6
    assert site("resources", "show", "api")["definition"]["request"]["secret"] == "ours"
    params = site("jobs", "show", "say")["definition"]["params"]
    assert params == {"who": {"value": "you", "secret": "names"}, "job": "nobody"}
    assert "Ask the harbour." in site.text("errors", "-12007000404")
    handbook = site.root / "deliveries" / record["id"][:12] / "handbook.txt"
    assert handbook.read_text() == "how to"
    assert "d1" in site.text("delivery", "list")

    assert site("delivery", "import", bundle, *mapped, status=3)["error"]["code"] == -15021006000
    site("delivery", "rollback", record["id"], "--reason", "not yet")
    assert dumped(site) == before
    assert not handbook.exists()


def test_a_conflict_is_decided(places: tuple[Place, Place], tmp_path: Path) -> None:
    author, site = places
    mine = tmp_path / "mine.yaml"
    mine.write_text('skerry: 1\njobs: {say: {type: shell, process: "echo mine"}}\n')
    site("load", mine)
    bundle = delivered(author, tmp_path)
    accept = ("--allow-missing",)

    assert site("delivery", "preview", bundle, *accept, status=1)["conflicts"] == [
        {"kind": "job", "id": "say"}
    ]
    assert "conflict: job:say" in site.text("delivery", "preview", bundle, status=1)
    assert site("delivery", "import", bundle, *accept, status=3)["error"]["code"] == -15022002000
    site(
        "delivery",
        "import",
        bundle,
        *accept,
        "--rename",
        "job:say=tell_it",
        "--rename",
        "task:daily=every_day",
    )

    assert site("jobs", "show", "say")["definition"]["process"] == "echo mine"
    nodes = site("tasks", "show", "every_day")["definition"]["nodes"]
    assert nodes["tell"]["job"] == "tell_it"
    assert site("jobs", "show", "tell_it")["definition"]["process"] == "echo hi"


@pytest.mark.parametrize(("option", "process"), [("--take", "echo hi"), ("--keep", "echo mine")])
def test_one_of_two_counts(places: tuple[Place, Place], tmp_path: Path, option: str, process: str) -> None:
    author, site = places
    mine = tmp_path / "mine.yaml"
    mine.write_text('skerry: 1\njobs: {say: {type: shell, process: "echo mine"}}\n')
    site("load", mine)

    site("delivery", "import", delivered(author, tmp_path), "--allow-missing", option, "job:say")

    assert site("jobs", "show", "say")["definition"]["process"] == process


def test_a_later_delivery_replaces_what_an_earlier_one_brought(
    places: tuple[Place, Place], tmp_path: Path
) -> None:
    author, site = places
    site("delivery", "import", delivered(author, tmp_path), "--allow-missing")
    later = delivered(author, tmp_path, FILE.replace("echo hi", "echo hello"), "d2")

    shown = site("delivery", "preview", later, "--allow-missing", status=1)
    assert shown["conflicts"] == []
    assert [(each["kind"], each["id"], each["new"]) for each in shown["changes"]] == [("job", "say", False)]
    assert len(shown["same"]) == 5
    site("delivery", "import", later, "--allow-missing")
    assert site("jobs", "show", "say")["definition"]["process"] == "echo hello"


def test_a_workspace_can_be_delivered_and_a_stranger_is_refused(
    places: tuple[Place, Place], tmp_path: Path
) -> None:
    author, site = places
    file = tmp_path / "all.yaml"
    file.write_text(FILE)
    author("load", file)
    bundle = tmp_path / "all.skerry"
    made = author("delivery", "build", "-o", bundle, "--title", "all", "--only", "daily")
    assert {each["id"] for each in made["definitions"]} >= {"daily", "fetch", "say", "api"}

    stranger = Place(tmp_path / "stranger")
    assert stranger("delivery", "import", bundle, status=3)["error"]["code"] == -15001001000
    author("delivery", "build", "-o", bundle, "--title", "t", "--only", "nobody", status=2)
    for wrong in (("--take", "say"), ("--rename", "job:say"), ("--map", "moon:a=b")):
        site("delivery", "preview", bundle, *wrong, status=2)


@pytest.mark.parametrize(
    "tree",
    [
        {"format": "skerry-delivery/9"}, {"id": 3}, {"definitions": 3}, {"definitions": {"rules": [{}]}},
        {"definitions": {"tasks": [1]}}, {"more": 1},
    ],
)  # fmt: skip
def test_what_has_not_the_form_of_a_delivery_is_refused(
    places: tuple[Place, Place], tmp_path: Path, tree: dict[str, Any]
) -> None:
    author, site = places
    whole = {
        "format": "skerry-delivery/1",
        "id": "x",
        "title": "",
        "letter": "",
        "made_at": "",
        "definitions": {},
    }
    path = tmp_path / "odd"
    with BundleWriter(path, kind="delivery", clock=CLOCK, keys=Keys(author.root, CLOCK)) as writer:
        writer.add(CONTENT, [json.dumps({**whole, **tree}).encode()])
        writer.finish()
    bundle = open_delivery([path], Keys(site.root, CLOCK), CLOCK)

    with pytest.raises(SkerryError) as caught:
        read_delivery(bundle)

    assert caught.value.code == -15022001000


def test_another_bundle_is_no_delivery(places: tuple[Place, Place], tmp_path: Path) -> None:
    author, site = places
    path = tmp_path / "odd"
    with BundleWriter(path, kind="fix", clock=CLOCK, keys=Keys(author.root, CLOCK)) as writer:
        writer.finish()

    with pytest.raises(SkerryError):
        open_delivery([path], Keys(site.root, CLOCK), CLOCK)


def test_names_are_found_and_rewritten_where_they_are_references_only() -> None:
    task = {
        "nodes": {
            "job": {"job": "a", "params": {"job": "a", "resource": "r"}, "on": {"workers": ["w"], "group": "g"}},
            "x": {"type": "group", "jobs": [{"job": "a"}, {"type": "sql", "resource": "r", "changes": ["r"]}]},
            "y": {"type": "shell", "process": {"group": [{"job": "b"}]}, "ready": {"task": "t"},
                  "results": {"resource": {"value": {"resource": "r"}}, "job": "a"}},
            "z": {"type": "http", "body": {"job": "a"}, "json": {"secret": "s"}},
        }
    }  # fmt: skip
    names = list(references("task", task))

    assert names.count(("job", "a")) == 2
    assert names.count(("resource", "r")) == 3
    assert set(names) == {
        ("job", "a"), ("job", "b"), ("resource", "r"), ("worker", "w"), ("group", "g"), ("task", "t"),
    }  # fmt: skip
    made = rewritten(
        "task", task, {("job", "a"): "A", ("worker", "w"): "W", ("group", "g"): "G", ("resource", "r"): "R"}
    )
    assert made["nodes"]["job"]["params"] == {"job": "a", "resource": "r"}
    assert made["nodes"]["job"]["on"] == {"workers": ["W"], "group": "G"}
    assert made["nodes"]["x"]["jobs"][1] == {"type": "sql", "resource": "R", "changes": ["R"]}
    assert made["nodes"]["y"]["results"] == {"resource": {"value": {"resource": "R"}}, "job": "a"}
    assert list(references("rule", {"action": {"run": {"task": "t"}}})) == [("task", "t")]
    rule = {"id": "x", "match": {"task": "t"}, "action": {"run": {"task": "t"}}}
    assert rewritten("rule", rule, {("task", "t"): "T"}) == {**rule, "action": {"run": {"task": "T"}}}
    assert list(references("error", {"job": "a"})) == []


@pytest.mark.parametrize("use", ["c", {"id": "c", "on": "next"}])
def test_the_calendar_of_a_schedule_is_a_name_that_can_be_rewritten(use: Any) -> None:
    task = {"schedule": {"level": "day", "every": 1, "calendar": use}, "nodes": {"x": {"calendar": "no"}}}

    made = rewritten("task", task, {("calendar", "c"): "D"})

    assert list(references("task", task)) == [("calendar", "c")]
    assert made["schedule"]["calendar"] == ("D" if use == "c" else {"id": "D", "on": "next"})


def test_a_calendar_is_delivered_with_the_task_that_names_it(
    places: tuple[Place, Place], tmp_path: Path
) -> None:
    author, site = places
    harbour = (
        'skerry: 1\ncalendars: {harbour: {off: ["2026-10-01"]}}\n'
        "tasks: {closing: {schedule: {level: day, every: 1, calendar: harbour},"
        ' nodes: {a: {type: shell, process: "true"}}}}\n'
    )
    mine = tmp_path / "mine.yaml"
    mine.write_text("skerry: 1\ncalendars: {harbour: {}}\n")
    site("load", mine)
    before = dumped(site)
    bundle = delivered(author, tmp_path, harbour)

    shown = site("delivery", "preview", bundle, status=1)
    assert shown["conflicts"] == [{"kind": "calendar", "id": "harbour"}]
    record = site("delivery", "import", bundle, "--take", "calendar:harbour")

    assert site("calendars", "show", "harbour")["definition"]["off"] == ["2026-10-01"]
    site("delivery", "rollback", record["id"], "--reason", "not yet")
    assert dumped(site) == before


def test_a_delivered_task_whose_calendar_is_not_here_is_refused_until_another_is_named(
    places: tuple[Place, Place], tmp_path: Path
) -> None:
    author, site = places
    mine = tmp_path / "mine.yaml"
    mine.write_text('skerry: 1\ncalendars: {port: {off: ["2026-10-01"]}}\n')
    site("load", mine)
    task = (
        "skerry: 1\ntasks: {closing: {schedule: {level: day, every: 1, calendar: harbour},"
        ' nodes: {a: {type: shell, process: "true"}}}}\n'
    )
    bundle = delivered(author, tmp_path, task)

    shown = site("delivery", "preview", bundle, status=1)
    assert shown["missing"] == [{"kind": "calendar", "name": "harbour", "used_by": "task closing"}]
    site("delivery", "import", bundle, status=3)
    site("delivery", "import", bundle, "--map", "calendar:harbour=port")

    assert site("tasks", "show", "closing")["definition"]["schedule"]["calendar"] == "port"
