"""What a new job begins with: as little as its type's check accepts."""

from __future__ import annotations

from typing import Any

from engine.plugins.job_type import JobType

_SCRIPTS = {"shell": "true\n", "python": "print('hello')\n"}
_KEYS: dict[str, dict[str, Any]] = {
    "command": {"argv": ["true"]},
    "condition": {"value": "true", "branches": {"true": []}},
    "wait": {"for": "1s"},
    "http": {"url": "http://127.0.0.1/"},
    "sql": {"resource": "database", "statements": ["select 1"]},
    "sql_query": {"resource": "database", "statement": "select 1"},
    "group": {"jobs": []},
    "task": {"task": "task"},
    "java": {"process": "public class Main { public static void main(String[] a) { } }\n"},
    "ftp_download": {"url": "ftp://127.0.0.1/", "path": "file"},
}


def beginning(found: JobType) -> dict[str, Any]:
    """The tree of a new job of a type; the person goes on from there."""
    made: dict[str, Any] = {"type": found.kind, **_KEYS.get(found.kind, {})}
    if found.process == "required":
        made["process"] = _SCRIPTS.get(found.kind, "")
    return made
