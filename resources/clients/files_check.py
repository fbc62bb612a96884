"""The check of a server that keeps files: a login, and paths that must be there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from engine.model.base import Bool, Frozen
from engine.model.errors import ErrorCode, SkerryError
from engine.model.message import Message
from engine.model.plain_words import quoted
from resources.clients.checking import CheckedAnswer


def as_texts(value: Any) -> Any:
    """A single text is a list of one."""
    return [] if value is None else [value] if isinstance(value, str) else value


def _as_paths(value: Any) -> Any:
    """``true`` means the path of the uri."""
    return [""] if value is True else [] if value is False else as_texts(value)


class FilesCheck(Frozen):
    """``login`` alone, or paths that must ``exist`` (true: that of the uri)."""

    login: Bool = True
    exists: Annotated[tuple[str, ...], BeforeValidator(_as_paths)] = ()

    @property
    def looks(self) -> bool:
        """Whether anything is to be looked for at all."""
        return self.login or bool(self.exists)


def found(
    paths: list[str], exists: Callable[[str], bool], details: Mapping[str, str], missing: ErrorCode
) -> CheckedAnswer:
    """The answer where all paths are there; ``missing`` for one that is not. ``details``: server, user."""
    for path in paths:
        if not exists(path):
            said = Message.of("{server}: there is no {path}", server=details["server"], path=quoted(path))
            raise SkerryError(missing, said, details={"path": path})
    welcome = Message.of("{server} lets {user!r} in", **details)
    return CheckedAnswer(welcome, {**details, "found": paths})
