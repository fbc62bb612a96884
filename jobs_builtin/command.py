"""The ``command`` job type: a program with its arguments, without any shell between."""

from __future__ import annotations

from typing import Annotated, Any, cast

from pydantic import Field

from engine.model.job import JobKeys
from engine.plugins.job_type import Program, ProgramRequest, ProgramType, ResultField, arguments


class CommandKeys(JobKeys):
    """``argv``: the program and its arguments."""

    argv: Annotated[tuple[Any, ...], Field(min_length=1)]


class Command(ProgramType):
    """Every element of ``argv`` reaches the program as one argument, whatever is in it."""

    kind = "command"
    label = ("Command", "命令")
    help = (
        (
            "Runs one program with the given arguments, without a shell: quotes, `$`, `;` and line ends "
            "in a value are plain characters. Numbers, true and false are written as text, lists and "
            "maps as JSON; null is an error, and so is an argument of more than 128,000 bytes. A name "
            "without `/` is looked up on the PATH; a relative path starts at the job's directory."
        ),
        (
            "不经过 shell，直接用给定参数运行一个程序：值中的引号、`$`、`;` 和换行都是普通字符。"
            "数字、true 和 false 写成文本，列表和映射写成 JSON；"
            "空值（null）和超过 128,000 字节的参数视为错误。"
            "不含 `/` 的名称在 PATH 中查找；相对路径从作业目录算起。"
        ),
    )
    keys = CommandKeys
    rendered = frozenset({"argv"})
    results = (ResultField("exit_code", "number", "The exit status of the program.", "程序的退出状态。"),)
    meanings = {
        "argv": (
            "The program and its arguments; elements may hold expressions.",
            "程序及其参数；各元素可以包含表达式。",
        )
    }
    example = """\
type: command
params: {folder: /tmp}
argv: [ls, -l, "{$.JOB['example'].PARAMS['folder']}"]
"""

    def program(self, request: ProgramRequest) -> Program:
        """The arguments as text. Raises SkerryError for null."""
        return Program(arguments(cast(CommandKeys, request.settings).argv))
