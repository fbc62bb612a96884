"""An engine of its own for a stand-in run, in a scratch workspace; and the task made ready for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from engine.execution.host import Host
from engine.model.control import GroupKeys, Member
from engine.model.definitions import Definitions
from engine.model.job import Job, Limits, On, Recovery, Retry, Stage
from engine.model.task import Node, Task
from engine.model.worker import LOCAL, LOCAL_WORKER
from engine.planning.uses import stage_members
from engine.plugins.registry import JobTypes, ResourceTypes
from engine.runtime.clock import SystemClock
from engine.runtime.engine import Engine
from engine.runtime.upkeep import worker_rows
from engine.runtime.workspace import Workspace
from engine.secrets.vault import Vault
from engine.store.opening import open_store
from engine.store.rows import WorkerRow

SECRET = "******"  # what a stand-in run sees of every secret
_SETTINGS = "durability: normal\nmonitor: false\nplaces: 16\n"
_SLOTS = 16
_NOTHING: dict[str, Any] = {
    "ready": None, "end": None, "resources": (), "changes": (), "timeout": None, "queue_timeout": None,
    "recovery": Recovery(), "on": On(), "mode": "sync", "check": None, "limits": Limits(),
}  # fmt: skip


@contextmanager
def scratch_engine(
    root: Path, zone: str, job_types: JobTypes, resource_types: ResourceTypes, first: int
) -> Iterator[Engine]:
    """An engine at work in ``root``, a new folder; its first instance gets the number ``first``."""
    root.mkdir(mode=0o700, parents=True)
    (root / "workspace.yaml").write_text(f"{_SETTINGS}timezone: {zone}\n", "utf-8")
    workspace, clock = Workspace.open(root), SystemClock()
    store = open_store(workspace.database_url, durability="normal", clock=clock)
    if first > 1:
        store.skip_ids("instance", first - 1)
    vault = cast("Vault", SimpleNamespace(get=lambda name: SECRET))
    with Engine(workspace, store, job_types, resource_types, clock, vault, resume=False) as engine:
        yield engine


class _Alias:
    """This machine as the host of another worker; see :class:`engine.execution.host.Host`."""

    def __init__(self, name: str, host: Host) -> None:
        self._host = host
        self.facts = replace(host.facts, name=name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)


def stand_in_workers(engine: Engine, names: Collection[str]) -> None:
    """This machine by the names of the workers that had a record of a job."""
    services = engine.services

    def add() -> None:
        for name in set(names) - {LOCAL}:
            now = services.now()
            content = replace(LOCAL_WORKER, slots=_SLOTS).to_json()
            live = services.workers.add(WorkerRow(name, "local", now, now, content=content))
            live.reached = True
            services.hosts.put(cast("Host", _Alias(name, services.host)))
            worker_rows.write(services, live)

    if names:
        services.loop.ask(add)


def without_waiting(
    definitions: Definitions, run: Collection[str], records: Mapping[str, Sequence[str]] = {}
) -> Definitions:
    """The same without what only costs time, asks people or reaches out; nodes in ``run`` stay.

    ``records``: by node the workers that each had a record of it.
    """
    used: dict[str, bool] = {}  # a reusable job stays as it is when all its nodes do
    every = definitions.tasks.values()
    for node in (node for task in every for node in (*task.nodes.values(), *task.on_end.values())):
        if not isinstance(node.job, Job):
            used[node.job] = used.get(node.job, True) and node.id in run
    jobs = {id: job if used.get(id) else _hurried(job) for id, job in definitions.jobs.items()}
    everywhere = {id: _everywhere(definitions, task, records) for id, task in definitions.tasks.items()}
    tasks = {id: _task(task, run, everywhere[id]) for id, task in definitions.tasks.items()}
    raw = {name: each for name, each in definitions.raw.items() if name != "rules"}
    return replace(definitions, jobs=jobs, tasks=tasks, raw=raw)


def _everywhere(definitions: Definitions, task: Task, records: Mapping[str, Sequence[str]]) -> dict[str, On]:
    """Where the nodes of a task run that still run on all of their workers: on those of the record."""
    found = {}
    for id, node in task.nodes.items():
        job = node.job if isinstance(node.job, Job) else definitions.jobs.get(str(node.job))
        on = node.on or (job.on if job is not None else On())
        if id in records and on.strategy == "all":
            found[id] = On(workers=tuple(records[id]), strategy="all", success=on.success)
    return found


def _task(task: Task, run: Collection[str], everywhere: Mapping[str, On]) -> Task:
    nodes = {id: _node(node, id in run, everywhere.get(id)) for id, node in task.nodes.items()}
    on_end = {name: _node(node, as_it_is=False) for name, node in task.on_end.items()}
    none = {"timeout": None, "retry": Retry(), "schedule": None}  # depends_on says what $.UPSTREAM has
    return task.model_copy(update={"nodes": nodes, "on_end": on_end, **none})


def _node(node: Node, as_it_is: bool, on: On | None = None) -> Node:
    update: dict[str, Any] = {"on": on}
    if isinstance(node.job, Job):
        update["job"] = node.job if as_it_is else _hurried(node.job)
    return node.model_copy(update=update)


def _hurried(job: Job) -> Job:
    retry = job.retry.model_copy(update={"interval": 0.0, "max_interval": None})
    update: dict[str, Any] = {**_NOTHING, "retry": retry}
    if isinstance(job.settings, GroupKeys):
        update["settings"] = job.settings.model_copy(update={"jobs": tuple(map(_member, job.settings.jobs))})
    if job.process is not None and job.process.kind == "group":
        update["process"] = Stage(kind="group", value=[_member(each) for each in stage_members(job.process)])
    elif job.process is not None and job.process.kind not in ("text", "task", "class"):
        update["process"] = Stage(kind="text", value="exit 70")  # never reached: a stand-in acts for it
    return job.model_copy(update=update)


def _member(member: Member) -> Member:
    return member.model_copy(update={"job": _hurried(member.job)}) if isinstance(member.job, Job) else member
