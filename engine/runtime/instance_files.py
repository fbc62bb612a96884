"""The files that follow an instance's context, and how far they are behind the store."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from engine.context import Line, TaskContext
from engine.execution.directories import InstanceDirectory
from engine.model.disk import may_pass
from engine.model.errors import SkerryError
from engine.model.plain_words import wording
from engine.runtime.journal import Journal
from engine.runtime.timers import Timer


class InstanceFiles:
    """``ctx.log``, ``ctx.json`` and ``currJobs`` of one instance; loop thread only."""

    def __init__(
        self,
        id: int,
        folder: InstanceDirectory,
        context: TaskContext,
        running: Callable[[], Iterable[str]],  # the ids for ``currJobs``
        say: Callable[..., None],
        *,
        has_directory: bool,
    ) -> None:
        self.id = id
        self.folder = folder
        self.context = context
        self.journal = Journal(folder)
        self.has_directory = has_directory
        self.behind = 0  # writings of its jobs' files that the disk has no room for yet
        self.unfiled: list[Line] = []  # lines that are in the store but not yet in ctx.log
        self.snapshot_due: Timer | None = None
        self._filed = 0  # lines up to this one are there already: an engine before this one wrote them
        self._running = running
        self._say = say

    def caught_up(self, seq: int) -> None:
        """``ctx.log`` has the store's lines up to this one: the other files follow."""
        self._filed, self.has_directory = seq, True
        self.write()

    def write_lines(self) -> None:
        """Bring ``ctx.log`` up to the store; OSError when the disk is full, and then nothing is forgotten."""
        if self.unfiled and self.has_directory:
            lines = [line for line in self.unfiled if line.seq > self._filed]
            self._unless_gone(lambda: self.journal.append(lines))
            self.unfiled = []

    def write(self) -> None:
        """Bring all three up to date."""
        self.write_lines()
        if self.snapshot_due is not None:
            self.snapshot_due.cancel()
            self.snapshot_due = None
        self._unless_gone(lambda: self.journal.snapshot(self.context.canonical(), self._running()))

    def _unless_gone(self, write: Callable[[], None]) -> None:
        """A directory that was removed does not hold the run up: the store has it all."""
        try:
            write()
        except (OSError, SkerryError) as error:
            if may_pass(error):
                raise
            self._say(f"instance {self.id}: its files are not current: {wording(error)}", logging.WARNING)
