"""The records that the stages of an attempt left of their processes, read by an engine that takes it up."""

from __future__ import annotations

import os

from engine.execution import outputs
from engine.execution.child import Child, recorded
from engine.execution.directories import JobDirectory
from engine.execution.outcomes import Exit, Lost
from engine.execution.processes import Processes
from engine.execution.stage_file import StageRecord, read
from engine.model.job import STAGES, Job, StageName


class StageRecords:
    """Of the attempt with that mark; without a directory there are none."""

    def __init__(self, processes: Processes, folder: JobDirectory | None, mark: str) -> None:
        self._processes = processes
        self._directory = folder.path if folder is not None else None
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

    def is_damaged(self, pid: int | None) -> bool:
        """Whether a process (``pid``, where that was stored) was started and no record tells so."""
        if self._directory is None:
            return False
        pids = {record.pid for record in map(self._read, STAGES) if record is not None}
        if pid is not None:
            return pid not in pids
        return not pids and bool(self._processes.alive([(self._directory, self._mark)]))

    def forget_torn(self, stage: str) -> None:
        """A stage without a process whose record breaks off was never begun: the engine was killed before."""
        record = self._read(stage)
        if record is not None and record.torn(self._mark) and not record.begun:
            self.forget(stage)

    def forget(self, stage: str) -> None:
        """It is certain that this stage was never begun: it may be started after all."""
        os.unlink(self._path(stage))

    def recorded(self, stage: str) -> Exit | Lost:
        """The end that a stage wrote down."""
        return recorded(self._path(stage))

    def ended_at(self, stage: str) -> float:
        """When it wrote that, in seconds of the epoch."""
        return os.stat(self._path(stage)).st_mtime

    def adopt(self, stage: StageName, looks: int = 0) -> Child | Exit | Lost | None:
        """What became of its process; None when that can only be known later."""
        assert self._directory is not None
        return self._processes.adopt(self._directory, stage, self._mark, looks=looks)

    def end_of_process(self, job: Job, boot: str | None) -> Exit | None:
        """The end that its process wrote down before the machine was restarted, if all it left is whole too.

        What a program writes reaches the disk up to half a minute later: then it is empty or missing.
        """
        if self._directory is None:
            return None
        end = self._processes.adopt(self._directory, "process", self._mark, began_in=boot)
        if not isinstance(end, Exit) or not outputs.is_whole(self._directory, _wanted(job, end)):
            return None
        return end


def _wanted(job: Job, end: Exit) -> list[str]:
    """The files that a program which ended so must have left: results, and output where that is read."""
    written = [name for name, spec in job.results.items() if not spec.computed and name != "exit_code"]
    reads = job.success is not None or any(spec.computed for spec in job.results.values())
    return [f"outputs/{name}" for name in written if not end.code] + ["job.log"] * reads
