"""The ``extract`` job type: unpack an archive without trusting anything in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from engine.model.catalogue import codes_in
from engine.model.job import ParamSpec
from engine.plugins import arguments
from engine.plugins.files import WRITING, ByteMeter, file_errors, open_regular
from engine.plugins.job_type import Call, CallType, ResultField
from jobs_builtin.archives import codes as archive_codes
from jobs_builtin.archives.budget import ArchiveLimits, Budget


class Extract(CallType):
    """The format is recognized by the file's content, not by its name."""

    kind = "extract"
    label = ("Extract archive", "解压归档")
    help = (
        (
            "Unpacks a zip, a tar (also gz, bz2, xz, zst) or a single compressed file into a folder. The "
            "format is recognized by the content. Nothing in the archive is trusted: names that lead "
            "outside, links, devices, doubled names and archives that grow without measure are refused, "
            "each with its code; then nothing is unpacked at all. Files of the same name in the target are "
            "replaced; files keep whether they can be executed, and no other right. Names that are not "
            "marked as UTF-8 may be GBK. Relative paths start at the job's directory."
        ),
        (
            "把 zip、tar（可带 gz、bz2、xz、zst）或单个压缩文件解到目录中。格式由内容判断。"
            "归档中的任何信息都不被信任：指向目录之外的名称、链接、设备、重复的名称，以及无节制膨胀的归档"
            "都会被拒绝，各有错误码；此时不会解出任何内容。目标目录中的同名文件会被替换；"
            "只保留文件的可执行属性，不保留其他权限。没有 UTF-8 标记的名称可以是 GBK。"
            "相对路径从作业目录算起。"
        ),
    )
    params = {
        "path": ParamSpec(kind="file", required=True, help="The archive."),
        "target": ParamSpec(kind="file", value="extracted", help="The folder to unpack into."),
        "encoding": ParamSpec(kind="text", help="Of names that are not UTF-8."),
        "max_size": ParamSpec(kind="text", value="10GB", help="The most bytes to unpack."),
        "max_files": ParamSpec(kind="number", value=100_000, help="The most files and folders."),
        "max_ratio": ParamSpec(kind="number", value=200, help="The most bytes out for a byte in."),
    }
    results = (
        ResultField(
            "files",
            "list",
            "The absolute paths of the files, in the archive's order.",
            "解出的文件的绝对路径，按归档中的顺序。",
        ),
    )
    codes = (*codes_in(archive_codes), *WRITING)
    meanings = {
        "path": ("The archive.", "归档文件。"),
        "target": ("The folder to unpack into; it is made when missing.", "解压到的目录；不存在时自动创建。"),
        "encoding": (
            "How names that are not UTF-8 are written; without it they are read as GB 18030 (GBK).",
            "非 UTF-8 名称的编码；不给出时按 GB 18030（GBK）解读。",
        ),
        "max_size": ("The most bytes that may come out in all.", "解出内容的总字节数上限。"),
        "max_files": ("The most files and folders.", "文件和目录的数量上限。"),
        "max_ratio": (
            "How many times bigger than the archive its content may be (beyond the first 10 MB).",
            "内容最多可以是归档大小的多少倍（前 10 MB 不计）。",
        ),
    }
    example = """\
type: extract
params: {path: "{$.TASK.WORKSPACE}/incoming/delivery.zip", target: "{$.TASK.WORKSPACE}/delivery"}
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``files``. Raises SkerryError for every archive that is not sound in all its parts."""
        from jobs_builtin.archives.reading import members
        from jobs_builtin.archives.unpack import unpack

        path = arguments.path(call, "path")
        target = arguments.path(call, "target", "extracted")
        limits = ArchiveLimits(
            arguments.size(call, "max_size", "10GB"),
            arguments.whole(call, "max_files", 100_000),
            arguments.whole(call, "max_ratio", 200),
        )
        encoding = arguments.encoding(call, "encoding") if arguments.given(call, "encoding") else None
        with open_regular(path) as file, file_errors(target):
            size = os.fstat(file.fileno()).st_size
            meter = ByteMeter(call, size, path.name)
            budget = Budget(limits, size, lambda: meter.reach(os.lseek(file.fileno(), 0, os.SEEK_CUR)))
            found = members(file, path, budget, encoding)
            return {"files": unpack(found, target, budget)}
