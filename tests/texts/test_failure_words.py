"""The message of a failure, which the engine writes in English, as readers of Chinese see it."""

from __future__ import annotations

import pytest

from app.failure_words import failure_words
from app.wiring import catalogue
from engine.execution.outcomes import Exit, failure_of
from engine.model.codes.runtime import CANCELLED

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


def test_what_its_code_means_goes_before_a_message_that_has_no_translation() -> None:
    assert (
        failure_words(CANCELLED.number, "cancelled by ann", "zh", FIND)
        == f"{CANCELLED.zh.title}：cancelled by ann"
    )
    assert failure_words(-19900001000, "own words", "zh", FIND) == "own words"


def test_beside_the_title_of_its_code_the_message_stays_as_it_is() -> None:
    assert failure_words(CANCELLED.number, "cancelled by ann", "zh") == "cancelled by ann"
    assert failure_words(CANCELLED.number, "stopped", "zh") == "已停止"
