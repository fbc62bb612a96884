"""Words that come from the window's own texts or, in both languages, from a type's file; titles of keys."""

from __future__ import annotations

from collections.abc import Mapping

from app.desktop.kernel.language import tr
from app.texts import catalogue

Words = str | tuple[str, str]  # an English source text, or English and Chinese


def as_written(text: str) -> Words:
    """A name or text of the operator's own, which is never translated."""
    return (text, text) if text else ""


def both(text: str, **values: Words) -> Words:
    """A text in English and Chinese, its ``{names}`` filled in with the words of each."""
    pairs = {name: value if isinstance(value, tuple) else _pair(value) for name, value in values.items()}
    english, chinese = ({name: pair[at] for name, pair in pairs.items()} for at in (0, 1))
    return text.format(**english), _pair(text)[1].format(**chinese)


def _pair(text: str) -> tuple[str, str]:
    return text, catalogue("zh").get(text, text)


def said(words: Words, language: str) -> str:
    if isinstance(words, tuple):
        return words[1] if language.startswith("zh") and words[1] else words[0]
    return tr(words) if words else ""


RUN_IFS = {
    "all_succeeded": "all before it succeeded", "all_done": "all before it ended, however",
    "any_succeeded": "at least one succeeded", "any_failed": "at least one failed",
}  # fmt: skip
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
    "question": "What is asked",
    "choices": "Answers to choose from",
    "fails_on": "Answers that fail the job",
    "note": "Note",
    "deadline": "Deadline",
    "otherwise": "Answer at the deadline",
    "host_key": "Host key",
    "key": "Private key",
}
_OF_TYPES: Mapping[tuple[str, str], Words] = {("approve", "value"): "Value to type in"}


def title(name: str, type: str = "") -> Words:
    """The label of a key, in jobs of some type perhaps: known ones in words, others as they are written."""
    return _OF_TYPES.get((type, name)) or TITLES.get(name) or as_written(name)
