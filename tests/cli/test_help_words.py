"""The help of every command, in Chinese as in English."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from app.cli.help_words import paragraphs
from app.cli.main import cli
from app.texts import catalogue
from tests.cli.conftest import Skerry

CHINESE = catalogue("zh", "help")
FRAME = {"Usage: ", "Options:", "Commands:", "; without a word after it: ", "."}


def test_every_sentence_of_the_help_has_its_chinese_and_none_is_left_over() -> None:
    assert set(_sentences(cli, click.Context(cli))) | FRAME == CHINESE.keys()


def _sentences(command: click.Command, context: click.Context) -> Iterator[str]:
    texts = [command.help, *(getattr(each, "help", None) for each in command.get_params(context))]
    if isinstance(command, click.Group):
        texts += [line for _, line in getattr(command, "_table", {}).values()]
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _sentences(below, click.Context(below, info_name=name, parent=context))
    for each in (each for text in texts if text for each in paragraphs(text)):
        group, default, _ = each.partition("; without a word after it: ")
        yield f"{group}." if default else each


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("--help", ["用法：skerry", "选项：", "命令：", "list        列出运行过的、运行中的和等待中的。"]),
        ("exceptions --help", ["查看失败及其处理情况；不带子命令时：list。", "list    列出异常，最新的在前"]),
        ("exceptions list --help", ["具有此错误码；末尾的零涵盖其下全部。"]),
    ],
)
def test_help_is_chinese_where_chinese_is_spoken(
    skerry: Skerry, monkeypatch: pytest.MonkeyPatch, command: str, lines: list[str]
) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")

    shown = skerry(*command.split()).out

    assert [line for line in lines if line not in shown] == []


def test_help_is_english_elsewhere(skerry: Skerry) -> None:
    shown = skerry("exceptions", "--help").out

    assert "See failures and what was done about them; without a word after it: list." in shown
    assert "Commands:\n  handle  Close an exception with a reason; or answer" in shown
