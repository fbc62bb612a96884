"""Puts other functions in the place of those of the module os, as far as they concern one folder."""

from __future__ import annotations

import builtins
import io
import os
import posix  # the functions themselves
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

_CAPABILITIES = os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks


@contextmanager
def in_place(functions: Mapping[str, Callable[..., Any]], open_file: Callable[..., Any]) -> Iterator[None]:
    """While this is entered, os has these functions by name, and Python's own ``open`` is ``open_file``."""
    ours = [(os, name, function) for name, function in functions.items()]
    ours += [(io, "open", open_file), (builtins, "open", open_file)]
    before = [getattr(module, name) for module, name, _ in ours]
    for group in _CAPABILITIES:  # so that shutil.rmtree goes its safe way
        group.update([each for (_, _, each), was in zip(ours, before, strict=True) if was in group])
    try:
        for module, name, function in ours:
            setattr(module, name, function)
        yield
    finally:
        for (module, name, _), was in zip(ours, before, strict=True):
            setattr(module, name, was)
        for group in _CAPABILITIES:
            group.difference_update([function for _, _, function in ours])


class Places:
    """Which paths are followed: those below ``root``, but none of a file whose name begins with ``unseen``.

    A path through a symbolic link counts as what it says, not as what it leads to.
    """

    def __init__(self, root: str, unseen: str) -> None:
        self._root, self._below, self._unseen = root, f"{root}/", f"/{unseen}"

    def of(self, path: Any, dir_fd: int | None = None) -> str | None:
        """The absolute path, if it is one that is followed; None for a descriptor."""
        if type(path) is str and path.startswith("/") and not path.startswith(self._root):
            return None  # nearly all that are not
        if isinstance(path, int):
            return None
        place = absolute(path, dir_fd)
        return place if self.has(place) else None

    def has(self, place: str) -> bool:
        """Whether that absolute path is followed."""
        return place == self._root or (
            place.startswith(self._below) and place.find(self._unseen, len(self._root)) < 0
        )

    def name(self, place: str) -> str:
        """The path below the root."""
        return place.removeprefix(self._below) if place != self._root else "."


def absolute(path: Any, dir_fd: int | None) -> str:
    """The absolute path, whether it is one that is followed or not."""
    place = os.fsdecode(path)
    if not place.startswith("/"):
        place = f"{os.getcwd() if dir_fd is None else posix.readlink(f'/proc/self/fd/{dir_fd}')}/{place}"
    return os.path.normpath(place) if "/." in place or "//" in place or place.endswith("/") else place


def look(place: str) -> os.stat_result | None:
    """What is there; None where nothing is."""
    try:
        return posix.lstat(place)
    except OSError:
        return None
