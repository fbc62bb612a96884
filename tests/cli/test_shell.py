"""What holds for every command: options anywhere, one document, one error line, one exit status."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.main import COMMANDS, cli
from app.cli.terminal_text import clock_time, columns, visible, width
from app.durations import duration, seconds_between
from engine.model.codes.commands import WORKSPACE_UNUSABLE, WRONG_USE
from engine.model.codes.runtime import INTERNAL, NO_SUCH_INSTANCE, NOT_RUNNING
from tests.api.fake_service import FakeService, instance
from tests.cli.conftest import Skerry, complaints

HEAVY = ("sqlalchemy", "pydantic", "fastapi", "rich", "yaml", "asyncio", "paramiko", "PySide6")


def test_help_lists_every_command_and_loads_none(skerry: Skerry) -> None:
    answer = skerry("--help")

    assert answer.status == 0
    assert all(f"\n  {name} " in answer.out for name in COMMANDS)


def test_without_a_command_it_helps(skerry: Skerry) -> None:
    assert skerry().out == skerry("--help").out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_exists_and_explains_itself(skerry: Skerry, name: str) -> None:
    answer = skerry(name, "--help")

    assert answer.status == 0
    assert "--json" in answer.out
    assert "--workspace" in answer.out


@pytest.mark.parametrize("name", ["tasks", "queue", "exceptions", "keys", "secret", "fix", "delivery"])
def test_a_group_without_a_word_after_it_lists(skerry: Skerry, name: str) -> None:
    alone, listed = skerry(name, "--json"), skerry(name, "list", "--json")

    assert alone.status == 0, alone.err
    assert alone.document == listed.document
    assert skerry(name).out == skerry(name, "list").out


@pytest.mark.parametrize(("name", "word"), [("bundle", "inspect, verify"), ("resource", "check")])
def test_a_group_that_has_no_list_names_its_words_in_one_line(skerry: Skerry, name: str, word: str) -> None:
    answer = skerry(name)

    assert answer.status == 2
    assert answer.err.startswith(f"error {WRONG_USE.number}: skerry {name} needs a word after it: {word}")
    assert answer.err.count("\n") == 1
    assert skerry(name, "--json").document["error"]["code"] == WRONG_USE.number


@pytest.mark.parametrize("args", [["exprot"], ["bundle", "inspct"], ["keys", "lsit"]])
def test_a_word_that_is_nearly_a_command_is_answered_with_it(skerry: Skerry, args: list[str]) -> None:
    meant = {"exprot": "export", "inspct": "inspect", "lsit": "list"}[args[-1]]

    assert f"No such command '{args[-1]}'. Did you mean '{meant}'?" in skerry(*args).err


def test_help_loads_nothing_heavy() -> None:
    script = f"import sys, app.cli.main as m; print([n for n in {HEAVY!r} if n in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert loaded.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "args",
    [
        ["--json", "tasks", "list"],
        ["tasks", "--json", "list"],
        ["tasks", "list", "--json"],
        ["tasks", "--json"],
    ],
)
def test_json_is_before_or_after(skerry: Skerry, service: FakeService, args: list[str]) -> None:
    assert skerry(*args).document["tasks"][0]["id"] == "nightly"


def test_workspace_is_before_or_after(
    skerry: Skerry, service: FakeService, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKERRY_WORKSPACE", "/proc/nowhere")

    before = skerry("--workspace", str(workspace), "tasks", "--json")
    after = skerry("tasks", "list", "--json", "--workspace", str(workspace))

    assert before.document == after.document


def test_the_workspace_is_the_users_data_folder_by_default(
    skerry: Skerry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.cli.cli_context import CliContext

    monkeypatch.delenv("SKERRY_WORKSPACE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert CliContext().root == tmp_path / "skerry"

    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert CliContext().root == Path("/home/me/.local/share/skerry")


@pytest.mark.parametrize(
    "args",
    [
        ["nosuch"],
        ["show"],
        ["show", "twelve"],
        ["show", "0"],
        ["show", "99999999999999999999"],
        ["context", "1", "--at", "99999999999999999999"],
        ["tasks", "show", "a\udcff"],
        ["run", "a\udcff"],
        ["stats", "a\udcff"],
        ["list", "--limit", "0"],
        ["show", "1", "a", "b"],
        ["list", "--nosuch"],
        ["list", "--status", "odd"],
        ["list", "--since", "yesterday"],
        ["set", "1", "$.TASK", "5"],
        ["stats", "a", "--job", "b"],
        ["run", "nightly", "-p", "novalue"],
        ["run", "nightly", "--task", "other"],
        ["run", "no/such.yaml"],
        ["errors", "12"],
        ["--workspace", "", "list"],
    ],
)
def test_wrong_use_is_status_2_with_a_code(skerry: Skerry, service: FakeService, args: list[str]) -> None:
    plain, answer = skerry(*args), skerry(*args, "--json")

    assert (plain.status, answer.status) == (2, 2)
    assert plain.out == ""
    assert answer.document.keys() == {"error"}
    error = answer.document["error"]
    assert error.keys() == {"code", "message", "where"}
    assert plain.err.startswith(f"error {error['code']}: ")
    assert plain.err.count("\n") == 1
    assert plain.err == answer.err


def test_a_folder_that_cannot_be_used_is_wrong_use(skerry: Skerry) -> None:
    for args in (["list"], ["secret", "list"], ["list", "--since", "2026-11-21"], ["serve"]):
        answer = skerry("--workspace", "/dev/null/x", *args, "--json")
        assert answer.status == 2
        assert answer.document["error"]["code"] == WORKSPACE_UNUSABLE.number


def test_refused_is_status_3(skerry: Skerry, service: FakeService) -> None:
    service.answers["cancel"] = "refused"

    answer = skerry("cancel", "1", "--json")

    assert answer.status == 3
    assert answer.document["error"]["code"] == NOT_RUNNING.number


def test_a_mistake_of_the_program_is_status_4_without_a_traceback(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SKERRY_DEBUG", raising=False)
    answer = skerry("resource", "check", "broken", "--json")

    assert answer.status == 4
    assert answer.document["error"]["code"] == INTERNAL.number
    assert "Traceback" not in answer.err


def test_a_traceback_is_there_for_who_wants_it(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKERRY_DEBUG", "1")

    assert "Traceback" in skerry("resource", "check", "broken").err


def test_an_unknown_instance_is_named(skerry: Skerry, service: FakeService) -> None:
    answer = skerry("show", "77", "--json")

    assert answer.status == 2
    assert answer.document["error"]["code"] == NO_SUCH_INSTANCE.number


def test_the_json_of_wrong_use_is_asked_for_anywhere(skerry: Skerry) -> None:
    assert skerry("--json", "nosuch").document["error"]["code"] == WRONG_USE.number
    assert skerry("set", "--json").document["error"]["code"] == WRONG_USE.number
    assert skerry("nosuch", "--", "--json").out == ""


def test_an_at_sign_reads_no_file(skerry: Skerry, service: FakeService, tmp_path: Path) -> None:
    file = tmp_path / "args"
    file.write_text("secret")
    service.answers["run"] = instance(1, "succeeded")

    skerry("run", "nightly", "-p", f"first=@{file}", "-p", f"@{file}=x")
    skerry("set", "1", "$.TASK", f"@{file}", "--reason", f"@{file}")

    assert service.asked[0][1].texts == {"first": f"@{file}", f"@{file}": "x"}
    assert service.asked[1] == ("set", 1, "$.TASK", f"@{file}", f"@{file}")


def test_control_characters_are_seen_and_do_nothing(skerry: Skerry, service: FakeService) -> None:
    service.found[1] = instance(1, "failed", task="a\x1b[31m\u202eb", error_message="x\r\ny", error_code=-1)

    for args in (["show", "1"], ["list"]):
        answer = skerry(*args)
        assert "\x1b" not in answer.out
        assert "\u202e" not in answer.out
        assert r"a\x1b[31m\u202eb" in answer.out
        assert r"x\r\ny" in answer.out


def test_halves_of_characters_are_escaped_in_json(skerry: Skerry, service: FakeService) -> None:
    service.found[1] = instance(1, "failed", results={"name": "a\udcff", "中": "é"})

    assert skerry("show", "1", "--json").document["results"] == {"name": "a\udcff", "中": "é"}


def test_a_reader_that_goes_away_is_no_error(workspace: Path, service: FakeService) -> None:
    service.found.update({number: instance(number, "succeeded") for number in range(1, 5000)})
    command = [sys.executable, "-m", "app.cli.main", "list", "--limit", "5000", "--workspace", str(workspace)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(1)
        process.stdout.close()
        errors = process.stderr.read().decode()

    assert complaints(errors) == ""
    assert process.returncode == 0


def test_output_is_utf8_in_any_locale(workspace: Path, service: FakeService) -> None:
    service.found[1] = instance(1, "succeeded", task="每晚")
    command = [sys.executable, "-m", "app.cli.main", "show", "1", "--workspace", str(workspace)]
    environ = {**os.environ, "LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}

    answer = subprocess.run(command, capture_output=True, env=environ, check=True)

    assert "每晚" in answer.stdout.decode()


def test_the_root_command_is_named() -> None:
    assert cli.name == "skerry"


def test_wide_characters_keep_columns_aligned() -> None:
    lines = list(columns(("a", "b"), [("每晚", 1), ("x", None)]))

    assert lines == ["a     b", "每晚  1", "x"]
    assert width("é中") == 3


def test_nothing_hidden_stays_hidden() -> None:
    assert visible("a\tb\u200b\x9b\ud800") == r"a\tb\u200b\x9b\ud800"
    assert visible("每晚 é") == "每晚 é"


def test_times_are_short() -> None:
    assert clock_time(None) == ""
    assert seconds_between(None, None) is None
    assert seconds_between("2026-11-21T08:00:01+00:00", "2026-11-21T08:00:00+00:00") == 0
    assert duration(7260, "en") == "2 h 01 min"
    assert duration(7260, "zh") == "2 小时 01 分"
