"""What expressions see of a run (contract 3): nodes, jobs, batches, rounds, logs, order, errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.context import ContextScope, Names, TaskContext, reference
from engine.model.codes.expressions import (
    BAD_PATH,
    BATCH_INDEX,
    MISSING_VALUE,
    NOT_ENDED,
    UNKNOWN_JOB,
    UNREADABLE,
    VALUE_TOO_BIG,
)
from engine.model.errors import ErrorCode, SkerryError
from engine.model.expression import compile_condition, compile_value, decide, render
from engine.model.states import JobState
from tests.context.clocks import HandClock


def ended(status: str = "succeeded", **fields: Any) -> dict[str, Any]:
    """A job's entry in the context."""
    return {"PARAMS": {}, "RESULT": {}, "STATUS": status, **fields}


class World:
    """A context in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.context = TaskContext(HandClock())
        self.names = Names(
            {"x", "y", "batch", "later"}, {"solo": ("y",), "twice": ("x", "y"), "x_job": ("batch",)}
        )
        self.context.set(
            ("TASK",),
            {"ID": "t", "NAME": "T", "INSTANCE": 7, "RUN": 1, "PARAMS": {"dir": "/d", "goal": 3,
            "none": None},
             "STATUS": "running", "TRIGGER": "manual", "SCHEDULED_TIME": "2026-11-21T08:00:00.000000+08:00",
             "START_TIME": "2026-11-21T08:00:01.000000+08:00", "DIRECTORY": str(folder), "WORKSPACE": "/w"},
            run=1,
        )  # fmt: skip

    def job(self, entry: Any, node: str = "x") -> None:
        """Put a job's entry into the context."""
        self.context.set(("JOB", node), entry, run=1)

    def logs(self, node: str = "x", **files: bytes) -> None:
        """A job that ended, with files in its folder (``job_log`` is job.log)."""
        place = self.folder / "jobs" / f"job-{node}-1"
        place.mkdir(parents=True)
        for name, data in files.items():
            (place / name.replace("_error", "-error").replace("_log", ".log")).write_bytes(data)
        self.job(ended(DIRECTORY=str(place)), node)

    def scope(self, **more: Any) -> ContextScope:
        """What an expression sees."""
        return ContextScope(self.context, self.names, zone="Asia/Shanghai", **more)

    def value(self, text: Any, **more: Any) -> Any:
        """The value of an expression."""
        return render(compile_value(text), self.scope(**more)).value

    def inputs(self, text: str, **more: Any) -> dict[str, Any]:
        """What an expression is recorded to have read."""
        return render(compile_value(text), self.scope(**more)).used[0].inputs

    def fails(self, text: str, code: ErrorCode, *said: str, **more: Any) -> None:
        """The expression is an error with this code that names it, and says this."""
        with pytest.raises(SkerryError) as caught:
            self.value(text, **more)
        assert caught.value.entry is code, caught.value.message
        assert caught.value.where == text
        for each in (text, *said):
            assert each in caught.value.message


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A context with a task and no jobs."""
    return World(tmp_path)


# -- the task, items ------------------------------------------------------------------------------


def test_every_value_of_the_task_can_be_used(world: World) -> None:
    assert world.value("$.TASK.PARAMS['goal']") == 3
    assert world.value("$.TASK.PARAMS.goal") == 3
    assert world.value("$.TASK.PARAMS[0]") == "/d"
    assert world.value("$.TASK.PARAMS") == {"dir": "/d", "goal": 3, "none": None}
    assert world.value("$.TASK.PARAMS['none']") is None
    assert world.value("{$.TASK.DIRECTORY}/a.txt") == f"{world.folder}/a.txt"
    assert world.value("$.TASK.WORKSPACE") == "/w"
    assert world.value("$.TASK")["INSTANCE"] == 7
    assert world.value("{$.TASK.SCHEDULED_TIME}:DATE:-1d:%Y%m%d") == "20261120"
    assert world.value("{$.TASK.SCHEDULED_TIME}:DATE:0d:%Y-%m-%dT%H:%M") == "2026-11-21T08:00"


def test_a_missing_parameter_is_an_error_and_never_an_empty_text(world: World) -> None:
    world.fails("$.TASK.PARAMS['wrong']", MISSING_VALUE, "'wrong'", "'dir', 'goal', 'none'")
    world.fails("a {$.TASK.PARAMS['wrong']}", MISSING_VALUE)
    world.fails("$.TASK.PARAMS[3]", MISSING_VALUE)
    world.fails("$.TASK.PARAMS['goal']['x']", MISSING_VALUE, "a plain value")
    world.fails("$.TASK.PARAMS['none'].x", MISSING_VALUE, "null")


def test_item_and_index_belong_to_a_for_each(world: World) -> None:
    assert world.value(["$.ITEM", "$.INDEX", "$.ITEM['a'][-1]"], item={"a": [1, 2]}, index=4) == [
        {"a": [1, 2]},
        4,
        2,
    ]
    assert world.value("$.ITEM", item=None, index=0) is None
    world.fails("$.ITEM", MISSING_VALUE, "for_each")
    world.fails("$.INDEX", MISSING_VALUE, "for_each")
    world.fails("$.UPSTREAM['t'].RESULT", MISSING_VALUE)


# -- which job a key means ------------------------------------------------------------------------


def test_a_key_is_a_node_id_first(world: World) -> None:
    world.names = Names({"a", "b"}, {"a": ("b",)})
    world.job(ended(RESULT={"r": "of node a"}), "a")
    world.job(ended(RESULT={"r": "of node b"}), "b")
    assert world.value("$.JOB['a'].RESULT['r']") == "of node a"


def test_else_the_id_of_a_job_that_exactly_one_node_uses(world: World) -> None:
    world.job(ended(RESULT={"r": 1}), "y")
    assert world.value("$.JOB['solo'].RESULT['r']") == 1


def test_else_an_error_that_names_the_job_and_its_nodes(world: World) -> None:
    world.fails("$.JOB['twice'].STATUS", UNKNOWN_JOB, "'twice'", "x, y")
    world.fails("$.JOB['nobody'].STATUS", UNKNOWN_JOB, "'nobody'")


def test_a_member_of_a_group_has_a_key_of_its_own(world: World) -> None:
    world.job(ended(RESULT={"r": 1}), "report.0")
    assert world.value("$.JOB['report.0'].RESULT['r']") == 1


def test_inside_a_job_its_own_ids_mean_the_running_one(world: World) -> None:
    world.job(ended("running", PARAMS={"p": 1}), "y")
    world.job(ended(PARAMS={"p": "of another node"}), "concat")
    own = {"running": "y", "running_job": "concat", "running_path": ("JOB", "y")}
    assert world.value("$.JOB['concat'].PARAMS['p']", **own) == 1
    assert world.value("$.JOB['y'].PARAMS['p']", **own) == 1
    world.fails("$.JOB['y'].PARAMS['p']", NOT_ENDED)
    world.fails("$.JOB['y'].END_TIME", MISSING_VALUE, "'END_TIME'", **own)


def test_inside_a_member_of_a_batch_its_own_id_means_that_member(world: World) -> None:
    world.job(
        [ended(PARAMS={"p": 0}), ended("running", PARAMS={"p": 1}), ended("running", PARAMS={"p": 2})],
        "batch",
    )
    own = {"running": "batch", "running_job": "x_job", "running_path": ("JOB", "batch", 1)}
    assert world.value("$.JOB['x_job'].PARAMS['p']", **own) == 1
    assert world.value("$.JOB['batch'].PARAMS['p']", **own) == 1
    assert world.value("$.JOB['x_job'][0].PARAMS['p']", **own) == 0
    assert world.value("$.JOB['x_job'][1].PARAMS['p']", **own) == 1
    assert world.value("$.JOB['x_job'].PARAMS.`len`", **own) == 1
    world.fails("$.JOB['x_job'][2].PARAMS['p']", NOT_ENDED, **own)


# -- ended or not ---------------------------------------------------------------------------------


@pytest.mark.parametrize("state", list(JobState))
def test_only_the_values_of_ended_jobs_can_be_used(world: World, state: JobState) -> None:
    world.job(ended(str(state), EXIT_CODE=0))
    if state.ended:
        assert world.value("$.JOB['x'].EXIT_CODE") == 0
        assert world.value("$.JOB['x'].STATUS") == str(state)
    else:
        world.fails("$.JOB['x'].EXIT_CODE", NOT_ENDED, "'x'", str(state))
        world.fails("$.JOB['x'].STATUS", NOT_ENDED)


def test_a_job_that_has_not_started_is_an_error(world: World) -> None:
    world.fails("$.JOB['later'].OUTPUT", NOT_ENDED, "'later'", "not started")
    world.job({"INSTANCE": 1})
    world.fails("$.JOB['x']", NOT_ENDED)


def test_a_missing_result_names_the_job_and_what_there_is(world: World) -> None:
    world.job(ended(RESULT={"a": 1, "b": [1, 2]}))
    world.fails("$.JOB['x'].RESULT['c']", MISSING_VALUE, "job 'x'", "'c'", "'a', 'b'")
    world.fails("$.JOB['x'].RESULT['b'][2]", MISSING_VALUE, "2 values")
    world.fails("$.JOB['x'].RESULT['b']['k']", MISSING_VALUE, "a list")
    world.fails("$.JOB['x'].ERROR_CODE", MISSING_VALUE)
    with pytest.raises(SkerryError) as caught:
        decide(compile_condition("{$.JOB['x'].RESULT['c']} == null"), world.scope())
    assert caught.value.entry is MISSING_VALUE
    assert caught.value.where == "{$.JOB['x'].RESULT['c']} == null"


# -- parameters and results -----------------------------------------------------------------------


def test_parameters_and_results_are_taken_by_name_and_by_position(world: World) -> None:
    world.job(ended(PARAMS={"z": "first", "a": "second"}, RESULT={"path": "/p", "count": 2, "exit_code": 0}))
    assert world.value("$.JOB['x'].RESULT['path']") == "/p"
    assert [world.value(f"$.JOB['x'].RESULT[{n}]") for n in range(3)] == ["/p", 2, 0]
    assert world.value("$.JOB['x'].PARAMS[0]") == "first"
    assert world.value("$.JOB['x'].PARAMS[-1]") == "second"
    assert world.value("$.JOB['x'].RESULT") == {"path": "/p", "count": 2, "exit_code": 0}
    world.fails("$.JOB['x'].RESULT[3]", MISSING_VALUE)
    world.fails("$.JOB['x'][0]", MISSING_VALUE)


def test_positions_follow_the_definition_while_results_are_being_computed(world: World) -> None:
    world.names = Names({"x"}, {}, {"x": ("computed", "rows")})
    world.job(ended("running", RESULT={"rows": 5, "exit_code": 0, "other": 1}))
    own = {"running": "x", "running_path": ("JOB", "x")}
    assert world.value("$.JOB['x'].RESULT[1]", **own) == 5
    assert world.value("$.JOB['x'].RESULT[2]", **own) == 0
    world.fails("$.JOB['x'].RESULT[0]", MISSING_VALUE, **own)


def test_other_maps_have_no_positions(world: World) -> None:
    world.job(ended(RESULT={"m": {"a": 1}}))
    world.fails("$.JOB['x'].RESULT['m'][0]", MISSING_VALUE)


# -- batches and rounds ---------------------------------------------------------------------------


def test_a_batch_is_used_with_an_index(world: World) -> None:
    world.job([ended(RESULT={"y": n}) for n in range(3)], "batch")
    assert world.value("$.JOB['batch'][0].RESULT['y']") == 0
    assert world.value("$.JOB['batch'][-1].RESULT['y']") == 2
    assert world.value("$.JOB['batch'][*].RESULT['y']") == [0, 1, 2]
    assert world.value("$.JOB['batch'][1:].RESULT['y']") == [1, 2]
    assert world.value("$.JOB['batch'][0:3:2].RESULT[0]") == [0, 2]
    assert world.value("$.JOB['x_job'][1].RESULT['y']") == 1
    assert world.value("{$.JOB['batch'][*].RESULT['y']}") == "[0,1,2]"


def test_a_batch_without_an_index_is_an_error(world: World) -> None:
    world.job([ended()], "batch")
    world.fails("$.JOB['batch'].RESULT['y']", BATCH_INDEX, "'batch'", "[0]", "[*]")
    world.fails("$.JOB['batch']", BATCH_INDEX)
    world.fails("$.JOB['batch'][1].STATUS", MISSING_VALUE, "'batch'")


def test_all_members_must_have_ended_and_have_the_value(world: World) -> None:
    world.job([ended(RESULT={"y": 1}), ended("running", RESULT={"y": 2}), None], "batch")
    assert world.value("$.JOB['batch'][0].RESULT['y']") == 1
    world.fails("$.JOB['batch'][*].RESULT['y']", NOT_ENDED)
    world.fails("$.JOB['batch'][2].RESULT['y']", NOT_ENDED)
    world.job([ended(RESULT={"y": 1}), ended("failed")], "batch")
    world.fails("$.JOB['batch'][*].RESULT['y']", MISSING_VALUE)


def test_an_empty_batch_gives_an_empty_list(world: World) -> None:
    world.job([], "batch")
    assert world.value("$.JOB['batch'][*].RESULT['y']") == []


def test_rounds_are_counted_from_the_first_and_the_latest_is_the_job(world: World) -> None:
    world.context.set(("ROUNDS", "x"), [ended(RESULT={"n": 1}), ended(RESULT={"n": 2})], run=1)
    world.job(ended(RESULT={"n": 3}))
    assert [world.value(f"$.ROUNDS['x'][{n}].RESULT['n']") for n in (0, 1, 2, -1)] == [1, 2, 3, 3]
    assert world.value("$.JOB['x'].RESULT['n']") == 3
    assert world.value("$.ROUNDS['x'][*].RESULT['n']") == [1, 2, 3]
    assert [each["RESULT"]["n"] for each in world.value("$.ROUNDS['x']")] == [1, 2, 3]
    assert world.value("$.ROUNDS['x'][?(@.RESULT.n > 1)].RESULT.n") == [2, 3]
    world.fails("$.ROUNDS['x'][3].STATUS", MISSING_VALUE)
    world.fails("$.ROUNDS['x'].STATUS", BATCH_INDEX)
    world.fails("$.ROUNDS['nobody'][0].STATUS", UNKNOWN_JOB)


def test_a_node_that_never_looped_has_one_round(world: World) -> None:
    world.job(ended(RESULT={"n": 1}))
    assert world.value("$.ROUNDS['x'][0].RESULT['n']") == 1
    world.job(ended("running"))
    world.fails("$.ROUNDS['x'][0].STATUS", NOT_ENDED)


def test_rounds_of_a_batch_have_members(world: World) -> None:
    world.context.set(("ROUNDS", "batch"), [[ended(RESULT={"n": 1}), ended(RESULT={"n": 2})]], run=1)
    world.job([ended(RESULT={"n": 3})], "batch")
    assert world.value("$.ROUNDS['batch'][0][1].RESULT['n']") == 2
    assert world.value("$.ROUNDS['batch'][0][*].RESULT['n']") == [1, 2]
    assert world.value("$.ROUNDS['batch'][*][0].RESULT['n']") == [1, 3]
    assert len(world.value("$.ROUNDS['batch']")) == 2
    world.fails("$.ROUNDS['batch'][0].RESULT['n']", BATCH_INDEX)


# -- logs -----------------------------------------------------------------------------------------


def test_output_log_and_error_output_come_from_the_files(world: World) -> None:
    world.logs(job_log=b"a\nb\n\n", job_error_log=b"bad\n")
    assert world.value("$.JOB['x'].OUTPUT") == "a\nb\n"
    assert world.value("$.JOB['x'].LOG") == "a\nb\n\n"
    assert world.value("$.JOB['x'].ERROR_OUTPUT") == "bad\n"
    assert world.value("{$.JOB['x'].OUTPUT}:REGEX:b") == "b"
    assert world.inputs("$.JOB['x'].LOG") == {"$.JOB['x'].LOG": "a\nb\n\n"}
    assert decide(compile_condition("{$.JOB['x'].LOG}#'a'"), world.scope())[0]


def test_bytes_that_are_no_utf8_are_replaced(world: World) -> None:
    world.logs(job_log=b"\xff\xe4\xbd\xa0ok")
    assert world.value("$.JOB['x'].OUTPUT") == "\ufffd你ok"


def test_logs_are_read_each_time_they_are_used(world: World) -> None:
    world.logs(job_log=b"1")
    scope, template = world.scope(), compile_value("$.JOB['x'].OUTPUT")
    assert render(template, scope).value == "1"
    Path(world.context.tree["JOB"]["x"]["DIRECTORY"], "job.log").write_bytes(b"2")
    assert render(template, scope).value == "2"


def test_a_big_log_is_recorded_as_a_reference(world: World) -> None:
    world.logs(job_log=b"x" * 300_000)
    [recorded] = world.inputs("$.JOB['x'].OUTPUT").values()
    assert recorded == reference("jobs/job-x-1/job.log", b"x" * 300_000)


def test_a_log_over_64_mib_is_an_error_that_says_so(world: World) -> None:
    world.logs(job_log=b"")
    log = Path(world.context.tree["JOB"]["x"]["DIRECTORY"], "job.log")
    with log.open("r+b") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    world.fails("$.JOB['x'].OUTPUT", VALUE_TOO_BIG, "67,108,864")


def test_a_missing_log_or_a_link_in_its_place_is_an_error(world: World) -> None:
    world.logs(job_error_log=b"")
    log = Path(world.context.tree["JOB"]["x"]["DIRECTORY"], "job.log")
    world.fails("$.JOB['x'].OUTPUT", UNREADABLE, "'x'")
    log.symlink_to("/etc/hostname")
    world.fails("$.JOB['x'].OUTPUT", UNREADABLE)
    assert world.value("$.JOB['x'].ERROR_OUTPUT") == ""


def test_a_job_that_never_ran_has_no_output(world: World) -> None:
    world.job({"STATUS": "skipped"})
    world.fails("$.JOB['x'].OUTPUT", MISSING_VALUE, "never ran")


# -- big values -----------------------------------------------------------------------------------


def big(world: World, value: Any, kind: str | None) -> dict[str, Any]:
    """A result that stands in its file."""
    data = (value if isinstance(value, str) else json.dumps(value)).encode()
    (world.folder / "jobs").mkdir(exist_ok=True)
    (world.folder / "jobs" / "rows").write_bytes(data)
    return reference("jobs/rows", data, kind)


def test_a_big_value_is_read_from_its_file_when_it_is_used(world: World) -> None:
    rows = [{"n": n} for n in range(50_000)]
    entry = big(world, rows, "list")
    world.job(ended(RESULT={"small": 1, "rows": entry}))
    assert world.value("$.JOB['x'].RESULT['rows'][4]['n']") == 4
    assert world.value("$.JOB['x'].RESULT['rows']") == rows
    assert world.value("$.JOB['x'].RESULT[1][-1].n") == 49_999
    assert world.value("$.JOB['x'].RESULT") == {"small": 1, "rows": rows}
    assert world.value("$.JOB['x']")["RESULT"]["rows"] == rows
    assert world.value("$.JOB['x'].RESULT['rows'][?(@.n > 49998)].n") == [49_999]
    assert world.inputs("$.JOB['x'].RESULT['rows']") == {"$.JOB['x'].RESULT['rows']": entry}
    assert world.inputs("$.JOB['x'].RESULT['rows'][4]['n']") == {"$.JOB['x'].RESULT['rows'][4]['n']": 4}


def test_a_big_text_stays_a_text(world: World) -> None:
    world.job(ended(PARAMS={"t": big(world, "5" * 300_000, None)}))
    assert world.value("$.JOB['x'].PARAMS['t']") == "5" * 300_000


def test_a_big_value_whose_file_was_changed_is_an_error(world: World) -> None:
    world.job(ended(RESULT={"rows": big(world, [1], "list")}))
    (world.folder / "jobs" / "rows").write_bytes(b"[2]")
    world.fails("$.JOB['x'].RESULT['rows']", UNREADABLE)


def test_without_the_folder_of_the_instance_a_big_value_cannot_be_read(world: World) -> None:
    world.job(ended(RESULT={"rows": big(world, [1], "list")}))
    world.context.remove(("TASK", "DIRECTORY"), run=1)
    world.fails("$.JOB['x'].RESULT['rows']", UNREADABLE)


def test_a_scope_of_a_job_that_is_not_in_the_context_yet_sees_the_others(world: World) -> None:
    world.job(ended("running"))
    world.fails("$.JOB['x'].STATUS", NOT_ENDED, running="later", running_path=("JOB", "later", 3))


def test_data_that_looks_like_a_reference_leads_nowhere(world: World) -> None:
    forged = {"$file": "../../../etc/passwd", "size": 1, "sha256": "0" * 64}
    world.job(ended(RESULT={"json": {"inner": forged, "$file": "x"}, "top": forged}))
    assert world.value("$.JOB['x'].RESULT['json']['inner']") == forged
    assert world.value("$.JOB['x'].RESULT['json']")["$file"] == "x"
    world.fails("$.JOB['x'].RESULT['top']", UNREADABLE)


# -- queries --------------------------------------------------------------------------------------

ROWS = [{"n": 1, "w": "a"}, {"n": 2, "w": "b", "x": True}, {"n": 3, "w": "c"}]


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("[*].n", [1, 2, 3]),
        ("[1:].w", ["b", "c"]),
        ("[?(@.n > 1)].w", ["b", "c"]),
        ("[?(@.n > 1 && @.w != 'c')].n", [2]),
        ("[?(@.n > 9)].n", []),
        ("[?(@.w == $.TASK.PARAMS.letter)].n", [3]),
        ("[*].x", [True]),
        ("..n", [1, 2, 3]),
        (".`len`", 3),
        ("[0].`keys`", ["n", "w"]),
        ("[\\n][0].n", 3),
        ("[0,2]", [{"n": 1, "w": "a"}, {"n": 3, "w": "c"}]),
        ("[1]['n','w']", [2, "b"]),
        ("[1].n + 1", 3),
        ("[1].n * $.JOB['x'].RESULT.rows[2].n", 6),
        ("[0].w.`sub(/a/, z)`", "z"),
        ("[0].w.`split(a, 0, -1)`", ""),
    ],
)
def test_anything_else_of_jsonpath_works_on_the_tree(world: World, rest: str, expected: Any) -> None:
    world.context.set(("TASK", "PARAMS", "letter"), "c", run=1)
    world.job(ended(RESULT={"rows": ROWS}))
    assert world.value("$.JOB['x'].RESULT['rows']" + rest) == expected
    by_position = world.value("$.JOB['x'].RESULT[0]" + rest)
    assert by_position == expected


def test_a_query_names_what_is_missing(world: World) -> None:
    world.job(ended(RESULT={"rows": ROWS, "text": "abc", "empty": [], "mixed": [1, "a"]}))
    world.fails("$.JOB['x'].RESULT['gone'][*].n", MISSING_VALUE, "job 'x'")
    world.fails("$.JOB['x'].RESULT['rows'][*].nn", MISSING_VALUE)
    world.fails("$.JOB['x'].RESULT['rows'][5].`len`", MISSING_VALUE)
    world.fails("$.JOB['later'].RESULT['rows'][*].n", NOT_ENDED)
    world.fails("$.JOB['x'].RESULT['text'] * 99999999", BAD_PATH)
    world.fails("$.JOB['x'].RESULT['mixed'].`sorted`", BAD_PATH)
    assert world.value("$.JOB['x'].RESULT['empty'][*].n") == []


def test_a_query_sees_jobs_under_the_same_rules(world: World) -> None:
    world.logs("y", job_log=b"out\n")
    world.job(ended("failed", EXIT_CODE=3))
    assert world.value("$.JOB.*.STATUS") == ["succeeded", "failed"]
    assert world.value("$.JOB[?(@.EXIT_CODE == 3)].STATUS") == ["failed"]
    assert world.value("$.JOB['solo','x'].STATUS") == ["succeeded", "failed"]
    assert world.value("$.JOB['y'].OUTPUT.`len`") == 3
    assert world.value("$..EXIT_CODE") == [3]
    assert set(world.value("$.JOB")) == {"x", "y"}
    world.job(ended("running"), "later")
    world.fails("$.JOB.*.STATUS", NOT_ENDED, "'later'")
    world.fails("$.JOB", NOT_ENDED)
    world.fails("$..EXIT_CODE", NOT_ENDED)
    own = {"running": "later", "running_path": ("JOB", "later")}
    assert world.value("$.JOB.*.STATUS", **own) == ["succeeded", "failed", "running"]


def test_a_query_can_go_through_a_batch(world: World) -> None:
    world.job([ended(RESULT={"rows": ROWS}), ended(RESULT={"rows": ROWS[:1]})], "batch")
    assert world.value("$.JOB['batch'][*].RESULT['rows'][*].n") == [1, 2, 3, 1]
    assert world.value("$.JOB['batch'][1].RESULT[0][*].n") == [1]
    world.fails("$.JOB['batch'][*].RESULT[0][*].n", MISSING_VALUE, "write the name")


def test_data_may_be_deep(world: World) -> None:
    deep = json.loads("[" * 300 + "]" * 300)
    world.job(ended(RESULT={"deep": deep}))
    assert world.value("$.JOB['x'].RESULT['deep']") == deep
    assert world.value("$.JOB['x'].RESULT.*") == [deep]
    assert world.value("$.JOB['x'].RESULT['deep'][*]") == deep


def test_items_can_be_queried(world: World) -> None:
    assert world.value("$.ITEM[*].n", item=ROWS, index=0) == [1, 2, 3]


def test_nothing_that_was_read_is_changed_or_shared_with_the_log(world: World) -> None:
    world.job(ended(RESULT={"rows": ROWS}))
    before = world.context.canonical()
    value = world.value({"a": "$.JOB['x'].RESULT['rows']"})
    world.context.set(("JOB", "x", "RESULT", "copy"), value, run=1)
    world.context.set(("JOB", "x", "RESULT", "rows", 0, "n"), 99, run=1)
    assert world.value("$.JOB['x'].RESULT['copy']['a'][0]['n']") == 1
    assert before != world.context.canonical()
