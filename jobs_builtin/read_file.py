"""The ``read_file`` job type: the text of a file as a result."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.model.errors import SkerryError
from engine.model.job import ParamSpec
from engine.model.message import Message
from engine.plugins import arguments
from engine.plugins.files import CHUNK, READING, ByteMeter, file_errors, open_regular
from engine.plugins.job_type import Call, CallType, ResultField
from jobs_builtin.codes import FILE_TOO_BIG, NOT_TEXT


class ReadFile(CallType):
    """Text exactly as it is, line ends included."""

    kind = "read_file"
    label = ("Read file", "读取文件")
    help = (
        (
            "Gives the text of a file as a result, exactly as it is, line ends included (only the "
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
    codes = (FILE_TOO_BIG, NOT_TEXT, *READING)
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
        meter = ByteMeter(call, file.seek(0, 2), path.name)
        file.seek(0)
        while piece := file.read(min(CHUNK, most + 1 - len(data))):
            data += piece
            meter.add(len(piece))
    if len(data) > most:
        raise SkerryError.at(FILE_TOO_BIG, "{where} has more than {most:,} bytes", path, most=most)
    return bytes(data)


def _decode(path: Path, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeError as error:
        at = Message.of(" at byte {n:,}", n=error.start) if isinstance(error, UnicodeDecodeError) else ""
        message = "{where} is not {encoding} text{at}"
        raise SkerryError.at(NOT_TEXT, message, path, encoding=encoding, at=at) from error
