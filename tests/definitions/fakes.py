"""Small job and resource types, and a reader that uses them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from engine.definitions.reader import ReadDefinitions, SourceFile, read
from engine.model.base import Count, Frozen, Seconds
from engine.model.control import ConditionKeys, GroupKeys, SubTaskKeys
from engine.model.errors import ErrorCode, Text
from engine.model.findings import Finding, error
from engine.model.job import Job, JobKeys, ParamSpec
from engine.plugins.job_type import ControlType, Program, ProgramRequest, ProgramType
from engine.plugins.resource_type import CheckResult, ResolvedResource, ResourceType

NOTHING = Text("Nothing to run", "argv is empty.", "Name a program.")
EMPTY_ARGV = ErrorCode(-1_20_99_001_000, en=NOTHING, zh=NOTHING)


class FakeProgram(ProgramType):
    label = ("Fake", "假")
    help = ("A fake.", "假的。")

    def program(self, request: ProgramRequest) -> Program:
        return Program(None)


class Script(FakeProgram):
    kind = "script"
    process = "required"


class ArgvKeys(JobKeys):
    argv: tuple[str, ...]
    nice: Count = 0


class Argv(FakeProgram):
    kind = "argv"
    keys = ArgvKeys
    codes = (EMPTY_ARGV,)
    rendered = frozenset({"argv"})
    meanings = {"argv": ("The program and its arguments.", "程序及其参数。")}

    def check(self, job: Job) -> Iterable[Finding]:
        settings = job.settings
        assert isinstance(settings, ArgvKeys)
        if not settings.argv:
            yield error(EMPTY_ARGV, "there is no program", ("argv",))


class Lines(FakeProgram):
    kind = "lines"
    params = {
        "path": ParamSpec(kind="text", required=True, help="the file"),
        "limit": ParamSpec(kind="number", value=10),
        "mode": ParamSpec(kind="text", choices=("all", "first")),
    }


class FakeControl(ControlType):
    label = ("Fake", "假")
    help = ("A fake.", "假的。")


class Condition(FakeControl):
    kind = "condition"
    keys = ConditionKeys


class Group(FakeControl):
    kind = "group"
    keys = GroupKeys


class SubTask(FakeControl):
    kind = "task"
    keys = SubTaskKeys


class StoreRequest(Frozen):
    user: str | None = None
    timeout: Seconds = 10.0


class StoreCheck(Frozen):
    exists: bool | None = None
    size: int | None = Field(default=None, ge=1)


class Store(ResourceType):
    kind = "store"
    aliases = ("shelf",)
    label = ("Store", "存储")
    help = ("A fake store.", "假的存储。")
    request_keys = StoreRequest
    check_keys = StoreCheck

    def check(self, resource: ResolvedResource, on_cancel: Any = None) -> CheckResult:
        return CheckResult(ok=True, message="fine")


JOB_TYPES = {each.kind: each for each in (Script(), Argv(), Lines(), Condition(), Group(), SubTask())}
RESOURCE_TYPES = {"store": Store(), "shelf": Store()}


def read_text(*texts: str, suffix: str = "yaml") -> ReadDefinitions:
    """Read texts as the files a.yaml, b.yaml …; ``skerry: 1`` is what each begins with unless it says so."""
    sources = [SourceFile(f"{chr(97 + i)}.{suffix}", text.encode()) for i, text in enumerate(texts)]
    return read(sources, JOB_TYPES, RESOURCE_TYPES)


def findings_of(reading: ReadDefinitions) -> list[str]:
    """Each finding as ``file:line:column message``."""
    return [f"{each.file}:{each.line}:{each.column} {each.message}" for each in reading.findings]


def marked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """``text`` without its ``^`` signs, and the line and column of what each was before.

    >>> marked("a: ^1")
    ('a: 1', [(1, 4)])
    """
    places, lines = [], []
    for number, line in enumerate(text.split("\n"), 1):
        while "^" in line:
            places.append((number, line.index("^") + 1))
            line = line.replace("^", "", 1)
        lines.append(line)
    return "\n".join(lines), places
