"""The ``concat_text`` job type: several text files one after the other in one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from engine.model.job import ParamSpec
from engine.plugins import arguments
from engine.plugins.files import CHUNK, WRITING, ByteMeter, file_errors, open_regular, replacing
from engine.plugins.job_type import Call, CallType, ResultField


class ConcatText(CallType):
    """The target is replaced as a whole at the end, so it may be among the sources."""

    kind = "concat_text"
    label = ("Join text files", "合并文本文件")
    help = (
        (
            "Writes the given files one after the other into a target, byte for byte, with a separator "
            "between them. The target appears only when everything is written, and is left as it was when "
            "something fails; it may itself be one of the files. Files of any size are joined with little "
            "memory. Relative paths start at the job's directory; the target's folder must be there."
        ),
        (
            "把给定的文件依次逐字节写入目标文件，文件之间加分隔文本。全部写完后目标文件才会出现，"
            "出错时保持原样；目标文件本身也可以是源文件之一。无论文件多大都只占用少量内存。"
            "相对路径从作业目录算起；目标文件所在目录必须存在。"
        ),
    )
    params = {
        "files": ParamSpec(kind="list", required=True, help="The files in order."),
        "target": ParamSpec(kind="file", required=True, help="The file to write."),
        "separator": ParamSpec(kind="text", value="", help="Text between two files."),
    }
    results = (
        ResultField("path", "file", "The absolute path of the target.", "目标文件的绝对路径。"),
        ResultField(
            "lines",
            "number",
            "The lines of the target; a last one without a line end counts too.",
            "目标文件的行数；最后没有换行符的一行也计入。",
        ),
    )
    codes = WRITING
    meanings = {
        "files": ("The files to join, in order.", "要合并的文件，按顺序排列。"),
        "target": ("The file to write; one that exists is replaced.", "要写入的文件；已存在时会被替换。"),
        "separator": (
            "Text between two files (UTF-8), for example a line end; empty by default.",
            "两个文件之间的文本（UTF-8），例如换行；默认为空。",
        ),
    }
    example = """\
type: concat_text
params:
  files: ["{$.TASK.WORKSPACE}/incoming/a.txt", "{$.TASK.WORKSPACE}/incoming/b.txt"]
  target: "{$.TASK.WORKSPACE}/incoming/both.txt"
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``path`` and ``lines``. Raises SkerryError for each file that cannot be read or written."""
        sources = arguments.paths(call, "files")
        target = arguments.path(call, "target")
        separator = arguments.text(call, "separator", "").encode("utf-8", "surrogatepass")
        meter = ByteMeter(call, sum(map(_size, sources)), target.name)
        with replacing(target) as out:
            lines = _Lines(out)
            for position, source in enumerate(sources):
                lines.write(separator if position else b"")
                _copy(source, lines, meter)
        return {"path": str(target), "lines": lines.count}


class _Lines:
    """Writes, and counts the lines of what was written."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._ends = 0
        self._last = b"\n"

    def write(self, data: bytes) -> None:
        self._out.write(data)
        self._ends += data.count(b"\n")
        self._last = data[-1:] or self._last

    @property
    def count(self) -> int:
        return self._ends + (self._last != b"\n")


def _size(path: Path) -> int:
    with open_regular(path) as file:
        return file.seek(0, 2)


def _copy(source: Path, lines: _Lines, meter: ByteMeter) -> None:
    with open_regular(source) as file, file_errors(source):
        while piece := file.read(CHUNK):
            lines.write(piece)
            meter.add(len(piece))
