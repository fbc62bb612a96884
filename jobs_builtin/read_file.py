"""The ``read_file`` job type: the text of a file as a result."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.model.errors import ErrorCode, SkerryError, Text
from engine.model.job import ParamSpec
from engine.plugins import arguments
from engine.plugins.files import CHUNK, READING, Meter, file_errors, open_regular
from engine.plugins.job_type import Call, CallType
from engine.plugins.results import ResultField

TOO_BIG = ErrorCode(
    -1_20_12_001_000,
    en=Text(
        "The file is too big to be read as a result",
        "It is bigger than max_size, which protects the engine's memory.",
        "Raise max_size if the text is really needed as a whole; else use split_file or a script.",
    ),
    zh=Text(
        "文件过大，无法作为结果读取",
        "文件超过 max_size，该限制用于保护引擎的内存。",
        "确实需要整个文本时调大 max_size；否则使用 split_file 或脚本处理。",
    ),
    retryable=False,
)
NOT_TEXT = ErrorCode(
    -1_20_12_002_000,
    en=Text(
        "The file is not text in this encoding",
        "Bytes at the named position have no meaning in the encoding: it is another one, "
        "or the file is not text.",
        "Give the right encoding, for example gb18030 for files of Chinese Windows programs.",
    ),
    zh=Text(
        "文件不是该编码的文本",
        "所示位置的字节在该编码中没有意义：文件使用其他编码，或者不是文本文件。",
        "给出正确的编码，例如中文 Windows 程序的文件常用 gb18030。",
    ),
    retryable=False,
)


class ReadFile(CallType):
    """Text exactly as it stands, line ends included."""

    kind = "read_file"
    label = ("Read file", "读取文件")
    help = (
        (
            "Gives the text of a file as a result, exactly as it stands, line ends included (only the "
            "mark that Windows programs put before UTF-8 text is left out). A relative path starts at "
            "the job's directory."
        ),
        (
            "把文件的文本作为结果，内容原样保留，包括换行"
            "（只去掉 Windows 程序在 UTF-8 文本前加的 BOM 标记）。相对路径从作业目录算起。"
        ),
    )
    params = {
        "path": ParamSpec(kind="file", required=True, help="The file to read."),
        "encoding": ParamSpec(kind="text", value="utf-8", help="How its characters are written."),
        "max_size": ParamSpec(kind="text", value="10MB", help="Bigger files are an error."),
    }
    results = (
        ResultField("text", "text", "The text of the file.", "文件的文本。"),
        ResultField("size", "number", "The size of the file in bytes.", "文件的字节数。"),
    )
    codes = (TOO_BIG, NOT_TEXT, *READING)
    meanings = {
        "path": ("The file to read.", "要读取的文件。"),
        "encoding": (
            "How its characters are written: `utf-8`, `gb18030`, `utf-16` and the like.",
            "字符编码：`utf-8`、`gb18030`、`utf-16` 等。",
        ),
        "max_size": (
            "A bigger file is an error; for example `64KB` or `1GB`.",
            "超过该大小的文件视为错误；例如 `64KB` 或 `1GB`。",
        ),
    }
    example = """\
type: read_file
params: {path: "{$.TASK.WORKSPACE}/incoming/today.txt", encoding: gb18030, max_size: 1MB}
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``text`` and ``size``. Raises SkerryError: missing, no file, too big, not text."""
        path = arguments.path(call, "path")
        encoding = arguments.encoding(call, "encoding", "utf-8")
        data = _read(call, path, arguments.size(call, "max_size", "10MB"))
        text = _decode(path, data, "utf-8-sig" if encoding == "utf-8" else encoding)
        return {"text": text, "size": len(data)}


def _read(call: Call, path: Path, most: int) -> bytes:
    data = bytearray()
    with open_regular(path) as file, file_errors(path):
        meter = Meter(call, file.seek(0, 2), path.name)
        file.seek(0)
        while piece := file.read(min(CHUNK, most + 1 - len(data))):
            data += piece
            meter.add(len(piece))
    if len(data) > most:
        raise SkerryError(TOO_BIG, f"{path} has more than {most:,} bytes", where=str(path))
    return bytes(data)


def _decode(path: Path, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeError as error:
        place = f" at byte {error.start:,}" if isinstance(error, UnicodeDecodeError) else ""
        message = f"{path} is not {encoding} text{place}"
        raise SkerryError(NOT_TEXT, message, where=str(path)) from error
