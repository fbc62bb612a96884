"""Every mistake of definition files, all at once, each at its place and in plain words."""

from __future__ import annotations

import pytest

from engine.definitions.reader import SourceFile, locate, read, read_raw
from engine.model.codes import definitions as codes
from engine.model.control import GroupKeys, Member
from engine.model.errors import ErrorCode, Invalid
from engine.model.findings import error
from engine.model.job import Job, ParamSpec
from tests.definitions.fakes import JOB_TYPES, RESOURCE_TYPES, findings_of, marked, read_text

TEN_MISTAKES = """\
skerry: 1
project: harbour
resources:
  shop: {type: ^stor, uri: "store://x"}
jobs:
  count:
    type: script
    ^timeot: 5m
    params: {limit: {kind: number, value: ^many}}
    process: echo
  ^list:
    type: script
  ^2nd: {type: script, process: echo}
tasks:
  nightly:
    params: {mode: {choices: [fast, slow], value: ^medium}}
    nodes:
      first: {job: count, ^process: echo}
      second:
        type: argv
        argv: [ls]
        after: ^first
      ^second: {job: count}
    ^schedule: {level: week, at: "02:00"}
"""


def test_ten_mistakes_are_ten_findings_at_the_right_lines() -> None:
    text, places = marked(TEN_MISTAKES)

    reading = read_text(text)

    assert [(each.line, each.column) for each in reading.findings] == places
    assert len(reading.errors) == 10


def test_mistakes_of_several_files_are_found_together_each_in_its_file() -> None:
    first, [unknown] = marked(
        "skerry: 1\njobs:\n  a: {type: script, process: x, ^nmae: A}\n  b: {type: argv, argv: [x]}\n"
    )
    second, [twice] = marked(
        "skerry: 1\njobs:\n  ^b: {type: script, process: y}\ntasks: {t: {nodes: {n: {job: a}}}}\n"
    )
    third, [wrong] = marked("skerry: 1\ntasks:\n  u:\n    priority: ^high\n")
    broken = "skerry: 1\n  jobs: {}\n"

    reading = read_text(first, second, third, broken)

    assert [(each.file, each.line, each.column) for each in reading.findings] == [
        ("a.yaml", *unknown),
        ("b.yaml", *twice),
        ("c.yaml", *wrong),
        ("d.yaml", 2, 7),
    ]
    assert "also defined at a.yaml:4" in reading.findings[1].message
    assert set(reading.definitions.jobs) == {"a", "b"}
    assert reading.definitions.jobs["b"].type == "argv"


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("^jobs: {}", codes.VERSION, "`skerry: 1`"),
        ("skerry: ^2", codes.VERSION, "format 1"),
        ("skerry: ^'1'", codes.VERSION, "the text '1'"),
        ("skerry: ^true", codes.VERSION, "found true"),
        ("^- skerry: 1", codes.NOT_A_DEFINITION, "found a list"),
        ("skerry: 1\n^job: {}", codes.UNKNOWN_KEY, "did you mean `jobs`?"),
        ("skerry: 1\njobs: ^x", codes.WRONG_TYPE, "expected a map"),
        ("skerry: 1\n^jobs:", codes.WRONG_TYPE, "found nothing"),
        ("skerry: 1\nproject: ^7", codes.WRONG_TYPE, "expected a text"),
        ("skerry: 1\nrules: ^x", codes.WRONG_TYPE, "expected a list"),
        ("skerry: 1\nrules: [^x]", codes.WRONG_TYPE, "a rule"),
        ("skerry: 1\nerrors: {^12: {}}", codes.WRONG_VALUE, "eleven digits"),
        ("skerry: 1\nerrors: {-12000000001: ^x}", codes.WRONG_TYPE, "title, cause and remedy"),
    ],
)
def test_the_outermost_keys(text: str, code: ErrorCode, words: str) -> None:
    _one(text, code, words)


@pytest.mark.parametrize(
    ("job", "code", "words"),
    [
        ("^x", codes.WRONG_TYPE, "expected a job (a map), found the text 'x'"),
        ("{^tpye: script, process: x}", codes.UNKNOWN_KEY, "did you mean `type`?"),
        ("{type: ^scrpt}", codes.UNKNOWN_TYPE, "did you mean `script`?"),
        ("{type: ^[script]}", codes.UNKNOWN_TYPE, "no job type"),
        ("{type: argv, argv: [x], ^nicee: 3}", codes.UNKNOWN_KEY, "did you mean `nice`?"),
        ("{type: argv, argv: [x], ^argvs: 3}", codes.UNKNOWN_KEY, "did you mean `argv`?"),
        ("{type: argv, argv: [x], ^resource: 3}", codes.UNKNOWN_KEY, "did you mean `resources`?"),
        ("{type: argv, ^arv: [x]}", codes.UNKNOWN_KEY, "did you mean `argv`?"),
        ("{type: argv, argv: [x], ^id: x}", codes.UNKNOWN_KEY, "unknown key `id`"),
        ("{type: argv, argv: ^ls}", codes.WRONG_TYPE, "expected a list, found the text 'ls': write [ls]"),
        (
            "{type: argv, argv: [x, ^1]}",
            codes.WRONG_TYPE,
            "expected a text, found the number 1: put it in quotes",
        ),
        ("{type: argv, argv: [x], nice: ^-1}", codes.WRONG_VALUE, "must be at least 0, found -1"),
        ("{type: argv, ^argv: []}", -1_20_99_001_000, "there is no program"),
        ("{type: argv, argv: [x], ^process: x}", codes.WRONG_STAGE, "no `process` of its own"),
        ("{type: script, process: x, monitor: ^no}", codes.WRONG_TYPE, "found the text 'no': write false"),
        ("{type: script, process: x, timeout: ^soon}", codes.WRONG_VALUE, "such as 30s, 5m"),
        ("{type: script, process: x, mode: ^asynch}", codes.WRONG_VALUE, "did you mean `async`?"),
        ("{type: script, process: x, limits: {memory: ^lots}}", codes.WRONG_VALUE, "a size such as"),
        (
            "{type: script, process: x, limits: {^colour: 1}}",
            codes.UNKNOWN_KEY,
            "known here: cpu, files, memory, output",
        ),
        (
            "{type: script, process: x, success: ^3}",
            codes.WRONG_TYPE,
            "a text, true/false or a map {resource: …}",
        ),
        ("{type: script, process: x, success: [a, {^resorce: b}]}", codes.UNKNOWN_KEY, "`resource`?"),
        ("{type: script, process: x, resources: [^a b]}", codes.BAD_ID, "`a b` is not an id"),
        ("{type: script, process: x, ^check: {success: 'x'}}", codes.NO_EFFECT, "mode: async"),
        ("{type: script, process: x, params: {a: {^send: true}}}", codes.NO_EFFECT, "kinds file"),
        ("{type: script, process: x, mode: async, ^check: {}}", codes.MISSING_KEY, "`success` is required"),
        ("{type: script, process: ^{fil: x}}", codes.WRONG_STAGE, "did you mean `file`?"),
        ("{type: script, process: ^{file: x, link: y}}", codes.WRONG_STAGE, "expected a text, {file: path}"),
        ("{type: script, process: ^{file: [x]}}", codes.WRONG_STAGE, "`process`: expected"),
        ("{type: script, process: x, ready: ^7}", codes.WRONG_STAGE, "`ready`: expected"),
        ("{type: script, process: x, params: ^[a]}", codes.WRONG_TYPE, "expected a map"),
        ("{type: script, process: x, params: {^a b: 1}}", codes.BAD_ID, "not an id"),
        ("{type: script, process: x, params: {a: {kind: ^numbr}}}", codes.WRONG_VALUE, "`number`?"),
        ("{type: script, process: x, params: {a: {^vaule: 1}}}", codes.UNKNOWN_KEY, "`value`?"),
        ("{type: script, process: x, params: {a: {secret: ^3}}}", codes.WRONG_TYPE, "a text or true/false"),
        ("{type: argv, argv: [x], env: {^SKERRY_ATTEMPT: x}}", codes.WRONG_VALUE, "`SKERRY_` or `LD_`"),
        ("{type: argv, argv: [x], env: {^LD_PRELOAD: x}}", codes.WRONG_VALUE, "`SKERRY_` or `LD_`"),
        ("{type: argv, argv: [x], env: {^two-words: x}}", codes.WRONG_VALUE, "the name of a variable"),
        ("{type: argv, argv: [x], env: {^'': x}}", codes.WRONG_VALUE, "the name of a variable"),
        ("{type: argv, argv: [x], env: ^[A]}", codes.WRONG_TYPE, "expected a map"),
        ("{type: argv, argv: [x], working_dir: ^data}", codes.WRONG_VALUE, "an absolute path"),
        ("{type: argv, argv: [x], retry: {exit: [^256]}}", codes.WRONG_VALUE, "at most 255"),
        ("{type: argv, argv: [x], retry: {on: [^-103]}}", codes.WRONG_VALUE, "eleven digits"),
        ("{type: group, jobs: [^x]}", codes.WRONG_TYPE, "expected a job"),
        ("{type: group, jobs: [{type: script, ^procss: x}]}", codes.UNKNOWN_KEY, "did you mean `process`?"),
        ("{type: group, jobs: [{job: a, ^timeout: 3s}]}", codes.CONFLICTING_KEYS, "keep one of the two"),
        ("{type: group, jobs: [{job: a, ^parms: {}}]}", codes.UNKNOWN_KEY, "did you mean `params`?"),
        ("{type: group, jobs: [{job: ^a b}]}", codes.BAD_ID, "not an id"),
        ("{type: script, process: {group: [{type: argv, argv: ^x}]}}", codes.WRONG_TYPE, "write [x]"),
        ("{type: condition, value: x, branches: {a: [^b c]}}", codes.BAD_ID, "`b c` is not an id"),
        ("{type: condition, value: x, branches: {a: {^runs: [b]}}}", codes.UNKNOWN_KEY, "`run`?"),
        ("{type: condition, value: x, max_loops: ^0}", codes.WRONG_VALUE, "at least 1"),
        ("{type: condition, value: x, ^mode: async}", codes.NO_EFFECT, "a condition job is waited for"),
        ("{type: condition, value: ^[x], max_loops: 3}", codes.WRONG_TYPE, "found a list"),
    ],
)
def test_mistakes_of_a_job(job: str, code: ErrorCode | int, words: str) -> None:
    _one(f"skerry: 1\njobs:\n  j: {job}\n", code, words)


@pytest.mark.parametrize(
    ("node", "code", "words"),
    [
        ("n: ^x", codes.WRONG_TYPE, "expected a node"),
        ("^n: {after: []}", codes.MISSING_KEY, "`job` (an id) or `type`"),
        ("n: {^jbo: a}", codes.UNKNOWN_KEY, "did you mean `job`?"),
        ("^n o: {job: a}", codes.BAD_ID, "`n o` is not an id"),
        (f"^{'n' * 65}: {{job: a}}", codes.BAD_ID, "longer than 64"),
        ("n: {job: ^{type: script}}", codes.WRONG_TYPE, "are beside each other"),
        ("n: {job: ^a b}", codes.BAD_ID, "`a b` is not an id"),
        ("n: {job: a, ^type: script, process: x}", codes.CONFLICTING_KEYS, "`type`, `process`"),
        ("n: {job: a, ^argv: [x]}", codes.CONFLICTING_KEYS, "`argv`"),
        ("n: {job: a, ^aftr: [x]}", codes.UNKNOWN_KEY, "did you mean `after`?"),
        ("n: {type: script, process: x, ^aftr: [x]}", codes.UNKNOWN_KEY, "did you mean `after`?"),
        ("n: {job: a, after: ^x}", codes.WRONG_TYPE, "write [x]"),
        ("n: {job: a, run_if: ^all_suceeded}", codes.WRONG_VALUE, "did you mean `all_succeeded`?"),
        ("n: {job: a, when: ^3}", codes.WRONG_TYPE, "a text or true/false"),
        ("n: {job: a, position: ^[1]}", codes.WRONG_VALUE, "too few or too many"),
        ("n: {job: a, params: ^x}", codes.WRONG_TYPE, "a map, or a list of maps"),
        ("n: {job: a, params: [{}, ^x]}", codes.WRONG_TYPE, "a map, or a list of maps"),
        ("n: {job: a, params: [{}], ^for_each: [1]}", codes.CONFLICTING_KEYS, "two ways to repeat"),
        ("n: {type: script, process: x, params: [{}], ^for_each: [1]}", codes.CONFLICTING_KEYS, "two ways"),
        ("n: {job: a, params: {^a b: 1}}", codes.BAD_ID, "not an id"),
        (
            "n: {type: lines, params: {path: x, limit: ^many}}",
            codes.PARAM_UNFIT,
            "`limit`: expected a number",
        ),
        ("n: {type: lines, params: {path: x, mode: ^some}}", codes.PARAM_UNFIT, "expected all or first"),
        ("n: {type: lines, params: [{path: ^[x]}]}", codes.PARAM_UNFIT, "expected a text, found a list"),
        ("n: {job: a, params: {size: ^big}}", codes.PARAM_UNFIT, "`size`: expected a number"),
        ("n: {job: a, params: [{size: 1}, {size: ^big}]}", codes.PARAM_UNFIT, "found the text 'big'"),
    ],
)
def test_mistakes_of_a_node(node: str, code: ErrorCode, words: str) -> None:
    jobs = "{a: {type: script, process: x, params: {size: {kind: number}}}}"
    text = f"skerry: 1\njobs: {jobs}\ntasks:\n  t:\n    nodes:\n      {node}\n"

    _one(text, code, words)


@pytest.mark.parametrize(
    ("task", "code", "words"),
    [
        ("t: ^x", codes.WRONG_TYPE, "expected a task"),
        ("t: {^shedule: manual}", codes.UNKNOWN_KEY, "did you mean `schedule`?"),
        ("t: {^id: x}", codes.UNKNOWN_KEY, "the id is the key"),
        ("t: {state: ^onlin}", codes.WRONG_VALUE, "did you mean `online`?"),
        ("t: {nodes: ^[a]}", codes.WRONG_TYPE, "`nodes`: expected a map"),
        ("t: {job_params: {a: {size: ^big}}}", codes.PARAM_UNFIT, "`size`"),
        ("t: {limits: {parallel: ^0}}", codes.WRONG_VALUE, "at least 1"),
        ("t: {defaults: {^success: true}}", codes.UNKNOWN_KEY, "known here"),
        ("t: {env: {^LD_X: x}}", codes.WRONG_VALUE, "`SKERRY_` or `LD_`"),
        ("^t u: {}", codes.BAD_ID, "`t u` is not an id"),
    ],
)
def test_mistakes_of_a_task(task: str, code: ErrorCode, words: str) -> None:
    jobs = "{a: {type: script, process: x, params: {size: {kind: number}}}}"

    _one(f"skerry: 1\njobs: {jobs}\ntasks:\n  {task}\n", code, words)


@pytest.mark.parametrize(
    ("resource", "code", "words"),
    [
        ("^x", codes.WRONG_TYPE, "expected a resource"),
        ("{type: ^shelv}", codes.UNKNOWN_TYPE, "did you mean `shelf`?"),
        ("{type: store, ^url: x}", codes.UNKNOWN_KEY, "did you mean `uri`?"),
        ("{type: store, uri: x, ^id: x}", codes.UNKNOWN_KEY, "the id is the key"),
        ("{type: store, uri: x, check: ^[x]}", codes.WRONG_TYPE, "expected a map"),
        ("{type: store, uri: x, check: {^exist: true}}", codes.UNKNOWN_KEY, "did you mean `exists`?"),
        ("{type: store, uri: x, check: {exists: ^3}}", codes.WRONG_TYPE, "expected true or false"),
        ("{type: store, uri: x, request: {timeout: ^soon}}", codes.WRONG_VALUE, "a duration such as"),
        ("{type: store, uri: x, request: {user: ^7}}", codes.WRONG_TYPE, "put it in quotes"),
        ("{type: store, uri: x, at: ^worker}", codes.CONFLICTING_KEYS, "not looked at on a worker"),
        ("{type: store, uri: x, at: ^here}", codes.WRONG_VALUE, "engine"),
    ],
)
def test_mistakes_of_a_resource(resource: str, code: ErrorCode, words: str) -> None:
    _one(f"skerry: 1\nresources:\n  r: {resource}\n", code, words)


def test_a_job_without_a_type() -> None:
    _one("skerry: 1\njobs:\n  ^j: {process: x}\n", codes.MISSING_KEY, "`type` is required")


def test_a_resource_without_a_type() -> None:
    _one("skerry: 1\nresources:\n  ^r: {uri: x}\n", codes.MISSING_KEY, "`type` is required")


def test_a_resource_that_is_nowhere() -> None:
    _one("skerry: 1\nresources:\n  ^r: {type: store}\n", codes.MISSING_KEY, "`uri` is required")


def _one(text: str, code: ErrorCode | int, words: str) -> None:
    text, [place] = marked(text)

    reading = read_text(text)

    assert len(reading.findings) == 1, findings_of(reading)
    [finding] = reading.findings
    assert finding.code == (code.number if isinstance(code, ErrorCode) else code)
    assert words in finding.message
    assert (finding.line, finding.column) == place
    assert "pydantic" not in finding.message


def test_expressions_in_resources_are_left_for_later() -> None:
    reading = read_text(
        "skerry: 1\nresources:\n  r: {type: store, uri: \"{$.TASK.ID}\", request: {timeout: '$.TASK.ID'}}\n"
    )

    assert findings_of(reading) == []


def test_an_alias_of_a_resource_type_is_that_type() -> None:
    reading = read_text("skerry: 1\nresources: {r: {type: shelf}}")

    assert reading.definitions.resources["r"].type == "store"
    assert reading.definitions.raw["resources"]["r"] == {"type": "shelf"}


def test_the_rest_of_a_job_with_a_mistake_can_still_be_referred_to() -> None:
    reading = read_text(
        "skerry: 1\njobs:\n  a:\n    type: argv\n    argv: [x]\n    retry: {times: often, interval: 3s}\n"
        "    results: {one: {kind: numbr}, two: {kind: number}}\n"
        "  b: {type: nothing, params: {p: 1}}\n"
    )

    jobs = reading.definitions.jobs
    assert len(reading.errors) == 3
    assert jobs["a"].retry.interval == 3.0
    assert set(jobs["a"].results) == {"one", "two"}
    assert jobs["b"].params["p"].value == 1


def test_an_inline_job_has_the_id_of_its_node_and_values_as_params() -> None:
    reading = read_text(
        "skerry: 1\ntasks: {t: {nodes: {n: {type: script, process: x, on: {group: g},"
        " params: {a: {kind: text}, b: 1}}}}}"
    )

    node = reading.definitions.tasks["t"].nodes["n"]
    assert isinstance(node.job, Job)
    assert node.job.id == "n"
    assert node.job.params == {"a": ParamSpec(value={"kind": "text"}), "b": ParamSpec(value=1)}
    assert (node.params, node.on, node.job.on.group) == ({}, None, "g")


def test_a_batch_of_an_inline_job_stays_with_the_node() -> None:
    reading = read_text(
        "skerry: 1\ntasks: {t: {nodes: {n: {type: lines, params: [{path: a}, {path: b, extra: 2}]}}}}"
    )

    node = reading.definitions.tasks["t"].nodes["n"]
    assert isinstance(node.job, Job)
    assert node.params == ({"path": "a"}, {"path": "b", "extra": 2})
    assert list(node.job.params) == ["path", "extra", "limit", "mode"]
    assert not node.job.params["path"].has_value
    assert node.job.params["path"].required


def test_in_jobs_a_map_is_a_specification_and_the_types_table_lies_under_it() -> None:
    reading = read_text("skerry: 1\njobs: {j: {type: lines, params: {limit: 5, own: {kind: text}}}}")

    params = reading.definitions.jobs["j"].params
    assert list(params) == ["limit", "own", "path", "mode"]
    assert (params["limit"].kind, params["limit"].value) == ("number", 5)
    assert params["path"].required


def test_jobs_that_do_not_say_where_they_run_share_what_says_so() -> None:
    assert Job(id="a", type="shell").on is Job(id="b", type="shell").on
    assert Job(id="a", type="shell", on={"labels": {"os": "linux"}}).on.labels == {"os": "linux"}


def test_members_of_a_group_are_jobs_named_after_it() -> None:
    reading = read_text(
        "skerry: 1\ntasks: {t: {nodes: {7: {type: group, jobs: [{job: a, params: {x: {y: 1}}},"
        " {type: script, process: x, params: {x: {y: 1}}}]}}}}"
    )

    job = reading.definitions.tasks["t"].nodes["7"].job
    assert findings_of(reading) == []
    assert isinstance(job, Job)
    assert isinstance(job.settings, GroupKeys)
    by_id, inline = job.settings.jobs
    assert by_id == Member(job="a", params={"x": {"y": 1}})
    assert isinstance(inline.job, Job)
    assert inline.job.id == "7.1"
    assert inline.job.params["x"].value == {"y": 1}


def test_a_stage_may_be_a_group_or_a_task() -> None:
    reading = read_text(
        "skerry: 1\njobs:\n  j:\n    type: script\n    process: {group: [{type: argv, argv: [x]}]}\n"
        "    ready: {group: [{type: argv, argv: [x]}]}\n    end: {task: 12}\n"
    )

    job = reading.definitions.jobs["j"]
    assert findings_of(reading) == []
    assert job.process
    assert job.ready
    assert job.end
    assert [each.job.id for each in job.process.value] == ["j.0"]
    assert [each.job.id for each in job.ready.value] == ["j.ready.0"]
    assert (job.end.kind, job.end.value) == ("task", "12")


def test_a_literal_may_be_written_as_the_text_of_its_kind() -> None:
    reading = read_text(
        "skerry: 1\njobs:\n  j:\n    type: script\n    process: x\n    params:\n"
        "      a: {kind: number, value: '5'}\n      b: {kind: boolean, value: 'true'}\n"
        "      c: {kind: list, value: '[1]'}\n      d: {kind: text, value: 12}\n"
        "      e: {kind: number, value: \"$.TASK.PARAMS['n']\"}\n      f: {kind: number, value: null}\n"
        "      g: {kind: file, value: /x}\n      h: {kind: number, choices: [1, 2], value: 2.0}\n"
    )

    assert findings_of(reading) == []


def test_a_text_that_is_not_dynamic_is_no_expression() -> None:
    reading = read_text(
        "skerry: 1\njobs: {j: {type: script, process: x,"
        " params: {a: {kind: number, dynamic: false, value: $.x}}}}"
    )

    assert [each.code for each in reading.errors] == [codes.PARAM_UNFIT.number]


def test_choices_have_the_kind_of_their_parameter() -> None:
    _one(
        "skerry: 1\njobs: {j: {type: script, process: x, params: {a: {kind: number, choices: [1, ^two]}}}}",
        codes.PARAM_UNFIT,
        "found the text 'two'",
    )


def test_a_project_belongs_to_every_task_of_its_file() -> None:
    first = "skerry: 1\nproject: harbour\ntasks: {a: {}, b: {project: other}}"

    one = read_text(first).definitions
    two = read_text(first, "skerry: 1\nproject: quay\ntasks: {c: {}}").definitions

    assert (one.project, one.tasks["a"].project, one.tasks["b"].project) == ("harbour", "harbour", "other")
    assert [two.tasks[each].project for each in "abc"] == ["harbour", "other", "quay"]
    assert two.raw["tasks"]["c"] == {"project": "quay"}
    assert "project" not in two.raw


def rule(id: str) -> str:
    return f"{{id: {id}, match: {{task: t}}, action: skip}}"


def test_files_are_joined_in_their_order() -> None:
    reading = read_text(
        f"skerry: 1\nrules: [{rule('a')}]\nerrors: {{-12000000001: {{title: x}}}}\n"
        "jobs: {b: {type: argv, argv: [x]}}",
        f"skerry: 1\nrules: [{rule('b')}]\njobs: {{a: {{type: argv, argv: [x]}}}}",
    )

    assert findings_of(reading) == []
    assert list(reading.definitions.raw["jobs"]) == ["b", "a"]
    assert [each["id"] for each in reading.definitions.raw["rules"]] == ["a", "b"]
    assert "skerry" not in reading.definitions.raw


def test_a_key_for_anchors_is_ignored_but_what_it_holds_counts_where_it_is_used() -> None:
    text = "skerry: 1\nx-again: &again {times: 2}\njobs: {j: {type: script, process: x, retry: *again}}\n"

    reading = read_text(text)

    assert reading.findings == ()
    assert reading.definitions.jobs["j"].retry.times == 2
    assert "x-again" not in reading.definitions.raw


def test_json_is_read_with_places_too() -> None:
    reading = read_text('{"skerry": 1,\n "jobs": {"j": {"type": "argv",\n  "argv": "x"}}}', suffix="json")

    assert [(each.line, each.column) for each in reading.findings] == [(3, 11)]


def test_findings_of_other_layers_get_their_places() -> None:
    reading = read_text(
        "skerry: 1\ntasks:\n  t:\n    nodes:\n      n: {type: argv, argv: [x], params: {x: $.y}}\n"
    )
    path = ("tasks", "t", "nodes", "n", "params", "x")

    [placed, deeper, elsewhere] = locate(
        reading,
        [
            error(codes.INVALID, "a", path),
            error(codes.INVALID, "b", (*path, "value", 3)),
            error(codes.INVALID, "c"),
        ],
    )

    assert str(placed).startswith("a.yaml:5:46: error -10100090000: a")
    assert (deeper.line, deeper.column) == (5, 46)
    assert (elsewhere.line, elsewhere.column) == (1, 1)


def test_a_path_is_placed_in_the_file_that_defines_it() -> None:
    reading = read_text(
        "skerry: 1\njobs: {a: {type: argv, argv: [x]}}", "skerry: 1\njobs:\n  b: {type: argv, argv: [x]}"
    )

    places = locate(
        reading, [error(codes.INVALID, "", ("jobs", "b")), error(codes.INVALID, "", ("tasks", "t"))]
    )

    assert [each.file for each in places] == ["b.yaml", ""]


def test_what_is_valid_is_handed_out_and_what_is_not_is_refused() -> None:
    with pytest.raises(Invalid) as caught:
        read_text("skerry: 1\njobs: {j: {}, k: {}}").valid()

    assert caught.value.entry is codes.INVALID
    assert caught.value.message == "a.yaml:2:8: `type` is required here (and 1 more)"
    assert read_text("skerry: 1").valid().jobs == {}


def test_the_trees_of_the_store_are_read_without_places() -> None:
    raw = {"jobs": {"j": {"type": "argv", "argv": ["x"]}}, "tasks": {"t": {"nodes": {"n": {"job": "j"}}}}}

    made = read_raw({"project": "harbour", **raw}, JOB_TYPES, RESOURCE_TYPES)

    assert made.tasks["t"].project == "harbour"
    assert made.jobs["j"] == read_text("skerry: 1\njobs: {j: {type: argv, argv: [x]}}").definitions.jobs["j"]
    with pytest.raises(Invalid, match=r"jobs\.j: `type` is required"):
        read_raw({"jobs": {"j": {}}}, JOB_TYPES, RESOURCE_TYPES)


def test_nothing_is_nothing() -> None:
    reading = read([], JOB_TYPES, RESOURCE_TYPES)

    assert (reading.findings, reading.definitions.raw) == ((), {})
    assert findings_of(read([SourceFile("x.yaml", b"")], JOB_TYPES, RESOURCE_TYPES)) == [
        "x.yaml:1:1 the file is empty"
    ]


def test_a_finding_is_one_printable_line_whatever_the_file_holds() -> None:
    reading = read_text('skerry: 1\n"a\\nb\\e[31m": 1\njobs: {"' + "x" * 900 + '": {type: argv, argv: [x]}}')

    assert all(each.message.isprintable() and len(each.message) < 500 for each in reading.findings)
    assert r"`a\nb\x1b[31m`" in reading.findings[0].message


def test_a_secret_where_every_entry_is_a_value_is_warned_of() -> None:
    text = """\
skerry: 1
jobs:
  j: {type: shell, process: x, params: {pw: {secret: name}}}
  g: {type: group, jobs: [{job: j, params: {pw: {secret: name}}}, {type: shell, process: x, params: {a: {secret: b}}}]}
tasks:
  t:
    nodes:
      a: {type: shell, process: x, params: {pw: {secret: name}, map: {some: value}}}
      b: {job: j, params: [{pw: {secret: name, required: true}}]}
"""

    found = read_text(text).findings

    places = [
        (each.line, each.severity) for each in found if each.code == codes.LOOKS_LIKE_SPECIFICATION.number
    ]
    assert places == [(4, "warning"), (4, "warning"), (8, "warning"), (9, "warning")]


def test_the_value_of_a_secret_that_is_written_out_is_warned_of() -> None:
    text = """\
skerry: 1
tasks:
  t:
    params:
      pin: {secret: true, value: swordfish}
      asked: {secret: true, required: true}
      handed: {secret: true, value: "$.TASK.PARAMS['pin']"}
      open: {value: 7}
    nodes: {a: {type: shell, process: x}}
"""

    found = read_text(text).findings

    places = [(each.line, each.severity) for each in found if each.code == codes.OPEN_SECRET.number]
    assert places == [(5, "warning")]
