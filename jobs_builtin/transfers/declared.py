"""What the job types that carry one file declare alike: keys in words, parameters, results."""

from __future__ import annotations

from collections.abc import Mapping

from engine.model.job import ParamSpec
from engine.plugins.job_type import ResultField

Words = tuple[str, str]  # English, Chinese

FETCHED = (
    ResultField("path", "file", "The file that was written.", "写入的文件。"),
    ResultField("size", "number", "Its size in bytes.", "文件的字节数。"),
    ResultField("sha256", "text", "Its SHA-256.", "文件的 SHA-256。"),
)
SENT = (
    ResultField("path", "text", "The file's path on the server.", "文件在服务器上的路径。"),
    ResultField("size", "number", "Its size in bytes.", "文件的字节数。"),
    ResultField("sha256", "text", "The SHA-256 of what was sent.", "所发送内容的 SHA-256。"),
)
_FROM_SERVER: Mapping[str, Words] = {
    "path": ("The file on the server.", "服务器上的文件。"),
    "target": ("Where it is written.", "写入的位置。"),
}
_TO_SERVER: Mapping[str, Words] = {
    "path": ("The file to send.", "要发送的文件。"),
    "target": ("Its path on the server.", "在服务器上的路径。"),
}
PINNED: Mapping[str, Words] = {
    "host_key": (
        "The pinned host key of the url's server: a fingerprint or a public key.",
        "url 所指服务器的固定主机密钥：指纹或公钥。",
    )
}


def fetching(server: str, more: Mapping[str, Words] | None = None) -> Mapping[str, Words]:
    """The keys of a download from a server of this kind ("FTP"), and ``more`` that its address needs."""
    return _meanings(server, {**(more or {}), **_FROM_SERVER})


def sending(server: str, more: Mapping[str, Words] | None = None) -> Mapping[str, Words]:
    """The keys of an upload, likewise."""
    return _meanings(server, {**(more or {}), **_TO_SERVER})


def _meanings(server: str, own: Mapping[str, Words]) -> Mapping[str, Words]:
    resume = (
        "Whether to go on with an earlier part (default: false).",
        "是否从先前中断处继续（默认 false）。",
    )
    return {
        "resource": (f"The {server} server, a resource.", f"{server} 服务器资源。"),
        "url": ("The address, where no resource is named.", "未指定资源时的地址。"),
        **own,
        "resume": resume,
    }


def params(meanings: Mapping[str, Words]) -> Mapping[str, ParamSpec]:
    """Every key but the resource may be given as a parameter."""
    kinds = {"resume": "boolean"}
    return {
        name: ParamSpec(kind=kinds.get(name, "text"), help=words[0])
        for name, words in meanings.items()
        if name != "resource"
    }
