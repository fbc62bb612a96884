"""What job types and checks of resources say of what went wrong, as readers of Chinese see it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from app.failure_words import failure_words
from engine.model.errors import SkerryError
from engine.model.message import Message
from engine.plugins.resource_type import CheckResult, ResolvedResource
from engine.testing import call_of
from jobs_builtin.extract import Extract
from jobs_builtin.read_file import ReadFile
from resources.clients.http import HttpAnswer
from resources.database import Database
from resources.file import File
from tests.jobs_builtin.packing import entry, tar_of


def check(path: Path, secret: str | None = None, **wanted: Any) -> CheckResult:
    return File(lambda: 0.0).check(ResolvedResource("in", "file", str(path), {}, wanted, secret))


def in_chinese(message: str) -> str:
    return failure_words(None, message, "zh")


def test_what_a_check_finds_is_said_in_chinese_with_its_numbers(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("x" * 1200)

    bad, good = check(tmp_path / "in.csv", min_size="1MB"), check(tmp_path / "in.csv")

    assert bad.message == f"{tmp_path}/in.csv has 1,200 bytes, 1,048,576 are wanted"
    assert in_chinese(bad.message) == f"{tmp_path}/in.csv 有 1,200 字节，至少需要 1,048,576"
    assert in_chinese(good.message) == f"{tmp_path}/in.csv 正常"


def test_a_secret_is_in_neither_language(tmp_path: Path) -> None:
    found = check(tmp_path / "hunter2", secret="hunter2")

    assert found.message == f"not there: {tmp_path}/******"
    assert in_chinese(found.message) == f"不存在：{tmp_path}/******"


def test_the_map_of_a_check_has_plain_text_for_expressions(tmp_path: Path) -> None:
    assert type(check(tmp_path).as_map()["message"]) is str


def test_the_answer_of_a_query_is_said_in_chinese() -> None:
    wanted = {"query": "select 1", "expect": 2}
    found = Database().check(ResolvedResource("db", "database", "sqlite://", {}, wanted))

    assert in_chinese(found.message) == "查询结果为 1，应为 2"


def test_why_a_redirect_was_not_followed_is_said_within_the_answer() -> None:
    answer = HttpAnswer(302, {}, b"", 0.1, Message.of("it leads to what is no http or https address"))

    shown = answer.described("http://a/")

    assert shown == "http://a/ answers 302 Found; it leads to what is no http or https address"
    assert in_chinese(shown) == "http://a/ 应答 302 Found；重定向的目标不是 http 或 https 地址"


def refusal(kind: Any, directory: Path, params: Mapping[str, Any]) -> SkerryError:
    with pytest.raises(SkerryError) as caught:
        kind.call(call_of(kind, directory, params))
    return caught.value


def test_what_is_wrong_with_an_archive_is_said_in_chinese(tmp_path: Path) -> None:
    (tmp_path / "in.tar").write_bytes(tar_of([entry("../x")]))

    error = refusal(Extract(), tmp_path, {"path": "in.tar"})

    assert error.message == "'../x': a path that leads upwards"
    assert in_chinese(error.message) == "'../x'：路径指向上级目录"


def test_a_file_that_is_not_text_is_named_in_chinese_with_the_byte(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_bytes(b"abc\xff")

    error = refusal(ReadFile(), tmp_path, {"path": "in.txt"})

    assert error.message == f"{tmp_path}/in.txt is not utf-8-sig text at byte 3"
    assert in_chinese(error.message) == f"{tmp_path}/in.txt 不是 utf-8-sig 文本（第 3 字节处）"
