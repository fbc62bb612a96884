"""The key of a request that changes something: whoever may deliver it twice gives both the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from engine.model.codes.commands import WRONG_USE
from engine.model.errors import Invalid

_KEY = re.compile(r"[!-~]{1,200}")
_now: ContextVar[str | None] = ContextVar("key of the request", default=None)


def checked_key(key: str) -> str:
    """``key``; Invalid unless it has 1 to 200 visible ASCII characters, as a header of HTTP may have."""
    if not _KEY.fullmatch(key):
        raise Invalid(WRONG_USE, "a request's key has 1 to 200 visible ASCII characters", where="key")
    return key


@contextmanager
def with_key(key: str | None) -> Iterator[None]:
    """Requests to a service meanwhile are one request with this key; None: each is its own."""
    before = _now.set(None if key is None else checked_key(key))
    try:
        yield
    finally:
        _now.reset(before)


def current_key() -> str | None:
    """The key of the request that is being made or carried out."""
    return _now.get()
