"""Values reach programs as data, and nothing of the engine's own does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from engine.execution import environment as module
from engine.execution.environment import BIGGEST, environment, inherited
from engine.model.codes import processes as codes
from engine.model.environment import reaches_environment
from engine.model.errors import SkerryError
from tests.execution.conftest import Workbench


def given(bench: Workbench, params: dict[str, Any], **more: Any) -> dict[str, str]:
    """The environment of a job with these parameters and nothing inherited."""
    return environment({}, params, bench.job().path, "mark", **more)


def test_a_program_knows_where_everything_is(bench: Workbench) -> None:
    found = given(bench, {})

    path = f"{bench.instance.path}/jobs/job-j-1"
    assert found == {
        "SKERRY_JOB_DIR": path,
        "SKERRY_INPUTS": f"{path}/inputs",
        "SKERRY_OUTPUTS": f"{path}/outputs",
        "SKERRY_CONTEXT": f"{path}/ctx.json",
        "SKERRY_STATUS": f"{path}/status",
        "SKERRY_PROGRESS": f"{path}/.skerry/progress",
        "SKERRY_ATTEMPT": "mark",
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a b", "a b"), ("", ""), (3, "3"), (3.0, "3"), (0.5, "0.5"), (True, "true"), (False, "false"),
        ([1, "é"], '[1,"é"]'), ({"a": None}, '{"a":null}'),
    ],
)  # fmt: skip
def test_values_are_given_as_text(bench: Workbench, value: Any, text: str) -> None:
    assert given(bench, {"x": value})["x"] == text


def test_null_gives_no_variable(bench: Workbench) -> None:
    assert "x" not in given(bench, {"x": None})


@pytest.mark.parametrize(
    "name",
    ["PATH", "IFS", "LD_PRELOAD", "BASH_ENV", "ENV", "PYTHONPATH", "PYTHONSTARTUP", "SKERRY_JOB_DIR", "HOME",
     "SKERRY_X", "JAVA_TOOL_OPTIONS", "PS4", "a-b", "a.b", "1", "é", "", "a\n", "BASH_FUNC_x"],
)  # fmt: skip
def test_names_that_steer_the_system_or_are_none_never_become_variables(bench: Workbench, name: str) -> None:
    before = given(bench, {})

    found = given(bench, {name: "x"})

    assert not reaches_environment(name)
    assert sorted(found) == sorted(before)


@pytest.mark.parametrize("name", ["x", "_x1", "path", "Path", "file1", "LANG", "http_proxy", "TZ"])
def test_other_names_become_variables(name: str) -> None:
    assert reaches_environment(name)


def test_nothing_of_the_engines_own_is_inherited(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKERRY_PASSPHRASE", "open sesame")
    monkeypatch.setenv("SKERRY_WORKSPACE", "/w")
    monkeypatch.setenv("OTHER", "kept")

    ended = bench.run("env")

    assert "open sesame" not in ended.out
    assert "SKERRY_WORKSPACE" not in ended.out
    assert "OTHER=kept\n" in ended.out
    assert inherited({"A": "1", "SKERRY_PASSPHRASE_FILE": "x"}) == {"A": "1"}


def test_the_job_types_own_variables_are_there(bench: Workbench) -> None:
    assert given(bench, {"x": "1"}, extra={"CLASSPATH": "/a.jar"}, context="/ctx")["CLASSPATH"] == "/a.jar"


def test_a_value_over_100_kib_is_a_file(bench: Workbench) -> None:
    value = "é$(id)\n" * 20_000
    ended = bench.run(
        '[ -z "${big+x}" ] && cat "${big_FILE}"; ls inputs', params={"big": value, "small": "x"}
    )

    assert ended.out == f"{value}big\nparams.json\n"
    assert Path(ended.job.path, "inputs/big").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("size", "as_file"), [(BIGGEST, False), (BIGGEST + 1, True)])
def test_the_border_is_exactly_100_kib_of_bytes(bench: Workbench, size: int, as_file: bool) -> None:
    found = given(bench, {"x": "y" * size})

    assert ("x_FILE" in found) is as_file
    assert ("x" in found) is not as_file


@pytest.mark.parametrize("value", ["a\0b", "\0" * 200_000, "\ud800" * 100_000])
def test_what_no_program_can_be_given_is_an_error_naming_the_parameter(bench: Workbench, value: str) -> None:
    with pytest.raises(SkerryError) as caught:
        given(bench, {"x": value})

    assert caught.value.entry is codes.UNPASSABLE_VALUE
    assert "'x'" in caught.value.message


def test_a_value_is_utf8_whatever_the_locale_of_the_engine(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_UTF8", False)

    assert os.fsencode(given(bench, {"x": "中"})["x"]) == "中".encode()


def test_a_big_value_that_cannot_be_written_is_an_error(bench: Workbench) -> None:
    with pytest.raises(SkerryError) as caught:
        environment({}, {"x": "y" * 200_000}, "/no/such/directory", "m")

    assert caught.value.entry is codes.DIRECTORY_FAILED
