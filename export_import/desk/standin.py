"""The stand-in run: a task tried without its site, with recorded outcomes instead of its jobs.

The engine itself runs it, in a scratch workspace: what starts, is skipped, judged and computed is real.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from engine.context import parse_path
from engine.definitions.reader import read_raw
from engine.model.codes.desk import OUTCOME_WRONG
from engine.model.codes.store import DISK_FULL
from engine.model.disk import no_room
from engine.model.errors import Invalid, Refused, SkerryError
from engine.model.names import RECORD
from engine.model.reason import Reason
from engine.model.reason_words import brief
from engine.model.schedule import Schedule
from engine.planning.shape import Plan
from engine.runtime import library
from engine.runtime.engine import Engine
from engine.runtime.library import Types
from engine.runtime.submission import Submission
from engine.store.rows import InstanceRow, JobRow
from engine.store.sql_store import Store
from export_import.desk.divergence import Divergence, divergences
from export_import.desk.evidence import Evidence
from export_import.desk.outcome_book import Book, Records
from export_import.desk.recorded_match import Folders
from export_import.desk.records import recorded_attempts, resource_checks
from export_import.desk.scratch_engine import scratch_engine, stand_in_workers, without_waiting
from export_import.desk.stand_in_choices import Choices, check_nodes
from export_import.desk.standin_types import StandInResource, stand_in_for

Progress = Callable[[int, int], None]  # done, of how many; raises to cancel
_LOOK = 0.2  # seconds between two reports of progress


@dataclass(frozen=True)
class Trial:
    """What to try: ``definitions`` (None: as recorded), ``values`` (path of the context -> value)."""

    instance: int
    definitions: Mapping[str, Any] | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    choices: Choices = field(default_factory=Choices)


@dataclass(frozen=True, slots=True)
class TriedJob:
    """One JobInstance of the stand-in run; ``how`` None: nothing stood in for it (skipped, decided)."""

    node: str
    round: int
    index: int | None
    status: str
    how: str | None
    why: Reason | None
    error_code: int | None
    error_message: str | None
    reason: Reason | None

    def to_json(self) -> dict[str, Any]:
        why, reason = self.why and brief(self.why), self.reason and brief(self.reason)
        return {**asdict(self), "why": why or "", "reason": reason}


@dataclass(frozen=True, slots=True)
class Tried:
    """How the stand-in run went. ``root`` is its workspace, where logs and context can be looked at."""

    instance: int
    recorded_status: str
    status: str
    jobs: tuple[TriedJob, ...]
    divergences: tuple[Divergence, ...]
    root: Path
    has_times: bool = False  # its task has a schedule or waits for others: here neither counts

    @property
    def first(self) -> Divergence | None:
        return self.divergences[0] if self.divergences else None


def ignored(done: int, total: int) -> None:
    """Nobody wants to know."""


def try_out(
    evidence: Evidence, types: Types, trial: Trial, root: Path, progress: Progress = ignored
) -> Tried:
    """Run it to its end; ``root`` is a new folder. Invalid for wrong definitions, values or choices.

    ``progress(done, jobs)`` is called now and then; when it raises, the run is cancelled.
    """
    row = evidence.instance(trial.instance)
    if not row.run:
        message = "instance {where} has not begun: there is nothing recorded to stand in for it"
        raise Invalid.at(OUTCOME_WRONG, message, row.id)
    task_params, records = _overridden(recorded_attempts(evidence, row.id), trial.values)
    recorded = evidence.definitions(row.id)
    plans = [
        library.planned(row.task, _read(raw, types), types.job_types)
        for raw in (recorded, {**recorded, **(trial.definitions or {})})
    ]
    check_nodes(trial.choices, plans[1].nodes)
    timeline = evidence.timeline(row.id)
    values = evidence.task_values(row.id)
    site = Folders(str(values.get("DIRECTORY", "")), str(values.get("WORKSPACE", "")))
    here = Folders(str(root / "instances" / f"task-{row.task}-{row.id}"), str(root))
    book = Book(records, plans[0], plans[1], site, here, trial.choices)
    params = {**_given(evidence, row, values.get("PARAMS", {}), plans[1]), **task_params}
    upstream = timeline.at(timeline.last).tree.get("UPSTREAM", {})
    jobs = _run(evidence, types, book, row, params, upstream, root, progress)
    with Evidence.open(root) as made:
        parted = divergences(timeline.causes(), made.timeline(row.id).causes(), site, here)
        task, status = plans[1].task, made.instance(row.id).status
        has_times = isinstance(task.schedule, Schedule) or bool(task.depends_on)
        return Tried(row.id, row.status, status, jobs, tuple(parted), root, has_times)


def _run(
    evidence: Evidence,
    types: Types,
    book: Book,
    row: InstanceRow,
    params: Mapping[str, Any],
    upstream: Mapping[str, Any],
    root: Path,
    progress: Progress,
) -> tuple[TriedJob, ...]:
    find: list[Callable[[Path], JobRow | None]] = []

    def row_at(directory: Path) -> JobRow | None:
        return find[0](directory)

    job_types = {kind: stand_in_for(real, book, row_at) for kind, real in types.job_types.items()}
    answers = _resource_answers(evidence, row.id)
    resource_types = {kind: StandInResource(real, answers) for kind, real in types.resource_types.items()}
    workers = _records(evidence, row.id)
    definitions = without_waiting(book.plan.definitions, set(book.choices.run), workers)
    moment = datetime.fromisoformat(row.scheduled_time)
    with scratch_engine(root, evidence.zone(row.id), job_types, resource_types, row.id) as engine:
        find.append(partial(_row_at, engine.store))
        stand_in_workers(engine, {name for names in workers.values() for name in names})
        request = Submission(
            row.task, definitions, params, actor="stand-in", scheduled_time=moment, upstream=upstream
        )
        _through(engine, engine.submit(request), len(book.plan.nodes), progress)
        return tuple(_tried(job, book) for job in engine.store.jobs(row.id))


def _row_at(store: Store, directory: Path) -> JobRow | None:
    """The job that works in a directory: ``job-NODE-ID``, or below that ``workers/WORKER``."""
    if directory.parent.name != "workers":
        return store.job(int(directory.name.rpartition("-")[2]))
    outer = store.job(int(directory.parents[1].name.rpartition("-")[2]))
    if outer is None:
        return None
    wanted = f"{outer.node}{RECORD}{directory.name}", outer.round, outer.index
    jobs = store.jobs(outer.instance)
    return next((job for job in jobs if (job.node, job.round, job.index) == wanted), None)


def _records(evidence: Evidence, instance: int) -> dict[str, list[str]]:
    """By node the workers that had a record of it in the latest run, in their order."""
    found: dict[str, dict[str, None]] = {}
    for job in sorted(evidence.store.jobs(instance), key=lambda each: each.id):
        node, mark, worker = job.node.partition(RECORD)
        above, _, member = worker.rpartition(".")
        is_member = member.isdecimal() and above in found.get(node, ())  # of a group
        if mark and not is_member:
            found.setdefault(node, {})[worker] = None
    return {node: list(names) for node, names in found.items()}


def _through(engine: Engine, instance: int, nodes: int, progress: Progress) -> None:
    try:
        while not engine.wait(instance, _LOOK):
            if engine.services.writes.reason is not None:  # an engine waits for room, a person does not
                raise SkerryError(DISK_FULL, engine.services.writes.reason)
            ended = sum(job.ended_at is not None for job in engine.store.jobs(instance))
            progress(min(ended, nodes), nodes)
    except BaseException as error:
        if not no_room(error):  # to cancel it would have to be written down
            with suppress(Refused):  # it has ended meanwhile
                engine.cancel(instance)
        raise
    progress(nodes, nodes)


def _tried(job: JobRow, book: Book) -> TriedJob:
    answer = book.answers.get((job.node, job.index, job.round, job.attempt))
    how, why = (answer.how, answer.why) if answer else (None, None)
    outcome = job.error_code, job.error, job.because
    return TriedJob(job.node, job.round, job.index, job.status, how, why, *outcome)


def _read(raw: Mapping[str, Any], types: Types) -> Any:
    known = {name: raw[name] for name in ("resources", "jobs", "tasks", "project") if raw.get(name)}
    return read_raw({"skerry": 1, **known}, types.job_types, types.resource_types)


def _given(evidence: Evidence, row: InstanceRow, params: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
    """The parameters given at the site, with what was edited there later."""
    first = evidence.store.run(row.id, 1)
    given = dict(first.params) if first else {}
    for path in row.edited:
        steps = parse_path(path)
        if steps[:2] == ("TASK", "PARAMS") and len(steps) == 3:
            given[str(steps[2])] = params.get(str(steps[2]))
    return {name: value for name, value in given.items() if name in plan.task.params}


def _overridden(records: Records, values: Mapping[str, Any]) -> tuple[dict[str, Any], Records]:
    """Task parameters to give, and the records with other results."""
    params: dict[str, Any] = {}
    changed = {key: list(group) for key, group in records.items()}
    for path, value in values.items():
        steps: Sequence[str | int] = parse_path(path)
        if steps[:2] == ("TASK", "PARAMS") and len(steps) == 3:
            params[str(steps[2])] = value
        elif not _override(changed, steps, value):
            raise Invalid.at(
                OUTCOME_WRONG,
                "{where}: a stand-in run takes parameters of the task and results of jobs that ran",
                path,
            )
    return params, changed


def _override(records: dict[Any, Any], steps: Sequence[str | int], value: Any) -> bool:
    """Another result in every attempt of a job; False when the path is not one of a result that is there."""
    index = steps[2] if len(steps) > 2 and isinstance(steps[2], int) else None
    below = steps[2 if index is None else 3 :]
    group = records.get((steps[1] if len(steps) > 1 else "", index)) if steps[0] == "JOB" else None
    if not group or len(below) != 2 or below[0] != "RESULT":
        return False
    name = str(below[1])
    records[steps[1], index] = [
        replace(each, results={**each.results, name: value}, folder=_without(each.folder, name))
        for each in group
    ]
    return True


def _without(folder: Path | None, name: str) -> Path | None:
    """The recorded file must not stand for a result that was changed; then only its value counts."""
    return None if folder is not None and (folder / "outputs" / name).exists() else folder


def _resource_answers(evidence: Evidence, instance: int) -> dict[str, list[bool]]:
    """The results of checks at the site, as far as they were recorded: by resource, in their order."""
    found: dict[str, list[bool]] = {}
    for id, cause in resource_checks(evidence.timeline(instance).causes(), evidence.resources(instance)):
        found.setdefault(id, []).append(bool(cause.value["ok"]))
    return found
