"""What can go wrong with an FTP server, entries of the catalogue under the number of its user."""

from __future__ import annotations

from typing import NamedTuple

from engine.model.errors import ErrorCode, Text


class FtpCodes(NamedTuple):
    """The entries of one user of FTP servers; ``number - 1000 * n`` for the n-th."""

    unreachable: ErrorCode
    login: ErrorCode
    address: ErrorCode
    missing: ErrorCode
    answer: ErrorCode
    timed_out: ErrorCode


def ftp_codes(number: int) -> FtpCodes:
    """The entries from ``number - 1000`` on."""
    return FtpCodes(*(ErrorCode(number - 1000 * n, *entry) for n, entry in enumerate(_ENTRIES, 1)))


_ENTRIES = (
    (
        Text(
            "The FTP server cannot be reached",
            "It does not run, its name is not known, the network is broken, or it hung up.",
            "Try the same address from this machine with another program; correct host and port.",
        ),
        Text(
            "无法连接 FTP 服务器",
            "服务器未运行、主机名无法解析、网络不通，或对方中断了连接。",
            "在本机用其他程序测试同一地址；更正主机和端口。",
        ),
        True,
    ),
    (
        Text(
            "The FTP server refuses the login",
            "User or password are wrong, or the user may not log in now.",
            "Correct user and secret of the resource; ask the server's administrator.",
        ),
        Text(
            "FTP 服务器拒绝登录",
            "用户名或密码错误，或该用户此时不允许登录。",
            "更正资源的用户和机密；或询问服务器管理员。",
        ),
        False,
    ),
    (
        Text(
            "The FTP address or path cannot be used",
            "It is not of the form ftp://host:port/path (or ftps://), or has a line end in it.",
            "Correct uri, url or path.",
        ),
        Text(
            "FTP 地址或路径不可用",
            "不符合 ftp://主机:端口/路径（或 ftps://）的形式，或含有换行。",
            "更正 uri、url 或路径。",
        ),
        False,
    ),
    (
        Text(
            "The file is not on the FTP server",
            "The path is misspelled, the file is not there yet, or the user may not see it.",
            "List the folder with another program; correct the path, or run again when the file is there.",
        ),
        Text(
            "FTP 服务器上没有该文件",
            "路径有误、文件尚未产生，或该用户无权查看。",
            "用其他程序列出目录；更正路径，或在文件产生后重新执行。",
        ),
        True,
    ),
    (
        Text(
            "The FTP server refuses what it was asked",
            "The last three digits are the server's reply code; the message has its words.",
            "Read the server's words; 4xx replies pass, 5xx replies need a change.",
        ),
        Text(
            "FTP 服务器拒绝了请求",
            "错误码末三位为服务器的应答码，错误消息中有其原文。",
            "查看服务器的原文；4xx 为暂时性问题，5xx 需要改动。",
        ),
        True,
    ),
    (
        Text(
            "The FTP server took too long",
            "The transfer was not done within the timeout, or the server fell silent.",
            "Look at the network and the server; raise the timeout if the file is big.",
        ),
        Text(
            "FTP 服务器超时",
            "传输未能在 timeout 内完成，或服务器没有响应。",
            "检查网络和服务器；若文件较大，请调大 timeout。",
        ),
        True,
    ),
)
