"""The table of operations: what an engine does for the people and programs around it.

Each entry says route, effect, request and answer once. ``LocalService`` performs them in the engine's
process, ``Client`` asks an engine in another one over the workspace's socket, ``ReadOnlyService`` reads the
store while no engine runs, and ``engine.api.routes`` makes HTTP and its OpenAPI document of them.
"""

# mypy: disable-error-code="empty-body"
# The decorators give the methods their body.

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Protocol, Self

from engine.api.documents import (
    ANSWERS,
    DayQuery,
    Document,
    ExceptionQuery,
    FireQuery,
    InstanceQuery,
    Kind,
    Loaded,
    LogFile,
    Must,
    Number,
    Passphrase,
    Rerun,
    RunDocument,
    RunRequest,
    Source,
    Summary,
    one_of,
)
from engine.api.operation import Arguments, Operation, changes, operations, reads, reveals
from engine.model.states import TaskState
from engine.model.worker import Wanted
from engine.model.worker_request import WorkerRequest
from engine.runtime.timing.backfill_request import BackfillRequest

_NOTHING: Mapping[str, Any] = {}


class EventStream(Protocol):
    """Events as they happen, ``{"kind", "instance", …}``.

    ``{"kind": "tick"}`` comes when nothing happened for a while, ``{"kind": "resync"}`` after a
    break in which events may have been missed: then read the state again.
    """

    def __iter__(self) -> Iterator[Document]:
        """Wait for each; SkerryError when the engine has ended."""

    def close(self) -> None:
        """Listen no more; from any thread."""


class Service:
    """Every operation that touches a workspace; JSON-able in and out, SkerryError when it fails."""

    def perform(self, operation: Operation, arguments: Arguments) -> Any:
        """Carry out what was called; ``arguments`` are all of its parameters by name."""
        raise NotImplementedError(operation.name)

    def asked_by(self, actor: str) -> Self:
        """The same service for another person: what is changed through it is theirs in the audit."""
        return self

    def events(self, instance: int | None = None) -> EventStream:
        """What happens from now on, of one instance or of all."""
        raise NotImplementedError

    @reads("GET /v1/about")
    def about(self) -> Document:
        """``{"version", "pid", "workspace", "trouble", "hold_up", "damage", "busy_for"}`` of who answers.

        ``trouble``: what keeps it from writing down what happens (a full disk), or None. ``hold_up``: the
        same as ``{"since", "reason", "instances"}``, the latter how many wait for it.
        ``damage``: what does not fit its checksum, ``{"since", "reason"}``, or None.
        ``busy_for``: seconds that it has been at one thing, so that it hears nothing else, or None.
        ``fires``: whether schedules fire in it; where not, ``online`` counts the tasks that would.
        """

    @changes("POST /v1/load", "load definitions")
    def load(self, sources: Sequence[Source]) -> list[Loaded]:
        """Store definitions, all or none; Invalid with every finding, Refused for online tasks."""

    @reads("POST /v1/warnings", needs="look at definitions")
    def warnings(self, sources: Sequence[Source]) -> list[Document]:
        """The warnings of definitions that were loaded or run: findings as ``check --json`` has them."""

    @reveals("GET /v1/dump", wrapped="text")
    def dump(self, id: Sequence[str] = ()) -> str:
        """The YAML of the definitions with these ids; of all without ids."""

    @reads("GET /v1/definitions/{kind}")
    def definitions(self, kind: Kind) -> list[Document]:
        """``{"id", "name", "revision", …}`` of every definition of a kind."""

    @reads("GET /v1/definitions/{kind}/{id}")
    def definition(self, kind: Kind, id: str, revision: int | None = None) -> Document:
        """One definition with its tree in ``definition``; the latest revision by default."""

    @reads("GET /v1/definitions/{kind}/{id}/history")
    def history(self, kind: Kind, id: str) -> list[Document]:
        """Its revisions, the newest first."""

    @changes("DELETE /v1/definitions/{kind}/{id}", "delete {kind} {id!r}")
    def delete(self, kind: Kind, id: str) -> Document:
        """Delete a definition; Refused while it is in use."""

    @changes("PUT /v1/tasks/{task}/state", "make task {task!r} {state}")
    def set_state(self, task: str, state: Annotated[str, one_of(*TaskState)]) -> Document:
        """Move a task through its life-cycle."""

    @changes("PUT /v1/tasks/state", "move tasks to {state}")
    def move_tasks(
        self, tasks: Sequence[str], state: Annotated[str, one_of(*TaskState)], dry_run: bool = False
    ) -> Document:
        """The same of several or of none: ``{"tasks": [{task, from, to, refused, instances, dependants}]}``.

        ``instances``: what has not begun and becomes offline. With ``dry_run`` nothing changes.
        """

    @reads("GET /v1/clock")
    def clock(self) -> Document:
        """``{"wall", "uptime", "ahead", "held", "since", "reason", "fires", "online", "next"}``.

        ``ahead``: seconds that the wall clock was set by since it was last right; ``fires``: whether the
        engine that answers fires schedules; ``online``: how many tasks have one that holds.
        """

    @changes("POST /v1/clock/accept", "accept the clock")
    def accept_clock(self) -> Document:
        """What the clock shows is right: schedules that are held go on. As ``clock``."""

    @changes("PUT /v1/schedules/firing", "fire schedules", keyed=False)
    def fire_schedules(self) -> Document:
        """From now on schedules fire in this engine, which no longer ends when it is idle; as ``clock``."""

    @changes("PUT /v1/rules/{id}/enabled", "switch rule {id!r}")
    def enable_rule(self, id: str, enabled: bool) -> Document:
        """Switch a rule on or off: a new revision of it."""

    @reads("GET /v1/rules/{id}/test", slow=True)
    def test_rule(self, id: str, limit: int = 1000) -> Document:
        """Which of the newest exceptions it would have matched: ``{"rule", "looked_at", "matched"}``."""

    @reads("POST /v1/rules/test", slow=True)
    def try_rule(self, rule: Document, limit: int = 1000) -> Document:
        """The same of a rule that is not stored; Invalid when it is none."""

    @reads("GET /v1/errors")
    def own_errors(self) -> Document:
        """The user's own catalogue entries by code, as written in their definitions."""

    @changes("POST /v1/amendments", "apply it")
    def amend(self, package: Document, dry_run: bool = False) -> Document:
        """Apply a package in one transaction, give its record; ``dry_run``: only whether it could be.

        ``package``: ``kind`` (fix, delivery), ``paths``, ``decisions`` of a delivery, and ``seen``: the hash
        of what was shown. Without it, or with another one, it is Refused, as when it does not fit; Invalid
        with every finding when its definitions are not valid here. The engine verifies it itself:
        :class:`engine.runtime.interventions.amendment.Packages`.
        """

    @changes("POST /v1/amendments/take-back", "take it back")
    def take_back(self, id: str, reason: str) -> Document:
        """Restore what an amendment changed; its record as it is then."""

    @reads("GET /v1/fire-times")
    def fire_times(self, query: FireQuery) -> Document:
        """``{"zone", "cron", "times": [{"time", "note", "why", "upstream"}]}``, the soonest first.

        ``time`` is None of a fire that clock change or calendar leaves out; ``upstream``: ``[{"task",
        "time"}]``, or None where it was not asked for.
        """

    @reads("POST /v1/calendars/effects", slow=True)
    def calendar_effects(self, sources: Sequence[Source]) -> list[Document]:
        """Which coming times the calendars of files would change, if they were loaded.

        Of each task that uses one ``{"task", "state", "calendar", "zone", "changes": [{"time", "gone"}]}``,
        at most the first 100 of a year from the first day that changes on; ``gone``: it does not fire then
        any more, else it fires then in addition. Only what is wrong with the calendars makes it Invalid.
        """

    @reads("GET /v1/amendments")
    def amendments(self) -> list[Document]:
        """The records of all that was applied here, the first one first."""

    @changes("POST /v1/instances", "run a task", wrapped="instance", private=("params", "texts", "folder"))
    def run(self, request: RunRequest) -> int:
        """Start a task by hand and give the number of its instance at once."""

    @reads("GET /v1/instances")
    def instances(self, query: InstanceQuery) -> list[Summary]:
        """The instances that fit, the newest first; those that are planned the soonest first."""

    @reads("GET /v1/day")
    def day(self, query: DayQuery) -> Document:
        """``{"day", "zone", "begin", "end", "instances", "next"}``: a day's instances, the soonest first.

        ``begin`` and ``end`` are midnights, 23 to 25 hours apart. An instance: ``instance``, ``task``,
        ``status``, ``trigger``, ``run``, and in UTC ``scheduled_time``, ``started_at``, ``ended_at``.
        ``next``: ``{"after_time", "after"}`` of the page behind this one; None behind the last one.
        """

    @reads("GET /v1/task-map")
    def task_map(self) -> list[Document]:
        """Of each task ``{"task", "name", "state", "upstream", "next", "status", "instance", …}``.

        ``upstream``: the tasks that it depends on, itself perhaps; ``next``: the time of its next instance;
        ``status``, ``instance``, ``scheduled_time``: of the instance of the newest time that has run.
        """

    @reads("GET /v1/instances/{instance}/links")
    def links(self, instance: int) -> Document:
        """``{"upstream", "downstream"}``: what an instance waits for, and the first that wait for it.

        Each is a list of ``{"task", "first", "last"}``, scheduled times in UTC, both included.
        """

    @reads("GET /v1/instances/{instance}")
    def instance(self, instance: int) -> RunDocument:
        """One instance with its jobs."""

    @reveals("GET /v1/instances/{instance}/definitions")
    def captured(self, instance: int, run: int | None = None) -> Document:
        """The definitions that a run went by (the latest by default), as a tree of a definition file.

        Empty where they were not kept.
        """

    @reveals("GET /v1/instances/{instance}/logs")
    def logs(self, instance: int, node: str | None = None, attempt: int | None = None) -> list[LogFile]:
        """The attempts that have logs; without ``attempt`` the latest of each job."""

    @reveals("GET /v1/instances/{instance}/context")
    def context(self, instance: int, at: int | None = None) -> Document:
        """The context's tree, now or after line ``at`` of its log."""

    @changes("PUT /v1/instances/{instance}/context", "change {path}", private=("text",))
    def set_value(self, instance: int, path: str, text: str, reason: str) -> Document:
        """Override a value of the context; the text is read as the kind of what it replaces."""

    @changes("POST /v1/instances/{instance}/cancel", "cancel instance {instance}")
    def cancel(self, instance: int, node: str | None = None) -> Document:
        """Stop an instance or one node and everything it started; returns when that is verified."""

    @changes("POST /v1/instances/{instance}/force", "settle {node!r}")
    def force(
        self, instance: int, node: str, state: Annotated[str, one_of("succeeded", "failed")], reason: str
    ) -> Document:
        """Settle a node by hand: ``{"instance", "node", "status", "instance_status"}``."""

    @reads("GET /v1/questions")
    def questions(self) -> list[Document]:
        """What ``approve`` jobs ask and nobody has answered; the nearest deadline first.

        ``{"instance", "task", "node", "index", "attempt", "job_instance", "since"}`` and what is asked:
        ``{"question", "choices", "fails_on", "note", "value", "until"}``, null where it is not said.
        """

    @changes("POST /v1/instances/{instance}/approve", "answer {node!r}", private=("note", "value", "folder"))
    def approve(
        self,
        instance: int,
        node: str,
        choice: str,
        index: int | None = None,
        note: str | None = None,
        value: str | None = None,
        folder: str | None = None,
    ) -> Document:
        """Answer an ``approve`` job, in its latest round.

        Gives ``{"instance", "node", "choice", "note", "value", "by"}``.

        The value is text, read as the kind that is asked for; a relative path of a file starts at ``folder``.
        Invalid when the answer does not fit, Refused when nothing is asked there any more.
        """

    @changes("POST /v1/instances/{instance}/pause", "pause instance {instance}")
    def pause(self, instance: int, reason: str = "") -> Document:
        """Begin no further attempt of an instance's jobs (what runs goes on), also under later engines.

        Gives ``{"instance", "status", "reason"}``. Refused when it does not run.
        """

    @changes("POST /v1/instances/{instance}/release", "let instance {instance} go on")
    def release(self, instance: int, tasks: Sequence[str], reason: str) -> Document:
        """Let an instance go on without what it waits for of these tasks, or of all.

        Gives ``{"instance", "released": [task, …]}``. Refused when it does not wait.
        """

    @changes("POST /v1/instances/{instance}/resume", "let instance {instance} go on")
    def resume(self, instance: int, reason: str = "") -> Document:
        """Let a paused instance go on: as ``pause``. Refused when it is not paused."""

    @changes("POST /v1/reruns", "rerun an instance", wrapped="runs", private=("edits",))
    def rerun(self, reruns: Sequence[Rerun]) -> list[Document]:
        """Start further runs of ended instances, all or none. Refused while one is at work.

        ``{"instance", "run"}`` each: those that are asked for, then with ``downstream`` those that follow,
        with ``after``: the instances that have to succeed first.
        """

    @reads("POST /v1/reruns/preview", needs="preview a rerun")
    def preview(self, rerun: Rerun) -> Document:
        """``{"run", "keep", "skip"}`` node ids; with the current definition also ``diff``: its lines.

        With ``downstream`` also ``downstream``: the same of each that follows, with ``instance``, ``task``
        and ``after``.
        """

    @changes(
        "POST /v1/backfills", "run past times", wrapped="backfill", private=("params", "texts", "folder")
    )
    def start_backfill(self, request: BackfillRequest) -> int:
        """Begin to run past times of a task, and give the number of the backfill at once.

        Refused for times after now, and too many.
        """

    @reads("POST /v1/backfills/preview", needs="preview a backfill", wrapped="times")
    def preview_backfill(self, request: BackfillRequest) -> list[Document]:
        """What it would do: ``{"task", "time", "decision", "instance", "why", "because"}`` of each time.

        ``decision``: make, run_again or leave; ``because``: why, as data.
        """

    @reads("GET /v1/backfills", wrapped="backfills")
    def backfills(self, limit: Annotated[int, Must(ge=0)] = 100) -> list[Document]:
        """The newest first: as asked for, with ``status`` and ``counts`` of their times by what became of
        them: succeeded, failed, under_way, pending, left, dropped.
        """

    @reads("GET /v1/backfills/{id}")
    def backfill(self, id: int) -> Document:
        """One with its ``instances``: as ``preview_backfill``, with the ``status`` of each."""

    @changes("POST /v1/backfills/{id}/pause", "pause backfill {id}")
    def pause_backfill(self, id: int) -> Document:
        """Begin nothing more of it, also under later engines: ``{"backfill", "status"}``."""

    @changes("POST /v1/backfills/{id}/resume", "let backfill {id} go on")
    def resume_backfill(self, id: int) -> Document:
        """Let a paused one go on; as ``pause_backfill``."""

    @changes("POST /v1/backfills/{id}/cancel", "cancel backfill {id}")
    def cancel_backfill(self, id: int) -> Document:
        """Drop what of it has not begun; what runs goes on. As ``pause_backfill``."""

    @reads("GET /v1/stats")
    def stats(self, task: str | None = None, job: str | None = None) -> list[Document]:
        """Counts, failures, times and error codes per task and job."""

    @reads("GET /v1/counts")
    def counts(self, whole: bool = True) -> Document:
        """``{"instances": {status: n}, "jobs": [{"instance", "statuses": {status: n}}]}``.

        Of all instances but those that are planned (not ``whole``: of those that go on, which is quick
        however many there are); of each that goes on the jobs of its present run.
        """

    @reads("GET /v1/queue")
    def queue(self) -> Document:
        """``{"size", "places", "taken", "paused", "held", "held_jobs", "waiting": […], "running": […]}``.

        The next first. ``held`` are the instances that are paused: their jobs are not in the queue;
        ``held_jobs`` are held one by one, each with its reason; ``workers`` of what waits are those of which
        it would take a slot.
        """

    @changes("POST /v1/queue", "queue job {job!r}", private=("params", "texts"))
    def queue_add(
        self, job: str, params: Mapping[str, Any] = _NOTHING, texts: Mapping[str, str] = _NOTHING
    ) -> Document:
        """Queue a reusable Job by hand: ``{"instance", "job"}``; values as in ``RunRequest``."""

    @changes("PUT /v1/queue/size", "size the queue")
    def queue_size(self, size: Annotated[int, Must(ge=1)] | Literal["auto"] | None) -> Document:
        """A fixed number of places, ``auto``, or None: what workspace.yaml says. Kept for later engines."""

    @changes("PUT /v1/queue/paused", "pause or resume the queue")
    def queue_pause(self, paused: bool) -> Document:
        """Start nothing more, or start again. Kept for later engines."""

    @changes("POST /v1/queue/clear", "clear the queue")
    def queue_clear(self) -> Document:
        """Take out everything that waits: ``{"removed": [JobInstance, …]}``."""

    @changes("POST /v1/queue/clean", "end jobs")
    def queue_clean(self, minutes: Annotated[float, Must(ge=0)]) -> Document:
        """End what has been running for longer: ``{"ended": [JobInstance, …]}`` once it is gone."""

    @changes("DELETE /v1/queue/{job_instance}", "remove job instance {job_instance} from the queue")
    def queue_remove(self, job_instance: int) -> Document:
        """Take one waiting job out: ``{"removed": [JobInstance]}``."""

    @changes("PUT /v1/queue/{job_instance}/priority", "give job instance {job_instance} another priority")
    def queue_priority(self, job_instance: int, priority: Number) -> Document:
        """Another priority for a waiting job; the highest comes first."""

    @changes("PUT /v1/queue/{job_instance}/held", "hold or release job instance {job_instance}")
    def queue_hold(self, job_instance: int, held: bool, reason: str = "") -> Document:
        """Let a waiting job begin only when it is released, or release it: ``{"job_instance", "held"}``.

        Kept for later engines; its place in line too, within this one.
        """

    @reads("GET /v1/workers", wrapped="workers")
    def workers(self) -> list[Document]:
        """``{name, kind, state, reason, since, slots, running, load, memory, disk, skew, groups, labels}``.

        This machine first. ``load``: the average of a minute; ``memory``, ``disk``: bytes that are free;
        ``skew``: seconds that its clock is ahead. None: not known, as of SSH hosts without an engine.
        """

    @reads("GET /v1/workers/{name}")
    def worker(self, name: str) -> Document:
        """One with all that is registered of it, and its ``attempts`` that have not ended."""

    @changes("POST /v1/workers", "register worker {name!r}")
    def add_worker(self, name: str, request: WorkerRequest) -> Document:
        """Register a worker: a line of ``workers``. Nothing is sent to it before its key is trusted."""

    @changes("PUT /v1/workers/{name}", "change worker {name!r}")
    def set_worker(self, name: str, request: WorkerRequest) -> Document:
        """Other settings of a worker; what is None stays. A line of ``workers``."""

    @changes("PUT /v1/workers/{name}/wanted", "change worker {name!r}")
    def want_worker(
        self, name: str, wanted: Annotated[Wanted, one_of("online", "draining", "paused")], reason: str = ""
    ) -> Document:
        """Let nothing begin on a worker, or let it again; what runs goes on. A line of ``workers``."""

    @reads("POST /v1/workers/{name}/try", needs="try worker {name!r}", slow=True)
    def try_worker(
        self, name: str, request: WorkerRequest, vouched: Mapping[str, str] = _NOTHING, new: bool = False
    ) -> Document:
        """Reach a worker as it would be; nothing is registered: ``{"host_keys": […], "reached": bool}``.

        ``host_keys``: ``{address, kind, fingerprint, pinned, vouched}`` of each machine on the way up to the
        first that nobody vouches for, which ``vouched`` does (fingerprints by address) or a key that is
        ``pinned``. ``reached``: it was logged in to. ``new``: the name must be free.
        """

    @changes("POST /v1/workers/{name}/trust", "trust worker {name!r}")
    def trust_worker(
        self, name: str, fingerprint: str | None = None, vouched: Mapping[str, str] = _NOTHING
    ) -> Document:
        """Pin the host keys that are shown now: as ``want_worker``, with ``host_keys`` as ``try_worker``.

        Refused where that of the host has another ``fingerprint``, or that of a machine another one than
        ``vouched`` says.
        """

    @reads("POST /v1/workers/{name}/check", needs="check worker {name!r}", slow=True)
    def check_worker(self, name: str) -> Document:
        """Look whether jobs can run there: ``{name, ok, remarks: [{step, level, message, code}]}``."""

    @changes("POST /v1/workers/{name}/gone", "declare worker {name!r} gone")
    def worker_gone(self, name: str, reason: str) -> Document:
        """A person vouches that nothing on it lives, so its jobs may begin elsewhere. As ``want_worker``."""

    @changes("DELETE /v1/workers/{name}", "remove worker {name!r}")
    def remove_worker(self, name: str) -> Document:
        """Forget a worker: ``{"removed": name}``. Refused while attempts on it have not ended."""

    @reads("GET /v1/exceptions")
    def exceptions(self, query: ExceptionQuery) -> list[Document]:
        """The exceptions that fit, the newest first."""

    @reads("GET /v1/exceptions/{id}")
    def exception(self, id: int) -> Document:
        """One with its place in the context, what lives of it, and the ``commands`` that help."""

    @changes("POST /v1/exceptions/{id}/handle", "handle exception {id}")
    def handle(
        self, id: int, reason: str, answer: Annotated[str, one_of(*ANSWERS)] | None = None
    ) -> Document:
        """Close an exception; ``answer`` (retry, skip, succeed, fail, discard) lets a waiting job go on."""

    @reads("GET /v1/alerts")
    def alerts(self, instance: int | None = None, seen: bool = False, limit: int = 100) -> list[Document]:
        """What recovery and rules have raised, the newest first; with ``seen`` also acknowledged ones."""

    @changes("POST /v1/alerts/acknowledge", "acknowledge alerts")
    def acknowledge(self, alerts: Sequence[Number] | None = None) -> Document:
        """Mark these alerts (None: all) as seen: ``{"acknowledged": [id, …]}``."""

    @reads("POST /v1/resources/{id}/check", needs="check resource {id!r}")
    def check_resource(self, id: str, params: Mapping[str, str] = _NOTHING) -> Document:
        """``{"ok", "message", "details", "took", "code"}``; params stand for the task's in a dynamic one."""

    @reads("POST /v1/resources/{id}/try", needs="check resource {id!r}")
    def try_resource(self, id: str, resource: Document) -> Document:
        """The same of a definition as it is drawn, which is not stored; Invalid with every finding."""

    @reads("GET /v1/secrets")
    def secrets(self) -> Document:
        """``{"stored": number of secrets or None, "locked": bool or None}``; None: nobody knows."""

    @changes("POST /v1/secrets/unlock", "take the passphrase", keyed=False)
    def unlock(self, passphrase: Passphrase) -> Document:
        """Let the engine read the secrets until it ends: as ``secrets``.

        Refused when it does not fit, or their file is not what the last change left.
        """

    @changes("POST /v1/clean", "clean", keyed=False)
    def clean(self, dry_run: bool = False) -> Document:
        """Take away what the setting ``retention`` no longer keeps; with ``dry_run`` only tell what.

        ``{"removed": [{"instance", "task", "status", "ended_at", "size", "reason", "outcome_kept"}], "size",
        "problems", "dry_run"}``, the oldest first, sizes in bytes; ``outcome_kept``: its row stays, as
        others may still wait for it.
        """


OPERATIONS: tuple[Operation, ...] = tuple(operations(Service))
