"""The entry of one JobInstance in the context: its parameters, its results, and what its expressions read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.context import ContextScope, Line
from engine.context.fields import ON_EDIT, WAITED
from engine.context.tree import at_path
from engine.execution.directories import JobDirectory
from engine.execution.environment import Surroundings
from engine.execution.host import LOCAL, Host
from engine.execution.outcomes import VOUCHED
from engine.model.codes.runtime import LOST
from engine.model.disk import may_pass
from engine.model.errors import Failure, SkerryError
from engine.model.expression import UsedText, format_path
from engine.model.states import JobState
from engine.runtime.journal import JobFiles
from engine.runtime.param_binding import Binding
from engine.runtime.run_state.job_identity import ContextPath, JobIdentity
from engine.runtime.run_state.job_rows import RecoveredJob
from engine.runtime.run_state.run_context import RunContext


class JobEntry:
    """Loop thread only; what is written is durable with the turn."""

    def __init__(
        self, run: RunContext, identity: JobIdentity, rows: tuple[Binding, ...], left: RecoveredJob | None
    ) -> None:
        self.run = run
        self.identity = identity
        self.job = identity.job
        self.services = run.services
        self.host: Host = run.services.hosts.of(left.worker if left else None)  # of its latest attempt
        self.rows = rows  # where its parameters come from
        self.params: dict[str, Any] = {}
        self.secrets: tuple[str, ...] = ()  # that its programs are given
        self.resource_secrets: tuple[str, ...] = ()  # with which the engine asks its resources
        self.surroundings: Surroundings | None = None  # None: not worked out yet in this attempt
        self.results: dict[str, Any] = {}
        self.lines: list[Line] = []  # not yet in the job's own ctx.log
        self._late = deque[Callable[[], None]]()  # what is still to be written into its files
        self.based_on_edit = left is not None and left.based_on_edit
        self._made = self.services.now() if left is None and self._grown() else None
        self.directory_text = None if identity.is_control else self.folder.path

    @property
    def folder(self) -> JobDirectory:
        """Where its files are; of a job that runs on all of its workers in a folder for each."""
        identity, files = self.identity, self.run.files.folder
        if identity.worker is None or identity.outer is None:
            return files.job(self.job.id, identity.id)
        return files.job(self.job.id, identity.outer.id).of_worker(identity.worker)

    @property
    def is_here(self) -> bool:
        """Whether its latest attempt has this machine."""
        return self.host.facts.name == LOCAL

    @property
    def is_on_gone_worker(self) -> bool:
        """Whether a person has said that the worker of its latest attempt is gone."""
        live = self.services.workers.find(self.host.facts.name)
        return live is not None and live.is_gone

    def check_worker(self) -> None:
        """Before its worker is needed again; SkerryError (lost) where that is gone: nothing goes on there."""
        if self.is_on_gone_worker:
            raise SkerryError(LOST, VOUCHED)

    def _grown(self) -> bool:
        """Whether its job is made when its turn comes, not with its run (as the first member is)."""
        planned = self.run.facts.plan.node(self.identity.node)
        each = planned is not None and planned.node.for_each is not None and self.identity.index != 0
        return self.identity.round > 1 or planned is None or each

    @property
    def tree(self) -> dict[str, Any]:
        tree: Any = self.run.context.tree
        for step in self.identity.path:
            tree = tree[step]
        return tree  # type: ignore[no-any-return]

    @cached_property
    def scope(self) -> ContextScope:
        """What this job's expressions see."""
        return self.run.scopes.of_job(self.identity)

    @cached_property
    def directory(self) -> Path:
        """``jobs/job-{jobId}-{jobInstance}`` of the instance; the instance's own of a control job."""
        return Path(self.directory_text or self.run.facts.directory)

    def update(self, **columns: Any) -> None:
        """The same in the job's row."""
        self.services.changes.update("job_instance", self.identity.id, columns)

    def open(self, entry: dict[str, Any]) -> None:
        """A new entry in place of an earlier one; nothing else in the log says when its job was made."""
        made, self._made = self._made, None
        waited = made is not None and made != entry.get("START_TIME")
        self.lines.append(
            self.run.context.set(self.identity.path, entry, why=f"{WAITED}{made}" if waited else None)
        )

    def set(self, below: ContextPath, new: Any, **more: Any) -> None:
        """Set a value under this job's entry."""
        if self.run.edits.paths and more.get("inputs"):
            self._mark_edited(more["inputs"])
        self.lines.append(self.run.context.set(self.identity.path + below, new, **more))

    def remark(self, why: str, **more: Any) -> None:
        """Write down what happened to it without changing anything."""
        self.lines.append(self.run.context.note(self.identity.path, why=why, **more))

    def note(self, use: UsedText, why: str, value: Any) -> None:
        """Write down what an expression of this job read and gave."""
        if self.run.edits.paths:
            self._mark_edited(use.inputs)
        self.remark(why, expression=use.expression, inputs=use.inputs, value=value)

    def set_used(self, below: ContextPath, value: Any, uses: tuple[UsedText, ...], why: str) -> None:
        """Set a value with what its expression read; of several expressions each is noted before."""
        if len(uses) == 1:
            return self.set(below, value, expression=uses[0].expression, inputs=uses[0].inputs)
        for use in uses:
            self.note(use, why=why, value=value)
        return self.set(below, value)

    def read_task_param(self, name: str) -> None:
        """A parameter came from the task's of the same name."""
        self._mark_edited([format_path(("TASK", "PARAMS", name))])

    def _mark_edited(self, inputs: Iterable[str]) -> None:
        """Remember that this job read a value that an operator changed."""
        if not self.based_on_edit and self.run.edits.are_read(self.identity.node, inputs):
            self.based_on_edit = True  # written at once: an engine that takes the job up must know
            self.update(based_on_edit=True)

    def write_end(self, state: JobState, failure: Failure | None, now: str) -> None:
        """The last lines of an attempt in the context, or of what ends before one began."""
        if at_path(self.run.context.tree, (*self.identity.path, "INSTANCE")) != self.identity.id:
            self.open({"STATUS": "pending", "INSTANCE": self.identity.id})  # that of another may be there
        if failure is not None:
            self.set(("ERROR_CODE",), failure.code)
            self.set(("ERROR_MESSAGE",), str(failure.message))
        self.set(("END_TIME",), now)
        self.set(("STATUS",), str(state), why=ON_EDIT if self.based_on_edit else None)

    def file(self, work: Callable[[], None]) -> None:
        """Write into its files as soon as the disk has room for it, after all that came before."""
        self._late.append(work)
        self.services.writes.when_disk_has_room(self.file_late, self.run.files)

    def file_late(self) -> None:
        """What waits for room, before the next attempt moves these files aside. Raises what it waits for."""
        while self._late:
            work = self._late.popleft()
            try:
                work()
            except (OSError, SkerryError) as error:
                if may_pass(error):
                    self._late.appendleft(work)
                raise

    def file_outcome(self, tree: dict[str, Any]) -> None:
        """What became of it after its latest attempt had ended; before its first one it has no files."""
        with suppress(FileNotFoundError), closing(JobFiles(str(self.directory))) as files:
            files.append(self.lines)
            self.lines = []
            files.show(tree)

    def has_made(self, inner: str) -> bool:
        """Whether an earlier engine made that job (``0``, ``end.0``) within its attempt."""
        identity = self.identity
        return self.run.job_rows.has(f"{identity.node}.{inner}", identity.index, identity.round)

    @property
    def masked_in_output(self) -> tuple[str, ...]:
        """What is hidden in what its programs print."""
        secrets = (*self.secrets, *self.resource_secrets)
        return secrets and (*secrets, *self.services.passphrases())

    @property
    def params_without_secrets(self) -> dict[str, Any]:
        """The parameters for inputs/params.json: a secret reaches the program by its environment only."""
        shown = self.tree["PARAMS"]
        secret = {row.name for row in self.rows if row.spec.secret}
        given = self.services.mask(self.params)
        return {name: shown[name] if name in secret else value for name, value in given.items()}
