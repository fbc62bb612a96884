"""Wrong use of a command or of the service (domain 01, sub-domain 90), and an engine that does not answer."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

WRONG_USE = ErrorCode(
    -1_01_90_001_000,
    en=Text(
        "The command was not understood",
        "An option, an argument or a command is misspelled, missing, or one too many.",
        "Read the usage with --help after the command, then give it again.",
    ),
    zh=Text(
        "无法理解该命令",
        "选项、参数或命令名有误、缺少或多余。",
        "在命令后加 --help 查看用法，然后重新输入。",
    ),
    retryable=False,
)
FILE_UNREADABLE = ErrorCode(
    -1_01_90_002_000,
    en=Text(
        "A file given to the command cannot be read",
        "It is not there, it is a folder, or its permissions forbid reading it.",
        "Correct the path, or let the user who runs the command read the file.",
    ),
    zh=Text(
        "无法读取命令指定的文件",
        "文件不存在，或者是一个目录，或者没有读取权限。",
        "更正路径，或授予当前用户读取权限。",
    ),
    retryable=False,
)
PARAMS_FILE_INVALID = ErrorCode(
    -1_01_90_003_000,
    en=Text(
        "The file of parameters is not a map of values",
        "--params takes one YAML or JSON map from parameter names to values.",
        "Write 'name: value' lines, or a JSON object, into the file.",
    ),
    zh=Text(
        "参数文件不是键值映射",
        "--params 需要一个 YAML 或 JSON 映射：参数名对应参数值。",
        "在文件中写“名称: 值”各行，或一个 JSON 对象。",
    ),
    retryable=False,
)
TASK_NEEDED = ErrorCode(
    -1_01_90_004_000,
    en=Text(
        "It is not clear which task of the file is to run",
        "The file has no task, or several that no other one uses.",
        "Name the task with --task ID.",
    ),
    zh=Text(
        "不清楚要运行文件中的哪个任务",
        "文件中没有任务，或有多个未被其他任务使用的任务。",
        "用 --task ID 指定任务。",
    ),
    retryable=False,
)
NO_SUCH_DEFINITION = ErrorCode(
    -1_01_90_005_000,
    en=Text(
        "The workspace has no such definition",
        "The id is misspelled, or the definition was never loaded or has been deleted.",
        "List what there is with 'skerry tasks', 'skerry jobs' or 'skerry resources'.",
    ),
    zh=Text(
        "工作区中没有该定义",
        "标识有误，或该定义从未加载，或已被删除。",
        "用 skerry tasks、skerry jobs 或 skerry resources 查看现有定义。",
    ),
    retryable=False,
)
NO_SUCH_ATTEMPT = ErrorCode(
    -1_01_90_006_000,
    en=Text(
        "There is no such attempt",
        "The job has made fewer attempts, or has not started yet.",
        "Look with 'skerry show INSTANCE NODE' how many attempts there were.",
    ),
    zh=Text(
        "没有该次尝试",
        "作业的尝试次数少于指定的次数，或尚未开始。",
        "用 skerry show 实例 节点 查看尝试次数。",
    ),
    retryable=False,
)
NO_SUCH_CODE = ErrorCode(
    -1_01_90_007_000,
    en=Text(
        "The catalogue has no such code",
        "The number is mistyped, or it comes from another version.",
        "List every code with 'skerry errors'.",
    ),
    zh=Text("目录中没有该错误码", "号码输入有误，或来自其他版本。", "用 skerry errors 列出全部错误码。"),
    retryable=False,
)
TIME_INVALID = ErrorCode(
    -1_01_90_008_000,
    en=Text(
        "A time is not written as one",
        "Times are ISO 8601, such as 2026-11-21 or 2026-11-21T08:00:00+08:00.",
        "Write the time in that form; without an offset it is read in the workspace's zone.",
    ),
    zh=Text(
        "时间格式不正确",
        "时间须为 ISO 8601 格式，例如 2026-11-21 或 2026-11-21T08:00:00+08:00。",
        "按该格式书写；不带时差时按工作区时区解释。",
    ),
    retryable=False,
)
DEFINITION_IN_USE = ErrorCode(
    -1_01_90_009_000,
    en=Text(
        "The definition is used by others",
        "A task in the workspace still names it.",
        "Delete or change what uses it first.",
    ),
    zh=Text("该定义正被使用", "工作区中仍有任务引用它。", "请先删除或修改引用它的定义。"),
    retryable=False,
)
WORKSPACE_UNUSABLE = ErrorCode(
    -1_01_90_010_000,
    en=Text(
        "The workspace's folder cannot be used",
        "The path leads through a file, or this user may not make or open the folder.",
        "Name another folder with --workspace or SKERRY_WORKSPACE, or correct its owner and permissions.",
    ),
    zh=Text(
        "无法使用工作区目录",
        "路径经过一个文件，或当前用户无权创建或打开该目录。",
        "用 --workspace 或 SKERRY_WORKSPACE 指定其他目录，或更正其属主和权限。",
    ),
)
NO_WORKSPACE = ErrorCode(
    -1_01_90_031_000,
    en=Text(
        "There is no workspace",
        "The folder that --workspace or SKERRY_WORKSPACE names is not there, or holds other things only.",
        "Correct the path. 'skerry run', 'load' and 'serve' make a workspace where there is none.",
    ),
    zh=Text(
        "没有工作区",
        "--workspace 或 SKERRY_WORKSPACE 指定的目录不存在，或其中只有其他内容。",
        "更正路径。没有工作区时，skerry run、load 和 serve 会创建一个。",
    ),
)
ONLINE_UNCHANGED = ErrorCode(
    -1_40_00_901_000,
    en=Text(
        "Schedule and dependencies of an online task are not changed",
        "The file gives the online task another schedule or other dependencies.",
        "Take the task offline with 'skerry offline TASK', load again, then put it online.",
    ),
    zh=Text(
        "不能修改已上线任务的调度和依赖",
        "文件中为已上线的任务给出了不同的调度或依赖。",
        "先用 skerry offline 任务 下线，重新加载后再上线。",
    ),
    retryable=False,
)
STATE_REFUSED = ErrorCode(
    -1_40_00_902_000,
    en=Text(
        "The task cannot change to that state",
        "Its present state does not lead there, or it has no schedule.",
        "Look at it with 'skerry tasks show TASK'; give it a schedule, or 'schedule: manual'.",
    ),
    zh=Text(
        "任务不能变更到该状态",
        "当前状态不允许该变更，或任务没有调度设置。",
        "用 skerry tasks show 任务 查看；补充调度设置，或设为 schedule: manual。",
    ),
    retryable=False,
)
NO_ANSWER = ErrorCode(
    -1_90_10_001_000,
    en=Text(
        "The engine does not answer",
        "The engine of the workspace ended or is stuck, or could not be started.",
        "Give the command again; if that does not help, look into the workspace's logs folder.",
    ),
    zh=Text(
        "引擎没有响应",
        "工作区的引擎已结束、卡住或无法启动。",
        "重新执行命令；若仍无效，请查看工作区的 logs 目录。",
    ),
)
ENGINE_NEEDED = ErrorCode(
    -1_90_10_002_000,
    en=Text(
        "This needs a running engine",
        "The workspace was opened for reading only.",
        "Start an engine with 'skerry serve', then try again.",
    ),
    zh=Text("该操作需要运行中的引擎", "工作区以只读方式打开。", "用 skerry serve 启动引擎后重试。"),
)
BODY_TOO_BIG = ErrorCode(
    -1_01_90_011_000,
    en=Text(
        "A request is too big",
        "The engine takes at most 16 MiB at once.",
        "Give the job the path of a file instead of its content.",
    ),
    zh=Text("请求过大", "引擎一次最多接收 16 MiB。", "请把文件的路径交给作业，而不是其内容。"),
    retryable=False,
)
OPEN_TO_OTHERS = ErrorCode(
    -1_01_90_012_000,
    en=Text(
        "The workspace's folder can be written by others",
        "Its mode lets its group or everybody write; they could replace the database or the engine's socket.",
        "The engine takes these rights away where the folder is its own; else use 'chmod go-w' as its owner.",
    ),
    zh=Text(
        "其他用户可以写入工作区目录",
        "目录权限允许同组或所有用户写入，他们可以替换数据库或引擎的套接字。",
        "若目录属于引擎用户，引擎会自动收回这些权限；否则请以属主身份执行 chmod go-w。",
    ),
    retryable=False,
)
