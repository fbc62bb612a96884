"""A stage that runs, or is about to, on another machine; loop thread only."""

from __future__ import annotations

import os
from collections.abc import Callable

from engine.execution.host import GivenSecrets
from engine.execution.outcomes import Exit, Lost
from engine.execution.ssh import intents
from engine.execution.ssh.intents import Intent
from engine.execution.ssh.session import RemotePlace
from engine.model.errors import SkerryError
from engine.model.job import STAGES, StageName

Ended = Callable[[Exit | Lost | SkerryError], None]
Key = tuple[str, str]  # mark and stage


class SshStage:
    """See :class:`engine.execution.host.LivingStage`; ``pid`` is 0 until the host has said it."""

    def __init__(
        self,
        directory: str,
        stage: StageName,
        mark: str,
        intent: Intent,
        secrets: GivenSecrets = (),
        *,
        pid: int = 0,
    ) -> None:
        self.directory = directory
        self.stage = stage
        self.mark = mark
        self.intent = intent
        self.secrets = secrets
        self.pid = pid
        self.number = ""  # of the request that started it over the link that stands: its end is reported
        self.sent_in = ""  # the boot of the host that it was first sent in
        self.seen = False  # alive: its start ticks are written down there
        self.leaving = False  # its files are being brought here
        self.given_up = False  # stopped before it was begun; set on another thread
        self.end: Exit | Lost | SkerryError | None = None
        self._listener: Ended | None = None
        self._known: Callable[[], None] | None = None

    @property
    def record(self) -> str:
        """The engine's own record of it."""
        return f"{self.directory}/.skerry/{self.stage}"

    @property
    def is_first(self) -> bool:
        """Whether nothing of its attempt was begun before it."""
        before = STAGES[: STAGES.index(self.stage)]
        return not any(os.path.lexists(f"{self.directory}/.skerry/{each}") for each in before)

    @property
    def key(self) -> Key:
        """What it is started once for."""
        return self.mark, self.stage

    def folder(self, place: RemotePlace) -> str:
        """Where its attempt works there."""
        return self.beside(place, self.mark)

    def beside(self, place: RemotePlace, mark: str) -> str:
        """Where another attempt works in the same root."""
        return f"{place.path(self.intent.terms.root)}/{mark}"

    def when_known(self, call: Callable[[], None]) -> None:
        """Call it once its pid is known, if that is still to come."""
        self._known = call

    def is_known(self, pid: int) -> None:
        """The host has said its pid."""
        self.pid = pid
        if self._known is not None:
            known, self._known = self._known, None
            known()

    def has_pid(self, pid: int) -> None:
        """The same, while it lives: whoever takes it up finds that here."""
        intents.note_pid(self.record, pid)
        self.is_known(pid)

    def listen(self, ended: Ended) -> None:
        """Call it once, now if the end is known."""
        self._listener = ended
        self._tell()

    def is_over(self, end: Exit | Lost | SkerryError) -> None:
        """It ended so; only the first end counts."""
        if self.end is None:
            self.end = end
            self._tell()

    def _tell(self) -> None:
        if self.end is not None and self._listener is not None:
            listener, self._listener = self._listener, None
            listener(self.end)
