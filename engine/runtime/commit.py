"""The end of a turn: one transaction with every decision and context line, then the files that follow."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from engine.model.errors import SkerryError
from engine.store.changes import Changes

if TYPE_CHECKING:
    from engine.context import Line
    from engine.runtime.house import House
    from engine.runtime.run import Run

_RETRY_SECONDS = 1.0
_BEHIND_SECONDS = 1.0  # how far ctx.json may be behind


class Committer:
    """Writes a turn down. While the disk is full it waits and tries again: nothing is forgotten."""

    house: House

    def commit(self) -> None:
        """Make this turn durable; returns when it is."""
        house = self.house
        if not house.changes and not house.dirty:
            return
        dirty, house.dirty = house.dirty, {}
        changes, house.changes = house.changes, Changes()
        drained = [(run, run.context.drain()) for run in dirty.values()]
        for run, lines in drained:
            for line in lines:
                changes.line(run.facts.id, line.seq, line.text)
        self._store(changes)
        for run, lines in drained:
            self._follow(run, lines)

    def _store(self, changes: Changes) -> None:
        while True:
            try:
                self.house.store.commit(changes)
                self.house.trouble = None
                return
            except SkerryError as error:
                if not error.entry.retryable:
                    raise
                if self.house.trouble is None:
                    self.house.say(f"{error.message}; tried again until it works", logging.ERROR)
                self.house.trouble = error
                time.sleep(_RETRY_SECONDS)

    def _follow(self, run: Run, lines: list[Line]) -> None:
        run.unfiled.extend(lines)
        if not run.has_directory:  # made after this very commit
            return self.house.loop.after_commit(run.file_lines)
        run.file_lines()
        if run.snapshot_due is None:
            run.snapshot_due = self.house.loop.later(_BEHIND_SECONDS, run.write_files)
