"""Work in a child that is killed before its n-th change of the disk."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

_CHANGES = ("rename", "replace", "fsync", "mkdir", "unlink", "rmdir", "pwrite", "write", "link", "symlink")


def killed_at(number: int, work: Callable[[], object]) -> bool:
    """Whether it ended before there were so many changes; the first is number 0."""
    child = os.fork()
    if child == 0:
        _die_at(number, work)
    _, status = os.waitpid(child, 0)
    assert not os.WIFEXITED(status) or os.WEXITSTATUS(status) == 0, number
    return os.WIFEXITED(status)


def _die_at(number: int, work: Callable[[], object]) -> NoReturn:
    left = [number]

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **how: Any) -> Any:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return real(*args, **how)

        return call

    for name in _CHANGES:
        setattr(os, name, counted(getattr(os, name)))
    try:
        work()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(9)
