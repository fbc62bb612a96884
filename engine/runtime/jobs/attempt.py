"""One attempt of a job: its row, its mark, its slot, its directory."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.context.line import json_text
from engine.execution import outputs
from engine.execution.child import Child, recorded
from engine.execution.code import Code, code
from engine.execution.directories import JobDirectory
from engine.execution.files import replace
from engine.execution.kill import Left
from engine.execution.outcomes import Exit, Lost
from engine.execution.output_size import cut
from engine.execution.outputs import Output
from engine.execution.progress import ProgressReader
from engine.execution.stage_file import read
from engine.model.codes.processes import OUTPUT_LIMIT
from engine.model.errors import Failure
from engine.model.job import STAGES
from engine.model.missing_files import RECORD, missing, moved, record
from engine.model.states import AttemptState, JobState
from engine.runtime.big_values import BIGGEST
from engine.runtime.elapsed import iso, ticks
from engine.runtime.fibers import Stopped
from engine.runtime.journal import JobFiles, append
from engine.runtime.queue.job_queue import Claim

if TYPE_CHECKING:
    from engine.runtime.jobs.execution import JobExecution
    from engine.runtime.run_state.job_rows import RecoveredJob


class Attempt:
    """From its row to its end; loop thread only."""

    def __init__(
        self, execution: JobExecution, claim: Claim | None = None, *, left: RecoveredJob | None = None
    ) -> None:
        self.execution = execution
        self.identity = execution.identity
        self.job = execution.identity.job
        self.entry = execution.entry
        self.row = execution.row
        self.services = services = execution.services
        self.latest = execution.attempt
        self.number = self.latest.number
        self.made = execution.made if self.number == 1 else None  # its job, if not with the run
        self.mark = (left and left.mark) or services.mark(execution.identity.id, self.number)
        self.taken_up = left is not None  # an earlier engine began it
        self.began = services.clock.monotonic() - (left.spent(services.clock) if left else 0.0)
        self._codes: Mapping[str, Code] | None = None
        self.exit: Exit | None = None
        self.checked = False  # an asynchronous job whose check held
        self.folder: JobDirectory | None = None
        self._claim = claim  # to its slot
        self._files: JobFiles | None = None
        self._filed = False  # its end is in its files
        self._row_state = AttemptState(left.attempt_state) if left else AttemptState.STARTING
        self._began_at = left.since if left else None
        self._boot = left.boot if left else None
        self._left_pid = left.pid if left else None
        self.state = left.state if left else JobState.RUNNING  # of its job as an earlier engine left it
        self.announced = left is None or left.announced
        self.to_be_stopped = left is not None and left.stop is not None  # an earlier engine was stopping it

    @property
    def directory(self) -> JobDirectory:
        """The job's directory once it was prepared."""
        assert self.folder is not None
        return self.folder

    # -- its row -------------------------------------------------------------------------------

    def begin(self) -> None:
        """Write down that it starts: durable before anything of it happens."""
        self.latest.mark, self.latest.left_alive = self.mark, False
        if self.taken_up:
            return
        services = self.services
        now = services.now()
        more = {"started_at": now, "worker": "local"} if self.number == 1 else {}
        self.row.to(JobState.RUNNING, None, attempt=self.number, **more)
        services.changes.insert(
            "job_run",
            {
                "job_instance": self.identity.id, "attempt": self.number,
                "status": str(AttemptState.STARTING), "created_at": now, "started_at": now,
                "worker": "local", "mark": self.mark,
                "boot_id": services.clock.boot(), "start_ticks": ticks(services.clock),
            },
        )  # fmt: skip

    @property
    def _key(self) -> tuple[int, int]:
        return self.identity.id, self.number

    def update(self, **columns: Any) -> None:
        """Further facts of this attempt."""
        self.services.changes.update("job_run", self._key, columns)

    def _move(self, state: AttemptState, **columns: Any) -> None:
        before, self._row_state = self._row_state, state
        self.services.changes.move("job_run", self._key, before, state, columns)

    def process_started(self, child: Child) -> None:
        """A stage's process runs; its pid is written down with the next turn."""
        self._move(AttemptState.RUNNING, pid=child.pid)
        self.row.update(pid=child.pid)
        self.services.loop.soon_enough()
        self._watch(child)

    def _watch(self, child: Child) -> None:
        """Sample its process tree, check its limits, and read what progress it reports."""
        services, loop, path = self.services, self.services.loop, self.directory.path
        execution, limits = self.execution, self.job.limits

        def over(failure: Failure) -> None:
            loop.post(lambda: execution.interrupt(Stopped("limit", failure=failure)))

        if limits.output is not None:
            services.output.add(self.mark, path, limits.output, over)
        if services.recorder is None:
            return
        services.recorder.add(
            self.mark,
            child.pid,
            None if self.job.monitor is False else f"{path}/monitor.csv",
            directory=path,
            limits=limits,
            over=over,
            on_progress=lambda progress: loop.post(lambda: execution.progressed(progress)),
        )

    def process_ended(self) -> None:
        """It is gone: nothing more to sample."""
        self.services.output.remove(self.mark)
        if self.services.recorder is not None:
            self.services.recorder.remove(self.mark)
        if not self.execution.progress_lines:  # it ended before its first sample
            for progress in ProgressReader(self.directory.progress).news():
                self.execution.progressed(progress)
        if self.entry.secrets:
            self._mask_progress()

    def _mask_progress(self) -> None:
        """A program that reported its secret as progress does not leave it there."""
        path = Path(self.directory.progress)
        with suppress(OSError, UnicodeDecodeError):
            text = path.read_text("utf-8")
            if (masked := self.services.mask(text)) != text:
                path.unlink()  # first: a disk that is full must not keep the secret
                append(str(path), masked.encode())

    def end(self, state: AttemptState, failure: Failure | None) -> None:
        """Write down how it ended; its files follow after the commit."""
        services = self.services
        self._cut_output(failure)
        ended = {
            "ended_at": self.latest.ended_meanwhile or services.now(),
            "exit_code": self.exit.code if self.exit else None,
            "signal": self.exit.signal if self.exit else None,
            "error_code": failure.code if failure else None,
            "error_message": services.mask(failure.message) if failure else None,
            **self._log_sizes(),
        }
        self._move(state, **ended)
        if self.exit is not None:
            self.row.update(exit_code=self.exit.code)
        code = failure.code if failure else None
        services.changes.stat("job", self._stat_id, failure is None, self._seconds(), code)
        if self.folder is not None:
            tree = self.entry.tree  # by then the next round of a loop may have begun
            services.loop.after_commit(
                lambda: services.writes.when_disk_has_room(
                    lambda: self._file_end(failure is None, tree), self.entry.run
                )
            )

    @property
    def _stat_id(self) -> str:
        """How the statistics name its job: a reusable one by its id, an inline one with its task."""
        plan = self.entry.run.plan
        return self.job.id if self.job.id in plan.definitions.jobs else f"{plan.task.id}.{self.job.id}"

    def _cut_output(self, failure: Failure | None) -> None:
        """What was printed before the limit was seen to be passed does not stay."""
        self.services.output.remove(self.mark)
        most = self.job.limits.output
        if failure is not None and failure.code == OUTPUT_LIMIT.number and self.folder and most is not None:
            with suppress(OSError):  # a log that is gone needs no cutting
                cut(self.folder.path, most)

    def _log_sizes(self) -> dict[str, int]:
        """What its programs have printed: after a power cut that tells what of it is missing."""
        found: dict[str, int] = {}
        for column, log in (("log_size", "job.log"), ("error_log_size", "job-error.log")):
            with suppress(OSError):
                found[column] = os.stat(f"{self.directory.path}/{log}").st_size if self.folder else 0
        return found

    def _seconds(self) -> float:
        """How long it took; without the time in which no engine was there to see its end."""
        if self.latest.ended_meanwhile is None or self._began_at is None:
            return self.services.clock.monotonic() - self.began
        ended = datetime.fromisoformat(self.latest.ended_meanwhile)
        return (ended - datetime.fromisoformat(self._began_at)).total_seconds()

    def ended_at(self, stage: str) -> None:
        """Its last program ended while no engine was there: when, its record tells."""
        if self._began_at is None:
            return
        moment = os.stat(f"{self.directory.path}/.skerry/{stage}").st_mtime
        earliest, latest = datetime.fromisoformat(self._began_at), self.services.clock.now()
        found = datetime.fromtimestamp(moment, UTC)
        self.latest.ended_meanwhile = iso(max(min(found, latest), earliest))

    def leaves(self, left: Left) -> None:
        """Something of it was stopped: what is not certain about that stays with the job."""
        self.execution.failures.leaves(left)

    def release_slot(self) -> bool:
        """Free its slot for other jobs; False when it had none."""
        if self._claim is None:
            return False
        claim, self._claim = self._claim, None
        self.services.queue.give_back(claim)
        return True

    def has_slot(self, claim: Claim) -> None:
        self._claim = claim

    # -- its directory -------------------------------------------------------------------------

    def announce(self) -> None:
        """Write down that it will have a directory; to be durable before the directory is made.

        A further attempt, whose job has had one, says so by its state.
        """
        self.row.update(directory=self.entry.directory_text)
        if self.number > 1:
            self._move(AttemptState.RUNNING)

    def prepare(self, codes: Mapping[str, Code]) -> None:
        """Make the directory as contract 4 says; only after the turn in which it began is durable."""
        run = self.entry.run
        if not run.has_directory:  # the disk was full when it was to be made
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), run.folder.path)
        self._codes = codes
        self.folder = self._folder()
        params = self._params()
        if self.number > 1 and os.path.exists(self.folder.path):
            self.folder.renew(self.number - 1, params, codes)
            self._move_missing()
        else:
            self.folder.make(params, codes)
        self.services.writes.when_disk_has_room(self._file_context, run)

    def _folder(self) -> JobDirectory:
        return self.entry.run.folder.job(self.job.id, self.identity.id)

    def _params(self) -> bytes:
        return (json_text(self.entry.params_without_secrets) + "\n").encode()

    def _move_missing(self) -> None:
        """What a power cut took of the attempt before is missing where its files are now."""
        root = Path(self.entry.run.folder.path)
        if files := missing(root):
            folder = Path(self.directory.path).relative_to(root).as_posix()
            text = record(moved(files, folder, self.number - 1), self.services.now())
            replace(str(root / RECORD), text, durable=True)

    def remake(self, codes: Mapping[str, Code]) -> None:
        """Make the directory again of which a power cut may have left anything; nothing ran in it yet."""
        self._codes = codes
        self.folder = self._folder()
        self.folder.remake(self._params(), codes)

    def take_up(self) -> None:
        """Take up the directory that an earlier engine made."""
        folder = self._folder()
        self.folder = folder if os.path.isdir(folder.path) else None

    @property
    def codes(self) -> Mapping[str, Code]:
        """The text of each stage; of an attempt that was taken up, as its directory has it."""
        if self._codes is None:
            written = Path(self.directory.path, "executeCode")
            names = os.listdir(written) if written.is_dir() else ()
            self._codes = {name: code((written / name).read_bytes()) for name in names}
        return self._codes

    @property
    def of_earlier_boot(self) -> bool:
        """Whether the machine was restarted since it began."""
        return self.taken_up and self._boot != self.services.clock.boot()

    def end_of_process(self) -> Exit | None:
        """The end that its process wrote down before the machine was restarted, if all it left is whole too.

        What a program writes reaches the disk up to half a minute later: then it is empty or missing. Of an
        end stage that may have begun nothing is known.
        """
        if self.folder is None or (self.job.end is not None and self.entry.tree.get("EXIT_CODE") is not None):
            return None
        path = self.directory.path
        end = self.services.processes.adopt(path, "process", self.mark, began_in=self._boot)
        if not isinstance(end, Exit) or not outputs.is_whole(path, self._wanted(end)):
            return None
        return end

    def _wanted(self, end: Exit) -> list[str]:
        """The files that a program which ended so must have left: results, and output where that is read."""
        job = self.job
        written = [name for name, spec in job.results.items() if not spec.computed and name != "exit_code"]
        reads = job.success is not None or any(spec.computed for spec in job.results.values())
        return [f"outputs/{name}" for name in written if not end.code] + ["job.log"] * reads

    def has_made(self, inner: str) -> bool:
        """Whether an earlier engine made that job (``0``, ``end.0``) within this attempt."""
        identity, rows = self.identity, self.entry.run.job_rows
        return self.taken_up and rows.has(f"{identity.node}.{inner}", identity.index, identity.round)

    def has_started(self, stage: str) -> bool:
        """Whether a process of that stage was about to be started in this attempt."""
        record = read(f"{self.directory.path}/.skerry/{stage}") if self.folder is not None else None
        return record is not None and (record.mark == self.mark or record.damaged(self.mark))

    @property
    def record_lost(self) -> bool:
        """Whether a process of it was started and no stage's record tells so: then that one is damaged."""
        if self.folder is None:
            return False
        records = (read(f"{self.directory.path}/.skerry/{stage}") for stage in STAGES)
        pids = {record.pid for record in records if record is not None}
        if self._left_pid is not None:
            return self._left_pid not in pids
        return not pids and bool(self.services.processes.alive([(self.directory.path, self.mark)]))

    def forget_torn(self, stage: str) -> None:
        """A stage without a process whose record breaks off was never begun: the engine was killed before."""
        record = read(f"{self.directory.path}/.skerry/{stage}") if self.folder is not None else None
        if record is not None and record.torn(self.mark) and not record.begun:
            self.forget(stage)

    def forget(self, stage: str) -> None:
        """It is certain that this stage was never begun: it may be started after all."""
        os.unlink(f"{self.directory.path}/.skerry/{stage}")

    def recorded(self, stage: str) -> Exit | Lost:
        """The end that a stage wrote down."""
        return recorded(f"{self.directory.path}/.skerry/{stage}")

    def progress(self, text: str) -> None:
        """Write a line of progress, as a program does; from any thread, best effort."""
        with_newline = text.replace("\n", " ") + "\n"
        append(self.directory.progress, with_newline.encode("utf-8", "replace"))

    def _file_context(self, tree: dict[str, Any] | None = None) -> None:
        """The job's own ctx.json and ctx.log: written at the start and at the end of an attempt."""
        if self._filed:
            return
        if self._files is None:
            self._files = JobFiles(self.directory.path)
        self._files.append(self.entry.lines)
        self.entry.lines = []
        self._files.show(self.entry.tree if tree is None else tree)

    def _file_end(self, ok: bool, tree: dict[str, Any]) -> None:
        try:
            self.directory.write_status(ok)
            self._file_context(tree)
        except FileNotFoundError:
            if os.path.isdir(self.directory.path):
                raise
            self.services.say(f"job {self.identity.node}: its directory {self.directory.path} was removed")
        self._filed = True
        if self._files is not None:
            self._files.close()
            self._files = None

    # -- what it left --------------------------------------------------------------------------

    def outputs(self) -> list[Output]:
        """The files of ``outputs/``; none for work without a directory."""
        return self.folder.outputs() if self.folder is not None else []

    def reference(self, name: str, size: int, kind: str | None = None) -> dict[str, Any]:
        """What the context has for a result that is too big for it, or no text."""
        path = Path(self.directory.output(name)).relative_to(self.entry.run.facts.directory)
        facts = {"$file": str(path), "size": size, "sha256": outputs.digest(self.directory.path, name)}
        return facts if kind is None else {**facts, "kind": kind}

    def write_output(self, name: str, text: str) -> None:
        """A computed result as a file (control jobs have none)."""
        if self.folder is None:
            return
        data, folder = text.encode("utf-8", "replace"), self.folder
        if len(data) > BIGGEST:  # its reference needs the file at once
            folder.write_output(name, data)
        else:
            self.services.writes.when_disk_has_room(lambda: folder.write_output(name, data), self.entry.run)

    def read_output(self, name: str) -> str:
        """A result as text, up to 64 MiB."""
        return outputs.read_text(self.directory.path, name, 64 * 1024 * 1024)
