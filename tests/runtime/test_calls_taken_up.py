"""An end stage that is a call of the engine, when that is killed: it is not made again unasked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.model.codes.processes import DIRECTORY_FAILED
from engine.model.codes.runtime import LOST
from engine.model.errors import SkerryError
from engine.plugins.job_type import Call
from jobs_builtin.archive import Archive
from tests.runtime.site import Gate, Site, shell, task
from tests.runtime.test_take_up import Fallen, fallen
from tests.waiting import until

__all__ = ["fallen"]
_LARGE = 1 << 40  # bytes, of which the disk has none: to pack them takes hours


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The targets of the calls that the engine of this process makes, which are done at once."""
    made: list[str] = []

    def call(kind: Archive, call: Call) -> Mapping[str, Any]:
        made.append(str(call.params["target"]))
        return {}

    monkeypatch.setattr(Archive, "call", call)
    return made


def _packs(tmp_path: Path, process: str, **keys: Any) -> dict[str, Any]:
    """A job whose end stage packs a file."""
    large, target = tmp_path / "large", tmp_path / "large.tar.gz"
    with large.open("wb") as file:
        file.truncate(_LARGE)
    params = {"files": [str(large)], "target": str(target)}
    return shell(process, end={"class": "archive"}, params=params, **keys)


def _until_packing(tmp_path: Path) -> None:
    until(lambda: list(tmp_path.glob("workspace/instances/*/jobs/*/.skerry/progress")), "it reports progress")


ASYNC = {"mode": "async", "check": {"after": "0s", "every": "1h", "times": 1, "success": "1 < 2"}}


@pytest.mark.parametrize("more", [{}, ASYNC], ids=["waited for", "asynchronous"])
def test_a_call_that_was_being_made_as_an_end_stage_is_not_made_again(
    fallen: Fallen, tmp_path: Path, calls: list[str], more: dict[str, Any]
) -> None:
    fallen.begin({"a": _packs(tmp_path, "true", **more)})
    _until_packing(tmp_path)
    fallen.kill()

    seen = fallen.end()

    assert calls == []
    assert (seen["a"].status, seen["a"].error_code) == ("lost", LOST.number)
    assert seen["a"].error_message == "in the end stage: the engine ended while it was at work"


def test_recovery_may_make_it_again_in_a_further_attempt_and_says_so(
    fallen: Fallen, tmp_path: Path, calls: list[str]
) -> None:
    fallen.begin({"a": _packs(tmp_path, "true", recovery={"strategy": "retry", "after": 0})})
    _until_packing(tmp_path)
    fallen.kill()

    site = fallen.again()
    seen = fallen.end()

    assert len(calls) == 1
    assert [str(each.status) for each in seen["a"].attempts] == ["lost", "succeeded"]
    assert "recovery_retry" in [each.kind for each in site.engine.store.alerts()]


def test_a_call_as_an_end_stage_is_made_once_where_the_process_ended_while_no_engine_was_there(
    fallen: Fallen, gate: Gate, tmp_path: Path, calls: list[str]
) -> None:
    fallen.begin({"a": _packs(tmp_path, gate.script())})
    gate.until_up()
    fallen.kill()

    fallen.again()
    gate.open()

    assert fallen.end().states == {"a": "succeeded"}
    assert len(calls) == 1


def test_a_given_success_decides_over_a_call_that_failed_in_the_end_stage_too(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(kind: Archive, call: Call) -> Mapping[str, Any]:
        raise SkerryError(DIRECTORY_FAILED, "it is not there")

    monkeypatch.setattr(Archive, "call", call)
    ends = {"end": {"class": "archive"}, "params": {"files": [], "target": "x"}}
    nodes = {"said": shell("exit 4", success="1 < 2", **ends), "unsaid": shell("true", **ends)}

    seen = site.run(task(nodes))

    assert seen.states == {"said": "succeeded", "unsaid": "failed"}
    assert seen["unsaid"].error_message == "in the end stage: it is not there"
