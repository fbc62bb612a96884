"""The engine: owns a workspace, runs its tasks on one thread, and can be embedded in any program."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.context import TaskContext, parse_path
from engine.execution.directories import JobDirectories
from engine.execution.environment import inherited
from engine.execution.spawn import inheritable
from engine.model.clock import Clock
from engine.model.codes.runtime import (
    EDIT_INVALID,
    NO_SUCH_INSTANCE,
    NO_SUCH_NODE,
    NO_SUCH_TASK,
    NOT_RUNNING,
    STILL_ALIVE,
)
from engine.model.definitions import Definitions
from engine.model.errors import Failure, Invalid, Refused, SkerryError
from engine.model.states import InstanceState, RunState, Trigger
from engine.planning.progress import Progress
from engine.planning.retry import next_attempt
from engine.planning.shape import Plan
from engine.plugins.registry import JobTypes, ResourceTypes
from engine.runtime import library, recover
from engine.runtime.again import Past, Restart
from engine.runtime.commit import Committer
from engine.runtime.events import Events, Subscription
from engine.runtime.fibers import Stopped
from engine.runtime.house import House
from engine.runtime.loop import Loop
from engine.runtime.queue import Queue
from engine.runtime.run import Edit, Facts, Run
from engine.runtime.submission import Submission, given_params
from engine.runtime.workspace import Workspace, WorkspaceLock
from engine.secrets.masking import Masker
from engine.secrets.vault import Vault
from engine.store.port import Store

_log = logging.getLogger("skerry.engine")
_MOST_DEPTH = 50  # sub-tasks within sub-tasks


@dataclass(frozen=True)
class Child:
    """A sub-task as its job sees it."""

    engine: Engine
    id: int

    def on_end(self, told: Callable[[Any], None]) -> None:
        """Call ``told((state, failure, results))`` when it has ended."""
        self.engine.tell_end(self.id, told)

    def stop(self, stopped: Stopped) -> None:
        """End it as its parent is ended."""
        run = self.engine.house.runs.get(self.id)
        if run is not None:
            run.stop(Stopped("cancelled", stopped.actor, f"its parent was stopped: {stopped.kind}"))


class Engine:
    """Runs tasks. Every method may be called from any thread."""

    def __init__(
        self,
        workspace: Workspace,
        store: Store,
        job_types: JobTypes,
        resource_types: ResourceTypes,
        clock: Clock,
        vault: Vault | None = None,
    ) -> None:
        self.workspace = workspace
        self.store = store
        self._lock: WorkspaceLock | None = None
        self._vault = vault
        self._masker = Masker(())
        self._watchers: dict[int, list[Callable[[Any], None]]] = {}
        self._last_work = clock.monotonic()
        committer = Committer()
        loop = Loop(clock, committer.commit)
        self.house = House(
            workspace=workspace,
            clock=clock,
            store=store,
            loop=loop,
            queue=Queue(loop, workspace.places),
            events=Events(),
            job_types=job_types,
            resource_types=resource_types,
            secret=self._secret,
            mask=lambda value: self._masker.value(value),
            start_subtask=self._start_subtask,
            directories=JobDirectories(workspace.instances),
            base_env=inherited(os.environ),
            strays=inheritable(),
        )
        committer.house = self.house
        loop.on_error = self._on_error

    # -- its own life --------------------------------------------------------------------------

    def start(self) -> Engine:
        """Own the workspace, take up what an earlier engine left, begin to work."""
        self._lock = self.workspace.own()
        self.house.loop.start()
        self.house.loop.ask(partial(recover.take_up, self))
        return self

    def close(self) -> None:
        """Stop working; jobs that run go on and are adopted by the next engine."""
        self.house.loop.stop()
        if self.house.recorder is not None:
            self.house.recorder.stop()
        self.store.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Engine:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def idle(self) -> bool:
        """Whether nothing runs or waits."""
        return not self.house.runs

    def _on_error(self, error: BaseException) -> None:
        _log.error("unexpected in the engine's loop", exc_info=error)

    # -- running tasks -------------------------------------------------------------------------

    def submit(self, request: Submission) -> int:
        """Start a task; gives the instance. Invalid when the task or a parameter is not right."""
        definitions = request.definitions or library.closure(self.store, request.task, self.house)
        if request.task not in definitions.tasks:
            raise Invalid(NO_SUCH_TASK, f"there is no task {request.task!r}", where=request.task)
        plan = library.planned(request.task, definitions, self.house.job_types)
        params = given_params(plan.task, request)
        return self.house.loop.ask(lambda: self._create(request, plan, params).facts.id)

    def _create(self, request: Submission, plan: Plan, params: Mapping[str, Any], depth: int = 0) -> Run:
        house, task = self.house, plan.task
        now = house.clock.now()
        id = self.store.next_id("instance")
        priority = task.priority if request.priority is None else request.priority
        directory = self.workspace.task_directory(task.id, id)
        facts = Facts(
            id, request.trigger, request.scheduled_time or now, now, directory, priority, params, depth
        )
        house.changes.insert(
            "instance",
            {
                "id": id, "task": task.id, "name": task.name, "project": task.project,
                "status": "running", "trigger": str(request.trigger),
                "scheduled_time": facts.scheduled_time, "created_at": now, "started_at": now,
                "run": 1, "priority": priority, "params": house.mask(dict(params)),
                "definition": library.revision(self.store, request, task.id),
                "directory": str(directory), "actor": request.actor, "parent": request.parent,
            },
        )  # fmt: skip
        context = TaskContext(house.clock, mask=house.mask)
        run = Run(house, facts, 1, plan, context, Progress(plan), self.run_ended)
        return self._begin(run, str(request.trigger), request.actor)

    def _begin(self, run: Run, trigger: str, actor: str, edits: Iterable[Edit] = ()) -> Run:
        house, facts = self.house, run.facts
        now = house.now()
        house.changes.insert(
            "run",
            {
                "instance": facts.id, "run": run.number, "status": "running", "trigger": trigger,
                "created_at": now, "started_at": now, "actor": actor, "pid": os.getpid(),
                "snapshot": house.changes.snapshot(run.plan.definitions.raw),
                "selection": run.restart.to_json() if run.restart else {},
            },
        )  # fmt: skip
        house.runs[facts.id] = run
        house.loop.after_commit(partial(self._prepare_directory, run))
        run.begin(edits)
        return run

    def start_again(
        self,
        run: Run,
        restart: Restart,
        *,
        plan: Plan | None = None,
        edits: Iterable[Edit] = (),
        trigger: str = "manual",
        actor: str = "operator",
    ) -> Run:
        """A further run of the instance of ``run``, which has ended (loop thread only)."""
        plan = plan or run.plan
        further = Run(
            self.house, run.facts, run.number + 1, plan, run.context, restart.progress(plan), self.run_ended,
            restart,
        )  # fmt: skip
        further.edited = set(run.edited)
        fresh: dict[str, Any] = {"ended_at": None, "error_code": None, "error_message": None, "results": {}}
        running = {"status": "running", "run": further.number, **fresh}
        self.house.changes.update("instance", run.facts.id, running)
        return self._begin(further, trigger, actor, edits)

    def _prepare_directory(self, run: Run) -> None:
        run.journal.create()
        if run.number > 1:
            run.folder.keep_run(run.number - 1)
        run.has_directory = True
        raw = {"task": run.plan.task.id, "raw": run.plan.definitions.raw}
        run.journal.describe(raw, run.context.tree["TASK"]["PARAMS"])

    def _start_subtask(self, job: Any, task: str, params: Mapping[str, Any], begun: int | None) -> Child:
        if begun is not None:  # by an earlier engine
            return Child(self, begun)
        definitions: Definitions = job.run.plan.definitions
        if task not in definitions.tasks or job.run.facts.depth >= _MOST_DEPTH:
            raise SkerryError(NO_SUCH_TASK, f"task {task!r} cannot be started here", where=task)
        plan = library.planned(task, definitions, self.house.job_types)
        request = Submission(
            task, definitions, params, trigger=Trigger.SUBTASK, actor="engine", parent=job.id
        )
        given = given_params(plan.task, request)
        return Child(self, self._create(request, plan, given, job.run.facts.depth + 1).facts.id)

    def run_ended(self, run: Run, failure: Failure | None) -> None:
        house, facts = self.house, run.facts
        now = house.clock.now()
        ends = {
            "ended_at": now,
            "error_code": failure.code if failure else None,
            "error_message": house.mask(failure.message) if failure else None,
            "results": house.mask(run.results),
        }
        house.changes.update("run", (facts.id, run.number), {"status": str(RunState(run.state)), **ends})
        house.changes.update("instance", facts.id, {"status": str(run.state), **ends})
        seconds = house.clock.monotonic() - run.began
        ok = run.state is InstanceState.SUCCEEDED
        house.changes.stat("task", run.plan.task.id, ok, seconds, failure.code if failure else None)
        run.tell_instance(run.state)
        house.loop.after_commit(partial(self._let_go, run, failure))

    def _let_go(self, run: Run, failure: Failure | None) -> None:
        run.write_files()
        run.journal.close()
        self._last_work = self.house.clock.monotonic()
        del self.house.runs[run.facts.id]
        delay = self._retry_delay(run, failure)
        if delay is not None:
            return self._retry_later(run, delay)
        for told in self._watchers.pop(run.facts.id, ()):
            told((run.state, failure, run.results))

    def _retry_delay(self, run: Run, failure: Failure | None) -> float | None:
        if failure is None or run.state is not InstanceState.FAILED:
            return None
        return next_attempt(run.plan.task.retry, run.number, failure)

    def _retry_later(self, run: Run, delay: float) -> None:
        """A failed task that is tried again: what failed and what depends on it, as a further run."""
        self.house.runs[run.facts.id] = run  # it can be waited for, and cancelled
        past = Past.of_run(run)
        restart = Restart.choose(run.plan, past, "failed")
        self.house.changes.update(
            "instance", run.facts.id, {"status": "waiting", "reason": f"tried again in {delay:g} s"}
        )
        self.house.loop.later(delay, lambda: self._retry(run, restart))

    def _retry(self, run: Run, restart: Restart) -> None:
        if self.house.runs.get(run.facts.id) is run:
            self.start_again(run, restart, trigger="retry", actor="engine")

    def watch(self, instance: int, told: Callable[[Any], None]) -> None:
        """Call ``told`` once on the loop's thread when the instance has ended (loop thread only)."""
        self._watchers.setdefault(instance, []).append(told)

    def tell_end(self, instance: int, told: Callable[[Any], None]) -> None:
        """The same, at once for an instance that has ended before (loop thread only)."""
        row = None if instance in self.house.runs else self.store.instance(instance)
        state = InstanceState(row.status) if row else None
        if row is None or state is None or not state.ended:
            return self.watch(instance, told)
        failure = Failure(row.error_code, row.error_message or "") if row.error_code is not None else None
        told((state, failure, row.results))

    def wait(self, instance: int, timeout: float | None = None) -> bool:
        """Wait for the end of an instance; False when it took longer than ``timeout`` seconds."""
        ended = threading.Event()

        def listen() -> None:
            if instance in self.house.runs:
                self.watch(instance, lambda _: ended.set())
            else:
                ended.set()

        self.house.loop.ask(listen)
        return ended.wait(timeout)

    # -- what people do to a run ---------------------------------------------------------------

    def cancel(self, instance: int, node: str | None = None, actor: str = "operator") -> dict[str, Any]:
        """Stop an instance or one node of it; returns when everything it started is gone.

        Refused when it does not run, or (with the pids) when processes would not go.
        """
        done = threading.Event()
        run = self.house.loop.ask(lambda: self._stop(instance, node, actor, done.set))
        done.wait()
        if run.remaining:
            pids = ", ".join(map(str, sorted(run.remaining)))
            details: dict[str, object] = {"pids": list(run.remaining)}
            raise Refused(STILL_ALIVE, f"stopped, but these processes remain: {pids}", details=details)
        return {"instance": instance, "node": node, "cancelled": True}

    def _stop(self, instance: int, node: str | None, actor: str, done: Callable[[], None]) -> Run:
        run = self._live(instance)
        stopped = Stopped("cancelled", actor)
        if node is None:
            self.watch(instance, lambda _: done())
            run.stop(stopped)
        elif node not in run.plan.nodes:
            raise Invalid(NO_SUCH_NODE, f"instance {instance} has no node {node!r}", where=node)
        elif not run.stop_node(node, stopped, lambda: self.house.loop.after_commit(done)):
            raise Refused(NOT_RUNNING, f"node {node!r} of instance {instance} is not running", where=node)
        return run

    def _live(self, instance: int) -> Run:
        run = self.house.runs.get(instance)
        if run is not None:
            return run
        if self.store.instance(instance) is None:
            raise Invalid(NO_SUCH_INSTANCE, f"there is no instance {instance}", where=str(instance))
        raise Refused(NOT_RUNNING, f"instance {instance} is not running", where=str(instance))

    def set_value(
        self, instance: int, path: str, value: Any, reason: str, actor: str = "operator"
    ) -> dict[str, Any]:
        """Change a value of the context; the old one stays in its log. Invalid without a path or reason."""
        if not reason.strip():
            raise Invalid(EDIT_INVALID, "a reason is needed: --reason TEXT", where=path)
        try:
            steps = parse_path(path)
        except SkerryError as error:
            raise Invalid(EDIT_INVALID, error.message, where=path) from error
        if steps[:1] not in (("TASK",), ("JOB",)) or len(steps) < 3:
            raise Invalid(EDIT_INVALID, f"{path} is not a value that can be edited", where=path)
        edit = Edit(path, steps, value, reason, actor)
        return self.house.loop.ask(lambda: self._edit(instance, edit))

    def _edit(self, instance: int, edit: Edit) -> dict[str, Any]:
        run = self.house.runs.get(instance)
        live = run is not None
        run = run or recover.sleeping(self, instance)
        line = run.edit(edit)
        self.house.loop.after_commit(run.write_files)
        if not live:
            self.house.loop.after_commit(run.journal.close)
        return {"instance": instance, "path": edit.path, "seq": line.seq, "value": edit.value}

    def sync(self, instance: int) -> None:
        """Make the instance's files current."""
        run = self.house.runs.get(instance)
        if run is not None:
            self.house.loop.ask(run.write_files)

    def subscribe(self) -> Subscription:
        """What happens from now on."""
        return self.house.events.subscribe()

    # -- secrets -------------------------------------------------------------------------------

    def _secret(self, name: str) -> str:
        if self._vault is None:
            raise SkerryError(NO_SUCH_TASK, "this engine has no secrets")
        value = self._vault.get(name)
        self._masker = (
            self._masker.with_value(value) if hasattr(self._masker, "with_value") else Masker((value,))
        )
        return value
