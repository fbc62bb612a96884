"""What an operator reads in Chinese: labels, states and reasons; documents stay as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.cli import terminal_text
from app.cli.cli_context import CliContext, say
from app.cli.progress_picture import ProgressPicture
from app.cli.run_progress import ProgressLines
from engine.model.states import InstanceState, JobState, Trigger
from tests.api.fake_service import LOCAL_WORKER, FakeService, instance, job
from tests.cli.conftest import Skerry

STATES = ", ".join(repr(str(each)) for each in InstanceState)


@pytest.fixture
def chinese(workspace: Path) -> None:
    workspace.mkdir(parents=True, exist_ok=True)
    (workspace / "workspace.yaml").write_text("language: zh\n")


@pytest.mark.usefixtures("chinese")
def test_show_and_list_have_chinese_labels(skerry: Skerry, service: FakeService) -> None:
    service.found[1] = instance(
        1, "failed", jobs=[job("load", "failed"), job("b", "skipped", reason="parent_failed: load")]
    )

    shown, listed = skerry("show", "1").out, skerry("list").out

    assert "实例 1" in shown
    assert "失败 failed" in shown
    assert "未执行：load 失败" in shown
    assert listed.split()[:3] == ["实例", "任务", "状态"]
    assert skerry("show", "1", "--json").document["status"] == "failed"


@pytest.mark.usefixtures("chinese")
def test_states_of_workers_mean_something_else_than_those_of_tasks(
    skerry: Skerry, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = ("online", "offline", "untrusted", "draining", "paused")
    workers = [{**LOCAL_WORKER, "name": each, "state": each} for each in states]
    monkeypatch.setattr(service, "workers", lambda: workers)

    head, *lines = skerry("worker", "list").out.splitlines()

    assert "磁盘" in head
    assert [line.split()[2:4] for line in lines] == [
        ["就绪", "online"],
        ["联系不上", "offline"],
        ["未受信任", "untrusted"],
        ["排空中", "draining"],
        ["已暂停", "paused"],
    ]


@pytest.mark.usefixtures("chinese")
def test_an_entry_of_the_catalogue_has_chinese_labels(skerry: Skerry) -> None:
    assert "处理办法" in skerry("errors", "-10200008000").out


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("bogus", "没有命令 'bogus'。是否想写 'logs'？"),
        ("keys creat", "没有命令 'creat'。"),
        ("show 1 --nix", "没有选项 '--nix'。"),
        ("set 1 a b", "缺少选项 '--reason'。"),
        ("show", "缺少参数 'INSTANCE'。"),
        ("show x", "'INSTANCE' 的值无效：'x' 不是数字。"),
        ("list --limit 0", "'--limit' 的值无效：0 不在范围 1<=x<=1000000 内。"),
        ("list --status odd", f"'--status' 的值无效：'odd' 不是以下之一：{STATES}。"),
        (
            "force 1 a odd --reason x",
            "'succeeded|failed' 的值无效：'odd' 不是以下之一：'succeeded', 'failed'。",
        ),
        ("force 1 a", "缺少参数 'succeeded|failed'。可选：succeeded, failed"),
        ("queue clean often", "'MINUTES' 的值无效：'often' 不是数字。"),
        ("queue clean -- -1", "'MINUTES' 的值无效：-1.0 不在范围 0<=x<=1000000000.0 内。"),
        ("tasks show t --revision x", "'--revision' 的值无效：'x' 不是数字。"),
        ("export 1 --budget big", "'--budget' 的值无效：应为大小，如 4096、64KiB 或 10MB"),
        ("list --limit", "选项 '--limit' 需要一个值。"),
        ("list --json=yes", "选项 '--json' 不带值。"),
        ("show 1 a b", "多出参数（b）"),
        ("show 1 a b c", "多出参数（b c）"),
        ("export 1", "请指明写到哪里：-o PATH"),
    ],
)
def test_a_command_line_that_is_not_understood_is_reported_in_chinese(
    skerry: Skerry, line: str, said: str
) -> None:
    answer = skerry(*line.split())

    assert answer.status == 2
    assert answer.err == f"error -10190001000: {said}\n"


@pytest.mark.usefixtures("chinese")
def test_an_error_is_worded_in_chinese_as_a_whole(skerry: Skerry) -> None:
    answer = skerry("show", "99")

    assert answer.err == "error -10300906000: 没有实例 99\n"
    assert skerry("show", "99", "--json").document["error"]["message"] == "there is no instance 99"


@pytest.mark.usefixtures("chinese")
def test_findings_are_said_in_chinese(skerry: Skerry, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("skerry: 1\nresources:\n  r: {type: file}\n")

    answer = skerry("check", str(tmp_path / "a.yaml")).out

    assert answer.endswith(":3:3: error -10100021000: 此处需要 `uri`：资源的位置\n")


def test_why_something_waits_is_said_with_all_that_is_known_about_it() -> None:
    retry = {
        "seconds": 5,
        "message": "exit status 3",
        "message_facts": {"template": "exit status {n}", "facts": {"n": 3}},
        "at": "2026-11-22T01:13:07+08:00",
        "attempt": 2,
        "of": 3,
    }
    document = {"reason": "tried again in 5 s: exit status 3", "why": {"kind": "retry", **retry}}

    assert (
        terminal_text.in_words(document)
        == "tried again at 2026-11-22 01:13:07 +08:00 (attempt 2 of 3): exit status 3"
    )
    assert terminal_text.in_words(document, "zh") == (
        "将于 2026-11-22 01:13:07 +08:00 重试（第 2 次尝试，共 3 次）：退出状态 3"
    )


@pytest.mark.parametrize(
    ("reason", "answer"),
    [
        ("parent_failed: load", "未执行：load 失败"),
        ("waits behind 3 others", "waits behind 3 others"),
    ],
)
def test_of_an_older_workspace_a_skip_has_its_sentence_and_other_words_stay(reason: str, answer: str) -> None:
    assert terminal_text.in_words({"reason": reason}, "zh") == answer


def test_every_state_has_a_chinese_word() -> None:
    known = [str(each) for group in (InstanceState, JobState, Trigger) for each in group]

    assert [word for word in known if say(word, "zh") == word] == []


@pytest.mark.usefixtures("chinese")
def test_progress_is_reported_in_chinese(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli = CliContext()
    cli.workspace = str(workspace)
    jobs: list[Any] = [job("load", "failed", instance=7), job("wait", "running", instance=8)]
    lines = ProgressLines(cli)
    lines.state(instance(1, "running", jobs=jobs))
    picture = ProgressPicture(cli)
    why = {"kind": "parents", "nodes": ["load"]}
    picture.state(instance(1, "running", jobs=[*jobs, job("c", "pending", instance=9, why=why)]))
    with picture._live.console.capture() as shown:
        picture._live.console.print(picture._render())
    picture.close()

    answer = capsys.readouterr().out
    assert "实例 1：" in answer
    assert "load：失败 failed" in answer
    assert "实例 1" in shown.get()
    assert "运行中" in shown.get()
    assert "等待 load" in shown.get()


@pytest.mark.usefixtures("chinese")
def test_the_queue_and_exceptions_have_chinese_labels(skerry: Skerry, service: FakeService) -> None:
    assert "个执行位已占用" in skerry("queue").out
    assert skerry("exceptions").out.split()[:3] == ["编号", "时间", "状态"]
    assert skerry("queue", "--json").document["places"] is not None


@pytest.mark.usefixtures("chinese")
def test_documents_and_options_are_the_same_in_chinese(skerry: Skerry, service: FakeService) -> None:
    assert skerry("keys", "--json").document == {"keys": []}
    assert skerry("keys").out.split() == ["名称", "状态", "角色", "可发送", "指纹", "添加时间"]


def test_the_audit_says_in_chinese_what_was_done_to_what(
    skerry: Skerry, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = tmp_path / "failing.yaml"
    failing.write_text("skerry: 1\ntasks: {t: {nodes: {a: {type: shell, process: exit 3}}}}\n")
    skerry("run", str(failing))
    skerry("rerun", "1", "--failed")
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")

    assert "重新执行  实例 1" in skerry("audit", "list").out
    assert skerry("audit", "list", "--json").document["audit"][0]["action"] == "rerun"
