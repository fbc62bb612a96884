"""What is no JSON (NaN, Infinity) is an error with a code wherever it comes from; no document ever holds it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.model.codes.context import NOT_JSON
from engine.model.codes.expressions import WRONG_KIND
from engine.model.codes.runtime import PARAM_UNFIT
from engine.model.errors import Invalid
from tests.runtime.site import Site, shell, task


@pytest.mark.parametrize(
    ("kind", "text"), [("number", "NaN"), ("number", "1e999"), ("list", "[-Infinity]"), ("map", '{"a":NaN}')]
)
def test_a_program_that_writes_it_as_a_result_fails(site: Site, kind: str, text: str) -> None:
    seen = site.run(task({"a": shell(f"printf '{text}' > outputs/x", results={"x": {"kind": kind}})}))

    assert (seen["a"].status, seen["a"].error_code) == ("failed", WRONG_KIND.number)
    _strict((seen.folder / "ctx.json").read_text())


def test_a_job_type_that_gives_it_fails(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type(site.engine.services.job_types["file_exists"])
    monkeypatch.setattr(kind, "call", lambda self, call: {"exists": float("nan")})

    seen = site.run(task({"a": {"type": "file_exists", "params": {"path": "/"}}}))

    assert seen["a"].status == "failed"
    assert seen["a"].error_code in (NOT_JSON.number, WRONG_KIND.number)
    _strict((seen.folder / "ctx.json").read_text())


def test_nobody_can_give_it_as_a_parameter(site: Site) -> None:
    with pytest.raises(Invalid) as caught:
        site.begin(task({"a": shell("true")}, params={"x": None}), x=[float("inf")])

    assert caught.value.code == PARAM_UNFIT.number


def _strict(text: str) -> Any:
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in {text}"))
