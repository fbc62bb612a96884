"""The ``file_exists`` job type: is there something at a path?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from engine.model.codes.jobs import DENIED, MISSING, PARAMETER, TROUBLE
from engine.model.errors import SkerryError
from engine.model.job import ParamSpec
from engine.plugins import arguments
from engine.plugins.files import file_errors
from engine.plugins.job_type import Call, CallType, ResultField


class FileExists(CallType):
    """A file that is missing is an answer; only what cannot be known is an error."""

    kind = "file_exists"
    label = ("File exists", "文件是否存在")
    help = (
        (
            "Tells whether something is at a path, with its size and when it was last changed. A missing "
            "file is a result, not a failure. Links are followed; a folder exists too. A relative path "
            "starts at the job's directory."
        ),
        (
            "判断路径下是否有内容，并给出大小和最后修改时间。文件不存在是一种结果，不算失败。"
            "符号链接会被跟随；目录也算存在。相对路径从作业目录算起。"
        ),
    )
    params = {"path": ParamSpec(kind="file", required=True, help="The path to look at.")}
    results = (
        ResultField("exists", "boolean", "Whether something is there.", "是否存在。"),
        ResultField("size", "number", "Its size in bytes; null when missing.", "字节数；不存在时为空值。"),
        ResultField(
            "modified",
            "text",
            "When it was last changed, in UTC; null when missing.",
            "最后修改时间（UTC）；不存在时为空值。",
        ),
    )
    codes = (PARAMETER, DENIED, TROUBLE)
    meanings = {"path": ("The path to look at.", "要查看的路径。")}
    example = """\
type: file_exists
params: {path: "{$.TASK.WORKSPACE}/incoming/today.csv"}
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``exists``, ``size``, ``modified``. Raises SkerryError when it cannot be known."""
        path = arguments.path(call, "path")
        try:
            with file_errors(path):
                found = os.stat(path)
        except SkerryError as error:
            if error.entry is not MISSING:
                raise
            return {"exists": False, "size": None, "modified": None}
        modified = datetime.fromtimestamp(found.st_mtime_ns // 1000 / 1_000_000, UTC)
        return {
            "exists": True,
            "size": found.st_size,
            "modified": modified.isoformat(timespec="microseconds"),
        }
