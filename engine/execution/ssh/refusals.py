"""What stands in the way of an attempt on a host, as errors of the catalogue."""

from __future__ import annotations

from engine.execution.ssh.settings import Endpoint
from engine.model.codes import processes
from engine.model.codes import ssh as codes
from engine.model.codes.confirmation import BUSY_THERE
from engine.model.codes.store import DISK_FULL
from engine.model.disk import full, may_pass
from engine.model.errors import SkerryError
from engine.model.plain_words import unforeseen, wording

_THERE = "host"  # among the details of an error


def passes(problem: SkerryError) -> bool:
    """Whether it is waited for."""
    return problem.code == codes.HOST_UNREACHABLE.number or may_pass(problem)


def of_here(error: Exception) -> SkerryError:
    """What went wrong on this machine while files were carried."""
    if not isinstance(error, OSError):
        return unforeseen(error)
    if may_pass(error):
        return full(error, ".")
    return SkerryError(codes.FETCH_FAILED, "the files of the attempt: {error}", error=wording(error))


def of_host(word: str, where: str, what: str) -> SkerryError:
    """What the shell on ``where`` answered with a ``word``."""
    if word == "full":
        return no_room_there(where)
    if word == "nofolder":
        message = "there is no folder {where} to start in; an absolute path is expected"
        return SkerryError.at(processes.NO_WORKING_DIR, message, what)
    return SkerryError.at(codes.REFUSED_THERE, "{where} refused {what}", where, what=what or word)


def no_room_there(where: str) -> SkerryError:
    """The disk of a host is full: nothing of the engine's own."""
    return SkerryError.at(DISK_FULL, "there is no room on {where}", where, details={_THERE: where})


def is_of_disk_there(error: Exception) -> bool:
    """Whether that is what an error says."""
    return isinstance(error, SkerryError) and _THERE in (error.details or {})


def busy(where: str, words: list[str]) -> SkerryError:
    """It takes nothing beside what works in its root and another engine answers for."""
    found = ", ".join(words) or "something"
    return SkerryError.at(BUSY_THERE, "{where} still runs {what}", where, what=found)


def no_process(target: Endpoint) -> SkerryError:
    """It answers, and had no process or memory left for what it was asked: it is asked again."""
    message = "{where} can start no further process now"
    return SkerryError.at(codes.HOST_UNREACHABLE, message, str(target))


def unreachable(target: Endpoint) -> SkerryError:
    """Nothing is known of the host."""
    message = "{where} cannot be reached: {error}"
    return SkerryError.at(codes.HOST_UNREACHABLE, message, str(target), error="")
