"""The ``python`` job type: a Python script in a process of its own."""

from __future__ import annotations

import shutil
import sys
from typing import cast

from engine.model.errors import SkerryError
from engine.model.job import JobKeys
from engine.plugins.job_type import Program, ProgramRequest, ProgramType, ResultField
from jobs_builtin.codes import NO_INTERPRETER


class PythonKeys(JobKeys):
    """``python``: another interpreter than the one that runs Skerry."""

    python: str | None = None


class Python(ProgramType):
    """``python -u -E executeCode/process``: output at once, no PYTHON… variable of the engine's."""

    kind = "python"
    label = ("Python script", "Python 脚本")
    help = (
        (
            "Runs a Python script in a process of its own, so that it can neither harm the engine nor be "
            "harmed by it. By default the interpreter is the one that runs Skerry. Its output is not "
            "buffered, and variables such as PYTHONPATH do not reach it. Parameters are in `os.environ`, "
            "with their kinds in `inputs/params.json`; results are files in "
            '`os.environ["SKERRY_OUTPUTS"]`.'
        ),
        (
            "在单独的进程中运行 Python 脚本，脚本与引擎互不影响。默认使用运行 Skerry 的解释器。"
            "输出不缓冲，PYTHONPATH 之类的变量不会传入。参数在 `os.environ` 中，"
            "带类型的参数在 `inputs/params.json` 中；"
            '结果写成 `os.environ["SKERRY_OUTPUTS"]` 中的文件。'
        ),
    )
    keys = PythonKeys
    rendered = frozenset({"python"})
    process = "required"
    results = (ResultField("exit_code", "number", "The exit status of the script.", "脚本的退出状态。"),)
    codes = (NO_INTERPRETER,)
    meanings = {
        "python": (
            "The interpreter: a path, or a name on the PATH; may hold expressions.",
            "解释器：路径，或 PATH 中的名称；可以包含表达式。",
        )
    }
    example = """\
type: python
params: {text: the quick brown fox}
process: |
  import os, pathlib
  words = os.environ["text"].split()
  pathlib.Path(os.environ["SKERRY_OUTPUTS"], "count").write_text(str(len(words)))
results:
  count: {kind: number}
"""

    def program(self, request: ProgramRequest) -> Program:
        """The script with its interpreter. Raises SkerryError when this machine has none."""
        own = _default() if request.here else "python3"
        interpreter = cast(PythonKeys, request.settings).python or own
        return Program((interpreter, "-u", "-E", str(request.script)))


def _default() -> str:
    """The interpreter of Skerry; a packaged program has none, then the machine's ``python3``."""
    own = None if getattr(sys, "frozen", False) else sys.executable
    found = own or shutil.which("python3")
    if not found:
        raise SkerryError(NO_INTERPRETER, "no python3 on this machine's PATH", where="python")
    return found
