"""The message of a failure, which the engine writes in English, as readers of Chinese see it."""

from __future__ import annotations

import ast
import re

import pytest

from app.failure_words import failure_words, with_failure_words
from app.texts import catalogue as catalogue_of_texts
from app.wiring import catalogue
from engine.execution.outcomes import Exit, failure_of
from engine.model.codes.runtime import CANCELLED
from engine.model.reason import Kind, Reason
from engine.model.reason_words import words
from tests.texts.source import ROOT

FIND = catalogue({}).find


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (3, "退出状态 3"),
        (126, "退出状态 126：命令不可执行"),
        (127, "退出状态 127：找不到命令"),
        (137, "被信号 9（SIGKILL）终止"),
    ],
)
def test_how_a_program_ended_is_said_in_chinese(status: int, said: str) -> None:
    failure = failure_of(Exit.of(status))

    assert failure is not None
    assert failure_words(failure.code, failure.message, "zh_CN", FIND) == said
    assert failure_words(failure.code, failure.message, "en", FIND) == failure.message


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("cancelled by ann", "已被 ann 取消"),
        ("it took longer than its timeout of 0.3 s", "运行超过了超时时间 0.3 秒"),
        ("recovery 1 of 3: tried again in 60 s", "第 1 次恢复（共 3 次）：60 秒后重试"),
        ("job 'load[2]': exit status 3", "作业 'load[2]'：退出状态 3"),
        (
            "job 'pay: x' of instance 7: there is no worker 'mars'; a decision is needed",
            "实例 7 的作业 'pay: x'：没有执行主机 'mars'；需要有人决定",
        ),
        ("task 'u' (instance 5): job 'a': ended by signal 9 (SIGKILL)", "任务 'u'（实例 5）：作业 'a'：被信号 9（SIGKILL）终止"),
        (
            "the worker refuses it: exclusive: waits for the end of what runs",
            "执行主机拒绝：独占：等待正在运行的作业结束",
        ),
        ("stopped\nby {nobody}", "stopped\nby {nobody}"),
    ],
)  # fmt: skip
def test_a_message_of_the_engine_is_chinese_with_its_facts(message: str, said: str) -> None:
    assert failure_words(None, message, "zh") == said
    assert failure_words(None, message, "en") == message


def test_what_its_code_means_goes_before_a_message_that_has_no_translation() -> None:
    title = CANCELLED.zh.title

    assert failure_words(CANCELLED.number, "own words", "zh", FIND) == f"{title}：own words"
    assert (
        failure_words(CANCELLED.number, "job 'a': own words", "zh", FIND) == f"作业 'a'：{title}：own words"
    )
    assert failure_words(-19900001000, "own words", "zh", FIND) == "own words"


def test_beside_the_title_of_its_code_the_message_stays_as_it_is() -> None:
    assert failure_words(CANCELLED.number, "own words", "zh") == "own words"


def test_the_failure_within_a_reason_is_chinese_too() -> None:
    reason = Reason.of(Kind.RETRY, seconds=5, message="exit status 3", at="10:00", attempt=2, of=5)

    assert words(with_failure_words(reason, "zh"), "zh").endswith("：退出状态 3")
    assert with_failure_words(Reason(Kind.SLOT), "zh") == Reason(Kind.SLOT)


def _shape(text: ast.expr) -> str | None:
    """A literal message, each of its facts as ``{}``."""
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        return text.value
    if isinstance(text, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in text.values)
    return None


def _messages() -> set[str]:
    """What the runtime gives to ``Failure`` as a message, and to ``handled`` as a note, if it is there."""
    found: set[str | None] = set()
    for file in (ROOT / "engine" / "runtime").rglob("*.py"):
        calls = [each for each in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(each, ast.Call)]
        for call in calls:
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if name in ("Failure", "handled") and len(call.args) > 1:
                text = call.args[1]
                found |= {_shape(each) for each in (text.values if isinstance(text, ast.BoolOp) else [text])}
    return {each for each in found if each}


def test_every_message_that_the_runtime_writes_in_place_has_its_chinese() -> None:
    known = {re.sub(r"\{\w+\}", "{}", english) for english in catalogue_of_texts("zh", "failures")}

    assert {"cancelled by {}", "tried again in {} s"} <= _messages()
    assert _messages() - known == set()
