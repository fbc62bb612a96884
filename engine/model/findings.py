"""What is wrong with a definition, and where."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.model.errors import ErrorCode
from engine.model.message import Message

Loc = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend. ``path`` leads to the value in the file's tree; line and column from 1."""

    severity: Literal["error", "warning"]
    code: int
    message: str
    path: Loc = ()
    file: str = ""
    line: int = 0
    column: int = 0

    def at(self, file: str, line: int, column: int) -> Finding:
        """The same finding with its place in a file."""
        return replace(self, file=file, line=line, column=column)

    @property
    def place(self) -> str:
        """``file:line:column``."""
        return f"{self.file}:{self.line}:{self.column}"

    def __str__(self) -> str:
        """``file:line:column: severity code: message``, as ``skerry check`` prints it."""
        return f"{self.place}: {self.severity} {self.code}: {self.message}"


def finding_document(finding: Finding) -> dict[str, Any]:
    """A finding as ``check --json`` has it: file, line, column, severity, code, message."""
    return {key: getattr(finding, key) for key in ("file", "line", "column", "severity", "code", "message")}


def error(code: ErrorCode, template: str, path: Loc = (), /, **facts: object) -> Finding:
    """A finding that makes the definition invalid."""
    return Finding("error", code.number, Message.of(template, **facts), path)


def warning(code: ErrorCode, template: str, path: Loc = (), /, **facts: object) -> Finding:
    """A finding that the author should look at."""
    return Finding("warning", code.number, Message.of(template, **facts), path)
