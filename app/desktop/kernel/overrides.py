"""Overrides of Qt's methods whose exceptions are reported, instead of bringing the window down."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from types import FunctionType
from typing import Any

from shiboken6 import Shiboken


def guard_overrides() -> None:
    """From now on each class that is derived from one of Qt's has its overrides guarded.

    Shiboken 6.11 adds a note to an exception that leaves an override while Python calls Qt. One that C code
    raised (as ``int("x")`` does, or the use of a deleted object) is a type and a text until something catches
    it, and the note is then written through a null pointer. So it is caught, and raised again.
    """
    Shiboken.Object.__init_subclass__ = classmethod(_guard)  # type: ignore[assignment]


def _guard(kind: type, /, **_given: object) -> None:
    for name, own in list(vars(kind).items()):
        if isinstance(own, FunctionType) and not name.startswith("_") and _of_qt(kind, name):
            setattr(kind, name, _guarded(own))


def _of_qt(kind: type, name: str) -> bool:
    """Whether it overrides what Qt calls, and no slot: one is connected by the number of its arguments."""
    above = (
        base for base in kind.__mro__[1:] if base.__module__.startswith("PySide6.") and name in vars(base)
    )
    found = next(above, None)
    return found is not None and name not in _slots(found)


@cache
def _slots(kind: type) -> frozenset[str]:
    meta = getattr(kind, "staticMetaObject", None)
    if meta is None:
        return frozenset()
    return frozenset(bytes(meta.method(at).name().data()).decode() for at in range(meta.methodCount()))


def _guarded(own: FunctionType) -> Callable[..., Any]:
    @wraps(own)
    def guarded(*given: Any, **named: Any) -> Any:
        try:
            return own(*given, **named)
        except BaseException:
            raise  # it is an object by now

    return guarded
