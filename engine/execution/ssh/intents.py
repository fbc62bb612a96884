"""The engine's own record of a stage on another machine: ``.skerry/<stage>`` of the job's directory here.

It is laid out as the one that a local process writes (:mod:`engine.execution.stage_file`) and is made before
anything is sent, so that whoever takes the job up knows that it may have begun. The end is written into it
once all files of the attempt are here; from then on the other machine need not be asked.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from engine.execution import stage_file
from engine.execution.files import close_all, put_all, read_beginning
from engine.execution.outcomes import Exit
from engine.execution.remains import LocalRemains
from engine.model.job import STAGES

_MOST = 8192
_SECRETS = "secrets"  # the line of one whose attempt was given some


class Terms(NamedTuple):
    """Under what a stage is sent, so that it is looked for there, whatever is registered by then.

    ``root`` as it was registered, ``key`` the fingerprint of the host. ``fence`` in seconds: it ends itself
    so long after the latest word of its engine, with ``grace`` between TERM and KILL; ``lease`` is the file
    there that has when. ``vouched`` counts how often a person had vouched that nothing there lives.
    """

    root: str
    key: str = ""
    fence: float | None = None
    grace: float = 10.0
    lease: str = ""
    vouched: int = 0


class Intent(NamedTuple):
    """``token`` tells a request that is sent again from another one; ``generation`` counts those given up.

    ``has_secrets``: what it prints is to be masked on its way here.
    """

    token: str
    generation: int
    terms: Terms
    has_secrets: bool = False

    def file(self, stage: str) -> str:
        """The name of the stage's file on the other machine."""
        return stage if not self.generation else f"{stage}.{self.generation}"


def create(path: str, mark: str, boot: str, terms: Terms, *, has_secrets: bool = False) -> Intent:
    """Write it down. Raises SkerryError: the stage was started before, or there is no room."""
    made = Intent(secrets.token_hex(8), generation(path), terms, has_secrets)
    more = f"token {made.token}\nterms {json.dumps(terms._asdict())}\n" + f"{_SECRETS}\n" * has_secrets
    close_all([stage_file.create(path, mark, boot=boot, more=more)])
    return made


def renewed(path: str, mark: str, boot: str, before: Intent) -> Intent:
    """The same under another name, after what was sent came to nothing. Raises SkerryError."""
    return create(path, mark, boot, before.terms, has_secrets=before.has_secrets)


def read(path: str, now: Terms) -> Intent:
    """The one that is written there; of an older version the terms are as they are ``now``."""
    lines = _lines(path)
    return Intent(lines.get("token", ""), generation(path), _terms(lines) or now, _SECRETS in lines)


def terms_of(directory: str | None, mark: str) -> Terms | None:
    """Those of an attempt, from the first of its stages that was sent; None: none was, or it does not say."""
    for stage in STAGES if directory is not None else ():
        path = f"{directory}/.skerry/{stage}"
        record = stage_file.read(path)
        if record is not None and record.mark == mark:
            return _terms(_lines(path))
    return None


def _lines(path: str) -> dict[str, str]:
    text = (read_beginning(path, _MOST) or b"").decode("utf-8", "replace")
    return dict(line.partition(" ")[::2] for line in text.splitlines())


def _terms(lines: dict[str, str]) -> Terms | None:
    with suppress(ValueError, TypeError):
        return Terms(**json.loads(lines.get("terms", "")))
    return None


def generation(path: str) -> int:
    """How many times a stage was given up before it began."""
    number = 0
    while os.path.lexists(f"{path}.{number}"):
        number += 1
    return number


def note_pid(path: str, pid: int) -> None:
    """Best effort: it can be asked again."""
    stage_file.note_pid_in(path, pid)


def note_end(path: str, pid: int | None, end: Exit) -> None:
    """The end, over the blanks that a process here would write over. OSError."""
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        begun = f"begun {pid}\n" if pid else ""
        put_all(fd, f"{begun}exit {end.code} {end.code}\n".encode())
    finally:
        os.close(fd)


class SshRemains(LocalRemains):
    """What the stages of one attempt left here; what was given up is kept beside it, as a count."""

    def __init__(self, directory: str | None, mark: str, terms: Callable[[], Terms]) -> None:
        super().__init__(directory, mark, lambda attempts: ())
        self._terms = terms

    def is_damaged(self, pid: int | None) -> bool:
        """Never: what the host has is asked there, whether or not its pid was written down here too."""
        return False

    def assume_sent(self) -> bool:
        """Under the terms of now; without a fence, of which nothing is known."""
        if self._directory is None:
            return False
        os.makedirs(f"{self._directory}/.skerry", 0o700, exist_ok=True)
        for stage in STAGES:
            with suppress(FileNotFoundError):
                os.unlink(self._path(stage))  # it breaks off, or is another attempt's
            terms = self._terms()._replace(fence=None, lease="")
            create(self._path(stage), self._mark, "?", terms, has_secrets=True)
        return True

    def forget_torn(self, stage: str) -> None:
        """What breaks off may have been sent, whatever became of its record since: it is not sent again."""

    def forget(self, stage: str) -> None:
        path = self._path(stage)
        with suppress(FileNotFoundError):
            os.rename(path, f"{path}.{generation(path)}")
