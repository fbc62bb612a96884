"""Hostile parameter values arrive byte for byte in every kind of job, and execute nothing."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.site import Site, shell, task, tree

PAYLOADS = {
    "command substitution": "$(touch pwned) `touch pwned` ${HOME}",
    "quotes": "'; touch pwned; ' \" \\\" \\' \\",
    "sql": "'; drop table t; --",
    "lines": "a\nb\r\nc\ttab\n",
    "expression": "{$.TASK.ID} $.JOB['x'] :REGEX:x",
    "unicode": "日本 𝄞 \u202e e\u0301",
    "option": "--help -rf /",
    "percent": "%s%n%d %%",
    "blank": "  leading and trailing  ",
    "glob": "* ? [a-z] ~ {a,b}",
}
LONG = "x'$(id)\"" * 25_000  # 200 KB


@pytest.mark.parametrize("value", [*PAYLOADS.values(), LONG], ids=[*PAYLOADS, "200 KB"])
def test_it_arrives_byte_for_byte_and_executes_nothing(site: Site, tmp_path: Path, value: str) -> None:
    database = tmp_path / "d.db"
    with sqlite3.connect(database) as made:
        made.execute("create table t (v text)")
    p = {"v": "$.TASK.PARAMS['v']"}
    read = 'import os\nv = os.environ.get("v") or open(os.environ["v_FILE"], newline="").read()\n'
    write = 'open("outputs/r", "w", newline="").write(v)'
    show = 'if [ -n "${v_FILE}" ]; then cat "${v_FILE}"; else printf %s "${v}"; fi > outputs/r'
    nodes: dict[str, Any] = {
        "shell": shell(show, params=p),
        "python": {"type": "python", "params": p, "process": read + write},
        "sql": {"type": "sql", "resource": "db", "params": p, "statements": ["insert into t values (:v)"]},
        "query": {"type": "sql_query", "resource": "db", "after": ["sql"], "params": p,
                  "statement": "select v from t where v = :v"},
        "condition": {"type": "condition", "value": "{$.TASK.PARAMS['v']} == {$.JOB['shell'].RESULT['r']}",
                      "after": ["shell"], "branches": {"true": ["same"]}},
        "same": shell("true"),
    }  # fmt: skip
    if value is not LONG:
        nodes["command"] = {"type": "command", "argv": ["printf", "%s", "$.TASK.PARAMS['v']"]}
    resources = {"db": {"type": "database", "uri": f"sqlite:///{database}"}}
    seen = site.run(
        tree({"resources": resources, "tasks": {"t": {"params": {"v": ""}, "nodes": nodes}}}), v=value
    )

    assert seen.status == "succeeded", site.waiting(seen.id)
    assert seen["shell"].outputs["r"].decode() == value
    assert seen["python"].outputs["r"].decode() == value
    assert seen["same"].status == "succeeded"
    if value is not LONG:
        assert (seen["command"].folder / "job.log").read_bytes().decode() == value
    assert sqlite3.connect(database).execute("select v from t").fetchall() == [(value,)]
    assert seen["query"].results["rowcount"] == 1
    assert json.loads((seen["shell"].folder / "inputs/params.json").read_text()) == {"v": value}
    assert not list(seen.folder.rglob("pwned"))
    seen.assert_replays()


def test_an_argument_that_is_too_long_is_an_error_with_its_code(site: Site) -> None:
    nodes = {"a": {"type": "command", "argv": ["true", "$.TASK.PARAMS['v']"]}}
    seen = site.run(task(nodes, params={"v": ""}), v="x" * 128_001)

    assert seen["a"].status == "failed"
    assert seen["a"].error_code is not None


def test_names_that_steer_the_system_are_not_given(site: Site) -> None:
    params = {"PATH": "/evil", "LD_PRELOAD": "/evil.so", "IFS": "x", "good": "1"}
    seen = site.run(task({"a": shell("env > outputs/env", params=params)}))

    env = seen["a"].outputs["env"]
    assert b"evil" not in env
    assert b"good=1" in env
    assert json.loads((seen["a"].folder / "inputs/params.json").read_text()) == params


def test_lists_and_maps_are_json(site: Site) -> None:
    params = {"l": [1, "a b", None], "m": {"k": True}, "n": 5.0, "b": False, "z": None}
    seen = site.run(
        task({"a": shell('printf "%s|%s|%s|%s|%s" "$l" "$m" "$n" "$b" "${z-unset}"', params=params)})
    )

    assert seen["a"].log.startswith('[1,"a b",null]|{"k":true}|5|false|')


def test_a_nul_in_a_value_fails_the_job_with_a_code(site: Site) -> None:
    seen = site.run(
        task({"a": shell("true", params={"v": "$.TASK.PARAMS['v']"})}, params={"v": ""}), v="a\0b"
    )

    assert seen["a"].status == "failed"
    assert seen["a"].error_code is not None
