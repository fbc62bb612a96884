"""The ``command`` job type: a program with its arguments, without any shell between."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field

from engine.model.errors import ErrorCode, SkerryError, Text
from engine.model.job import JobKeys
from engine.plugins.job_type import Program, ProgramRequest, ProgramType
from engine.plugins.results import ResultField

LONGEST_ARGUMENT = 128_000  # bytes; Linux itself ends at 131,072 with the name and the final NUL

NOT_FOUND = ErrorCode(
    -1_20_02_001_000,
    en=Text(
        "The program is not there or cannot be executed",
        "Its name is not on the PATH, or nothing executable is at its path.",
        "Install the program, correct the first element of argv, or make the file executable.",
    ),
    zh=Text(
        "程序不存在或不可执行",
        "PATH 中没有该程序名，或者该路径下没有可执行文件。",
        "安装该程序，更正 argv 的第一个元素，或为文件加上可执行权限。",
    ),
    retryable=False,
)
ARGUMENT_TOO_LONG = ErrorCode(
    -1_20_02_002_000,
    en=Text(
        "An argument is too long",
        f"The operating system takes no argument of more than {LONGEST_ARGUMENT:,} bytes.",
        "Give the value as a parameter (long ones arrive as a file), and the program the file's path.",
    ),
    zh=Text(
        "命令参数过长",
        f"操作系统不接受超过 {LONGEST_ARGUMENT:,} 字节的命令参数。",
        "改用作业参数传值（过长的值会以文件形式传入），并把文件路径交给程序。",
    ),
    retryable=False,
)
ARGUMENT_UNFIT = ErrorCode(
    -1_20_02_003_000,
    en=Text(
        "An argument cannot be given to a program",
        "It is null, holds a NUL character or broken Unicode: no command line can carry that.",
        "Look where the value comes from; give an empty text where nothing is meant.",
    ),
    zh=Text(
        "命令参数无法传给程序",
        "该参数为空值（null），或含有 NUL 字符或无效的 Unicode，命令行无法传递。",
        "检查该值的来源；如果本来就没有内容，请给出空文本。",
    ),
    retryable=False,
)


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
            "maps as JSON. A name without `/` is looked up on the PATH; a relative path starts at the "
            "job's directory."
        ),
        (
            "不经过 shell，直接用给定参数运行一个程序：值中的引号、`$`、`;` 和换行都是普通字符。"
            "数字、true 和 false 写成文本，列表和映射写成 JSON。不含 `/` 的名称在 PATH 中查找；"
            "相对路径从作业目录算起。"
        ),
    )
    keys = CommandKeys
    rendered = frozenset({"argv"})
    results = (ResultField("exit_code", "number", "The exit status of the program.", "程序的退出状态。"),)
    codes = (NOT_FOUND, ARGUMENT_TOO_LONG, ARGUMENT_UNFIT)
    meanings: ClassVar[Mapping[str, tuple[str, str]]] = {
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
        """The arguments as text. Raises SkerryError: no such program, an argument that cannot be given."""
        argv = cast(CommandKeys, request.settings).argv
        arguments = [argument(f"argv[{position}]", value) for position, value in enumerate(argv)]
        return Program((_program(request, arguments[0]), *arguments[1:]))


def argument(where: str, value: Any) -> str:
    """The text of one argument. Raises SkerryError: null, what no command line carries, too long."""
    text = _text(value)
    if text is None or "\0" in text:
        raise SkerryError(ARGUMENT_UNFIT, f"{where} is null or has a NUL character", where=where)
    try:
        length = len(os.fsencode(text))
    except UnicodeEncodeError:
        raise SkerryError(ARGUMENT_UNFIT, f"{where} is not valid Unicode text", where=where) from None
    if length > LONGEST_ARGUMENT:
        raise SkerryError(ARGUMENT_TOO_LONG, f"{where} has {length:,} bytes", where=where)
    return text


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _program(request: ProgramRequest, name: str) -> str:
    wanted = str(request.directory / name) if "/" in name else name
    if not name or shutil.which(wanted) is None:
        raise SkerryError(NOT_FOUND, f"no program {name!r} here", where="argv[0]")
    return wanted
