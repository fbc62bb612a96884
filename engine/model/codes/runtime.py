"""Domains 11 (queue and workers), 12 (recovery) and 90 (internal) of the catalogue, and what a run itself raises."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

QUEUE_TIMEOUT = ErrorCode(
    -1_11_00_001_000,
    en=Text(
        "The job waited too long for a place",
        "All places of the worker were taken for longer than the job's queue_timeout.",
        "Rerun from this job ('skerry rerun INSTANCE --from NODE'), raise queue_timeout, or give the "
        "machine more places ('skerry queue size N'). If it comes back, a handling rule can act on "
        "it by itself ('skerry rules').",
    ),
    zh=Text(
        "作业等待执行位置超时",
        "执行主机的所有位置被占用的时间超过了作业的 queue_timeout。",
        "从该作业重新执行（skerry rerun INSTANCE --from NODE），或调大 queue_timeout，"
        "或增加执行位置（skerry queue size N）。如果反复发生，可用处理规则自动处理（skerry rules）"
        "。",
    ),
)
NO_WORKER = ErrorCode(
    -1_11_00_002_000,
    en=Text(
        "No worker can run the job",
        "The job names workers or a group that this engine does not have.",
        "Start or register the worker, or correct the job's 'on'. A run that somebody started asks "
        "what to do: 'skerry exceptions list --status open', then 'skerry exceptions handle ID skip "
        "--reason TEXT'. If it comes back, a handling rule can act on it by itself ('skerry rules').",
    ),
    zh=Text(
        "没有可用的执行主机",
        "作业指定的执行主机或主机组在本引擎中不存在。",
        "启动或登记该执行主机，或修改作业的 on 设置。"
        "人工启动的运行会询问如何处理：skerry exceptions list --status open，"
        "然后 skerry exceptions handle ID skip --reason TEXT。如果反复发生，"
        "可用处理规则自动处理（skerry rules）。",
    ),
)
REMOVED = ErrorCode(
    -1_11_00_003_000,
    en=Text(
        "The job was removed from the queue",
        "An operator removed the waiting job or cleared the queue.",
        "Rerun from this job when it should run after all.",
    ),
    zh=Text("作业被移出队列", "操作员移除了等待中的作业或清空了队列。", "需要执行时，从该作业重新执行。"),
)
LOST = ErrorCode(
    -1_12_00_001_000,
    en=Text(
        "The outcome cannot be known",
        "The machine was restarted, or the job's watcher was killed, before it wrote down how the job ended.",
        "Look at the job's log and at what it changes; then rerun from it ('skerry rerun INSTANCE "
        "--from NODE'), or settle its outcome by hand ('skerry force INSTANCE NODE succeeded "
        "--reason TEXT'). If it comes back, a handling rule can act on it by itself ('skerry rules').",
    ),
    zh=Text(
        "无法得知执行结果",
        "在记录作业结果之前，机器被重启或作业的看护进程被杀死。",
        "查看作业日志及其改动的内容，然后从该作业重新执行（skerry rerun INSTANCE --from NODE），"
        "或人工设定结果（skerry force INSTANCE NODE succeeded --reason TEXT）。如果反复发生，"
        "可用处理规则自动处理（skerry rules）。",
    ),
    retryable=False,  # not by a job's retry: the old process tree may live (recovery decides)
)
CANCELLED = ErrorCode(
    -1_12_00_002_000,
    en=Text("Cancelled", "Somebody stopped it.", "Rerun it when it should run after all."),
    zh=Text("已取消", "有人停止了它。", "需要时重新执行。"),
    retryable=False,
)
FORCED = ErrorCode(
    -1_12_00_006_000,
    en=Text(
        "Marked as failed by hand",
        "An operator settled the outcome of the job.",
        "See the reason that was given; rerun from the job when it should run after all.",
    ),
    zh=Text("人工标记为失败", "操作员设定了该作业的结果。", "查看给出的理由；需要时从该作业重新执行。"),
    retryable=False,
)
STILL_RUNNING = ErrorCode(
    -1_12_00_007_000,
    en=Text(
        "It is still running",
        "An instance can only be run again after it has ended, and not while what it depends on runs.",
        "Wait for its end ('skerry show INSTANCE') or cancel it.",
    ),
    zh=Text(
        "仍在运行",
        "实例结束之后才能重新执行，其依赖运行期间也不行。",
        "等待其结束（skerry show INSTANCE）或取消它。",
    ),
    retryable=False,
)
NOT_BEGUN = ErrorCode(
    -1_12_00_005_000,
    en=Text(
        "The engine ended before the job was started",
        "The attempt was written down, but its process was never started.",
        "Nothing is to be done: it is started again.",
    ),
    zh=Text("引擎在作业启动前结束", "该次执行已登记，但进程从未启动。", "无需处理：会重新启动。"),
)
STILL_ALIVE = ErrorCode(
    -1_12_00_003_000,
    en=Text(
        "Stopped, but some processes would not go",
        "Processes of the job survived KILL: they hang in the kernel or belong to another user.",
        "End the named pids by other means; do not rerun the job while they live.",
    ),
    zh=Text(
        "已停止，但仍有进程存活",
        "作业的部分进程在 KILL 之后仍然存活：卡在内核中或属于其他用户。",
        "用其他方式结束列出的进程；在它们存活期间不要重新执行该作业。",
    ),
    retryable=False,
)
TASK_TIMED_OUT = ErrorCode(
    -1_12_00_004_000,
    en=Text(
        "The task took too long",
        "The instance was not finished within the task's timeout, waiting included.",
        "See which job took the time; raise the timeout or rerun the failed jobs. If it comes back, "
        "a handling rule can act on it by itself ('skerry rules').",
    ),
    zh=Text(
        "任务超时",
        "实例未能在任务的 timeout 内完成（包括等待时间）。",
        "查看耗时的作业；调大 timeout 或重新执行失败的作业。如果反复发生，可用处理规则自动处理（skerry rules）。",
    ),
)
JOBS_FAILED = ErrorCode(
    -1_03_00_900_000,
    en=Text(
        "A job of the run failed",
        "At least one job ended badly, so the run did.",
        "Look at the first failed job ('skerry exceptions list --instance N'); repair its cause; rerun what failed "
        "('skerry rerun INSTANCE --failed').",
    ),
    zh=Text(
        "运行中有作业失败",
        "至少一个作业未成功结束，因此本次运行失败。",
        "查看第一个失败的作业（skerry exceptions list --instance N），"
        "排除原因后重新执行失败的部分（skerry rerun INSTANCE --failed）。",
    ),
)
TASK_NOT_SUCCESSFUL = ErrorCode(
    -1_03_00_901_000,
    en=Text(
        "The task's success condition does not hold",
        "All jobs ended, but the condition given as the task's 'success' is false.",
        "Compare the condition with the values in the context.",
    ),
    zh=Text(
        "任务的成功条件不成立",
        "所有作业已结束，但任务的 success 条件为假。",
        "对照上下文中的值检查该条件。",
    ),
)
PARAM_UNKNOWN = ErrorCode(
    -1_03_00_902_000,
    en=Text(
        "The task has no such parameter",
        "A value was given for a name that is not in the task's parameter table.",
        "Correct the name; 'skerry tasks show ID' lists the parameters.",
    ),
    zh=Text(
        "任务没有该参数",
        "为任务参数表中不存在的名称提供了值。",
        "更正名称；skerry tasks show ID 可列出参数。",
    ),
    retryable=False,
)
PARAM_MISSING = ErrorCode(
    -1_03_00_903_000,
    en=Text(
        "A required parameter has no value",
        "Neither the node, the task nor the job gives the parameter a value.",
        "Give it with -p name=value or in the definition.",
    ),
    zh=Text(
        "缺少必填参数",
        "节点、任务和作业都没有为该参数提供值。",
        "用 -p name=value 或在定义中给出。",
    ),
    retryable=False,
)
PARAM_UNFIT = ErrorCode(
    -1_03_00_904_000,
    en=Text(
        "The value does not fit the parameter",
        "The value is not of the parameter's kind, or not one of its choices.",
        "Give a value of the kind that the parameter table names.",
    ),
    zh=Text(
        "参数值不符合要求",
        "值与参数类型不符，或不在可选值之中。",
        "按参数表给出的类型提供值。",
    ),
    retryable=False,
)
NO_SUCH_TASK = ErrorCode(
    -1_03_00_905_000,
    en=Text(
        "There is no such task",
        "The id is not known in the workspace (or the task was deleted).",
        "'skerry tasks list' shows the ids.",
    ),
    zh=Text("没有该任务", "工作区中没有该 ID（或任务已删除）。", "skerry tasks list 可列出所有 ID。"),
    retryable=False,
)
NO_SUCH_INSTANCE = ErrorCode(
    -1_03_00_906_000,
    en=Text(
        "There is no such instance", "The number is not known here.", "'skerry list' shows the instances."
    ),
    zh=Text("没有该实例", "此处没有该编号。", "skerry list 可列出实例。"),
    retryable=False,
)
NO_SUCH_NODE = ErrorCode(
    -1_03_00_907_000,
    en=Text(
        "There is no such node",
        "The instance's definition has no node of that id.",
        "'skerry show INSTANCE' lists the nodes.",
    ),
    zh=Text("没有该节点", "实例的定义中没有该节点。", "skerry show INSTANCE 可列出节点。"),
    retryable=False,
)
NOT_RUNNING = ErrorCode(
    -1_03_00_908_000,
    en=Text(
        "It is not running",
        "Only what has not ended yet can be cancelled or waited for.",
        "'skerry show INSTANCE' tells its state.",
    ),
    zh=Text("不在运行中", "只有尚未结束的才能取消或等待。", "skerry show INSTANCE 可查看状态。"),
    retryable=False,
)
BATCH_NOT_A_LIST = ErrorCode(
    -1_03_00_909_000,
    en=Text(
        "for_each did not give a list",
        "The expression's value is not a list, so there is nothing to go through.",
        "Let the expression give a list (kind: list for a result).",
    ),
    zh=Text("for_each 未得到列表", "表达式的值不是列表。", "让表达式给出列表（结果的 kind 设为 list）。"),
    retryable=False,
)
MEMBER_FAILED = ErrorCode(
    -1_03_00_910_000,
    en=Text(
        "A member failed",
        "A member of the group or the sub-task ended badly.",
        "Look at the member's own error.",
    ),
    zh=Text("成员失败", "作业组的成员或子任务未成功。", "查看该成员自身的错误。"),
)
RESULT_MISSING = ErrorCode(
    -1_03_00_911_000,
    en=Text(
        "A defined result was not written",
        "The program ended without writing the file outputs/<id> of a result that its job defines.",
        "Let the program write the file, give the result a value, or remove it from the job.",
    ),
    zh=Text(
        "未写出定义的结果",
        "程序结束时没有写出作业所定义结果的文件 outputs/<id>。",
        "让程序写出该文件，或为结果提供 value，或从作业中移除该结果。",
    ),
)
NOT_SUCCESSFUL = ErrorCode(
    -1_03_00_912_000,
    en=Text(
        "The success condition does not hold",
        "The job ended, but the condition given as its 'success' is false.",
        "Compare the condition with the job's output and results. If it comes back, a handling rule "
        "can act on it by itself ('skerry rules').",
    ),
    zh=Text(
        "成功条件不成立",
        "作业已结束，但其 success 条件为假。",
        "对照作业的输出和结果检查该条件。如果反复发生，可用处理规则自动处理（skerry rules）。",
    ),
)
STATUS_SAYS_FAILED = ErrorCode(
    -1_03_00_913_000,
    en=Text(
        "The program reported a failure",
        "The program wrote something other than 1 into its status file.",
        "See the job's log for what the program found.",
    ),
    zh=Text("程序报告失败", "程序在 status 文件中写入了 1 以外的内容。", "查看作业日志。"),
)
RESOURCE_FAILED = ErrorCode(
    -1_03_00_914_000,
    en=Text(
        "A resource is not ready",
        "The check of a resource that the job needs did not pass.",
        "Repair the resource ('skerry resource check ID'), then rerun from this job. If it comes "
        "back, a handling rule can act on it by itself ('skerry rules').",
    ),
    zh=Text(
        "资源未就绪",
        "作业所需资源的检查未通过。",
        "修复资源（skerry resource check ID），然后从该作业重新执行。如果反复发生，可用处理规则自动处理（skerry rules）。",
    ),
)
CHECK_NEVER_HELD = ErrorCode(
    -1_03_00_915_000,
    en=Text(
        "The asynchronous job never became successful",
        "The check of the asynchronous job did not hold within its number of tries.",
        "Look at what the job started; raise check.times or check.every.",
    ),
    zh=Text(
        "异步作业始终未成功",
        "异步作业的检查在规定次数内一直不成立。",
        "查看作业所启动的内容；调大 check.times 或 check.every。",
    ),
)
WAIT_FOREVER = ErrorCode(
    -1_03_00_916_000,
    en=Text(
        "The moment to wait for is not a time",
        "'until' must be an ISO 8601 time with an offset, or an expression that gives one.",
        "Correct it, for example 2026-11-21T08:00:00+08:00.",
    ),
    zh=Text(
        "等待的时刻无效",
        "until 必须是带时区的 ISO 8601 时间，或给出该时间的表达式。",
        "更正，例如 2026-11-21T08:00:00+08:00。",
    ),
    retryable=False,
)
EDIT_INVALID = ErrorCode(
    -1_03_00_917_000,
    en=Text(
        "The context cannot be edited so",
        "The path is not one of the context, or no reason was given.",
        "Give a path such as $.TASK.PARAMS['limit'] and a reason.",
    ),
    zh=Text(
        "不能这样修改上下文",
        "路径不属于上下文，或未给出理由。",
        "给出如 $.TASK.PARAMS['limit'] 的路径和理由。",
    ),
    retryable=False,
)
STAGE_UNREADABLE = ErrorCode(
    -1_03_00_918_000,
    en=Text(
        "The code of a stage cannot be read",
        "The file or link that a stage names is not there, not readable or too big.",
        "Correct the file or link in the job's ready, process or end.",
    ),
    zh=Text(
        "无法读取阶段代码",
        "阶段指定的文件或链接不存在、不可读或过大。",
        "更正作业 ready、process 或 end 中的文件或链接。",
    ),
)
ENGINE_BUSY = ErrorCode(
    -1_90_00_001_000,
    en=Text(
        "Another engine owns the workspace",
        "Only one engine may work in a workspace at a time.",
        "Use the engine that runs, or end it first.",
    ),
    zh=Text("工作区已被另一个引擎占用", "一个工作区同时只能有一个引擎。", "使用正在运行的引擎，或先结束它。"),
    retryable=False,
)
INTERNAL = ErrorCode(
    -1_90_00_002_000,
    en=Text(
        "Internal error",
        "The program met something that it did not expect: a mistake in Skerry itself.",
        "Export a diagnostic bundle and send it to the vendor.",
    ),
    zh=Text("内部错误", "程序遇到意外情况：Skerry 自身的错误。", "导出诊断包并发送给供应商。"),
    retryable=False,
)
SETTINGS_INVALID = ErrorCode(
    -1_90_00_003_000,
    en=Text(
        "workspace.yaml is not valid",
        "A setting has a wrong name or value.",
        "Correct the file; every key may be left out.",
    ),
    zh=Text("workspace.yaml 无效", "设置的名称或值有误。", "更正该文件；所有键都可省略。"),
    retryable=False,
)
