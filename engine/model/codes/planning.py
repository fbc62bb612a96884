"""Domain 03 of the catalogue: what can be wrong with a plan, and what the rules of a run refuse."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

UNKNOWN_NODE = ErrorCode(
    -1_03_00_001_000,
    en=Text(
        "A node is named that the task does not have",
        "'after', a branch or 'from' names an id that is not among the nodes of the task.",
        "Correct the id, or add the node.",
    ),
    zh=Text(
        "引用了任务中不存在的节点",
        "after、分支或 from 中的编号不在该任务的节点之中。",
        "更正编号，或添加该节点。",
    ),
    retryable=False,
)
CYCLE = ErrorCode(
    -1_03_00_002_000,
    en=Text(
        "The nodes wait for each other",
        "Following the arrows leads back to where one started, so none of these nodes could ever start.",
        "Take one of the arrows away; to repeat work, use a condition with a branch that has 'again: true'.",
    ),
    zh=Text(
        "节点之间循环等待",
        "沿着依赖方向会回到起点，这些节点都无法开始。",
        "去掉其中一条依赖；需要重复执行时，请使用带 again: true 分支的条件作业。",
    ),
    retryable=False,
)
BRANCH_TWICE = ErrorCode(
    -1_03_00_003_000,
    en=Text(
        "A node stands in two branches",
        "A node belongs to one branch only, else nobody could say when it is skipped.",
        "Keep it in one branch; where both ways must lead to it, put it after the last nodes of both.",
    ),
    zh=Text(
        "节点同时属于两个分支",
        "一个节点只能属于一个分支，否则无法确定何时跳过它。",
        "只保留在一个分支中；若两条路径都要到达它，请把它放在两个分支最后节点之后。",
    ),
    retryable=False,
)
NOT_BEFORE = ErrorCode(
    -1_03_00_004_000,
    en=Text(
        "The loop goes back to a node that is not before its condition",
        "'from' names a node from which no way leads to the condition.",
        "Name a node that the condition comes after, directly or through others.",
    ),
    zh=Text(
        "循环返回的节点不在条件之前",
        "from 所指的节点没有通向该条件的路径。",
        "请指定位于该条件上游（直接或间接）的节点。",
    ),
    retryable=False,
)
LOOP_WAITS = ErrorCode(
    -1_03_00_005_000,
    en=Text(
        "A loop waits for what comes only after it",
        "A node of each round is after one that starts only when the loop is left, so neither can go on.",
        "Take the node out of the branch, or take that 'after' away.",
    ),
    zh=Text(
        "循环在等待循环结束之后的节点",
        "每轮都要执行的节点，排在循环结束后才开始的节点之后，两者都无法继续。",
        "把该节点移出分支，或去掉该 after。",
    ),
    retryable=False,
)
UNREACHABLE = ErrorCode(
    -1_03_00_006_000,
    en=Text(
        "A node can never run",
        "Its branch can never be taken: the condition gives only true or false, or is switched off.",
        "Correct the branch's key, or remove the node.",
    ),
    zh=Text(
        "节点永远不会执行",
        "它所在的分支不可能被选中：条件只会得到 true 或 false，或该条件已停用。",
        "更正分支的键，或删除该节点。",
    ),
    retryable=False,
)
UNKNOWN_JOB = ErrorCode(
    -1_03_00_007_000,
    en=Text(
        "A job is named that does not exist",
        "The id is not among the jobs of the definitions.",
        "Correct the id, or define the job.",
    ),
    zh=Text(
        "引用了不存在的作业",
        "定义中没有该编号的作业。",
        "更正编号，或定义该作业。",
    ),
    retryable=False,
)
UNKNOWN_RESOURCE = ErrorCode(
    -1_03_00_008_000,
    en=Text(
        "A resource is named that does not exist",
        "The id is not among the resources of the definitions.",
        "Correct the id, or define the resource.",
    ),
    zh=Text(
        "引用了不存在的资源",
        "定义中没有该编号的资源。",
        "更正编号，或定义该资源。",
    ),
    retryable=False,
)
UNKNOWN_TASK = ErrorCode(
    -1_03_00_009_000,
    en=Text(
        "A task is named that does not exist",
        "The id is not among the tasks of the definitions.",
        "Correct the id, or define the task.",
    ),
    zh=Text(
        "引用了不存在的任务",
        "定义中没有该编号的任务。",
        "更正编号，或定义该任务。",
    ),
    retryable=False,
)
STARTS_ITSELF = ErrorCode(
    -1_03_00_010_000,
    en=Text(
        "A task would start itself",
        "Its sub-tasks lead back to it, so it would start new instances without end.",
        "Remove one of the sub-task jobs on the way that the message shows.",
    ),
    zh=Text(
        "任务会启动自身",
        "其子任务最终又回到该任务，会无休止地启动新实例。",
        "去掉提示路径中的某个子任务作业。",
    ),
    retryable=False,
)
MISSING_PARAM = ErrorCode(
    -1_03_00_011_000,
    en=Text(
        "A required parameter gets no value",
        "The node, the task's job_params, the job, and a task parameter of the same name all give none.",
        "Give the value at the node, or add a task parameter of that name.",
    ),
    zh=Text(
        "必填参数没有值",
        "节点、任务的 job_params、作业以及同名的任务参数都没有给出值。",
        "在节点中给出值，或添加同名的任务参数。",
    ),
    retryable=False,
)
UNKNOWN_PARAM = ErrorCode(
    -1_03_00_012_000,
    en=Text(
        "A parameter is given that the job does not have",
        "The job's type has a fixed table of parameters, or the sub-task has no such parameter.",
        "Correct the name to one of those that the message lists.",
    ),
    zh=Text(
        "给出了作业没有的参数",
        "该作业类型的参数表是固定的，或子任务没有该参数。",
        "改为提示中列出的名称之一。",
    ),
    retryable=False,
)
UNKNOWN_REFERENCE = ErrorCode(
    -1_03_00_014_000,
    en=Text(
        "An expression names a job that is not there",
        "No node of the task has this id, nor do all of its uses point to exactly one node.",
        "Write the id of a node of this task.",
    ),
    zh=Text(
        "表达式引用的作业不存在",
        "任务中没有该编号的节点，也没有恰好一个节点使用该作业。",
        "请写本任务中的节点编号。",
    ),
    retryable=False,
)
UNKNOWN_FIELD = ErrorCode(
    -1_03_00_015_000,
    en=Text(
        "An expression reads something that is never there",
        "The field, parameter or result is not among those that this job or task has.",
        "Correct the name to one of those that the message lists.",
    ),
    zh=Text(
        "表达式读取了不存在的内容",
        "该字段、参数或结果不属于此作业或任务。",
        "改为提示中列出的名称之一。",
    ),
    retryable=False,
)
INDEX = ErrorCode(
    -1_03_00_016_000,
    en=Text(
        "An expression does not fit the number of jobs that the node becomes",
        "A batch or for_each needs an index; any other node is a single job and has none.",
        "Write $.JOB['x'][0] for one member, $.JOB['x'][*] for all; for a single job leave the index out.",
    ),
    zh=Text(
        "表达式与节点的作业数量不符",
        "批量或 for_each 节点需要下标；其他节点只有一个作业，没有下标。",
        "单个成员写 $.JOB['x'][0]，全部写 $.JOB['x'][*]；只有一个作业时去掉下标。",
    ),
    retryable=False,
)
NOT_UPSTREAM = ErrorCode(
    -1_03_00_017_000,
    en=Text(
        "An expression reads a job that may not have ended",
        "No arrow leads from that job to this one, so it may not have run yet when it is read.",
        "Put the reading node after it.",
    ),
    zh=Text(
        "表达式读取的作业可能尚未结束",
        "没有依赖从该作业通向当前作业，读取时它可能仍在运行或尚未开始。",
        "让读取它的节点排在它之后。",
    ),
    retryable=False,
)
NO_SCHEDULE = ErrorCode(
    -1_03_00_018_000,
    en=Text(
        "A task is online without a schedule",
        "An online task starts by itself, so it must say when.",
        "Give it a schedule, or 'schedule: manual' when it is only started by hand or as a sub-task.",
    ),
    zh=Text(
        "任务已上线但没有调度",
        "已上线的任务会自动启动，必须说明何时启动。",
        "设置 schedule；若只手动启动或作为子任务启动，请写 schedule: manual。",
    ),
    retryable=False,
)
DEPENDS_ON = ErrorCode(
    -1_03_00_019_000,
    en=Text(
        "A task cannot be depended on in this way",
        "Scheduled times are matched; cron and condition have none, interval and once only a latest one.",
        "Use another window or level, or remove the dependency.",
    ),
    zh=Text(
        "无法这样依赖该任务",
        "依赖按计划时间匹配；cron、条件或无调度的任务无法匹配，interval 和 once 只能用 latest。",
        "改用其他 window 或级别，或删除该依赖。",
    ),
    retryable=False,
)
NO_EFFECT = ErrorCode(
    -1_03_00_020_000,
    en=Text(
        "Something has no effect",
        "It is repeated, or means something only together with a key that is not there.",
        "Remove it, or add what is missing.",
    ),
    zh=Text(
        "某项设置不起作用",
        "它是重复的，或需要与另一个缺少的键一起使用。",
        "删除它，或补上缺少的内容。",
    ),
    retryable=False,
)
NODE_LIKE_MEMBER = ErrorCode(
    -1_03_00_021_000,
    en=Text(
        "A node has the name of a group's member",
        "The members of a group, and the jobs of a stage, are called after their node: report.0, report.1.",
        "Give the node another id.",
    ),
    zh=Text(
        "节点与组的成员同名",
        "组的成员和阶段中的作业以其节点命名：report.0、report.1。",
        "给该节点换一个编号。",
    ),
    retryable=False,
)
NO_BRANCH = ErrorCode(
    -1_03_00_030_000,
    en=Text(
        "A condition gave a value that no branch is for",
        "None of the keys of 'branches' is this value as text, and there is no 'default'.",
        "Look at the value in the context; add a branch for it, or a 'default'.",
    ),
    zh=Text(
        "条件的值没有对应的分支",
        "branches 的键中没有与该值文本相同的，也没有 default。",
        "在上下文中查看该值；为它添加分支，或添加 default。",
    ),
)
TOO_MANY_LOOPS = ErrorCode(
    -1_03_00_031_000,
    en=Text(
        "A loop went round too often",
        "The condition took a branch with 'again: true' more often than max_loops allows.",
        "Look why the condition does not change from round to round; raise max_loops if it just needs more.",
    ),
    zh=Text(
        "循环次数过多",
        "条件选择 again: true 分支的次数超过了 max_loops。",
        "检查条件为何每轮都不变化；若确实需要更多轮次，请调大 max_loops。",
    ),
    retryable=False,
)
RERUN_NODE = ErrorCode(
    -1_03_00_040_000,
    en=Text(
        "A rerun names a node that the task does not have",
        "The id is not among the nodes of the definition that the run is planned from.",
        "'skerry show INSTANCE' lists the nodes.",
    ),
    zh=Text(
        "重新执行指定了不存在的节点",
        "该编号不在本次运行所用定义的节点之中。",
        "skerry show INSTANCE 可列出节点。",
    ),
    retryable=False,
)
RERUN_NOTHING = ErrorCode(
    -1_03_00_041_000,
    en=Text(
        "There is nothing to rerun",
        "No node was named, or no job of the instance failed.",
        "Name a node with --from or --only, or rerun everything with --all.",
    ),
    zh=Text(
        "没有可重新执行的内容",
        "没有指定节点，或该实例没有失败的作业。",
        "用 --from 或 --only 指定节点，或用 --all 全部重新执行。",
    ),
    retryable=False,
)
RERUN_NEVER_RAN = ErrorCode(
    -1_03_00_042_000,
    en=Text(
        "What runs again would come after a node that never ran",
        "The current definition has a node that is new or was renamed since. The instance has no outcome and no "
        "values of it, and what was chosen depends on it.",
        "Run it too: name it, add --with-upstream, or take --failed, which runs what is new. Or give the node its old "
        "id again, or rerun with the definition that ran (--definition captured).",
    ),
    zh=Text(
        "要重新执行的节点依赖从未执行过的节点",
        "当前定义中有新增或改名的节点。该实例没有它的结果和取值，而所选节点依赖它。",
        "让它一起执行：指定该节点，或加上 --with-upstream，或使用 --failed（会执行新增的节点）。"
        "也可以恢复该节点原来的编号，或按当时的定义重新执行（--definition captured）。",
    ),
    retryable=False,
)
NO_NODES = ErrorCode(
    -1_03_00_051_000,
    en=Text(
        "A task has no nodes",
        "Its `nodes` are missing or empty, so a run of it does nothing and succeeds.",
        "Add its nodes; or delete the task.",
    ),
    zh=Text(
        "任务没有节点",
        "nodes 缺失或为空，运行时什么也不做就成功。",
        "添加节点，或删除该任务。",
    ),
    retryable=False,
)
SUBTASKS_TOO_DEEP = ErrorCode(
    -1_03_00_052_000,
    en=Text(
        "Sub-tasks are nested too deeply",
        "A task starts a task that starts another, and so on: at most 32 within each other.",
        "Put some of them side by side in one task, or hand the rest over by a schedule and a dependency.",
    ),
    zh=Text(
        "子任务嵌套过深",
        "任务启动任务，层层嵌套：最多 32 层。",
        "把其中一些并排放进同一个任务，或改用调度和依赖衔接。",
    ),
    retryable=False,
)
TASKS_WAIT = ErrorCode(
    -1_03_00_053_000,
    en=Text(
        "Tasks wait for each other",
        "Following depends_on leads back to the task where one started, so none of them could ever begin.",
        "Take one of the dependencies away; a task waits for its own earlier run with self: true.",
    ),
    zh=Text(
        "任务之间循环等待",
        "沿着 depends_on 会回到起点，这些任务都无法开始。",
        "去掉其中一个依赖；等待自身上一次运行请用 self: true。",
    ),
    retryable=False,
)
