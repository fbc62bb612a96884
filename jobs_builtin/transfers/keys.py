"""The keys of a transfer, each of which may be given as a parameter too."""

from __future__ import annotations

from typing import Any

from engine.model.base import Id
from engine.model.job import JobKeys
from engine.model.plain_words import quoted
from engine.plugins import arguments
from engine.plugins.job_type import Call


class TransferKeys(JobKeys):
    """Each key may also be given as a parameter of that name; the key wins."""

    resource: Id | None = None
    url: str | None = None
    path: str | None = None
    target: str | None = None
    resume: Any = None


def value(call: Call, name: str) -> Any:
    """The key, else the parameter, of that name."""
    own = getattr(call.settings, name, None)
    return call.params.get(name) if own is None else own


def text(call: Call, name: str) -> str | None:
    """The same, which must be a text. Raises SkerryError."""
    found = value(call, name)
    if found is not None and not isinstance(found, str):
        raise arguments.unfit(name, "a text is needed, not {value}", value=quoted(found))
    return found


def url(call: Call) -> str:
    """The address, where no resource is named. Raises SkerryError."""
    found = text(call, "url")
    if not found:
        raise arguments.unfit("url", "a resource or a url is needed")
    return found


def resumes(call: Call) -> bool:
    """Whether an earlier part is to be continued."""
    return value(call, "resume") in (True, "true")
