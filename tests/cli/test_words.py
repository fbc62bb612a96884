"""What an operator reads in Chinese: labels, states and reasons; documents stay as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.cli import terminal_text, words
from app.cli.cli_context import CliContext
from app.cli.run_progress import Lines, Picture
from engine.model.states import InstanceState, JobState, Trigger
from tests.api.fake_service import FakeService, instance, job
from tests.cli.conftest import Skerry


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
def test_an_entry_of_the_catalogue_has_chinese_labels(skerry: Skerry) -> None:
    assert "处理办法" in skerry("errors", "-10200008000").out


@pytest.mark.usefixtures("chinese")
def test_an_error_says_in_chinese_what_its_code_means(skerry: Skerry) -> None:
    told = skerry("show", "99")

    assert told.err.startswith("error -10300906000: 没有")
    assert told.err.rstrip().endswith("there is no instance 99")
    assert told.err.count("\n") == 1
    assert skerry("show", "99", "--json").document["error"]["message"] == "there is no instance 99"


@pytest.mark.usefixtures("chinese")
def test_findings_say_in_chinese_what_their_codes_mean(skerry: Skerry, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("skerry: 1\nresources:\n  r: {type: file}\n")

    told = skerry("check", str(tmp_path / "a.yaml")).out

    assert ":3:3: error -10100021000: 缺少必需的键：`uri` is required" in told


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("waits for load, index", "等待 load, index"),
        ("waits for a place", "等待空闲位置"),
        ("waits 3600 s", "等待 3600 秒"),
        ("waits until 2026-11-21T08:00:00+08:00", "等待到 2026-11-21T08:00:00+08:00"),
        ("waits until its condition holds", "等待条件成立"),
        ("waits for the end of job instance 7, which is exclusive", "等待独占的作业实例 7 结束"),
        ("tried again in 5 s: exit status 3", "5 秒后重试：exit status 3"),
        ("tried again in 5 s by rule r1: it broke", "5 秒后按规则 r1 重试：it broke"),
        ("recovery 1 of 3: tried again in 120 s: lost", "第 1 次恢复（共 3 次）：120 秒后重试：lost"),
        ("paused by rule r1, waits for an answer: {x}", "被规则 r1 暂停，等待处理：{x}"),
        ("the instance is paused by ann: too late", "实例已被 ann 暂停：too late"),
        (
            "paused by ann at 2026-11-22 01:13:07+08:00: too late",
            "实例已被 ann 于 2026-11-22 01:13:07+08:00 暂停：too late",
        ),
        ("paused by ann at 2026-11-22 01:13:07+08:00", "实例已被 ann 于 2026-11-22 01:13:07+08:00 暂停"),
        (
            "the instance is paused with instance 5, paused by ann at 2026-11-22 01:13:07+08:00: a: b",
            "随实例 5 暂停，该实例已被 ann 于 2026-11-22 01:13:07+08:00 暂停：a: b",
        ),
        (
            "paused with instance 5, paused by ann at 2026-11-22 01:13:07+08:00",
            "随实例 5 暂停，该实例已被 ann 于 2026-11-22 01:13:07+08:00 暂停",
        ),
        ("paused with instance 5, paused", "随实例 5 暂停"),
        (
            "there is no worker 'x'; waits for it, or for an answer",
            "there is no worker 'x'；等待其可用，或等待处理",
        ),
        ("its ready stage is done by other jobs", "其 ready 阶段由其他作业执行"),
        ("by hand: the figures are wrong", "人工处理：the figures are wrong"),
        ("something that a rule of the site wrote", "something that a rule of the site wrote"),
    ],
)
def test_why_something_waits_is_told_in_chinese(reason: str, told: str) -> None:
    assert terminal_text.in_words(reason, "zh") == told
    assert terminal_text.in_words(reason) == reason


def test_every_state_and_reason_has_a_chinese_word() -> None:
    known = [str(each) for group in (InstanceState, JobState, Trigger) for each in group]

    assert [word for word in (*known, *terminal_text._WORDS.values()) if words.say(word, "zh") == word] == []


@pytest.mark.usefixtures("chinese")
def test_progress_is_told_in_chinese(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli = CliContext()
    cli.workspace = str(workspace)
    jobs: list[Any] = [job("load", "failed", instance=7), job("wait", "running", instance=8)]
    lines = Lines(cli)
    lines.state(instance(1, "running", jobs=jobs))
    picture = Picture(cli)
    picture.state(
        instance(1, "running", jobs=[*jobs, job("c", "pending", instance=9, reason="waits for load")])
    )
    with picture._live.console.capture() as shown:
        picture._live.console.print(picture._render())
    picture.close()

    told = capsys.readouterr().out
    assert "实例 1：" in told
    assert "load: 失败 failed" in told
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
