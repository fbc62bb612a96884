"""What an operator reads in Chinese: labels, states and reasons; documents stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli import text, words
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


def test_every_state_and_reason_has_a_chinese_word() -> None:
    known = [str(each) for group in (InstanceState, JobState, Trigger) for each in group]

    assert [word for word in (*known, *text._WORDS.values()) if words.say(word, "zh") == word] == []
