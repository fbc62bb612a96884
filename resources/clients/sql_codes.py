"""What can go wrong with a database, entries of the catalogue under the number of its user."""

from __future__ import annotations

from typing import NamedTuple

from engine.model.errors import ErrorCode, Text


class SqlCodes(NamedTuple):
    """The entries of one user of databases; ``number - 1000 * n`` for the n-th."""

    unreachable: ErrorCode
    driver: ErrorCode
    address: ErrorCode
    folder: ErrorCode
    refused: ErrorCode
    disturbed: ErrorCode
    parameter: ErrorCode
    timed_out: ErrorCode


def sql_codes(number: int) -> SqlCodes:
    """The entries from ``number - 1000`` on."""
    return SqlCodes(*(ErrorCode(number - 1000 * n, *entry) for n, entry in enumerate(_ENTRIES, 1)))


_ENTRIES = (
    (
        Text(
            "The database cannot be reached",
            "It does not run, the network is broken, or it refuses the user or the password.",
            "Try the same address with the database's own client; correct uri, user or secret.",
        ),
        Text(
            "无法连接数据库",
            "数据库未运行、网络不通，或者用户名或密码被拒绝。",
            "用数据库自带的客户端测试同一地址；更正 uri、用户或机密。",
        ),
        True,
    ),
    (
        Text(
            "The driver for this database is not installed",
            "The uri names a kind of database whose driver is not part of this installation.",
            "Install the driver that the message names, or correct the uri.",
        ),
        Text(
            "未安装该数据库的驱动",
            "uri 指定的数据库类型的驱动不在本安装中。",
            "安装错误消息中所示的驱动，或更正 uri。",
        ),
        False,
    ),
    (
        Text(
            "The address of the database is not understood",
            "The uri is not of the form kind://user@host:port/name.",
            "Write it like sqlite:////data/a.db, postgresql://user@host/name or mysql://user@host/name.",
        ),
        Text(
            "无法理解数据库地址",
            "uri 不符合 类型://用户@主机:端口/库名 的形式。",
            "按 sqlite:////data/a.db、postgresql://user@host/name 或 mysql://user@host/name 的形式书写。",
        ),
        False,
    ),
    (
        Text(
            "The folder of the database file is not there",
            "A SQLite file is made when it is missing, but its folder is not.",
            "Make the folder, or correct the path in the uri.",
        ),
        Text(
            "数据库文件所在的目录不存在",
            "SQLite 文件不存在时会自动建立，但其目录不会。",
            "建立该目录，或更正 uri 中的路径。",
        ),
        True,
    ),
    (
        Text(
            "The database refused the statement",
            "It is misspelled, names what is not there, breaks a constraint, or a value does not fit.",
            "Read the database's message; correct the statement or the values, then rerun. Nothing of the "
            "transaction was kept.",
        ),
        Text(
            "数据库拒绝了该语句",
            "语句有误、引用了不存在的对象、违反约束，或值不符合要求。",
            "查看数据库给出的消息，更正语句或参数值后重新执行。该事务的内容均未保留。",
        ),
        False,
    ),
    (
        Text(
            "The database could not carry out the statement this time",
            "A lock, a deadlock, a full disk, or a lost connection; the statement itself may be right.",
            "Try again; if it happens often, look at what else uses the database. Nothing of the transaction "
            "was kept.",
        ),
        Text(
            "数据库此次未能执行该语句",
            "锁等待、死锁、磁盘已满或连接中断；语句本身可能没有问题。",
            "重试；若经常发生，请检查数据库的其他使用者。该事务的内容均未保留。",
        ),
        True,
    ),
    (
        Text(
            "A statement names a parameter that the job does not have",
            "Every :name outside of quotes is a parameter.",
            "Give the job that parameter; write \\: where a plain colon is meant.",
        ),
        Text(
            "语句引用了作业没有的参数",
            "引号之外的每个 :名称 都是参数。",
            "为作业提供该参数；如需普通冒号，请写成 \\:。",
        ),
        False,
    ),
    (
        Text(
            "The database took too long",
            "The work was not done within the timeout; it was stopped at the server.",
            "Look for a missing index or a lock; raise the timeout if the work is long.",
        ),
        Text(
            "数据库操作超时",
            "未能在 timeout 内完成，已在服务器端停止。",
            "检查是否缺少索引或存在锁；若操作本身耗时较长，请调大 timeout。",
        ),
        True,
    ),
)
