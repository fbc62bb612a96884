"""The seal over the whole secret file: no record was taken out, exchanged or put back from an older one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.model.codes import secrets as codes
from engine.model.errors import Refused
from engine.model.message import Message
from engine.secrets.sealing import Unsealable, seal, unseal
from engine.secrets.vault_file import Content, Record

_ACCEPT = Message.of("put the latest file back, or take this one as it is: skerry secret accept")


def record_label(content: Content, name: str, version: int) -> str:
    """What a record is sealed under; another in each format, so that taking the seal off opens nothing."""
    label = f"{content.key_id} {name} {version}"
    return f"2 {label}" if content.counter else label


def sealed(content: Content, key: bytes, counter: int) -> Content:
    """The content as the change of this number leaves it; of format 1, its records are sealed again, too."""
    later = replace(content, counter=counter)
    if not content.counter:
        later = replace(later, records=dict(_moved(content, later, key)))
    return replace(later, seal=seal(key, b"", later.sealed_text()))


def check_seal(content: Content, key: bytes) -> None:
    """Refused when anything in the file is not as the last change left it; format 1 has no seal."""
    if content.seal is None:
        return
    try:
        unseal(key, content.seal, content.sealed_text())
    except Unsealable as error:
        message = "the seal over the secret file is broken; {remedy}"
        raise Refused(codes.VAULT_ALTERED, message, remedy=_ACCEPT) from error


def check_age(content: Content, known: int | None) -> None:
    """Refused when the file is older than the last change that was made here, or nothing says which was."""
    if known is None and content.counter:
        message = "the secret file has change {change}, and which was the last is not known; {remedy}"
        raise Refused(codes.VAULT_OLDER, message, change=content.counter, remedy=_ACCEPT)
    if known is not None and content.counter < known:
        message = "the secret file has change {change}, the last one was {last}; {remedy}"
        raise Refused(codes.VAULT_OLDER, message, change=content.counter, last=known, remedy=_ACCEPT)


def _moved(old: Content, new: Content, key: bytes) -> Iterator[tuple[str, Record]]:
    """The records under the labels of ``new``; one that does not open stays as it is, and damaged."""
    for name, record in old.records.items():
        try:
            plain = unseal(key, record.value, record_label(old, name, record.version))
        except Unsealable:
            yield name, record
        else:
            yield name, record._replace(value=seal(key, plain, record_label(new, name, record.version)))
