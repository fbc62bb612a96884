"""An expression that takes long holds nobody: it is worked out aside, or ends with its code."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.model.codes.expressions import FINDS_TOO_MUCH, TOO_LONG
from engine.model.expression import Patience
from tests.runtime.site import Site, shell, task

EXPLODES = "$" + ".JOB['a'].RESULT['m']" + "..*" * 8
REFUSED = (TOO_LONG.number, FINDS_TOO_MUCH.number)


def gives(value: Any) -> dict[str, Any]:
    """A job whose result ``m`` is this JSON value."""
    text = json.dumps(value).replace("'", "")
    process = f"printf %s '{text}' > \"$SKERRY_OUTPUTS/m\""
    kind = "list" if isinstance(value, list) else "map"
    return shell(process, results={"m": {"kind": kind}})


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a second of CPU instead of five, which are a minute on a busy machine."""
    monkeypatch.setattr("engine.context.visible.ASIDE", Patience(0.5))


@pytest.mark.usefixtures("impatient")
def test_a_parameter_that_explodes_fails_its_job_with_a_code(site: Site) -> None:
    seen = site.run(task({"a": gives(deep(45)), "b": shell("true", params={"x": EXPLODES}, after=["a"])}))

    assert seen.job("b")["STATUS"] == "failed"
    assert seen.job("b")["ERROR_CODE"] in REFUSED


@pytest.mark.usefixtures("impatient")
def test_a_condition_on_a_node_that_explodes_fails_with_a_code(site: Site) -> None:
    node = {**shell("true"), "after": ["a"], "when": f"{{{EXPLODES}}} # 1"}

    seen = site.run(task({"a": gives(deep(45)), "b": node}))

    assert seen.status == "failed"
    assert str(abs(TOO_LONG.number)) in str(seen) or seen.row.error_code in REFUSED


def test_a_long_query_over_many_rows_is_answered_aside(site: Site) -> None:
    rows = "$.JOB['a'].RESULT['m'][?(@.n > 9998)].n"
    process = (
        "python3 -c 'import json; print(json.dumps([dict(n=n) for n in range(10000)]))' > $SKERRY_OUTPUTS/m"
    )
    many = shell(process, results={"m": {"kind": "list"}})
    last = shell("true", params={"x": rows}, results={"n": {"value": rows, "kind": "list"}}, after=["a"])

    seen = site.run(task({"a": many, "b": last}))

    assert seen.job("b")["PARAMS"] == {"x": [9999]}
    assert seen.job("b")["RESULT"]["n"] == [9999]
