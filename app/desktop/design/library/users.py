"""Who uses a definition: the tasks and jobs that name it."""

from __future__ import annotations

from app.desktop.design.definition_library import DefinitionLibrary
from engine.runtime.library import references

SECTION_KINDS = (("tasks", "task"), ("jobs", "job"))


def users_of(library: DefinitionLibrary, kind: str, id: str) -> tuple[tuple[str, str], ...]:
    """``(kind, id)`` of every task and job that names a definition."""
    return tuple(
        (user_kind, user)
        for section, user_kind in SECTION_KINDS
        for user, tree in library.section(section).items()
        if (kind, id) in set(references(user_kind, tree))
    )


def user_task(library: DefinitionLibrary, kind: str, id: str) -> str:
    """A task that uses it, also through a job; empty when there is none."""
    seen: set[tuple[str, str]] = set()
    ahead = [(kind, id)]
    while ahead:
        each = ahead.pop(0)
        for user in users_of(library, *each):
            if user[0] == "task":
                return user[1]
            if user not in seen:
                seen.add(user)
                ahead.append(user)
    return ""
