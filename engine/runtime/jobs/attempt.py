"""One attempt of a job: its row, its files, its slot, and the process of it that runs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from engine.execution.host import LOCAL, Host, LivingStage
from engine.execution.outcomes import Left
from engine.execution.progress import ProgressLine, ProgressReader
from engine.model.codes.processes import OUTPUT_LIMIT
from engine.model.errors import Failure, SkerryError
from engine.model.reason import Kind, Reason
from engine.model.states import AttemptState
from engine.runtime.fibers import Coroutine, Stopped
from engine.runtime.jobs.attempt_files import AttemptFiles
from engine.runtime.jobs.attempt_row import LiveAttemptRow
from engine.runtime.jobs.execution import JobExecution
from engine.runtime.jobs.process_wait import stop
from engine.runtime.queue.job_queue import Claim, Queue
from engine.runtime.run_state.job_rows import RecoveredJob


class Slot:
    """What an attempt occupies of its worker, if it does."""

    def __init__(self, queue: Queue, claim: Claim | None) -> None:
        self._queue = queue
        self.claim = claim
        self._beside: Claim | None = None

    def release(self) -> bool:
        """Free it for other jobs; False when there was none."""
        if self.claim is None:
            return False
        claim, self.claim = self.claim, None
        self._queue.give_back(claim)
        return True

    def leave(self) -> None:
        """Free it; the program of an asynchronous job runs on, and nothing exclusive beside it."""
        if self.claim is not None:
            self._beside = self.claim
            self._queue.go_on_beside(self._beside)
            self.release()

    def ended(self) -> None:
        """What ran on without a slot has ended, or counts no more."""
        claim, self._beside = self._beside, None
        if claim is not None:
            self._queue.ends_beside(claim)

    def close(self) -> None:
        """The attempt is over."""
        self.ended()
        self.release()


class Attempt:
    """Owns the parts of its state, from its row to its end; loop thread only."""

    def __init__(
        self, execution: JobExecution, claim: Claim | None = None, left: RecoveredJob | None = None
    ) -> None:
        self.execution = execution
        execution.away_since = None
        self.entry = entry = execution.entry
        if claim is not None or left is None:
            entry.host = entry.services.hosts.of(claim.worker if claim else None)
        self.row = LiveAttemptRow(entry, execution.row, execution.attempt, left)
        self.files = AttemptFiles(entry, self.row.number)
        self.slot = Slot(entry.services.queue, claim)
        self._no_room: str | None = None  # on its machine, since then
        self._may_live = left is not None and not is_restarted(entry.host, left)
        self._is_watched = False  # what a thread has seen of it may come late
        self._progress_read = 0  # bytes of its file

    def has_gone_on(self) -> None:
        """Its machine was started again, and an engine went on with it after that: what it began may live."""
        self._may_live = True

    def process_started(self, stage: LivingStage) -> None:
        """A stage's process runs; its pid is written down with the next turn."""
        self._may_live = True
        self.row.process_started(stage.pid or None)
        if not stage.pid:
            stage.when_known(partial(self._has_begun, stage))
        self.entry.services.loop.soon_enough()
        self._watch(stage)

    def _has_begun(self, stage: LivingStage) -> None:
        self.row.pid_is_known(stage.pid)
        if self._no_room is not None:
            self._no_room = None
            self.execution.held_up(None)

    def waits_for_room(self, error: SkerryError) -> None:
        """The machine that it is to run on has none for it, since when its job says."""
        services = self.entry.services
        self._no_room = self._no_room or services.local(services.loop.now())
        self.execution.held_up(Reason.of(Kind.NO_ROOM, at=self._no_room, message=error.message))

    def _watch(self, stage: LivingStage) -> None:
        """Sample its process tree, check its limits, and read what progress it reports."""
        services, path, mark = self.entry.services, self.files.directory.path, self.row.mark
        job, loop = self.entry.job, services.loop
        self._is_watched = True

        def over(failure: Failure) -> None:
            loop.post(lambda: self._passes_limit(failure))

        if job.limits.output is not None:
            services.output.add(mark, path, job.limits.output, over)
        if services.recorder is None:
            return
        services.recorder.add(
            mark,
            stage.pid if self.entry.is_here else -self.entry.identity.id,  # no process here has such a pid
            None if job.monitor is False else f"{path}/monitor.csv",
            directory=path,
            limits=job.limits,
            over=over,
            elsewhere=None if self.entry.is_here else partial(self.entry.host.usage, mark, job.limits.output),
            on_progress=lambda lines, read: loop.post(lambda: self._progresses(lines, read)),
            progress_from=self._progress_read,
        )

    def _passes_limit(self, failure: Failure) -> None:
        if self._is_watched:
            self.execution.interrupt(Stopped("limit", failure=failure))

    def _progresses(self, lines: Iterable[ProgressLine], read: int) -> None:
        """What was read up to there; one that comes late was read with the rest."""
        if self._is_watched:
            self._progress_read = read
            for progress in lines:
                self.execution.progressed(progress)

    def _watch_no_more(self) -> None:
        """What it has reported since the last sample is read now."""
        if not self._is_watched:
            return
        services, mark = self.entry.services, self.row.mark
        self._is_watched = False
        reader = ProgressReader(self.files.directory.progress, self._progress_read)
        for progress in reader.news():
            self.execution.progressed(progress)
        self._progress_read = reader.offset
        services.output.remove(mark)
        if services.recorder is not None:
            services.recorder.remove(mark)

    def process_ended(self) -> None:
        """It is gone: nothing more to sample."""
        self._watch_no_more()
        if self.entry.masked_in_output:
            self.files.mask_progress()
            self._progress_read = self.files.progress_size

    def program_ended(self) -> None:
        """That of an asynchronous job, whose end stage may run there as well, without a slot."""
        end = self.entry.job.end
        if end is None or end.kind in ("group", "task"):
            self.slot.ended()

    def stop_all(self, stopped: Stopped) -> Coroutine[Left]:
        """Nothing that it started shall live on, also of a stage that has ended; gives what does."""
        if stopped.left is None:
            stopped.left = (yield from stop(self.entry, self.row.mark)) if self._may_live else Left()
        return stopped.left

    def end(self, state: AttemptState, failure: Failure | None) -> None:
        """Write down how it ended; its files follow after the commit."""
        self._watch_no_more()
        if failure is not None and failure.code == OUTPUT_LIMIT.number:
            self.files.cut_logs()
        if self.files.folder is not None:
            forget = partial(self.entry.host.forget, self.files.folder.path, self.row.mark)
            self.entry.services.loop.after_commit(forget)
        self.row.end(state, failure, self.files.log_sizes())
        self.files.end(failure is None)


def is_restarted(host: Host, left: RecoveredJob) -> bool:
    """Whether this machine has been started again since; of another one its own record says that."""
    return host.facts.name == LOCAL and left.boot != host.facts.boot
