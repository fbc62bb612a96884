"""Domain 03, sub-domain 01 of the catalogue: the context and its log."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

CANNOT_SET = ErrorCode(
    -1_03_01_001_000,
    en=Text(
        "The value cannot be set at this path",
        "A part of the path leads through something that is neither a map nor a list, or an index is wrong.",
        "Look at the context and correct the path.",
    ),
    zh=Text(
        "无法在该路径写入值",
        "路径经过的某处既不是映射也不是列表，或下标有误。",
        "查看上下文并修改路径。",
    ),
    retryable=False,
)
NOTHING_THERE = ErrorCode(
    -1_03_01_002_000,
    en=Text("There is nothing to remove at this path", "The context has no such value.", "Correct the path."),
    zh=Text("该路径下没有可删除的值", "上下文中没有该值。", "请修改路径。"),
    retryable=False,
)
NOT_JSON = ErrorCode(
    -1_03_01_003_000,
    en=Text(
        "The value is not a JSON value",
        "Only text, finite numbers, true, false, null, lists and maps can stand in the context.",
        "Report this to the vendor with a diagnostic bundle.",
    ),
    zh=Text(
        "值不是 JSON 值",
        "上下文只能存放文本、有限数值、true、false、null、列表和映射。",
        "请导出诊断包并联系供应商。",
    ),
    retryable=False,
)
LOG_TORN = ErrorCode(
    -1_03_01_004_000,
    en=Text(
        "The last line of the context log is torn",
        "The machine stopped while the line was being written; everything before it is whole.",
        "Nothing has to be done: the engine repairs the file from the database.",
    ),
    zh=Text(
        "上下文日志的最后一行不完整",
        "写入该行时机器停止；此前的内容均完整。",
        "无需处理：引擎会根据数据库修复该文件。",
    ),
    retryable=False,
)
LOG_ALTERED = ErrorCode(
    -1_03_01_005_000,
    en=Text(
        "A line of the context log is not what was written",
        "Its checksum does not fit: the disk is damaged or the file was edited.",
        "Take the log from the database or from a bundle, and check the disk.",
    ),
    zh=Text(
        "上下文日志中的某行与写入时不一致",
        "校验和不符：磁盘损坏或文件被修改。",
        "从数据库或诊断包取回日志，并检查磁盘。",
    ),
    retryable=False,
)
LOG_GAP = ErrorCode(
    -1_03_01_006_000,
    en=Text(
        "Lines are missing from the context log",
        "The numbers of its lines do not follow each other.",
        "Take the log from the database or from a bundle.",
    ),
    zh=Text("上下文日志缺少若干行", "行号不连续。", "从数据库或诊断包取回日志。"),
    retryable=False,
)
