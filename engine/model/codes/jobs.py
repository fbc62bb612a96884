"""What many job types have in common (domain 20, sub-domain 00): their parameters and files."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

PARAMETER = ErrorCode(
    -1_20_00_001_000,
    en=Text(
        "A parameter of the job does not fit",
        "A value is missing, or is not what the job type takes.",
        "Correct the named parameter where it gets its value, then rerun the job.",
    ),
    zh=Text(
        "作业参数不合要求",
        "缺少参数值，或者参数值不是该作业类型所接受的。",
        "在给出该参数值的地方改正它，然后重新执行作业。",
    ),
    retryable=False,
)
MISSING = ErrorCode(
    -1_20_00_002_000,
    en=Text(
        "A file or folder is not there",
        "Nothing exists at the path that the job was given: it is misspelled, or what makes it has not run.",
        "Compare the path with the disk; put the file in its place or correct the path, then rerun the job.",
    ),
    zh=Text(
        "文件或目录不存在",
        "作业得到的路径下没有任何内容：路径写错，或者生成它的作业尚未执行。",
        "核对路径与磁盘内容；把文件放到该位置或更正路径，然后重新执行作业。",
    ),
)
DENIED = ErrorCode(
    -1_20_00_003_000,
    en=Text(
        "No permission for a file or folder",
        "The user who runs the engine may not read or write there.",
        "Give that user the permission, or use another path, then rerun the job.",
    ),
    zh=Text(
        "没有文件或目录的权限",
        "运行引擎的用户无权读取或写入该位置。",
        "为该用户授权，或改用其他路径，然后重新执行作业。",
    ),
    retryable=False,
)
NOT_A_FILE = ErrorCode(
    -1_20_00_004_000,
    en=Text(
        "Not a regular file",
        "The path leads to a folder, a pipe, a device or something else that is not a file.",
        "Correct the path so that it names a file.",
    ),
    zh=Text(
        "不是普通文件",
        "该路径指向目录、管道、设备或其他非文件对象。",
        "更正路径，使其指向一个文件。",
    ),
    retryable=False,
)
NO_SPACE = ErrorCode(
    -1_20_00_005_000,
    en=Text(
        "The disk is full",
        "There is no room, or no quota, left where the job writes.",
        "Make room on the named disk, then rerun the job; what it had half written is removed.",
    ),
    zh=Text(
        "磁盘空间不足",
        "作业写入的位置没有剩余空间或配额。",
        "清理所示磁盘后重新执行作业；写了一半的内容已被清除。",
    ),
)
TROUBLE = ErrorCode(
    -1_20_00_006_000,
    en=Text(
        "The operating system refused a file operation",
        "The message says which; often a name that is too long, a damaged disk or a lost network drive.",
        "Look at the path and the disk; rerun the job when they are in order.",
    ),
    zh=Text(
        "操作系统拒绝了文件操作",
        "具体原因见错误消息；常见的有名称过长、磁盘损坏或网络盘断开。",
        "检查路径和磁盘；恢复正常后重新执行作业。",
    ),
)

READING = (PARAMETER, MISSING, DENIED, NOT_A_FILE, TROUBLE)
WRITING = (*READING, NO_SPACE)
