"""Domain 70 of the catalogue: the store and the disk."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

DISK_FULL = ErrorCode(
    -1_70_00_001_000,
    en=Text(
        "The disk is full",
        "There is no room left for the database or for files of a job. What was acknowledged before is "
        "safe; the message names the disk.",
        "Make room on the named disk (old bundles, logs, instances); work goes on as soon as there is some.",
    ),
    zh=Text(
        "磁盘已满",
        "数据库或作业文件所在的磁盘没有剩余空间。之前已确认的内容是安全的；消息中给出了具体磁盘。",
        "清理所示磁盘（旧的数据包、日志、实例）；有空间后即可继续工作。",
    ),
)
DAMAGED = ErrorCode(
    -1_70_00_002_000,
    en=Text(
        "The database is damaged",
        "The file is not a database any more, or parts of it are not what was written (a failing "
        "disk, a power cut, a foreign program).",
        "The next engine (skerry serve, skerry run) sets it aside and makes it anew from the instance "
        "directories; so does 'skerry rebuild'. The damaged file is kept.",
    ),
    zh=Text(
        "数据库已损坏",
        "文件已不是数据库，或其中部分内容与写入时不一致（磁盘故障、断电或其他程序所致）。",
        "下一个引擎（skerry serve、skerry run）会把它移开，并根据实例目录重新生成数据库；"
        "也可执行 skerry rebuild。损坏的文件会保留。",
    ),
    retryable=False,
)
NEWER = ErrorCode(
    -1_70_00_003_000,
    en=Text(
        "The database was written by a newer Skerry",
        "Its schema version is higher than the one this program knows; writing could destroy what the"
        " newer one keeps.",
        "Start the newer program, or open the workspace for reading only.",
    ),
    zh=Text(
        "数据库由更新版本的 Skerry 写入",
        "其结构版本高于本程序所支持的版本，写入可能破坏新版本保存的内容。",
        "请使用新版本程序，或以只读方式打开该工作区。",
    ),
    retryable=False,
)
OLDER = ErrorCode(
    -1_70_00_004_000,
    en=Text(
        "The database must be brought up to date first",
        "It was written by an older Skerry and was opened for reading only, so it cannot be changed.",
        "Start the engine once (skerry serve): it makes a backup and brings the database up to date.",
    ),
    zh=Text(
        "需要先升级数据库",
        "数据库由旧版本的 Skerry 写入，而本次以只读方式打开，无法修改。",
        "启动一次引擎（skerry serve）：它会先备份，再升级数据库。",
    ),
    retryable=False,
)
UPGRADE_FAILED = ErrorCode(
    -1_70_00_005_000,
    en=Text(
        "The database could not be brought up to date",
        "Changing a copy of it to the new schema failed; the database itself was not touched.",
        "Go on with the older program, and send a diagnostic bundle to the vendor.",
    ),
    zh=Text(
        "数据库升级失败",
        "将数据库副本转换为新结构时失败；原数据库没有改动。",
        "可继续使用旧版本程序，并把诊断包发送给供应商。",
    ),
    retryable=False,
)
READ_ONLY = ErrorCode(
    -1_70_00_006_000,
    en=Text(
        "The database cannot be written",
        "It was opened for reading only, or this user may not write the file or its folder.",
        "Check the owner and the rights of the workspace folder, and that its disk is not mounted read-only.",
    ),
    zh=Text(
        "数据库不可写",
        "数据库以只读方式打开，或当前用户无权写入该文件或其所在目录。",
        "检查工作区目录的所有者和权限，以及磁盘是否以只读方式挂载。",
    ),
    retryable=False,
)
BUSY = ErrorCode(
    -1_70_00_007_000,
    en=Text(
        "The database is in use by another program",
        "Another program held the database's write lock for too long.",
        "Close other programs that have the database file open (a backup, a database browser), then "
        "try again.",
    ),
    zh=Text(
        "数据库正被其他程序占用",
        "其他程序占用数据库写锁的时间过长。",
        "关闭打开该数据库文件的其他程序（备份、数据库浏览器等），然后重试。",
    ),
)
CONFLICT = ErrorCode(
    -1_70_00_008_000,
    en=Text(
        "It is there already",
        "A record with the same identity exists: an instance is unique per task and scheduled time.",
        "Look at the existing record; rerun the existing instance instead of starting it a second time.",
    ),
    zh=Text(
        "记录已存在",
        "已存在标识相同的记录：同一任务在同一计划时间只有一个实例。",
        "查看已有的记录；应重新执行已有实例，而不是再次启动。",
    ),
    retryable=False,
)
MISSING = ErrorCode(
    -1_70_00_009_000,
    en=Text(
        "It is not there",
        "The record that was to be changed or read does not exist, or was removed.",
        "Check the id; list what there is.",
    ),
    zh=Text("记录不存在", "要修改或读取的记录不存在，或已被删除。", "检查编号，并列出现有的记录。"),
    retryable=False,
)
UNREACHABLE = ErrorCode(
    -1_70_00_010_000,
    en=Text(
        "The database server cannot be reached",
        "The server is not running, the network is down, or it refused the user or the password.",
        "Check the 'database' URL in workspace.yaml and the server; work goes on when it answers again.",
    ),
    zh=Text(
        "无法连接数据库服务器",
        "服务器未运行、网络中断，或用户名、密码被拒绝。",
        "检查 workspace.yaml 中的 database 地址和服务器；恢复后可继续工作。",
    ),
)
DISK_ERROR = ErrorCode(
    -1_70_00_011_000,
    en=Text(
        "The disk reported an error",
        "Reading or writing the database file failed in the operating system.",
        "Look at the system's log (dmesg), check the disk and the cable, and make a backup before "
        "anything else.",
    ),
    zh=Text(
        "磁盘读写错误",
        "操作系统读写数据库文件时失败。",
        "查看系统日志（dmesg），检查磁盘和连接线，并首先做好备份。",
    ),
)
BAD_URL = ErrorCode(
    -1_70_00_012_000,
    en=Text(
        "The database URL cannot be used",
        "It names no file or a kind of database that Skerry does not support, or the driver is not "
        "installed.",
        "Use sqlite:///path or postgresql+psycopg://user@host/name; for PostgreSQL install "
        "skerry[postgresql].",
    ),
    zh=Text(
        "数据库地址无法使用",
        "地址中没有文件，或是 Skerry 不支持的数据库类型，或缺少驱动程序。",
        "使用 sqlite:///路径 或 postgresql+psycopg://用户@主机/库名；PostgreSQL 需安装 skerry[postgresql]。",
    ),
    retryable=False,
)
FAILED = ErrorCode(
    -1_70_00_013_000,
    en=Text(
        "The database refused a statement",
        "It answered with an error that Skerry does not know.",
        "Send a diagnostic bundle to the vendor; the message holds the database's own words.",
    ),
    zh=Text(
        "数据库拒绝执行语句",
        "数据库返回了 Skerry 未知的错误。",
        "把诊断包发送给供应商；错误信息中包含数据库的原文。",
    ),
    retryable=False,
)
NOT_EMPTY = ErrorCode(
    -1_70_00_014_000,
    en=Text(
        "The database is not empty",
        "A rebuild fills an empty database only, so that nothing is overwritten.",
        "Give it an empty database (for PostgreSQL: create a new one and name it in workspace.yaml).",
    ),
    zh=Text(
        "数据库不为空",
        "为避免覆盖已有内容，重建只能写入空数据库。",
        "请提供空数据库（PostgreSQL：新建一个库，并在 workspace.yaml 中指定）。",
    ),
    retryable=False,
)
AUDIT_BROKEN = ErrorCode(
    -1_70_00_016_000,
    en=Text(
        "The audit was tampered with",
        "The rows that say who changed what do not fit the hashes that chain them: some were changed, removed or put in.",
        "See skerry audit verify. Find out who could write the database; earlier bundles hold earlier heads of the chain.",
    ),
    zh=Text(
        "审计记录被改动",
        "记录“谁改了什么”的各行与串联它们的哈希不符：有行被修改、删除或插入。",
        "运行 skerry audit verify 查看。查明谁能写入数据库；此前导出的数据包中有当时的链头可供比对。",
    ),
    retryable=False,
)
FOREIGN = ErrorCode(
    -1_70_00_020_000,
    en=Text(
        "The database belongs to another workspace",
        "One database belongs to one workspace: two engines would take up the same jobs, and run them twice.",
        "Give this workspace a database of its own (workspace.yaml, database). When it really takes over the "
        "database (a folder restored elsewhere), make sure that no engine of the other one runs: skerry claim.",
    ),
    zh=Text(
        "数据库属于另一个工作区",
        "一个数据库只属于一个工作区：否则两个引擎会接管同样的作业，使其运行两次。",
        "为本工作区配置自己的数据库（workspace.yaml 的 database）。如确需由本工作区接管该数据库"
        "（例如目录恢复到了别处），先确认另一工作区没有引擎在运行，再执行 skerry claim。",
    ),
    retryable=False,
)
IN_USE = ErrorCode(
    -1_70_00_021_000,
    en=Text(
        "Another engine works with the database",
        "An engine, perhaps of a copy of this workspace on another machine, holds the database for itself.",
        "End that engine; the message names the database. Nothing is written before.",
    ),
    zh=Text(
        "另一个引擎正在使用该数据库",
        "另一个引擎（可能属于本工作区在其他机器上的副本）独占着该数据库。",
        "结束那个引擎；消息中给出了数据库。在此之前不会写入任何内容。",
    ),
)
ROW_DAMAGED = ErrorCode(
    -1_70_00_030_000,
    en=Text(
        "A stored record is damaged",
        "A row of the database, a stored definition or a line of a log is not what was written (a failing "
        "disk, a bit that flipped, a foreign program). Nothing of it is run or shown; everything else works.",
        "Check the disk. The next start of the engine restores what stands twice; a definition can be loaded "
        "again, and 'skerry rebuild' makes the database anew from the instance directories.",
    ),
    zh=Text(
        "存储的记录已损坏",
        "数据库中的一行、已存储的定义或日志中的一行与写入时不一致（磁盘故障、位翻转或其他程序所致）。"
        "其内容不会被执行或显示；其余部分照常工作。",
        "检查磁盘。引擎下次启动时会恢复有第二份的内容；定义可以重新加载，"
        "skerry rebuild 可根据实例目录重新生成数据库。",
    ),
    retryable=False,
)
CLOSED = ErrorCode(
    -1_70_00_015_000,
    en=Text(
        "The store is closed",
        "Something was to be read or written after the engine had closed its database.",
        "Start the engine again; if it happens again, send a diagnostic bundle to the vendor.",
    ),
    zh=Text(
        "存储已关闭",
        "引擎关闭数据库之后仍有读写请求。",
        "重新启动引擎；如再次出现，请把诊断包发送给供应商。",
    ),
    retryable=False,
)
