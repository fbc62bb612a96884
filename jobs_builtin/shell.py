"""The ``shell`` job type: a script for ``sh``, or for the interpreter that its ``#!`` line names."""

from __future__ import annotations

from engine.plugins.job_type import Program, ProgramRequest, ProgramType, ResultField


class Shell(ProgramType):
    """Sourced by the wrapper's own ``sh``, so a plain script costs no second process."""

    kind = "shell"
    label = ("Shell script", "Shell 脚本")
    help = (
        (
            "Runs a script with `sh`. A first line that begins with `#!` chooses another interpreter, "
            "for example `#!/bin/bash`. Parameters arrive as environment variables and are never part of "
            "the script's text, so no value can change what it does. The script returns results by "
            'writing files into `"$SKERRY_OUTPUTS"`; it succeeds when its exit status is 0.'
        ),
        (
            "用 `sh` 运行脚本。第一行以 `#!` 开头时使用该行指定的解释器，例如 `#!/bin/bash`。"
            "参数以环境变量的形式传入，不会成为脚本文本的一部分，因此任何参数值都不会改变脚本的行为。"
            '脚本把结果写成 `"$SKERRY_OUTPUTS"` 中的文件；退出状态为 0 表示成功。'
        ),
    )
    process = "required"
    results = (ResultField("exit_code", "number", "The exit status of the script.", "脚本的退出状态。"),)
    example = """\
type: shell
params: {name: harbour}
process: |
  echo "good morning, ${name}"
  printf '%s' "${#name}" > "${SKERRY_OUTPUTS}/length"
results:
  length: {kind: number}
"""

    def program(self, request: ProgramRequest) -> Program:
        """No command: the engine reads the ``#!`` line, and sources a script that has none."""
        return Program(None)
