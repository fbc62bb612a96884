"""What people ask for when they register or change a worker, and the worker that it makes; pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.model.codes.workers import ADDRESS_INVALID, FENCE_TOO_SHORT, THIS_MACHINE, WORKER_INVALID
from engine.model.errors import Invalid
from engine.model.message import Message
from engine.model.names import LONGEST_ID
from engine.model.quantities import seconds
from engine.model.worker import AUTO, LOCAL, PORT, Address, Worker

SHORTEST_FENCE = 10.0  # seconds
MOST_SLOTS = 10_000
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_ADDRESS = re.compile(
    r"(?:(?P<user>[^\s@:/]+(?:@[^\s@:/]+)*)@)?(?:\[(?P<v6>[0-9A-Fa-f:.]+(?:%[\w.-]+)?)\]|(?P<host>[^\s@:/\[\]-][^\s@:/\[\]]*))"
    r"(?::(?P<port>\d{1,5}))?"
)


@dataclass(frozen=True, slots=True)
class WorkerRequest:
    """What is None stays as it is; an empty text or list takes away what was there.

    ``ssh`` and ``jumps`` are ``USER@HOST:PORT``, ``labels`` are ``KEY=VALUE``, ``slots`` is a number or auto,
    ``fence`` a duration or never. A key file has its whole path.
    """

    __pydantic_config__ = {"extra": "forbid"}

    ssh: str | None = None
    jumps: Sequence[str] | None = None
    key: str | None = None
    agent: bool | None = None
    password_secret: str | None = None
    slots: str | None = None
    groups: Sequence[str] | None = None
    labels: Sequence[str] | None = None
    application: str | None = None
    handlers: Sequence[str] | None = None
    root: str | None = None
    fence: str | None = None
    secrets: Literal["refuse", "allow"] | None = None


_OF_SSH = ("ssh", "jumps", "key", "agent", "password_secret", "root", "fence", "secrets")


def worker_name(name: str) -> str:
    """The same; Invalid where no worker can be called so: directories are named after it."""
    return _named(name, "the name")


def changed(worker: Worker, request: WorkerRequest) -> Worker:
    """A worker with what was asked for. Raises Invalid: what cannot be, and nothing else is changed then."""
    if worker.name == LOCAL:
        for each in _OF_SSH:
            if getattr(request, each) is not None:
                raise Invalid(THIS_MACHINE, "{name} is of workers that are reached by SSH", name=each)
    return replace(worker, **_values(request))


def _values(request: WorkerRequest) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if request.ssh is not None:
        found["address"] = address(request.ssh)
    if request.jumps is not None:
        found["jumps"] = tuple(address(each) for each in request.jumps if each)
    found |= _login(request)
    if request.slots is not None:
        found["slots"] = _slots(request.slots)
    if request.groups is not None:
        found["groups"] = _names(request.groups, "a group")
    if request.labels is not None:
        found["labels"] = dict(_label(each) for each in request.labels if each)
    if request.handlers is not None:
        found["handlers"] = _names(request.handlers, "a handler")
    if request.fence is not None:
        found["fence"] = _fence(request.fence)
    if request.secrets is not None:
        found["secrets"] = request.secrets
    if request.application is not None:
        found["application"] = request.application or None
    if request.root is not None:
        found["root"] = _root(request.root) or None
    return found


def _root(text: str) -> str:
    """A path there, absolute or below the home.

    >>> _root("~/jobs"), _root("/srv/jobs")
    ('jobs', '/srv/jobs')
    """
    if any(ord(each) < 32 or ord(each) == 127 for each in text):
        raise Invalid.at(WORKER_INVALID, "a root is a path of one line, not {where!r}", text)
    return text.removeprefix("~/")


def _login(request: WorkerRequest) -> dict[str, Any]:
    """One of the three ways to log in; the one that is asked for takes the place of another one."""
    asked = {
        "key_file": request.key,
        "agent": request.agent,
        "password_secret": request.password_secret,
    }
    if sum(bool(value) for value in asked.values()) > 1:
        raise Invalid(WORKER_INVALID, "a key file, the agent or a password: one of them")
    if all(value is None for value in asked.values()):
        return {}
    return {name: value or (False if name == "agent" else None) for name, value in asked.items()}


def address(text: str) -> Address:
    """``USER@HOST:PORT``; Invalid for anything else.

    >>> str(address("runner@[fe80::1]:2222")), str(address("build"))
    ('runner@[fe80::1]:2222', 'build')
    """
    match = _ADDRESS.fullmatch(text)
    port = int(match["port"] or PORT) if match else 0
    if match is None or not 0 < port < 65536:
        raise Invalid.at(ADDRESS_INVALID, "{where!r} is not of the form USER@HOST:PORT", text)
    return Address(match["v6"] or match["host"], match["user"], port)


def _slots(text: str) -> int | Literal["auto"]:
    if text == AUTO:
        return "auto"
    if text.isascii() and text.isdecimal() and 0 < int(text) <= MOST_SLOTS:
        return int(text)
    raise Invalid.at(
        WORKER_INVALID, "slots are a number from 1 to {most}, or auto, not {where!r}", text, most=MOST_SLOTS
    )


def _fence(text: str) -> float | None:
    if text == "never":
        return None
    try:
        found = seconds(text)
    except ValueError as error:
        message = "a fence is never or a duration such as 60s, not {where!r}"
        raise Invalid.at(WORKER_INVALID, message, text) from error
    if found < SHORTEST_FENCE:
        raise Invalid.at(
            FENCE_TOO_SHORT, "a fence lasts {least:g} s at least, not {where}", text, least=SHORTEST_FENCE
        )
    return found


def _names(given: Sequence[str], what: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_named(each, what) for each in given if each))


def _named(name: str, what: str) -> str:
    if len(name) > LONGEST_ID or not _NAME.fullmatch(name):
        raise Invalid.at(WORKER_INVALID, "{what} {where!r} is not an id", name, what=Message.of(what))
    return name


def _label(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or "\n" in value or len(value) > 200:
        raise Invalid.at(WORKER_INVALID, "a label is KEY=VALUE, not {where!r}", text)
    return _named(key, "the key of a label"), value
