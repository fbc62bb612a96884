"""Domain 10 of the catalogue: starting, watching and stopping the processes of jobs, and their directories."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

EXIT_STATUS = ErrorCode(
    -1_10_00_001_000,
    en=Text(
        "The program ended with an error status",
        "It ended by itself with an exit status other than 0; the status is the last part of the code. "
        "126 usually means that a command in the script may not be executed, 127 that it was not found.",
        "Read job-error.log and job.log of the job ('skerry logs INSTANCE NODE'); repair what they "
        "name; then 'skerry rerun INSTANCE --from NODE'. What else can be done: 'skerry exceptions "
        "list --instance N'. If it comes back, a handling rule can act on it by itself ('skerry "
        "rules').",
    ),
    zh=Text(
        "程序以错误状态退出",
        "程序自行结束，退出状态不为 0；错误码末三位即退出状态。126 通常表示脚本中的命令不可执行，127 表示找不到命令。",
        "查看该作业的 job-error.log 和 job.log（skerry logs INSTANCE NODE），排除其中指出的问题，"
        "然后 skerry rerun INSTANCE --from NODE。其他处理方式：skerry exceptions list --instance N。"
        "如果反复发生，可用处理规则自动处理（skerry rules）。",
    ),
)
ENDED_BY_SIGNAL = ErrorCode(
    -1_10_00_002_000,
    en=Text(
        "The program was ended by a signal",
        "Somebody or the system killed it; the signal is the last part of the code. "
        "9 is often the kernel, out of memory; 11 is a fault of the program itself.",
        "See the job's log and the machine's monitor around that time; then rerun from this job.",
    ),
    zh=Text(
        "程序被信号终止",
        "程序被人或系统终止；错误码末三位即信号编号。9 常为内存不足时内核所杀，11 为程序自身故障。",
        "查看作业日志及当时的机器监控，然后从该作业重新执行。",
    ),
)
TIMED_OUT = ErrorCode(
    -1_10_00_003_000,
    en=Text(
        "The attempt took too long",
        "It was not finished within the job's timeout and was stopped with everything that it started.",
        "See in the log how far it came; raise the timeout, or repair what holds it up. If it comes "
        "back, a handling rule can act on it by itself ('skerry rules').",
    ),
    zh=Text(
        "执行超时",
        "未能在作业的 timeout 内完成，已连同其启动的所有进程一起停止。",
        "查看日志了解进展；调大 timeout，或排除阻塞原因。如果反复发生，可用处理规则自动处理（skerry rules）。",
    ),
)
CPU_LIMIT = ErrorCode(
    -1_10_00_004_000,
    en=Text(
        "The job used up its CPU time",
        "Its processes used more CPU seconds than limits.cpu allows.",
        "Raise limits.cpu, or give the job less to do.",
    ),
    zh=Text(
        "作业用尽 CPU 时间", "作业进程使用的 CPU 秒数超过 limits.cpu。", "调大 limits.cpu，或减少作业工作量。"
    ),
)
MEMORY_LIMIT = ErrorCode(
    -1_10_00_005_000,
    en=Text(
        "The job used too much memory",
        "Its processes together held more memory than limits.memory allows.",
        "Raise limits.memory, or give the job less to do at once.",
    ),
    zh=Text(
        "作业占用内存过多",
        "作业进程合计占用的内存超过 limits.memory。",
        "调大 limits.memory，或减少单次处理量。",
    ),
)
OUTPUT_LIMIT = ErrorCode(
    -1_10_00_006_000,
    en=Text(
        "The job wrote too much",
        "job.log, job-error.log and the files in its directory together grew over limits.output.",
        "Raise limits.output, or let the program write less. What its logs had beyond the limit was cut off.",
    ),
    zh=Text(
        "作业输出过多",
        "job.log、job-error.log 与作业目录中的文件合计超过 limits.output。",
        "调大 limits.output，或减少程序输出。日志中超出限制的部分已被截去。",
    ),
)
NO_SUCH_PROGRAM = ErrorCode(
    -1_10_01_001_000,
    en=Text(
        "The program was not found",
        "There is no file of that name, or none in the folders of PATH.",
        "Install the program on this machine, or give its full path.",
    ),
    zh=Text("找不到程序", "没有该文件，或 PATH 各目录中没有该程序。", "在本机安装该程序，或给出完整路径。"),
    retryable=False,
)
NOT_EXECUTABLE = ErrorCode(
    -1_10_01_002_000,
    en=Text(
        "The program may not be executed",
        "The file is not marked executable, or it is a folder.",
        "Mark it executable (chmod +x), or name the interpreter as the command and the file as its argument.",
    ),
    zh=Text(
        "程序不可执行",
        "文件没有执行权限，或是一个目录。",
        "添加执行权限（chmod +x），或以解释器作为命令、文件作为参数。",
    ),
    retryable=False,
)
NO_INTERPRETER = ErrorCode(
    -1_10_01_003_000,
    en=Text(
        "The script's interpreter was not found",
        "The first line of the script (#!) names a program that this machine does not have.",
        "Install the interpreter, or correct the first line of the script.",
    ),
    zh=Text("找不到脚本的解释器", "脚本首行（#!）指定的程序在本机不存在。", "安装该解释器，或更正脚本首行。"),
    retryable=False,
)
ARGUMENT_TOO_LONG = ErrorCode(
    -1_10_01_004_000,
    en=Text(
        "An argument of the command is too long",
        "One element of argv has more than 128,000 bytes, which the system does not accept.",
        "Hand the value over as a parameter or a file instead of as an argument.",
    ),
    zh=Text("命令参数过长", "argv 中某一项超过 128,000 字节，系统不接受。", "改用作业参数或文件传递该值。"),
    retryable=False,
)
ARGUMENTS_TOO_BIG = ErrorCode(
    -1_10_01_005_000,
    en=Text(
        "Arguments and parameters together are too big",
        "The system limits what a program can be given at its start (usually 2 MB in all).",
        "Hand big values over in a file, or read them from inputs/params.json.",
    ),
    zh=Text(
        "参数总量过大",
        "系统限制了程序启动时可接收的数据总量（通常为 2 MB）。",
        "用文件传递大的值，或从 inputs/params.json 读取。",
    ),
    retryable=False,
)
UNPASSABLE_VALUE = ErrorCode(
    -1_10_01_006_000,
    en=Text(
        "A value holds a character that cannot be handed to a program",
        "Neither arguments nor environment variables can carry the character U+0000 or half of a "
        "character pair.",
        "Remove it from the value, or hand the value over in a file.",
    ),
    zh=Text(
        "值中含有无法传递给程序的字符",
        "命令参数和环境变量都不能包含字符 U+0000 或不完整的代理对。",
        "从值中去掉该字符，或用文件传递。",
    ),
    retryable=False,
)
NO_ROOM_FOR_PROCESS = ErrorCode(
    -1_10_01_007_000,
    en=Text(
        "The system cannot start another process",
        "The limit of processes or open files is reached, or there is not enough memory.",
        "Let fewer jobs run at once (places), or raise the limits of the user who runs the engine.",
    ),
    zh=Text(
        "系统无法再启动进程",
        "达到进程数或打开文件数上限，或内存不足。",
        "减少同时运行的作业（places），或提高引擎用户的限制。",
    ),
)
NOT_STARTED = ErrorCode(
    -1_10_01_008_000,
    en=Text(
        "The program could not be started",
        "The system refused to start it; the message names the reason.",
        "Remove the reason that the message names, then rerun from this job.",
    ),
    zh=Text("无法启动程序", "系统拒绝启动；原因见消息。", "排除消息中的原因，然后从该作业重新执行。"),
)
ALREADY_STARTED = ErrorCode(
    -1_10_01_009_000,
    en=Text(
        "This stage of the attempt was already started",
        "Its lock file is there: another start would run it twice.",
        "Rerun the job: that makes a new attempt.",
    ),
    zh=Text("该阶段已启动过", "锁文件已存在：再次启动会重复执行。", "重新执行作业：会产生新的尝试。"),
    retryable=False,
)
MASKING_FAILED = ErrorCode(
    -1_10_01_010_000,
    en=Text(
        "The job's output could not be masked",
        "The process that hides secrets in the output did not do its work; the output was dropped, "
        "not shown.",
        "See whether the disk is full or memory short; then rerun from this job.",
    ),
    zh=Text(
        "无法屏蔽作业输出中的机密",
        "屏蔽机密的进程未正常工作；输出已被丢弃，未写入日志。",
        "检查磁盘和内存，然后从该作业重新执行。",
    ),
)
DIRECTORY_FAILED = ErrorCode(
    -1_10_02_001_000,
    en=Text(
        "The job's directory cannot be written",
        "The disk is full, permissions forbid it, or something else stands in its place; the message "
        "names it.",
        "Make room or mend the permissions, then rerun from this job.",
    ),
    zh=Text(
        "无法写入作业目录",
        "磁盘已满、没有权限，或该位置被占用；详见消息。",
        "腾出空间或修正权限，然后从该作业重新执行。",
    ),
)
DIRECTORY_CHANGED = ErrorCode(
    -1_10_02_002_000,
    en=Text(
        "The job's directory was tampered with",
        "A folder or file of the job was replaced by a link or by something else while the job ran.",
        "See what the program does in its directory; it must leave outputs and the other folders in place.",
    ),
    zh=Text(
        "作业目录被改动",
        "作业运行期间，其目录或文件被替换为链接或其他内容。",
        "检查程序对其目录的操作；不得替换 outputs 等目录。",
    ),
    retryable=False,
)
BAD_NAME = ErrorCode(
    -1_10_02_003_000,
    en=Text(
        "An id cannot be the name of a folder or file",
        "Ids have letters, digits, '_', '.' and '-' only, at most 64 characters.",
        "Correct the id.",
    ),
    zh=Text(
        "标识不能用作目录或文件名", "标识只能包含字母、数字、“_”、“.”和“-”，最长 64 个字符。", "更正该标识。"
    ),
    retryable=False,
)
OUTPUT_NOT_A_FILE = ErrorCode(
    -1_10_02_004_000,
    en=Text(
        "A result is not a plain file",
        "Something in outputs is a folder, a link, a pipe or a device.",
        "Let the program write the result into a plain file.",
    ),
    zh=Text("结果不是普通文件", "outputs 中的某项是目录、链接、管道或设备。", "让程序把结果写入普通文件。"),
    retryable=False,
)
OUTPUT_TOO_BIG = ErrorCode(
    -1_10_02_005_000,
    en=Text(
        "A result is too big to be read as a value",
        "The file in outputs is larger than what a value may have.",
        "Give the result the kind file, so that it is handed on as a path.",
    ),
    zh=Text(
        "结果过大，无法作为值读取",
        "outputs 中的文件超过值的大小上限。",
        "将该结果的 kind 设为 file，以路径传递。",
    ),
    retryable=False,
)
OUTPUT_NOT_TEXT = ErrorCode(
    -1_10_02_006_000,
    en=Text(
        "A result is not text",
        "The file in outputs is not valid UTF-8.",
        "Write UTF-8, or give the result the kind file, so that it is handed on as a path.",
    ),
    zh=Text(
        "结果不是文本", "outputs 中的文件不是有效的 UTF-8。", "以 UTF-8 写入，或将该结果的 kind 设为 file。"
    ),
    retryable=False,
)
