"""What stands in the way of jobs on a host: asked over a connection of its own; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, NamedTuple

from engine.execution.ssh.files import check_sftp
from engine.execution.ssh.quoting import call
from engine.execution.ssh.session import RemotePlace, ShellSession, open_session
from engine.execution.ssh.settings import SshSettings
from engine.model.clock import Clock
from engine.model.clock_skew import ClockAnswer
from engine.model.codes import ssh as codes
from engine.model.errors import ErrorCode, SkerryError
from engine.model.message import Message

Step = Literal["login", "shell", "folder", "tools", "files", "disk", "clock", "python", "java"]
Level = Literal["ok", "warning", "error"]
_LEAST = 100 << 20  # bytes that should be free
_STEPS: dict[int, Step] = {
    codes.NO_SHELL.number: "shell",
    codes.SHELL_PRINTS.number: "shell",
    codes.ROOT_READ_ONLY.number: "folder",
    codes.ROOT_NOEXEC.number: "folder",
    codes.ROOT_FULL.number: "folder",
    codes.ROOT_FOREIGN.number: "folder",
}


class Remark(NamedTuple):
    """What was found about one step; ``code`` is 0 where all is well."""

    step: Step
    level: Level
    message: str  # a Message where it has facts
    code: int = 0


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the host said: its clock, bytes that are free, programs that it has not."""

    clock: ClockAnswer
    free: int
    missing: tuple[str, ...]


def examine(settings: SshSettings, clock: Clock, max_skew: float) -> tuple[Remark, ...]:
    """All that can be found out; blocks for as long as a host takes. What is wrong is a remark."""
    try:
        session, place = open_session(settings)
    except SkerryError as problem:
        return (_remark(_STEPS.get(problem.code, "login"), "error", problem),)
    try:
        return tuple(_remarks(session, place, settings, clock, max_skew))
    finally:
        session.close()


def _remarks(
    session: ShellSession, place: RemotePlace, settings: SshSettings, clock: Clock, max_skew: float
) -> Iterator[Remark]:
    where = str(settings.target)
    yield Remark("login", "ok", Message.of("{where} lets the user in", where=where))
    yield Remark("folder", "ok", Message.of("{where} can be used", where=place.root))
    asked = clock.now()
    try:
        words = session.ask(call("examine", "0"), where)
        shown = ClockAnswer.in_seconds(asked, words[0], clock.now())
        said = _Facts(shown, int(words[1]) << 10, tuple(words[2:]))
        yield _tools(said, where)
        yield _files(session, place, where)
        yield _disk(said, place.root)
        yield _clock(said, where, max_skew)
        yield _program(session, said, "python", "python3", codes.NO_PYTHON_THERE, where)
        yield _program(session, said, "java", "java", codes.NO_JAVA_THERE, where)
    except SkerryError as problem:
        yield _remark("shell", "error", problem)
    except (ValueError, IndexError):
        yield _remark("shell", "error", SkerryError.at(codes.NO_SHELL, "no sh answers on {where}", where))


def _tools(said: _Facts, where: str) -> Remark:
    missing = [each for each in said.missing if each not in ("python3", "java")]
    if not missing:
        return Remark("tools", "ok", Message.of("{where} has the programs that jobs need", where=where))
    message = "{where} has no {what}"
    return _remark("tools", "error", SkerryError.at(codes.NO_SHELL, message, where, what=", ".join(missing)))


def _files(session: ShellSession, place: RemotePlace, where: str) -> Remark:
    try:
        check_sftp(session, place.root, where)
    except SkerryError as problem:
        return _remark("files", "error", problem)
    return Remark("files", "ok", Message.of("{where} takes and gives files by SFTP", where=where))


def _disk(said: _Facts, root: str) -> Remark:
    if said.free >= _LEAST:
        return Remark(
            "disk", "ok", Message.of("{free:,} bytes are free in {where}", free=said.free, where=root)
        )
    message = "{free:,} bytes are free in {where}, {least:,} should be"
    problem = SkerryError.at(codes.LITTLE_ROOM, message, root, free=said.free, least=_LEAST)
    return _remark("disk", "warning", problem)


def _clock(said: _Facts, where: str, most: float) -> Remark:
    if not said.clock.is_beyond(timedelta(seconds=most)):
        return Remark("clock", "ok", Message.of("the clock of {where} goes as the one here", where=where))
    seconds = said.clock.skew.total_seconds()
    message = "the clock of {where} is {seconds:+.0f} s off; {most:g} s may be"
    problem = SkerryError.at(codes.CLOCK_OFF, message, where, seconds=seconds, most=most)
    return _remark("clock", "error", problem)


def _program(
    session: ShellSession, said: _Facts, step: Step, name: str, missing: ErrorCode, where: str
) -> Remark:
    if name in said.missing:
        problem = SkerryError.at(missing, "{where} has no {what}", where, what=name)
        return _remark(step, "warning", problem)
    return Remark(step, "ok", " ".join(session.ask(call("version", "0", name), where)).strip() or name)


def _remark(step: Step, level: Level, problem: SkerryError) -> Remark:
    return Remark(step, level, problem.message, problem.code)
