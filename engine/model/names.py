"""Names in definitions: what may be an id, the section of each kind, and the name that was probably meant."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from typing import Any, Final

ID: Final = r"(?:[A-Za-z_][A-Za-z0-9_.-]*|[0-9]+)"  # it names directories too
LONGEST_ID: Final = 64  # characters
HANDLER: Final = "on_end."  # begins the ids of a task's handlers, and of nothing else
RECORD: Final = "@"  # between a node and the worker that a record of it is of; no id has it
_ID = re.compile(ID)
_MOST = 2000  # names that are compared
_PROGRAM = ("argv", "process")
_ORDER = ("after", "depends_on")
_ELSEWHERE: Final = {  # what other schedulers call it -> what it is called here, the first that there is
    **dict.fromkeys(("cmd", "command", "commands"), _PROGRAM),
    **dict.fromkeys(("code", "run", "script"), ("process",)),
    **dict.fromkeys(("depends", "depends_on", "dependencies", "needs", "requires", "upstream"), _ORDER),
    "if": ("when",),
    **dict.fromkeys(("foreach", "loop", "with_items"), ("for_each",)),
    **dict.fromkeys(("retries", "attempts"), ("retry",)),
    **dict.fromkeys(("environment", "variables", "vars"), ("env", "params")),
    **dict.fromkeys(("bash", "sh"), ("shell",)),
}

SECTIONS = {
    "resource": "resources",
    "job": "jobs",
    "task": "tasks",
    "calendar": "calendars",
}  # of a definition file, by kind


def is_id(text: str) -> bool:
    """Whether something may be called so: a job, a task, a secret …"""
    return len(text) <= LONGEST_ID and _ID.fullmatch(text) is not None


def is_handler(node: str) -> bool:
    """Whether a node is a handler of its task's end, or a part of one."""
    return node.startswith(HANDLER)


def is_member(rest: str) -> bool:
    """Whether ``rest`` is what follows the name of a group or job in that of a part of it.

    >>> is_member("0"), is_member("ready.0"), is_member("1.0"), is_member("log")
    (True, True, True, False)
    """
    return rest.split(".")[0] in ("ready", "end") or rest.split(".")[0].isdecimal()


def is_part(node: str, nodes: Container[str]) -> bool:
    """Whether it is a member, or the job of a stage, of one of ``nodes``; names have dots of their own.

    >>> is_part("x@a.end.0", {"x@a"}), is_part("x@a.0", {"x@a"}), is_part("x@a.b", {"x@a"})
    (True, True, False)
    """
    steps = node.split(".")
    return any(
        ".".join(steps[:upto]) in nodes and is_member(".".join(steps[upto:])) for upto in range(1, len(steps))
    )


def meant(name: object, known: Iterable[str]) -> str | None:
    """The known name that was probably meant: what other programs call so, else the nearest one."""
    names = set(known)
    called_elsewhere = _ELSEWHERE.get(str(name).lower(), ())
    return next((each for each in called_elsewhere if each in names), None) or near(name, names)


def near(name: object, known: Iterable[str]) -> str | None:
    """The known name nearest to ``name``, None when none is near."""
    from difflib import get_close_matches

    found = get_close_matches(str(name).lower(), sorted(known)[:_MOST], n=1, cutoff=0.6)
    return found[0] if found else None


def sections_of(contents: Mapping[tuple[str, str], Any]) -> dict[str, Any]:
    """The tree of a definition file from contents by (kind, id)."""
    tree: dict[str, Any] = {}
    for (kind, id), content in contents.items():
        if kind == "rule":
            tree.setdefault("rules", []).append(content)
        else:
            tree.setdefault("errors" if kind == "error" else SECTIONS[kind], {})[id] = content
    return tree
