"""What expressions see of a run (contract 3): nodes, jobs, batches, rounds, logs, order, errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.context import ContextScope, NodeNames, TaskContext, reference
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


class Values:
    """A context in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.context = TaskContext(HandClock())
        self.names = NodeNames(
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
def values(tmp_path: Path) -> Values:
    """A context with a task and no jobs."""
    return Values(tmp_path)


# -- the task, items ------------------------------------------------------------------------------


def test_every_value_of_the_task_can_be_used(values: Values) -> None:
    assert values.value("$.TASK.PARAMS['goal']") == 3
    assert values.value("$.TASK.PARAMS.goal") == 3
    assert values.value("$.TASK.PARAMS[0]") == "/d"
    assert values.value("$.TASK.PARAMS") == {"dir": "/d", "goal": 3, "none": None}
    assert values.value("$.TASK.PARAMS['none']") is None
    assert values.value("{$.TASK.DIRECTORY}/a.txt") == f"{values.folder}/a.txt"
    assert values.value("$.TASK.WORKSPACE") == "/w"
    assert values.value("$.TASK")["INSTANCE"] == 7
    assert values.value("{$.TASK.SCHEDULED_TIME}:DATE:-1d:%Y%m%d") == "20261120"
    assert values.value("{$.TASK.SCHEDULED_TIME}:DATE:0d:%Y-%m-%dT%H:%M") == "2026-11-21T08:00"


def test_a_missing_parameter_is_an_error_and_never_an_empty_text(values: Values) -> None:
    values.fails("$.TASK.PARAMS['wrong']", MISSING_VALUE, "'wrong'", "'dir', 'goal', 'none'")
    values.fails("a {$.TASK.PARAMS['wrong']}", MISSING_VALUE)
    values.fails("$.TASK.PARAMS[3]", MISSING_VALUE)
    values.fails("$.TASK.PARAMS['goal']['x']", MISSING_VALUE, "a plain value")
    values.fails("$.TASK.PARAMS['none'].x", MISSING_VALUE, "null")


def test_item_and_index_belong_to_a_for_each(values: Values) -> None:
    assert values.value(["$.ITEM", "$.INDEX", "$.ITEM['a'][-1]"], item={"a": [1, 2]}, index=4) == [
        {"a": [1, 2]},
        4,
        2,
    ]
    assert values.value("$.ITEM", item=None, index=0) is None
    values.fails("$.ITEM", MISSING_VALUE, "for_each")
    values.fails("$.INDEX", MISSING_VALUE, "for_each")
    values.fails("$.UPSTREAM['t'].RESULT", MISSING_VALUE)


# -- which job a key means ------------------------------------------------------------------------


def test_a_key_is_a_node_id_first(values: Values) -> None:
    values.names = NodeNames({"a", "b"}, {"a": ("b",)})
    values.job(ended(RESULT={"r": "of node a"}), "a")
    values.job(ended(RESULT={"r": "of node b"}), "b")
    assert values.value("$.JOB['a'].RESULT['r']") == "of node a"


def test_else_the_id_of_a_job_that_exactly_one_node_uses(values: Values) -> None:
    values.job(ended(RESULT={"r": 1}), "y")
    assert values.value("$.JOB['solo'].RESULT['r']") == 1


def test_else_an_error_that_names_the_job_and_its_nodes(values: Values) -> None:
    values.fails("$.JOB['twice'].STATUS", UNKNOWN_JOB, "'twice'", "x, y")
    values.fails("$.JOB['nobody'].STATUS", UNKNOWN_JOB, "'nobody'")


def test_a_member_of_a_group_has_a_key_of_its_own(values: Values) -> None:
    values.job(ended(RESULT={"r": 1}), "report.0")
    assert values.value("$.JOB['report.0'].RESULT['r']") == 1


def test_inside_a_job_its_own_ids_mean_the_running_one(values: Values) -> None:
    values.job(ended("running", PARAMS={"p": 1}), "y")
    values.job(ended(PARAMS={"p": "of another node"}), "concat")
    own = {"running": "y", "running_job": "concat", "running_path": ("JOB", "y")}
    assert values.value("$.JOB['concat'].PARAMS['p']", **own) == 1
    assert values.value("$.JOB['y'].PARAMS['p']", **own) == 1
    values.fails("$.JOB['y'].PARAMS['p']", NOT_ENDED)
    values.fails("$.JOB['y'].END_TIME", MISSING_VALUE, "'END_TIME'", **own)


def test_inside_a_member_of_a_batch_its_own_id_means_that_member(values: Values) -> None:
    values.job(
        [ended(PARAMS={"p": 0}), ended("running", PARAMS={"p": 1}), ended("running", PARAMS={"p": 2})],
        "batch",
    )
    own = {"running": "batch", "running_job": "x_job", "running_path": ("JOB", "batch", 1)}
    assert values.value("$.JOB['x_job'].PARAMS['p']", **own) == 1
    assert values.value("$.JOB['batch'].PARAMS['p']", **own) == 1
    assert values.value("$.JOB['x_job'][0].PARAMS['p']", **own) == 0
    assert values.value("$.JOB['x_job'][1].PARAMS['p']", **own) == 1
    assert values.value("$.JOB['x_job'].PARAMS.`len`", **own) == 1
    values.fails("$.JOB['x_job'][2].PARAMS['p']", NOT_ENDED, **own)


# -- ended or not ---------------------------------------------------------------------------------


@pytest.mark.parametrize("state", list(JobState))
def test_only_the_values_of_ended_jobs_can_be_used(values: Values, state: JobState) -> None:
    values.job(ended(str(state), EXIT_CODE=0))
    if state.ended:
        assert values.value("$.JOB['x'].EXIT_CODE") == 0
        assert values.value("$.JOB['x'].STATUS") == str(state)
    else:
        values.fails("$.JOB['x'].EXIT_CODE", NOT_ENDED, "'x'", str(state))
        values.fails("$.JOB['x'].STATUS", NOT_ENDED)


def test_a_job_that_has_not_started_is_an_error(values: Values) -> None:
    values.fails("$.JOB['later'].OUTPUT", NOT_ENDED, "'later'", "not started")
    values.job({"INSTANCE": 1})
    values.fails("$.JOB['x']", NOT_ENDED)


def test_a_missing_result_names_the_job_and_what_there_is(values: Values) -> None:
    values.job(ended(RESULT={"a": 1, "b": [1, 2]}))
    values.fails("$.JOB['x'].RESULT['c']", MISSING_VALUE, "job 'x'", "'c'", "'a', 'b'")
    values.fails("$.JOB['x'].RESULT['b'][2]", MISSING_VALUE, "2 values")
    values.fails("$.JOB['x'].RESULT['b']['k']", MISSING_VALUE, "a list")
    values.fails("$.JOB['x'].ERROR_CODE", MISSING_VALUE)
    with pytest.raises(SkerryError) as caught:
        decide(compile_condition("{$.JOB['x'].RESULT['c']} == null"), values.scope())
    assert caught.value.entry is MISSING_VALUE
    assert caught.value.where == "{$.JOB['x'].RESULT['c']} == null"


# -- parameters and results -----------------------------------------------------------------------


def test_parameters_and_results_are_taken_by_name_and_by_position(values: Values) -> None:
    values.job(ended(PARAMS={"z": "first", "a": "second"}, RESULT={"path": "/p", "count": 2, "exit_code": 0}))
    assert values.value("$.JOB['x'].RESULT['path']") == "/p"
    assert [values.value(f"$.JOB['x'].RESULT[{n}]") for n in range(3)] == ["/p", 2, 0]
    assert values.value("$.JOB['x'].PARAMS[0]") == "first"
    assert values.value("$.JOB['x'].PARAMS[-1]") == "second"
    assert values.value("$.JOB['x'].RESULT") == {"path": "/p", "count": 2, "exit_code": 0}
    values.fails("$.JOB['x'].RESULT[3]", MISSING_VALUE)
    values.fails("$.JOB['x'][0]", MISSING_VALUE)


def test_positions_follow_the_definition_while_results_are_being_computed(values: Values) -> None:
    values.names = NodeNames({"x"}, {}, {"x": ("computed", "rows")})
    values.job(ended("running", RESULT={"rows": 5, "exit_code": 0, "other": 1}))
    own = {"running": "x", "running_path": ("JOB", "x")}
    assert values.value("$.JOB['x'].RESULT[1]", **own) == 5
    assert values.value("$.JOB['x'].RESULT[2]", **own) == 0
    values.fails("$.JOB['x'].RESULT[0]", MISSING_VALUE, **own)


def test_other_maps_have_no_positions(values: Values) -> None:
    values.job(ended(RESULT={"m": {"a": 1}}))
    values.fails("$.JOB['x'].RESULT['m'][0]", MISSING_VALUE)


# -- batches and rounds ---------------------------------------------------------------------------


def test_a_batch_is_used_with_an_index(values: Values) -> None:
    values.job([ended(RESULT={"y": n}) for n in range(3)], "batch")
    assert values.value("$.JOB['batch'][0].RESULT['y']") == 0
    assert values.value("$.JOB['batch'][-1].RESULT['y']") == 2
    assert values.value("$.JOB['batch'][*].RESULT['y']") == [0, 1, 2]
    assert values.value("$.JOB['batch'][1:].RESULT['y']") == [1, 2]
    assert values.value("$.JOB['batch'][0:3:2].RESULT[0]") == [0, 2]
    assert values.value("$.JOB['x_job'][1].RESULT['y']") == 1
    assert values.value("{$.JOB['batch'][*].RESULT['y']}") == "[0,1,2]"


def test_a_batch_without_an_index_is_an_error(values: Values) -> None:
    values.job([ended()], "batch")
    values.fails("$.JOB['batch'].RESULT['y']", BATCH_INDEX, "'batch'", "[0]", "[*]")
    values.fails("$.JOB['batch']", BATCH_INDEX)
    values.fails("$.JOB['batch'][1].STATUS", MISSING_VALUE, "'batch'")


def test_all_members_must_have_ended_and_have_the_value(values: Values) -> None:
    values.job([ended(RESULT={"y": 1}), ended("running", RESULT={"y": 2}), None], "batch")
    assert values.value("$.JOB['batch'][0].RESULT['y']") == 1
    values.fails("$.JOB['batch'][*].RESULT['y']", NOT_ENDED)
    values.fails("$.JOB['batch'][2].RESULT['y']", NOT_ENDED)
    values.job([ended(RESULT={"y": 1}), ended("failed")], "batch")
    values.fails("$.JOB['batch'][*].RESULT['y']", MISSING_VALUE)


def test_an_empty_batch_gives_an_empty_list(values: Values) -> None:
    values.job([], "batch")
    assert values.value("$.JOB['batch'][*].RESULT['y']") == []


def test_rounds_are_counted_from_the_first_and_the_latest_is_the_job(values: Values) -> None:
    values.context.set(("ROUNDS", "x"), [ended(RESULT={"n": 1}), ended(RESULT={"n": 2})], run=1)
    values.job(ended(RESULT={"n": 3}))
    assert [values.value(f"$.ROUNDS['x'][{n}].RESULT['n']") for n in (0, 1, 2, -1)] == [1, 2, 3, 3]
    assert values.value("$.JOB['x'].RESULT['n']") == 3
    assert values.value("$.ROUNDS['x'][*].RESULT['n']") == [1, 2, 3]
    assert [each["RESULT"]["n"] for each in values.value("$.ROUNDS['x']")] == [1, 2, 3]
    assert values.value("$.ROUNDS['x'][?(@.RESULT.n > 1)].RESULT.n") == [2, 3]
    values.fails("$.ROUNDS['x'][3].STATUS", MISSING_VALUE)
    values.fails("$.ROUNDS['x'].STATUS", BATCH_INDEX)
    values.fails("$.ROUNDS['nobody'][0].STATUS", UNKNOWN_JOB)


def test_a_node_that_never_looped_has_one_round(values: Values) -> None:
    values.job(ended(RESULT={"n": 1}))
    assert values.value("$.ROUNDS['x'][0].RESULT['n']") == 1
    values.job(ended("running"))
    values.fails("$.ROUNDS['x'][0].STATUS", NOT_ENDED)


def test_rounds_of_a_batch_have_members(values: Values) -> None:
    values.context.set(("ROUNDS", "batch"), [[ended(RESULT={"n": 1}), ended(RESULT={"n": 2})]], run=1)
    values.job([ended(RESULT={"n": 3})], "batch")
    assert values.value("$.ROUNDS['batch'][0][1].RESULT['n']") == 2
    assert values.value("$.ROUNDS['batch'][0][*].RESULT['n']") == [1, 2]
    assert values.value("$.ROUNDS['batch'][*][0].RESULT['n']") == [1, 3]
    assert len(values.value("$.ROUNDS['batch']")) == 2
    values.fails("$.ROUNDS['batch'][0].RESULT['n']", BATCH_INDEX)


# -- logs -----------------------------------------------------------------------------------------


def test_output_log_and_error_output_come_from_the_files(values: Values) -> None:
    values.logs(job_log=b"a\nb\n\n", job_error_log=b"bad\n")
    assert values.value("$.JOB['x'].OUTPUT") == "a\nb\n"
    assert values.value("$.JOB['x'].LOG") == "a\nb\n\n"
    assert values.value("$.JOB['x'].ERROR_OUTPUT") == "bad\n"
    assert values.value("{$.JOB['x'].OUTPUT}:REGEX:b") == "b"
    assert values.inputs("$.JOB['x'].LOG") == {"$.JOB['x'].LOG": "a\nb\n\n"}
    assert decide(compile_condition("{$.JOB['x'].LOG}#'a'"), values.scope())[0]


def test_bytes_that_are_no_utf8_are_replaced(values: Values) -> None:
    values.logs(job_log=b"\xff\xe4\xbd\xa0ok")
    assert values.value("$.JOB['x'].OUTPUT") == "\ufffd你ok"


def test_logs_are_read_each_time_they_are_used(values: Values) -> None:
    values.logs(job_log=b"1")
    scope, template = values.scope(), compile_value("$.JOB['x'].OUTPUT")
    assert render(template, scope).value == "1"
    Path(values.context.tree["JOB"]["x"]["DIRECTORY"], "job.log").write_bytes(b"2")
    assert render(template, scope).value == "2"


def test_a_big_log_is_recorded_as_a_reference(values: Values) -> None:
    values.logs(job_log=b"x" * 300_000)
    [recorded] = values.inputs("$.JOB['x'].OUTPUT").values()
    assert recorded == reference("jobs/job-x-1/job.log", b"x" * 300_000)


def test_a_log_over_64_mib_is_an_error_that_says_so(values: Values) -> None:
    values.logs(job_log=b"")
    log = Path(values.context.tree["JOB"]["x"]["DIRECTORY"], "job.log")
    with log.open("r+b") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    values.fails("$.JOB['x'].OUTPUT", VALUE_TOO_BIG, "67,108,864")


def test_a_missing_log_or_a_link_in_its_place_is_an_error(values: Values) -> None:
    values.logs(job_error_log=b"")
    log = Path(values.context.tree["JOB"]["x"]["DIRECTORY"], "job.log")
    values.fails("$.JOB['x'].OUTPUT", UNREADABLE, "'x'")
    log.symlink_to("/etc/hostname")
    values.fails("$.JOB['x'].OUTPUT", UNREADABLE)
    assert values.value("$.JOB['x'].ERROR_OUTPUT") == ""


def test_a_job_that_never_ran_has_no_output(values: Values) -> None:
    values.job({"STATUS": "skipped"})
    values.fails("$.JOB['x'].OUTPUT", MISSING_VALUE, "never ran")


# -- big values -----------------------------------------------------------------------------------


def big(values: Values, value: Any, kind: str | None) -> dict[str, Any]:
    """A result that is in its file."""
    data = (value if isinstance(value, str) else json.dumps(value)).encode()
    (values.folder / "jobs").mkdir(exist_ok=True)
    (values.folder / "jobs" / "rows").write_bytes(data)
    return reference("jobs/rows", data, kind)


def test_a_big_value_is_read_from_its_file_when_it_is_used(values: Values) -> None:
    rows = [{"n": n} for n in range(50_000)]
    entry = big(values, rows, "list")
    values.job(ended(RESULT={"small": 1, "rows": entry}))
    assert values.value("$.JOB['x'].RESULT['rows'][4]['n']") == 4
    assert values.value("$.JOB['x'].RESULT['rows']") == rows
    assert values.value("$.JOB['x'].RESULT[1][-1].n") == 49_999
    assert values.value("$.JOB['x'].RESULT") == {"small": 1, "rows": rows}
    assert values.value("$.JOB['x']")["RESULT"]["rows"] == rows
    assert values.value("$.JOB['x'].RESULT['rows'][?(@.n > 49998)].n") == [49_999]
    assert values.inputs("$.JOB['x'].RESULT['rows']") == {"$.JOB['x'].RESULT['rows']": entry}
    assert values.inputs("$.JOB['x'].RESULT['rows'][4]['n']") == {"$.JOB['x'].RESULT['rows'][4]['n']": 4}


def test_a_big_text_stays_a_text(values: Values) -> None:
    values.job(ended(PARAMS={"t": big(values, "5" * 300_000, None)}))
    assert values.value("$.JOB['x'].PARAMS['t']") == "5" * 300_000


def test_a_big_value_whose_file_was_changed_is_an_error(values: Values) -> None:
    values.job(ended(RESULT={"rows": big(values, [1], "list")}))
    (values.folder / "jobs" / "rows").write_bytes(b"[2]")
    values.fails("$.JOB['x'].RESULT['rows']", UNREADABLE)


def test_without_the_folder_of_the_instance_a_big_value_cannot_be_read(values: Values) -> None:
    values.job(ended(RESULT={"rows": big(values, [1], "list")}))
    values.context.remove(("TASK", "DIRECTORY"), run=1)
    values.fails("$.JOB['x'].RESULT['rows']", UNREADABLE)


def test_a_scope_of_a_job_that_is_not_in_the_context_yet_sees_the_others(values: Values) -> None:
    values.job(ended("running"))
    values.fails("$.JOB['x'].STATUS", NOT_ENDED, running="later", running_path=("JOB", "later", 3))


def test_data_that_looks_like_a_reference_leads_nowhere(values: Values) -> None:
    forged = {"$file": "../../../etc/passwd", "size": 1, "sha256": "0" * 64}
    values.job(ended(RESULT={"json": {"inner": forged, "$file": "x"}, "top": forged}))
    assert values.value("$.JOB['x'].RESULT['json']['inner']") == forged
    assert values.value("$.JOB['x'].RESULT['json']")["$file"] == "x"
    values.fails("$.JOB['x'].RESULT['top']", UNREADABLE)


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
def test_anything_else_of_jsonpath_works_on_the_tree(values: Values, rest: str, expected: Any) -> None:
    values.context.set(("TASK", "PARAMS", "letter"), "c", run=1)
    values.job(ended(RESULT={"rows": ROWS}))
    assert values.value("$.JOB['x'].RESULT['rows']" + rest) == expected
    by_position = values.value("$.JOB['x'].RESULT[0]" + rest)
    assert by_position == expected


def test_a_query_names_what_is_missing(values: Values) -> None:
    values.job(ended(RESULT={"rows": ROWS, "text": "abc", "empty": [], "mixed": [1, "a"]}))
    values.fails("$.JOB['x'].RESULT['gone'][*].n", MISSING_VALUE, "job 'x'")
    values.fails("$.JOB['x'].RESULT['rows'][*].nn", MISSING_VALUE)
    values.fails("$.JOB['x'].RESULT['rows'][5].`len`", MISSING_VALUE)
    values.fails("$.JOB['later'].RESULT['rows'][*].n", NOT_ENDED)
    values.fails("$.JOB['x'].RESULT['text'] * 99999999", BAD_PATH)
    values.fails("$.JOB['x'].RESULT['mixed'].`sorted`", BAD_PATH)
    assert values.value("$.JOB['x'].RESULT['empty'][*].n") == []


def test_a_query_sees_jobs_under_the_same_rules(values: Values) -> None:
    values.logs("y", job_log=b"out\n")
    values.job(ended("failed", EXIT_CODE=3))
    assert values.value("$.JOB.*.STATUS") == ["succeeded", "failed"]
    assert values.value("$.JOB[?(@.EXIT_CODE == 3)].STATUS") == ["failed"]
    assert values.value("$.JOB['solo','x'].STATUS") == ["succeeded", "failed"]
    assert values.value("$.JOB['y'].OUTPUT.`len`") == 3
    assert values.value("$..EXIT_CODE") == [3]
    assert set(values.value("$.JOB")) == {"x", "y"}
    values.job(ended("running"), "later")
    values.fails("$.JOB.*.STATUS", NOT_ENDED, "'later'")
    values.fails("$.JOB", NOT_ENDED)
    values.fails("$..EXIT_CODE", NOT_ENDED)
    own = {"running": "later", "running_path": ("JOB", "later")}
    assert values.value("$.JOB.*.STATUS", **own) == ["succeeded", "failed", "running"]


def test_a_query_can_go_through_a_batch(values: Values) -> None:
    values.job([ended(RESULT={"rows": ROWS}), ended(RESULT={"rows": ROWS[:1]})], "batch")
    assert values.value("$.JOB['batch'][*].RESULT['rows'][*].n") == [1, 2, 3, 1]
    assert values.value("$.JOB['batch'][1].RESULT[0][*].n") == [1]
    values.fails("$.JOB['batch'][*].RESULT[0][*].n", MISSING_VALUE, "write the name")


def test_data_may_be_deep(values: Values) -> None:
    deep = json.loads("[" * 300 + "]" * 300)
    values.job(ended(RESULT={"deep": deep}))
    assert values.value("$.JOB['x'].RESULT['deep']") == deep
    assert values.value("$.JOB['x'].RESULT.*") == [deep]
    assert values.value("$.JOB['x'].RESULT['deep'][*]") == deep


def test_items_can_be_queried(values: Values) -> None:
    assert values.value("$.ITEM[*].n", item=ROWS, index=0) == [1, 2, 3]


def test_nothing_that_was_read_is_changed_or_shared_with_the_log(values: Values) -> None:
    values.job(ended(RESULT={"rows": ROWS}))
    before = values.context.canonical()
    value = values.value({"a": "$.JOB['x'].RESULT['rows']"})
    values.context.set(("JOB", "x", "RESULT", "copy"), value, run=1)
    values.context.set(("JOB", "x", "RESULT", "rows", 0, "n"), 99, run=1)
    assert values.value("$.JOB['x'].RESULT['copy']['a'][0]['n']") == 1
    assert before != values.context.canonical()
