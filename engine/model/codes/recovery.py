"""Domain 12 (recovery): handling rules, exceptions, alerts; and what jobs and runs wait for in vain (11, 40)."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

BUSY = ErrorCode(
    -1_11_00_004_000,
    en=Text(
        "The worker is busy",
        "The worker still runs this job, or one that wants it for itself.",
        "Wait for it, or see what runs ('skerry show INSTANCE') and cancel that ('skerry cancel "
        "INSTANCE NODE'). 'recovery' of the job says what happens by itself. If it comes back, a "
        "handling rule can act on it by itself ('skerry rules').",
    ),
    zh=Text(
        "执行主机忙",
        "执行主机仍在运行该作业，或正在运行独占的作业。",
        "等待其结束，或查看正在运行的作业（skerry show INSTANCE）并取消它（skerry cancel INSTANCE NODE）"
        "。作业的 recovery 决定系统自动做什么。如果反复发生，"
        "可用处理规则自动处理（skerry rules）。",
    ),
)
DEPENDENCY_TIMEOUT = ErrorCode(
    -1_40_00_101_000,
    en=Text(
        "What the task depends on did not come in time",
        "An instance that this one depends on had not succeeded when the dependency's timeout was over.",
        "Repair or rerun the task that it depends on, then 'skerry rerun INSTANCE --all'; or raise "
        "the timeout of the dependency. If it comes back, a handling rule can act on it by itself "
        "('skerry rules').",
    ),
    zh=Text(
        "等待依赖超时",
        "在依赖的 timeout 之内，所依赖的实例没有成功。",
        "修复或重新执行所依赖的任务，然后执行 skerry rerun INSTANCE --all；或调大该依赖的 timeout。如果反复发生，可用处理规则自动处理（skerry rules）。",
    ),
)
REMEDY_FAILED = ErrorCode(
    -1_12_01_002_000,
    en=Text(
        "A handling rule could not do what it says",
        "Its remedy task failed or is not there, or the value that it sets has no place in the context.",
        "See the note of the exception ('skerry exceptions show ID'), correct the rule and load it anew; "
        "meanwhile 'skerry rules disable RULE' switches it off.",
    ),
    zh=Text(
        "处理规则未能执行",
        "其补救任务失败或不存在，或它要设置的值在上下文中没有位置。",
        "查看异常的备注（skerry exceptions show ID），更正规则并重新加载；"
        "在此之前可用 skerry rules disable RULE 停用它。",
    ),
    retryable=False,
)
NO_SUCH_EXCEPTION = ErrorCode(
    -1_12_02_001_000,
    en=Text(
        "There is no such exception",
        "The number is not known here, or its instance was removed.",
        "'skerry exceptions list' shows them.",
    ),
    zh=Text("没有该异常", "此处没有该编号，或其实例已被删除。", "skerry exceptions list 可列出异常。"),
    retryable=False,
)
NO_SUCH_ALERT = ErrorCode(
    -1_12_02_002_000,
    en=Text(
        "There is no such alert",
        "The number is not known here, or its instance was removed.",
        "'skerry alerts list' shows them.",
    ),
    zh=Text("没有该告警", "此处没有该编号，或其实例已被删除。", "skerry alerts list 可列出告警。"),
    retryable=False,
)
NEIGHBOUR_AT_WORK = ErrorCode(
    -1_12_00_009_000,
    en=Text(
        "What stands directly before or after it is at work",
        "A rerun is refused while the instance itself, one that it depends on or started, or one that depends on "
        "it or started it, waits or runs: one of them would read what the other makes anew.",
        "Wait for its end ('skerry show INSTANCE') or cancel it; or rerun both together, in one command.",
    ),
    zh=Text(
        "直接上游或下游正在执行",
        "实例自身、它依赖或启动的实例、依赖它或启动它的实例处于等待或运行状态时，不允许重新执行：其中一方会读到另一方正在重做的数据。",
        "等待其结束（skerry show INSTANCE）或取消它；或者在同一条命令中一起重新执行。",
    ),
    retryable=False,
)
CIRCLE = ErrorCode(
    -1_12_00_011_000,
    en=Text(
        "Instances depend on each other in a circle",
        "With --downstream each runs again after those that it depends on, so none of them could be the first.",
        "Rerun them in one command without --downstream, or one after the other; and see 'depends_on' of "
        "their tasks.",
    ),
    zh=Text(
        "实例之间循环依赖",
        "带 --downstream 时，每个实例都在其依赖的实例之后重新执行，因此没有一个可以最先执行。",
        "在同一条命令中不带 --downstream 重新执行它们，或逐个重新执行；并检查这些任务的 depends_on。",
    ),
    retryable=False,
)
NOT_ASKING = ErrorCode(
    -1_12_02_003_000,
    en=Text(
        "The job does not wait for an answer",
        "Only a job that a rule has paused, or that asks because nobody can run it, takes an answer.",
        "Rerun from the job ('skerry rerun INSTANCE --from NODE') or settle its outcome "
        "('skerry force INSTANCE NODE succeeded --reason TEXT').",
    ),
    zh=Text(
        "作业没有在等待答复",
        "只有被规则暂停的作业，或因无人可执行而询问的作业，才接受答复。",
        "从该作业重新执行（skerry rerun INSTANCE --from NODE），"
        "或人工设定其结果（skerry force INSTANCE NODE succeeded --reason TEXT）。",
    ),
    retryable=False,
)
NOT_PAUSED = ErrorCode(
    -1_12_02_005_000,
    en=Text(
        "The instance is not paused",
        "Only a paused instance can be told to go on.",
        "Look at it with 'skerry show INSTANCE': it says what each of its jobs waits for.",
    ),
    zh=Text(
        "实例没有被暂停",
        "只有已暂停的实例才能恢复执行。",
        "用 skerry show INSTANCE 查看它：其中说明每个作业在等待什么。",
    ),
    retryable=False,
)
REASON_NEEDED = ErrorCode(
    -1_12_02_004_000,
    en=Text(
        "A reason is needed",
        "What people decide stays in the records, with the reason.",
        "Say why with --reason TEXT.",
    ),
    zh=Text("需要给出理由", "人工的决定会连同理由保留在记录中。", "用 --reason TEXT 说明理由。"),
    retryable=False,
)
