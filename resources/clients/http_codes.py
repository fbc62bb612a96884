"""What can go wrong with a web service, entries of the catalogue under the number of its user."""

from __future__ import annotations

from typing import NamedTuple

from engine.model.errors import ErrorCode, Text


class HttpCodes(NamedTuple):
    """The entries of one user of web services; ``number - 1000 * n`` for the n-th."""

    unreachable: ErrorCode
    certificate: ErrorCode
    address: ErrorCode
    unfit: ErrorCode
    status: ErrorCode
    too_big: ErrorCode
    redirects: ErrorCode
    foreign: ErrorCode
    timed_out: ErrorCode


def http_codes(number: int) -> HttpCodes:
    """The entries from ``number - 1000`` on."""
    return HttpCodes(*(ErrorCode(number - 1000 * n, *entry) for n, entry in enumerate(_ENTRIES, 1)))


_ENTRIES = (
    (
        Text(
            "The web service cannot be reached",
            "It does not run, its name is not known, the network is broken, or it hung up.",
            "Try the same address from this machine with another program; correct host and port.",
        ),
        Text(
            "无法连接 Web 服务",
            "服务未运行、主机名无法解析、网络不通，或对方中断了连接。",
            "在本机用其他程序测试同一地址；更正主机和端口。",
        ),
        True,
    ),
    (
        Text(
            "The web service's certificate is not trusted",
            "It is expired, for another name, or signed by an authority that this machine does not know.",
            "Put the site's authority into the machine's trust store (or name it in SSL_CERT_FILE), or have "
            "the certificate renewed.",
        ),
        Text(
            "Web 服务的证书不受信任",
            "证书已过期、名称不符，或由本机不认识的机构签发。",
            "把站点的签发机构加入本机信任库（或用 SSL_CERT_FILE 指定），或更新证书。",
        ),
        False,
    ),
    (
        Text(
            "The address of the web service is not understood",
            "It is not of the form http://host:port/path or https://host:port/path.",
            "Correct url, or the uri of the resource.",
        ),
        Text(
            "无法理解 Web 服务地址",
            "地址不符合 http://主机:端口/路径 或 https://主机:端口/路径 的形式。",
            "更正 url 或资源的 uri。",
        ),
        False,
    ),
    (
        Text(
            "The request cannot be sent as it is given",
            "A header has a line end or an impossible name, or body and json are both given.",
            "Correct what the message names. A value with a line end never becomes a header of its own.",
        ),
        Text(
            "请求无法按给定内容发送",
            "请求头含有换行或名称不合法，方法名不合法，或同时给出了 body 和 json。",
            "更正错误消息所示的内容。带换行的值绝不会变成另一个请求头。",
        ),
        False,
    ),
    (
        Text(
            "The web service answered with another status than expected",
            "The last three digits are the status. 401 and 403: who asks; 404: what for; 5xx: the service.",
            "See the status and what the service says; correct the request, or put the status into expect.",
        ),
        Text(
            "Web 服务返回了预期之外的状态",
            "错误码末三位为状态码：401、403 与身份有关，404 与请求的内容有关，5xx 为服务自身的问题。",
            "查看状态码和服务的说明；更正请求，或在 expect 中列出该状态。",
        ),
        True,
    ),
    (
        Text(
            "The answer of the web service is too big",
            "It is longer than 64 MiB, more than a result should hold.",
            "Ask for a smaller part, or fetch the file with a shell job.",
        ),
        Text(
            "Web 服务的应答过大",
            "应答超过 64 MiB，不适合作为结果保存。",
            "请求较小的部分，或用 shell 作业下载文件。",
        ),
        False,
    ),
    (
        Text(
            "The web service leads round in circles",
            "More than ten redirects followed each other.",
            "Open the address by hand and give the one where it ends.",
        ),
        Text("Web 服务反复重定向", "连续重定向超过十次。", "人工打开该地址，改用最终的地址。"),
        False,
    ),
    (
        Text(
            "The secret belongs to another host",
            "The job's url leads away from the resource whose secret would be sent.",
            "Give a path below the resource's uri, or make a resource for the other host.",
        ),
        Text(
            "机密属于另一台主机",
            "作业的 url 指向资源以外的主机，而资源的机密会随之发出。",
            "使用资源 uri 之下的路径，或为另一台主机建立资源。",
        ),
        False,
    ),
    (
        Text(
            "The web service took too long",
            "There was no complete answer within the timeout; the connection was closed.",
            "Look whether the service is overloaded; raise the timeout if it needs the time.",
        ),
        Text(
            "Web 服务超时",
            "未能在 timeout 内收到完整应答，连接已关闭。",
            "检查服务是否过载；若确实需要更长时间，请调大 timeout。",
        ),
        True,
    ),
)
