"""The ``split_file`` job type: one file cut into parts by lines or by size."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from engine.model.errors import SkerryError
from engine.model.job import ParamSpec
from engine.plugins import arguments
from engine.plugins.files import CHUNK, WRITING, ByteMeter, file_errors, open_regular
from engine.plugins.job_type import Call, CallType, ResultField
from jobs_builtin.codes import TOO_MANY_PARTS

DIGITS = 6
MOST_PARTS = 10**DIGITS - 1


class SplitFile(CallType):
    """Parts appear together, when all of them are written."""

    kind = "split_file"
    label = ("Split file", "切分文件")
    help = (
        (
            "Cuts a file into parts of so many lines, or of so many bytes; put together again in order "
            "they are the file, byte for byte. With a folder as target the parts are named after the file "
            "(`data.000001.csv`), else after the target (`part-000001`), so that they sort by name. Parts "
            "of the same name are replaced. The parts appear only when all are written. A relative "
            "path starts at the job's directory."
        ),
        (
            "按行数或字节数把文件切成若干部分；按顺序拼接后与原文件逐字节相同。"
            "目标是目录时按文件名命名（`data.000001.csv`），否则按目标命名（`part-000001`），因此可按名称排序。"
            "同名的部分会被替换。全部写完后各部分才会出现。相对路径从作业目录算起。"
        ),
    )
    params = {
        "path": ParamSpec(kind="file", required=True, help="The file to cut."),
        "lines": ParamSpec(kind="number", help="Lines of each part (or give size)."),
        "size": ParamSpec(kind="text", help="Bytes of each part (or give lines)."),
        "target": ParamSpec(kind="file", value="parts/", help="A folder, or the beginning of names."),
    }
    results = (
        ResultField(
            "files", "list", "The absolute paths of the parts, in order.", "各部分的绝对路径，按顺序。"
        ),
        ResultField("parts", "number", "How many parts; an empty file has none.", "部分的数量；空文件为 0。"),
    )
    codes = (TOO_MANY_PARTS, *WRITING)
    meanings = {
        "path": ("The file to cut.", "要切分的文件。"),
        "lines": ("How many lines a part has; give this or `size`.", "每部分的行数；与 `size` 二选一。"),
        "size": (
            "How many bytes a part has, for example `10MB`; lines may be cut.",
            "每部分的字节数，例如 `10MB`；可能在行中间切开。",
        ),
        "target": (
            (
                "A folder that exists, a folder to be made when it ends with `/`, else the beginning of "
                "the parts' names."
            ),
            "已存在的目录；以 `/` 结尾时为要创建的目录；否则为各部分文件名的开头。",
        ),
    }
    example = """\
type: split_file
params: {path: "{$.TASK.WORKSPACE}/incoming/today.csv", lines: 1000}
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``files`` and ``parts``. Raises SkerryError: a parameter, too many parts, a file's trouble."""
        source = arguments.path(call, "path")
        cut = _cut(call)
        names = _names(call, source)
        with open_regular(source) as file, file_errors(names.folder):
            meter = ByteMeter(call, os.fstat(file.fileno()).st_size, source.name)
            if names.make:
                names.folder.mkdir(parents=True, exist_ok=True)
            draft = Path(tempfile.mkdtemp(prefix=".skerry-", dir=names.folder))
            try:
                parts = _write(file, draft, cut, meter)
                files = [_publish(draft, names, number) for number in range(1, parts + 1)]
            finally:
                shutil.rmtree(draft, ignore_errors=True)
        return {"files": files, "parts": parts}


@dataclass(frozen=True, slots=True)
class _Cut:
    """Where a part ends: after ``most`` lines, or after ``most`` bytes."""

    by_lines: bool
    most: int

    def piece(self, file: BinaryIO, left: int) -> bytes:
        """The next bytes of a part that has room for ``left`` more; a long line comes in pieces."""
        return file.readline(CHUNK) if self.by_lines else file.read(min(CHUNK, left))

    def used(self, piece: bytes) -> int:
        """How much of the part's room the piece takes."""
        return piece.endswith(b"\n") if self.by_lines else len(piece)


@dataclass(frozen=True, slots=True)
class _Names:
    """Where parts go and how they are called."""

    folder: Path
    before: str
    after: str
    make: bool

    def of(self, number: int) -> Path:
        return self.folder / f"{self.before}{number:0{DIGITS}}{self.after}"


def _cut(call: Call) -> _Cut:
    by_lines = arguments.given(call, "lines")
    if by_lines == arguments.given(call, "size"):
        raise arguments.unfit("lines", "give either lines or size")
    return _Cut(by_lines, arguments.whole(call, "lines") if by_lines else arguments.size(call, "size"))


def _names(call: Call, source: Path) -> _Names:
    text = arguments.text(call, "target", "parts/")
    target = arguments.path(call, "target", "parts/")
    if text.endswith("/") or target.is_dir():
        return _Names(target, f"{source.stem}.", source.suffix, make=True)
    return _Names(target.parent, target.name, "", make=False)


def _write(file: BinaryIO, draft: Path, cut: _Cut, meter: ByteMeter) -> int:
    """Write the parts under their numbers into ``draft``; returns how many."""
    number = 0
    piece = cut.piece(file, cut.most)
    while piece:
        number += 1
        if number > MOST_PARTS:
            raise SkerryError(TOO_MANY_PARTS, "more than {most:,} parts", most=MOST_PARTS)
        with (draft / str(number)).open("xb") as part:
            piece = _fill(part, piece, file, cut, meter)
    return number


def _fill(part: BinaryIO, piece: bytes, file: BinaryIO, cut: _Cut, meter: ByteMeter) -> bytes:
    """Write one part, beginning with ``piece``; returns the first piece of the next one."""
    left = cut.most
    while piece and left > 0:
        part.write(piece)
        meter.add(len(piece))
        left -= cut.used(piece)
        piece = cut.piece(file, left or cut.most)
    return piece


def _publish(draft: Path, names: _Names, number: int) -> str:
    part = names.of(number)
    os.replace(draft / str(number), part)
    return str(part)
