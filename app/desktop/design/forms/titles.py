"""The words for the keys and parameters of the built-in types."""

from __future__ import annotations

from collections.abc import Mapping

from app.desktop.design.forms.labels import Words, as_written

TITLES: Mapping[str, Words] = {
    "argv": "Command and arguments",
    "statement": "SQL statement",
    "statements": "SQL statements",
    "resource": "Resource",
    "url": "Address",
    "method": "Method",
    "headers": "Headers",
    "query": "Query",
    "body": "Body",
    "json": as_written("JSON"),
    "expect": "Expected",
    "max_rows": "At most so many rows",
    "python": "Interpreter",
    "jar": "Jar file",
    "main": "Main class",
    "value": "Decides by",
    "branches": "Branches",
    "max_loops": "At most so many rounds",
    "for": "Wait for",
    "until": "Wait until",
    "until_true": "Wait until it holds",
    "every": "Look every",
    "jobs": "Jobs in order",
    "task": "Task",
    "wait": "Wait for its end",
    "path": "Path",
    "target": "Target",
    "resume": "Go on where it broke off",
    "uri": "Where it is",
    "user": "User",
    "secret": "Secret",
    "timeout": "Time limit",
    "exists": "Must exist",
    "readable": "Must be readable",
    "min_size": "At least so big",
    "max_age": "At most so old",
    "min_free": "Room left on the disk",
    "sha256": as_written("SHA-256"),
    "connect": "Connect",
    "table": "Table",
    "status": "Status code",
    "contains": "Contains",
    "within": "Answers within",
    "login": "Log in",
    "files": "Files",
    "separator": "Separator",
    "encoding": "Encoding",
    "max_size": "At most so big",
    "lines": "Lines",
    "size": "Size",
    "max_files": "At most so many files",
    "max_ratio": "Highest ratio",
}


def title(name: str) -> Words:
    """The label of a key: known ones in words, others as they are written."""
    return TITLES.get(name) or as_written(name)
