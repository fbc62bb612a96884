"""Encryption with age: a volume or manifest at a time, in memory, so that each can be decrypted alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyrage

from engine.model.codes import bundles as codes
from engine.model.errors import Invalid, Refused
from export_import.container.form import damaged, hostile

_HEADER = 16 << 10  # an age header of ours has 200 bytes a recipient


def recipient_of(text: str) -> Any:
    """A recipient from ``age1…`` or ``ssh-ed25519 …``; Invalid when it is neither."""
    made = pyrage.x25519.Recipient if text.startswith("age1") else pyrage.ssh.Recipient
    try:
        return made.from_str(text)
    except pyrage.RecipientError as error:
        message = "{text!r} is no key to encrypt to: {error}"
        raise Invalid(codes.KEY_TEXT, message, text=text[:80], error=error) from error


def seal(data: bytes, recipients: Sequence[Any]) -> bytes:
    """``data`` as an age file; as it is when there are no recipients."""
    if not recipients:
        return data
    sealed: bytes = pyrage.encrypt(data, list(recipients))
    return sealed


def unseal(data: bytes, identities: Sequence[Any], where: str) -> bytes:
    """What an age file holds. Refused: encrypted to others, or not what was written."""
    if b"\n--- " not in data[:_HEADER]:
        raise hostile("{where} has an age header of more than {most} bytes, or none", where, most=_HEADER)
    if not identities:
        raise Refused.at(codes.NOT_FOR_US, "{where} is encrypted, and there is no key here", where)
    try:
        plain: bytes = pyrage.decrypt(data, list(identities))
    except pyrage.DecryptError as error:
        if "matching keys" in str(error):
            raise Refused.at(codes.NOT_FOR_US, "no key of this workspace opens {where}", where) from None
        raise damaged("{where} does not decrypt: {error}", where, error=error) from None
    return plain
