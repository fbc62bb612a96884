"""The results of a job: by kind, in order, computed, big (contract 2.2, 2.5, 3)."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from engine.model.codes.runtime import RESULT_MISSING
from tests.runtime.site import Site, shell, task, tree

BIG = 256 * 1024 + 1


def writes(name: str, text: str) -> str:
    return f"printf '%s' '{text}' > \"${{SKERRY_OUTPUTS}}/{name}\"\n"


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("number", "25", 25),
        ("number", " 2.50\n", 2.5),
        ("boolean", "true", True),
        ("list", '["a", {"b": 1}]', ["a", {"b": 1}]),
        ("map", '{"a": [1, 2]}', {"a": [1, 2]}),
        ("text", " as it is\n", " as it is\n"),
        ("text", "0012", "0012"),
        (None, "[1]", "[1]"),
    ],
)
def test_a_result_is_read_by_its_kind(site: Site, kind: str | None, text: str, value: Any) -> None:
    seen = site.run(task({"a": shell(writes("r", text), results={"r": {"kind": kind} if kind else {}})}))

    assert seen.status == "succeeded", seen["a"].error_message
    got = seen.job("a")["RESULT"]["r"]
    assert (got, type(got)) == (value, type(value))
    assert seen["a"].results["r"] == value


@pytest.mark.parametrize(
    ("kind", "text"), [("number", "many"), ("number", ""), ("boolean", "yes"), ("list", "{}"), ("map", "[1")]
)
def test_text_that_does_not_fit_its_kind_fails_the_job(site: Site, kind: str, text: str) -> None:
    seen = site.run(task({"a": shell(writes("r", text), results={"r": {"kind": kind}})}))

    assert seen.states == {"a": "failed"}
    assert "'r'" in (seen["a"].error_message or "")
    assert seen["a"].error_code is not None


def test_a_result_that_was_not_written_fails_the_job(site: Site) -> None:
    seen = site.run(task({"a": shell("true", results={"r": {"kind": "text"}})}))

    assert (seen["a"].status, seen["a"].error_code) == ("failed", RESULT_MISSING.number)
    assert "outputs/r" in (seen["a"].error_message or "")


@pytest.mark.parametrize("kind", ["file", "document"])
def test_a_file_result_is_its_absolute_path(site: Site, kind: str) -> None:
    seen = site.run(task({"a": shell(writes("r", "content"), results={"r": {"kind": kind}})}))

    assert seen.job("a")["RESULT"]["r"] == str(seen["a"].folder / "outputs" / "r")


def test_a_computed_file_result_writes_the_path_and_no_copy(site: Site) -> None:
    results = {"r": {"kind": "file", "value": "File({$.TASK.WORKSPACE}/x.zip)"}}
    seen = site.run(task({"a": shell("true", results=results)}))

    path = f"{site.root}/x.zip"
    assert seen.job("a")["RESULT"]["r"] == path
    assert seen["a"].outputs["r"].decode() == path


def test_the_order_is_defined_then_the_types_own_then_other_files_by_name(site: Site) -> None:
    script = writes("zeta", "1") + writes("alpha", "2") + writes("b", "3") + writes("mid", "4")
    nodes = {
        "a": shell(script, results={"zeta": {}, "c": {"value": "made"}, "b": {"kind": "number"}}),
        "z": shell(
            "true",
            after=["a"],
            params={str(i): f"$.JOB['a'].RESULT[{i}]" for i in range(6)} | {"last": "$.JOB['a'].RESULT[-1]"},
        ),
    }
    nodes["z"]["params"] = {f"p{name}": value for name, value in nodes["z"]["params"].items()}
    seen = site.run(task(nodes))

    assert list(seen["a"].results) == ["zeta", "c", "b", "exit_code", "alpha", "mid"]
    given = seen.job("z")["PARAMS"]
    assert [given[f"p{i}"] for i in range(6)] == ["1", "made", 3, 0, "2", "4"]
    assert given["plast"] == "4"


def test_computed_results_are_written_to_outputs_too(site: Site) -> None:
    results = {
        "n": {"kind": "number", "value": "{$.JOB['a'].OUTPUT}:REGEX:[0-9]+"},
        "yes": {"kind": "boolean", "value": "{$.JOB['a'].RESULT['n']} > 4"},
        "both": {"kind": "list", "value": ["$.JOB['a'].RESULT['n']", "x"]},
    }
    seen = site.run(task({"a": shell("echo got 5 things", results=results)}))

    assert seen["a"].results == {"n": 5, "yes": True, "both": [5, "x"], "exit_code": 0}
    assert seen["a"].outputs == {"n": b"5", "yes": b"true", "both": b'[5,"x"]'}
    line = next(each for each in seen.lines if each["path"] == "$.JOB['a'].RESULT['n']")
    assert line["expression"] == results["n"]["value"]
    assert line["inputs"]


def test_output_and_logs_are_read_when_used(site: Site) -> None:
    nodes = {
        "a": shell("echo one; echo two; echo bad >&2"),
        "b": shell(
            "true",
            after=["a"],
            params={
                "o": "$.JOB['a'].OUTPUT",
                "l": "$.JOB['a'].LOG",
                "e": "$.JOB['a'].ERROR_OUTPUT",
                "c": "$.JOB['a'].EXIT_CODE",
            },
        ),
    }
    seen = site.run(task(nodes))

    assert seen.job("b")["PARAMS"] == {"o": "one\ntwo", "l": "one\ntwo\n", "e": "bad\n", "c": 0}


def test_big_values_are_references_that_expressions_read_back(site: Site) -> None:
    script = f'head -c {BIG} /dev/zero | tr "\\0" x > "${{SKERRY_OUTPUTS}}/big"\n'
    nodes = {
        "a": shell(
            script, results={"big": {"kind": "text"}, "copy": {"value": "{$.JOB['a'].RESULT['big']}!"}}
        ),
        "b": shell(
            'printf %s "$(wc -c < "${v_FILE}")" > "${SKERRY_OUTPUTS}/size"',
            after=["a"],
            params={"v": "$.JOB['a'].RESULT['big']"},
        ),
    }
    seen = site.run(task(nodes))

    assert seen.status == "succeeded", site.waiting(seen.id)
    reference = seen.job("a")["RESULT"]["big"]
    place = f"jobs/job-a-{seen['a'].id}/outputs/big"
    assert reference == {"$file": place, "size": BIG, "sha256": hashlib.sha256(b"x" * BIG).hexdigest()}
    assert (seen.folder / place).stat().st_size == BIG
    assert seen.job("a")["RESULT"]["copy"]["size"] == BIG + 1
    assert seen["b"].outputs["size"].decode() == str(BIG)
    assert seen.job("b")["PARAMS"]["v"]["sha256"] == reference["sha256"]
    assert max(len(str(line)) for line in seen.lines) < 10_000
    seen.assert_replays()


def test_a_big_list_is_read_as_json(site: Site) -> None:
    script = "python3 -c 'import json; print(json.dumps(list(range(60000))))' > ${SKERRY_OUTPUTS}/r"
    nodes = {
        "a": shell(script, results={"r": {"kind": "list"}}),
        "b": shell("true", after=["a"], params={"v": "$.JOB['a'].RESULT['r'][59999]"}),
    }
    seen = site.run(task(nodes))

    assert seen.job("b")["PARAMS"] == {"v": 59999}


def test_folders_links_and_pipes_in_outputs_are_no_results(site: Site) -> None:
    script = "cd outputs; mkdir d; ln -s /etc/passwd l; mkfifo p; printf 1 > ok"
    seen = site.run(task({"a": shell(script)}))

    assert seen["a"].results == {"exit_code": 0, "ok": "1"}


def test_a_result_tells_of_a_resource_after_the_job(site: Site) -> None:
    resources = {"f": {"type": "file", "uri": "{$.TASK.DIRECTORY}/made", "check": {"exists": True}}}
    nodes = {
        "a": shell('touch "${d}/made"', params={"d": "$.TASK.DIRECTORY"}, changes=["f"],
                   results={"there": {"value": {"resource": "f"}, "kind": "boolean"}}),
        "b": shell("true", after=["a"], results={"all": {"value": {"resource": "f"}, "kind": "map"}}),
    }  # fmt: skip
    seen = site.run(tree({"resources": resources, "tasks": {"t": {"nodes": nodes}}}))

    assert seen.job("a")["RESULT"]["there"] is True
    assert seen.job("b")["RESULT"]["all"]["ok"] is True
    assert set(seen.job("b")["RESULT"]["all"]) == {"ok", "message", "details", "took"}


def test_results_of_a_failed_job_are_kept(site: Site) -> None:
    seen = site.run(task({"a": shell(writes("r", "x") + "exit 3")}))

    assert seen["a"].results == {"exit_code": 3, "r": "x"}


def test_a_big_parameter_is_a_reference_too(site: Site) -> None:
    size = 'printf %s "$(wc -c < "${v_FILE}")" > outputs/size'
    nodes = {
        "a": shell(size, params={"v": "$.TASK.PARAMS['v']"}),
        "b": {"type": "shell", "process": size, "params": {"v": "y" * BIG}, "after": ["a"]},
        "c": shell("true", after=["a"], params={"n": "{$.JOB['a'].PARAMS['v']}:REGEX:^x"}),
    }
    seen = site.run(task(nodes, params={"v": ""}), v="x" * BIG)

    assert seen.status == "succeeded", site.waiting(seen.id)
    assert seen["a"].outputs["size"] == seen["b"].outputs["size"] == str(BIG).encode()
    assert seen.job("c")["PARAMS"] == {"n": "x"}
    assert (seen.folder / "ctx.json").stat().st_size < 20_000
    seen.assert_replays()
