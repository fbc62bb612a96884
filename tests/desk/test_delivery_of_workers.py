"""A delivery says where its jobs run by its author's names; the operator says what these are called here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.runtime.clock import SystemClock
from export_import.delivery.references import references, rewritten
from export_import.keys import Keys
from tests.desk.test_fix_commands import Place

NODES = {
    "a": {"type": "shell", "process": "echo WORKERS['theirs']", "on": {"workers": ["theirs", "local"], "strategy": "all"}},
    "b": {"type": "shell", "process": "true", "on": {"group": "farm"}, "when": "$.JOB['a'].WORKERS['theirs'].STATUS == 'x'"},
    "c": {"type": "shell", "process": "true", "on": {"workers": ["$.TASK.PARAMS['w']"], "group": "{$.TASK.PARAMS['g']}"}},
}  # fmt: skip
TEXT = """\
skerry: 1
tasks:
  render:
    params: {w: x, g: y}
    nodes:
      a: {type: shell, process: "true", on: {workers: [theirs, local], strategy: all}}
      b:
        type: shell
        process: "true"
        on: {group: farm}
        params: {code: "$.JOB['a'].WORKERS['theirs'].EXIT_CODE"}
        after: [a]
      c: {type: shell, process: "true", on: {workers: ["$.TASK.PARAMS['w']"]}}
"""
MAPS = ("--map", "worker:theirs=ours", "--map", "group:farm=our-farm")


@pytest.fixture
def site(tmp_path: Path) -> Place:
    """One that trusts the author, and has a worker of another name in a group of another name."""
    site, author = Place(tmp_path / "site"), Place(tmp_path / "author")
    clock = SystemClock()
    Keys(site.root, clock).trust(Keys(author.root, clock).card("author"), roles=("author",))
    site("worker", "add", "ours", "--ssh", "127.0.0.1:1", "--group", "our-farm")
    (tmp_path / "render.yaml").write_text(TEXT)
    author.text(
        "delivery", "build", tmp_path / "render.yaml", "-o", tmp_path / "d.skerry", "--title", "Render"
    )
    return site


def test_workers_and_groups_that_nobody_has_here_are_missing(site: Place, tmp_path: Path) -> None:
    shown = site("delivery", "preview", tmp_path / "d.skerry", status=1)

    missing = [(each["kind"], each["name"], each["used_by"]) for each in shown["missing"]]
    assert missing == [("worker", "theirs", "task render"), ("group", "farm", "task render")]
    error = site("delivery", "import", tmp_path / "d.skerry", status=3)["error"]
    assert (error["code"], error["where"]) == (-15022003000, "task render")
    assert "worker 'theirs' (of task render), group 'farm'" in error["message"]


def test_they_are_given_the_names_that_they_have_here(site: Place, tmp_path: Path) -> None:
    site("delivery", "import", tmp_path / "d.skerry", *MAPS)

    nodes = site("tasks", "show", "render")["definition"]["nodes"]
    assert nodes["a"]["on"]["workers"] == ["ours", "local"]
    assert nodes["b"]["on"]["group"] == "our-farm"
    assert nodes["b"]["params"]["code"] == "$.JOB['a'].WORKERS['ours'].EXIT_CODE"
    assert nodes["c"]["on"]["workers"] == ["$.TASK.PARAMS['w']"]


@pytest.mark.parametrize(
    ("given", "where", "words", "status"),
    [
        (("worker:their=ours",), "worker:their", "it uses local, theirs", 2),
        (("group:theirs=ours",), "group:theirs", "it uses farm", 2),
        (("secret:theirs=ours",), "secret:theirs", "it uses none", 2),
        (("worker:theirs=../ours",), "worker:theirs", "cannot be called '../ours'", 2),
        (("worker:theirs=ours", "worker:theirs=local"), "worker:theirs", "two names", 2),
        (("worker:theirs=elsewhere", "group:farm=our-farm"), "task render", "worker 'elsewhere'", 3),
    ],
)
def test_a_map_that_leads_nowhere_is_refused_with_its_place(
    site: Place, tmp_path: Path, given: tuple[str, ...], where: str, words: str, status: int
) -> None:
    maps = [word for each in given for word in ("--map", each)]

    error = site("delivery", "import", tmp_path / "d.skerry", *maps, status=status)["error"]

    assert error["where"] == where
    assert words in error["message"]
    assert site("tasks")["tasks"] == []


@pytest.mark.parametrize("kind", ["task", "job"])
def test_a_worker_in_an_expression_is_a_reference_and_one_in_a_program_is_none(kind: str) -> None:
    content: Any = {"nodes": NODES} if kind == "task" else NODES["b"]

    assert ("worker", "theirs") in set(references(kind, content))
    made = rewritten(kind, content, {("worker", "theirs"): "ours"})
    node = made["nodes"]["b"] if kind == "task" else made
    assert node["when"] == "$.JOB['a'].WORKERS['ours'].STATUS == 'x'"
    if kind == "task":
        assert made["nodes"]["a"]["process"] == "echo WORKERS['theirs']"
        assert {name for of, name in references(kind, content) if of in ("worker", "group")} == {
            "theirs", "local", "farm",
        }  # fmt: skip


def test_a_resource_in_the_condition_of_a_schedule_gets_the_name_that_it_has_here() -> None:
    """Where the whole condition is a resource, and where a text reads its check."""
    said = "$.RESOURCE['door'].ok == true and not $.RESOURCE['gate'].ok"
    for condition, there, here in (
        ({"resource": "door"}, {"door"}, {"resource": "entry"}),
        (said, {"door", "gate"}, said.replace("door", "entry")),
    ):
        task = {"schedule": {"condition": condition, "every": 5}, "nodes": {}}

        assert {name for kind, name in references("task", task) if kind == "resource"} == there
        made = rewritten("task", task, {("resource", "door"): "entry", ("task", "gate"): "x"})
        assert made["schedule"]["condition"] == here
