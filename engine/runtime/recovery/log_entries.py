"""Reads the last entry of each attempt and run, and the lines about it, from the context log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from engine.context import drop, parse_path, put, read_line

Key = tuple[int, int]  # JobInstance, attempt


@dataclass(slots=True)
class LogEntries:
    """By attempt; ``params`` of the task by run."""

    entries: dict[Key, dict[str, Any]] = field(default_factory=dict)
    lines: dict[Key, list[str]] = field(default_factory=dict)
    params: dict[int, Any] = field(default_factory=dict)


def read_log_entries(lines: Iterable[str]) -> LogEntries:
    """Replay a log. A further attempt, round or run has an entry of its own: the earlier one stays."""
    found, tree = LogEntries(), {}  # type: tuple[LogEntries, dict[str, Any]]
    for text in lines:
        record = read_line(text)
        path = parse_path(record["path"])
        if "new" in record:
            put(tree, path, record["new"])
        elif "old" in record:
            drop(tree, path)
        if path[0] == "TASK" and isinstance(tree.get("TASK"), dict):
            found.params[record["run"]] = tree["TASK"].get("PARAMS")
        elif path[0] == "JOB" and len(path) > 1:
            _see(found, tree, path, text)
    return found


def ends_of_jobs(lines: Iterable[str]) -> dict[int, int]:
    """The line that tells the end of each JobInstance, by number: clocks are set back, a log is in order."""
    ends: dict[int, int] = {}
    for (job, _), texts in read_log_entries(lines).lines.items():
        for record in map(read_line, texts):
            new = record.get("new")
            if record["path"].endswith(".END_TIME") or (isinstance(new, dict) and "END_TIME" in new):
                ends[job] = record["seq"]
    return ends


def begins_of_attempts(lines: Iterable[str]) -> dict[Key, int]:
    """The line that tells first of each attempt, by number, in their order."""
    return {key: read_line(texts[0])["seq"] for key, texts in read_log_entries(lines).lines.items()}


def _see(found: LogEntries, tree: dict[str, Any], path: tuple[str | int, ...], text: str) -> None:
    entry = tree["JOB"].get(path[1]) if "JOB" in tree else None
    if isinstance(entry, list) and len(path) > 2 and isinstance(path[2], int):
        entry = entry[path[2]] if path[2] < len(entry) else None
    if not isinstance(entry, dict) or not isinstance(entry.get("INSTANCE"), int):
        return
    key = entry["INSTANCE"], int(entry.get("ATTEMPT") or 0)
    found.entries[key] = entry
    found.lines.setdefault(key, []).append(text)
