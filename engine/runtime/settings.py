"""``workspace.yaml`` as a value: every key has a default, and every error is found at once."""

from __future__ import annotations

from datetime import time
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from engine.definitions.fit import fit
from engine.definitions.notes import Notes, shown
from engine.definitions.text_source import SourceFile, parse
from engine.model.base import Bool, Frozen, Id, Int, Seconds
from engine.model.codes.runtime import SETTINGS_INVALID
from engine.model.disk import read_file
from engine.model.errors import Invalid
from engine.model.findings import Finding, finding_document
from engine.model.message import Message
from engine.model.times import known_zone
from engine.planning.retention import Keep

Places = Annotated[Int, Field(ge=1)]
_SHOWN = 5  # findings in the one line of an error


class Retention(Keep):
    """How long ended instances are kept; by default for ever."""

    tasks: dict[Id, Keep] = {}  # rules that stand for these tasks in the place of the common ones


class Settings(Frozen):
    """``workspace.yaml``; every key has a default."""

    places: Places | Literal["auto"] | None = None  # jobs at once on this machine; None = the number of cores
    timezone: str | None = None  # None = the machine's
    language: Literal["en", "zh"] | None = None
    database: str | None = None  # an SQLAlchemy URL; None = SQLite in the workspace
    durability: Literal["full", "normal"] = "full"
    grace: Seconds = 10.0  # seconds between TERM and KILL
    ahead: str = "23:50"  # the time of day at which the instances of the coming day are made
    misfire: Seconds = 60.0  # a fire that comes later than that was missed
    max_jump: Seconds = 86400.0  # a clock that is set further holds all schedules
    max_skew: Seconds = 5.0  # another clock that differs by more is told of
    settle: Seconds = 10.0  # an engine that begins waits so long for its workers before others get their work
    idle: Seconds = 30.0  # an engine started by --detach ends after so long without work
    monitor: Bool = True
    retention: Retention = Retention()
    environment: tuple[str, ...] = ()  # further variables that environment.json may hold
    secret_names: tuple[str, ...] = ()  # further names whose values leave in no bundle

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str | None) -> str | None:
        if name is not None and known_zone(name) is None:
            raise ValueError("expected a time zone such as Asia/Shanghai")
        return name

    @field_validator("ahead")
    @classmethod
    def _time_of_day(cls, text: str) -> str:
        try:
            return time.fromisoformat(text).isoformat("minutes")
        except ValueError as problem:
            raise ValueError("expected a time of day such as 23:50") from problem

    @property
    def day_made_at(self) -> time:
        """``ahead`` as a time."""
        return time.fromisoformat(self.ahead)


def read_settings(file: Path) -> Settings:
    """The settings of a file; Invalid with every finding (``file:line:column``) when it is not right."""
    try:
        data = read_file(file)
    except OSError as problem:
        message = "{where}: {error}"
        raise Invalid.at(SETTINGS_INVALID, message, file, error=problem.strerror or problem) from problem
    if all(line.lstrip()[:1] in (b"", b"#") for line in data.splitlines()):
        return Settings()
    return _read(str(file), data)


def _read(name: str, data: bytes) -> Settings:
    document = parse(SourceFile(name, data))
    findings, tree, notes = list(document.findings), document.value, Notes()
    settings = None
    if document.root is not None and isinstance(tree, dict):
        settings = fit(Settings, tree, (), notes)
    elif document.root is not None and tree is not None:
        notes.error(SETTINGS_INVALID, "expected a map of settings, found {found}", (), found=shown(tree))
    for note in notes.all:
        findings.append(note.finding.at(name, *document.position(note.finding.path, key=note.key)))
    if findings:
        raise _invalid(sorted(findings, key=lambda each: (each.line, each.column)))
    return settings or Settings()


def _invalid(findings: list[Finding]) -> Invalid:
    messages = [
        Message.of("{where}: {message}", where=each.place, message=each.message) for each in findings[:_SHOWN]
    ]
    if len(findings) > _SHOWN:
        messages.append(Message.of("and {count} more", count=len(findings) - _SHOWN))
    message = reduce(lambda first, next: Message.of("{first}; {next}", first=first, next=next), messages)
    details: dict[str, Any] = {"findings": [finding_document(each) for each in findings]}
    return Invalid(SETTINGS_INVALID, message, where=findings[0].place, details=details)
