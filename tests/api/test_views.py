"""The documents of show and list."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.api import views
from engine.model.reason import Kind, Reason
from engine.model.reason_words import words
from engine.model.states import JobState
from engine.planning.outline import Outline, outline_in
from engine.store.rows import InstanceRow, JobRow

SHANGHAI = ZoneInfo("Asia/Shanghai")
TIME = "2026-11-21T00:00:00.500000+00:00"
LOCAL = "2026-11-21T08:00:00.500000+08:00"
ROOT = Path("/w")

JOB_KEYS = [
    "node", "job", "instance", "run", "round", "index", "status", "attempt", "worker", "pid", "exit_code",
    "error_code", "error_message", "error_facts", "created_at", "started_at", "ended_at", "params",
    "results", "based_on_edit", "directory", "reason", "unverified",
    "unverified_facts", "why",
]  # fmt: skip
RUN_KEYS = [
    "instance", "task", "run", "trigger", "status", "error_code", "error_message", "created_at",
    "scheduled_time", "started_at", "ended_at", "params", "results", "definition", "edited", "directory",
    "jobs",
]  # fmt: skip

INSTANCE = InstanceRow(
    id=7, task="t", status="running", trigger="manual", scheduled_time=TIME, created_at=TIME, run=1,
    params={"a": 1}, edited=["$.TASK.PARAMS['a']"], definition=3, directory="/w/instances/task-t-7",
)  # fmt: skip


def row(id: int, node: str, status: str = "succeeded", **more: Any) -> JobRow:
    given = {"instance": 7, "run": 1, "job": node, "created_at": TIME, **more}
    return JobRow(id=id, node=node, status=status, **given)


def shown(*rows: JobRow, outline: Outline | None = None) -> Any:
    return views.run_document(INSTANCE, rows, outline or Outline(), SHANGHAI, ROOT)


def places(document: Any) -> list[tuple[Any, ...]]:
    return [(job["node"], job["run"], job["round"], job["index"]) for job in document["jobs"]]


def test_the_document_has_the_keys_of_the_contract_and_why_it_is_as_it_is() -> None:
    document = shown(row(1, "a"))

    assert sorted(document) == sorted([*RUN_KEYS, "error_facts", "reason", "upstream", "why"])
    assert sorted(document["jobs"][0]) == sorted(JOB_KEYS)


def test_times_are_in_the_workspaces_zone_with_microseconds() -> None:
    whole = replace(INSTANCE, created_at="2026-11-21T00:00:00+00:00")

    document = views.run_document(whole, [row(1, "a", started_at=TIME)], Outline(), SHANGHAI, ROOT)

    assert document["created_at"] == "2026-11-21T08:00:00.000000+08:00"
    assert document["jobs"][0]["started_at"] == LOCAL
    assert document["started_at"] is None


def test_directories_are_absolute_or_null() -> None:
    document = shown(row(1, "a", directory="instances/x"), row(2, "b", directory="/other/x"), row(3, "c"))

    assert [job["directory"] for job in document["jobs"]] == ["/w/instances/x", "/other/x", None]


def test_a_rerun_replaces_only_what_it_ran_again() -> None:
    rows = [row(1, "a"), row(2, "b", "failed"), row(3, "b", run=2)]

    assert places(shown(*rows)) == [("a", 1, 1, None), ("b", 2, 1, None)]


def test_rounds_and_members_stand_each() -> None:
    rows = [row(1, "look"), row(2, "look", round=2), row(4, "size", index=1), row(3, "size", index=0)]

    assert places(shown(*rows, outline=Outline(order={"look": 0, "size": 1}))) == [
        ("look", 1, 1, None), ("look", 1, 2, None), ("size", 1, 1, 0), ("size", 1, 1, 1),
    ]  # fmt: skip


def test_a_loop_begun_again_replaces_all_its_rounds() -> None:
    rows = [row(1, "x"), row(2, "x", round=2), row(3, "x", run=2)]

    assert places(shown(*rows)) == [("x", 2, 1, None)]


def test_a_loop_gone_on_with_keeps_its_earlier_rounds() -> None:
    first = [row(1, "x"), row(2, "x", "failed", round=2)]
    rows = [*first, row(3, "x", run=2, round=2), row(4, "x", run=2, round=3)]

    assert places(shown(*rows)) == [("x", 1, 1, None), ("x", 2, 2, None), ("x", 2, 3, None)]


def test_members_follow_their_group_and_go_with_it() -> None:
    rows = [
        row(1, "report", "failed"), row(2, "report.0", parent=1), row(3, "report.1", "failed", parent=1),
        row(4, "z"), row(5, "report", "failed", run=2), row(6, "report.0", "failed", run=2, parent=5),
    ]  # fmt: skip

    document = shown(*rows, outline=Outline(order={"report": 0, "z": 1}))

    found = [(job["node"], job["run"]) for job in document["jobs"]]
    assert found == [("report", 2), ("report.0", 2), ("z", 1)]


def test_what_waits_for_others_names_them() -> None:
    outline = Outline(parents={"c": ("a", "b"), "d": ("a",)})
    rows = [row(1, "a"), row(2, "b", "running"), row(3, "c", "pending"), row(4, "d", "pending")]

    reasons = {job["node"]: job["reason"] for job in shown(*rows, outline=outline)["jobs"]}

    assert reasons == {"a": None, "b": None, "c": "waits for b", "d": "waits for its turn"}


def test_a_batch_is_waited_for_until_its_last_member() -> None:
    outline = Outline(parents={"b": ("a",)})
    rows = [row(1, "a", index=0), row(2, "a", "running", index=1), row(3, "b", "pending")]

    assert shown(*rows, outline=outline)["jobs"][2]["reason"] == "waits for a"


@pytest.mark.parametrize(
    ("status", "more", "reason"),
    [
        ("queued", {}, "waits for a slot"),
        ("queued", {"reason": "waits behind 3 others"}, "waits behind 3 others"),
        ("waiting", {"due_at": TIME}, f"waits until {LOCAL}"),
        ("waiting", {}, "waits until its condition holds"),
        ("retrying", {"due_at": TIME}, f"will be tried again at {LOCAL}"),
        ("checking", {"due_at": TIME}, "its outcome is checked later"),
        ("busy", {}, "its worker is busy"),
        ("no_worker", {}, "no worker is there to run it"),
        ("skipped", {"reason": "branch: not taken"}, "branch: not taken"),
        ("succeeded", {}, None),
    ],
)
def test_every_unfinished_job_says_why(status: str, more: dict[str, Any], reason: str | None) -> None:
    assert shown(row(1, "a", status, **more))["jobs"][0]["reason"] == reason


def test_a_reason_is_beside_its_words_as_data() -> None:
    waits, queued = (
        row(2, "b", "pending"),
        row(3, "c", "queued", reason="waits for a slot", why={"kind": "slot"}),
    )
    exclusive = row(4, "d", "busy", why={"kind": "exclusive_next", "holders": ["#7 long ended"]})
    shape = Outline(parents={"b": ("a",)})

    document = views.run_document(
        INSTANCE,
        [row(1, "a", "running"), waits, queued, exclusive],
        shape,
        SHANGHAI,
        ROOT,
        holders=[row(1, "a")],
    )

    answer = {job["node"]: job["why"] for job in document["jobs"]}
    assert answer == {
        "a": None,
        "b": {"kind": "parents", "nodes": ["a"], "status": "running"},
        "c": {"kind": "slot", "holders": ["#7 a"]},
        "d": {"kind": "exclusive_next", "holders": ["#7 a"]},
    }


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 3), st.integers(1, 3)), max_size=12))
def test_every_node_is_shown_with_its_latest_run(found: list[tuple[str, int, int]]) -> None:
    rows = [row(id, node, run=run, round=round) for id, (node, run, round) in enumerate(found, 1)]

    latest = views.latest_jobs(rows)

    for node in {each.node for each in rows}:
        newest = max(each.run for each in rows if each.node == node)
        assert [each for each in rows if (each.node, each.run) == (node, newest)] == [
            each for each in latest if (each.node, each.run) == (node, newest)
        ]


@given(st.sampled_from([each for each in JobState if not each.ended and each != "running"]))
def test_no_unfinished_state_is_without_a_reason(state: JobState) -> None:
    assert shown(row(1, "a", str(state)))["jobs"][0]["reason"]


RAW = {
    "jobs": {"decide": {"type": "condition", "branches": {"1": ["good"], "2": {"run": ["bad"]}}}},
    "tasks": {
        "t": {
            "nodes": {
                "last": {"type": "shell", "after": ["good", "bad", "x"]},
                "good": {"type": "shell"},
                "bad": {"type": "shell", "after": "x"},
                "fork": {"job": "decide", "after": ["x"]},
                "x": {"type": "shell"},
            }
        }
    },
}


def test_the_outline_counts_branches_as_parents() -> None:
    outline = outline_in(RAW, "t")

    assert outline.parents["good"] == ("fork",)
    assert outline.parents["bad"] == ("x", "fork")
    assert sorted(outline.order, key=outline.order.__getitem__) == ["x", "fork", "good", "bad", "last"]


def test_the_outline_of_nothing_is_empty() -> None:
    assert outline_in({}, "t") == Outline()
    assert outline_in({"tasks": {"t": {}}}, "t").order == {}


def test_a_cycle_does_not_hang() -> None:
    nodes = {"a": {"after": ["b"]}, "b": {"after": ["a"]}, "c": {}}

    assert outline_in({"tasks": {"t": {"nodes": nodes}}}, "t").order == {"c": 0, "a": 1, "b": 2}


def test_a_wide_and_deep_task_is_quick() -> None:
    nodes = {f"n{i}": {"after": [f"n{i - 1}", "n0"] if i else []} for i in range(5000)}

    assert outline_in({"tasks": {"t": {"nodes": nodes}}}, "t").order["n4999"] == 4999


AWAY = Reason.of(Kind.REACHED_NO_MORE, at=LOCAL)


def test_what_the_jobs_of_a_running_instance_say_is_said_in_the_readers_language() -> None:
    half = Reason.of(Kind.PROGRESS, percent=40, text="half")
    rows = [row(1, "a", "running", why=half.to_json()), row(2, "b", "running", why=AWAY.to_json())]

    found = views.summary(INSTANCE, SHANGHAI, ROOT, views.progress(rows)[7])

    assert found["reason"] is not None
    assert found["reason"].startswith("a: 40 % half; b: not reachable")
    chinese = words(Reason.read(found["why"], None), "zh")  # type: ignore[arg-type]
    assert chinese.startswith("a: 40 % half; b: ")
    assert "not reach" not in chinese
