"""What all resource types have in common (domain 30, sub-domain 00)."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

CHECK_BROKEN = ErrorCode(
    -1_30_00_001_000,
    en=Text(
        "The check of a resource could not be carried out",
        "Something that the check did not reckon with went wrong; the message says what.",
        "Look at the message and at the resource by hand; run 'skerry resource check ID' again.",
    ),
    zh=Text(
        "资源检查无法完成",
        "检查过程中发生了预料之外的问题，详见错误消息。",
        "查看错误消息并人工核对资源，然后再次执行 skerry resource check 标识。",
    ),
)
RESOURCE_UNFIT = ErrorCode(
    -1_30_00_002_000,
    en=Text(
        "A resource is not described as its type wants it",
        "A key of 'request' or 'check' is unknown, or its value is not of the right kind.",
        "Correct the named key; the page of the resource type lists all of them.",
    ),
    zh=Text(
        "资源的描述不符合其类型",
        "request 或 check 中有未知的键，或键的值类型不对。",
        "更正所示的键；资源类型的说明页列出了全部键。",
    ),
    retryable=False,
)
