"""The ``archive`` job type: files and folders packed into one file, the same bytes each time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.model.job import ParamSpec
from engine.plugins import arguments
from engine.plugins.files import WRITING, ByteMeter, replacing
from engine.plugins.job_type import Call, CallType, ResultField


class Archive(CallType):
    """The form is that of the target's name; the target is replaced as a whole at the end."""

    kind = "archive"
    label = ("Make archive", "打包归档")
    help = (
        (
            "Packs files and folders into one file, in the form that the target's name asks for: `.zip`, "
            "`.tar`, `.tar.gz` (`.tgz`), `.tar.xz` (`.txz`), `.tar.zst` (`.tzst`), or a single file as "
            "`.gz`, `.xz` or `.zst`. Each is packed under its own name, a folder with everything below it. "
            "The same content gives the same bytes: times, owners and the order of the disk are not in the "
            "archive; of the rights only whether a file can be executed. Links, pipes and devices are "
            "refused, never followed. The target appears only when everything is packed, and is left as it "
            "was when something fails. Relative paths start at the job's directory."
        ),
        (
            "把文件和目录打包成一个文件，格式由目标文件名决定：`.zip`、`.tar`、`.tar.gz`（`.tgz`）、"
            "`.tar.xz`（`.txz`）、`.tar.zst`（`.tzst`），或把单个文件压缩为 `.gz`、`.xz`、`.zst`。"
            "每一项以自己的名称放入，目录连同其中的全部内容。相同的内容得到逐字节相同的归档："
            "其中没有时间、所有者，也不受磁盘上顺序的影响；权限只保留是否可执行。"
            "符号链接、管道和设备会被拒绝，不会被跟随。全部打包完成后目标文件才会出现，出错时保持原样。"
            "相对路径从作业目录算起。"
        ),
    )
    params = {
        "files": ParamSpec(kind="list", required=True, help="The files and folders."),
        "target": ParamSpec(kind="file", required=True, help="The archive to write."),
    }
    results = (
        ResultField("path", "file", "The absolute path of the archive.", "归档文件的绝对路径。"),
        ResultField("size", "number", "Its size in bytes.", "归档文件的字节数。"),
        ResultField(
            "files",
            "list",
            "The names of the files in the archive, in its order.",
            "归档中各文件的名称，按归档中的顺序。",
        ),
    )
    codes = WRITING
    meanings = {
        "files": (
            "The files and folders to pack, in order; no two may have the same name.",
            "要打包的文件和目录，按顺序排列；名称不能相同。",
        ),
        "target": (
            "The archive; its name says the form. One that exists is replaced.",
            "归档文件；格式由文件名决定。已存在时会被替换。",
        ),
    }
    example = """\
type: archive
params:
  files: ["{$.TASK.WORKSPACE}/incoming/a.txt", "{$.TASK.WORKSPACE}/incoming/b.txt"]
  target: "{$.TASK.WORKSPACE}/incoming/both.tar.gz"
"""

    def call(self, call: Call) -> Mapping[str, Any]:
        """``path``, ``size``, ``files``. Raises SkerryError: a parameter, or a file's trouble."""
        from jobs_builtin.archives.packing import pack
        from jobs_builtin.archives.sources import gathered

        sources = arguments.paths(call, "files")
        target = arguments.path(call, "target")
        entries = gathered(sources, target)
        meter = ByteMeter(call, sum(entry.size for entry in entries), target.name)
        with replacing(target) as out:
            pack(entries, target.name, out, meter)
            size = out.tell()
        return {
            "path": str(target),
            "size": size,
            "files": [each.name for each in entries if not each.folder],
        }
