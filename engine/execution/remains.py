"""The records that the stages of an attempt left of their processes, read by an engine that takes it up."""

from __future__ import annotations

import os
from collections.abc import Callable

from engine.execution.child import recorded
from engine.execution.host import Attempts
from engine.execution.outcomes import Exit, Lost
from engine.execution.stage_file import StageRecord, read
from engine.model.job import STAGES


class LocalRemains:
    """Of the attempt with that mark; without a directory there are none."""

    def __init__(
        self, directory: str | None, mark: str, living: Callable[[Attempts], tuple[int, ...]]
    ) -> None:
        self._living = living
        self._directory = directory
        self._mark = mark

    def _path(self, stage: str) -> str:
        assert self._directory is not None
        return f"{self._directory}/.skerry/{stage}"

    def _read(self, stage: str) -> StageRecord | None:
        return read(self._path(stage)) if self._directory is not None else None

    def has_started(self, stage: str) -> bool:
        """Whether a process of that stage was about to be started in this attempt."""
        record = self._read(stage)
        return record is not None and (record.mark == self._mark or record.damaged(self._mark))

    def have_begun_in(self, boot: str) -> bool:
        """Whether a stage of the attempt was begun in that start of the machine."""
        found = filter(None, map(self._read, STAGES))
        return any((record.mark, record.boot) == (self._mark, boot) for record in found)

    def is_damaged(self, pid: int | None) -> bool:
        """Whether a process (``pid``, where that was stored) was started and no record tells so."""
        if self._directory is None:
            return False
        pids = {record.pid for record in map(self._read, STAGES) if record is not None}
        if pid is not None:
            return pid not in pids
        return not pids and bool(self._living([(self._directory, self._mark)]))

    def forget_torn(self, stage: str) -> None:
        """A stage without a process whose record breaks off was never begun: the engine was killed before."""
        record = self._read(stage)
        if record is not None and record.torn(self._mark) and not record.begun:
            self.forget(stage)

    def assume_sent(self) -> bool:
        """Write every stage down as sent, whose record may be gone; False where there is no host to ask."""
        return False

    def forget(self, stage: str) -> None:
        """It is certain that this stage was never begun: it may be started after all."""
        os.unlink(self._path(stage))

    def recorded(self, stage: str) -> Exit | Lost:
        """The end that a stage wrote down."""
        return recorded(self._path(stage))

    def ended_at(self, stage: str) -> float:
        """When it wrote that, in seconds of the epoch."""
        return os.stat(self._path(stage)).st_mtime
