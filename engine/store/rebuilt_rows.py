"""The rows of one instance, made from what its context log and its directory tell."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.model.codes.runtime import CANCELLED, FORCED
from engine.model.disk import read_plain
from engine.model.handling import Handling
from engine.model.job import STAGES
from engine.model.names import HANDLER, RECORD
from engine.model.reason import Kind, Reason, written
from engine.model.reason_words import said
from engine.model.states import INSTANCE_ENDED, JOB_BAD, JOB_ENDED, InstanceState, JobState
from engine.store.changes import Changes
from engine.store.history import Entry, History, SeenJob, SeenRun, SeenUpstream
from engine.store.reading_schedules import BY_TIME
from engine.store.rows import LinkRow, seconds_between, time_text
from engine.store.sql_store import Store


@dataclass(frozen=True, slots=True)
class InstanceFolder:
    """``task-{task}-{id}``."""

    path: Path
    task: str
    id: int


class RebuiltRows:
    """The rows of one instance."""

    def __init__(
        self, folder: InstanceFolder, history: History, definitions: Entry, store: Store, revision: int | None
    ) -> None:
        self._folder = folder
        self._history = history
        self._raw: Entry = definitions.get("raw") or {}
        self._task: Entry = (self._raw.get("tasks") or {}).get(folder.task) or {}
        self._store = store
        self._revision = revision  # that the task's definition has now
        self._directories = _job_directories(folder.path)
        self._changes = Changes()

    def changes(self) -> Changes:
        snapshot = self._changes.snapshot(self._raw) if self._raw else None
        runs = [self._run(run, snapshot) for _, run in sorted(self._history.runs.items())]
        self._instance(runs)
        self._links(runs[0])
        for job in self._history.jobs.values():
            self._job(job)
        for seq, text in self._history.lines:
            self._changes.line(self._folder.id, seq, text)
        return self._changes

    def _run(self, run: SeenRun, snapshot: str | None) -> Entry:
        entry, status = run.entry, run.status
        row = {
            "instance": self._folder.id,
            "run": run.number,
            "status": "running" if status == InstanceState.PAUSED else status,
            "trigger": str(entry.get("TRIGGER", "manual")),
            "reason": run.why,
            "created_at": entry.get("START_TIME") or run.began,
            "started_at": entry.get("START_TIME"),
            "ended_at": entry.get("END_TIME"),
            "params": entry.get("PARAMS") or {},
            "results": entry.get("RESULT") or {},
            "snapshot": snapshot,
            **self._failure(run),
        }
        self._changes.insert("run", row)
        if status in INSTANCE_ENDED:
            seconds = seconds_between(row["started_at"], row["ended_at"]) or 0.0
            ok = status == InstanceState.SUCCEEDED
            self._changes.stat("task", self._folder.task, ok, seconds, row["error_code"])
        return row

    def _failure(self, run: SeenRun) -> Entry:
        """What the task's entry says, else its first job that failed in that run."""
        code, message = run.entry.get("ERROR_CODE"), run.entry.get("ERROR_MESSAGE")
        jobs = [job for job in self._history.jobs.values() if job.run == run.number]
        failed = [job for job in jobs if job.entry.get("STATUS") in JOB_BAD and "ERROR_CODE" in job.entry]
        if code is None and failed and run.status == InstanceState.FAILED:
            first = min(failed, key=lambda job: str(job.entry.get("END_TIME")))
            code, message = first.entry["ERROR_CODE"], f"job {first.node!r}: {_message(first.entry)}"
        return {"error_code": code, "error_message": message}

    def _instance(self, runs: list[Entry]) -> None:
        first, last = runs[0], runs[-1]
        entry = self._history.runs[last["run"]].entry
        scheduled = entry.get("SCHEDULED_TIME") or first["created_at"]
        same = ("status", "params", "results", "error_code", "error_message", "ended_at", "run")
        self._changes.insert(
            "instance",
            {
                "id": self._folder.id,
                "task": self._folder.task,
                "name": self._name(self._history.runs[first["run"]].entry),
                "project": self._task.get("project"),
                "trigger": last["trigger"],
                "scheduled_time": time_text(datetime.fromisoformat(scheduled)),
                "created_at": first["created_at"],
                "started_at": last["started_at"],
                "definition": self._revision,
                "edited": sorted(self._history.edited),
                "directory": str(self._folder.path.absolute()),
                **{name: last[name] for name in same},
                **_settled(self._history.runs[last["run"]]),
                **(_PAUSED if entry.get("STATUS") == InstanceState.PAUSED else {}),
            },
        )

    def _links(self, first: Entry) -> None:
        """What it has waited for: the log has what that gave; of what had no time it has nothing."""
        waits = self._task.get("depends_on") or [] if first["trigger"] in BY_TIME else []
        for each in waits if isinstance(waits, list) else ():
            upstream = self._folder.task if each.get("self") else str(each.get("task"))
            seen = self._history.upstream.get(upstream, SeenUpstream(first["created_at"], []))
            times = sorted(filter(None, map(_time_of, seen.entries)))
            link = LinkRow(
                self._folder.id,
                upstream,
                str(each.get("window") or "latest"),
                times[0] if times else None,
                times[-1] if times else None,
                len(times),
                seen.began,
            )
            self._changes.insert("link", asdict(link))

    def _job(self, job: SeenJob) -> None:
        entry = job.entry
        id_, type_ = self._definition_of(job.node)
        directory = self._directories.get(job.id) or _written_down(entry)
        first = job.attempts[min(job.attempts)] if job.attempts else entry
        row = {
            "id": job.id,
            "instance": self._folder.id,
            "run": job.run,
            "node": job.node,
            "job": directory[0] if directory else id_,
            "type": type_,
            "round": job.round,
            "index": job.index,
            "attempt": max(job.attempts, default=0),
            "status": str(entry.get("STATUS", "running")),
            "created_at": self._made(job),
            "started_at": first.get("START_TIME"),
            "directory": directory[1] if directory else None,
            "pid": _pid(directory[1], max(job.attempts, default=0)) if directory else None,
            "parent": self._parent(job),
            "params": entry.get("PARAMS") or {},
            "results": entry.get("RESULT") or {},
            "branch": (entry.get("RESULT") or {}).get("branch"),
            "based_on_edit": job.based_on_edit,
            "handling": Handling(unverified=job.unverified).to_json(),
            **said(written(job.reason) if job.reason and entry.get("STATUS") == JobState.SKIPPED else None),
            **_common(entry),
        }
        self._changes.insert("job_instance", row)
        for number, attempt in sorted(job.attempts.items()):
            self._attempt(row, number, attempt)
        for number, attempt in sorted(job.attempts.items() or [(0, entry)]):
            if attempt.get("ERROR_CODE") is not None:
                self._exception(row, number, attempt)

    def _made(self, job: SeenJob) -> str:
        """Nodes of the first round are made with the run, with a first member; the others in their turn."""
        node = (self._task.get("nodes") or {}).get(job.node)
        with_run = job.round == 1 and node is not None and (not job.index or "for_each" not in node)
        return self._history.runs[job.run].began if with_run else job.began

    def _parent(self, job: SeenJob) -> int | None:
        """The JobInstance that a member of a group or stage, or the record of a worker belongs to."""
        outer = None if job.node in self._nodes else _outer(job.node, str(job.entry.get("WORKER")))
        for each in self._history.jobs.values():
            if (each.node, each.run, each.round, each.index) == (outer, job.run, job.round, job.index):
                return each.id
        return None

    def _attempt(self, job: Entry, number: int, entry: Entry) -> None:
        status = str(entry.get("STATUS", "running"))
        if number < job["attempt"] and status not in JOB_ENDED:
            status = "failed"  # else there would be no later one
        status = status if status in _ATTEMPT_STATES else "running"
        row = {
            "job_instance": job["id"],
            "attempt": number,
            "status": status,
            "created_at": entry.get("START_TIME") or job["created_at"],
            "started_at": entry.get("START_TIME"),
            **_common(entry),
        }
        if status == "running" and job["directory"]:
            begun = _begun_last(job["directory"], number)
            row["mark"], row["boot_id"] = begun.get("mark", ""), begun.get("boot") or self._boot()
        self._changes.insert("job_run", row)
        if status != "running":
            seconds = seconds_between(row["started_at"], row["ended_at"]) or 0.0
            name = job["job"] if job["job"] in (self._raw.get("jobs") or {}) else None
            name = name or f"{self._folder.task}.{job['job']}"
            self._changes.stat("job", name, status == JobState.SUCCEEDED, seconds, row["error_code"])

    def _boot(self) -> str:
        """In which start of the machine the latest run began; unknown is none that is or will be."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            record = json.loads(Path(self._folder.path, "environment.json").read_bytes())
            return str(record["host"]["boot_id"])
        return "unknown"

    def _exception(self, job: Entry, number: int, entry: Entry) -> None:
        """The failure of an attempt (0: it came to none); open if nothing ran after it."""
        self._changes.insert(
            "exception",
            {
                "id": self._store.next_id("exception"),
                "code": entry["ERROR_CODE"],
                "message": _message(entry) or "",
                "created_at": entry.get("END_TIME") or job["created_at"],
                "task": self._folder.task,
                "job_instance": job["id"],
                "attempt": number or None,
                "worker": entry.get("WORKER"),
                **{name: job[name] for name in ("job", "node", "instance", "run")},
                **self._handled(job, number),
            },
        )

    def _handled(self, job: Entry, number: int) -> Entry:
        """By whom it was, as far as what ran later shows."""
        if number < job["attempt"]:
            return {"status": "handled", "handled_by": "retry", "note": "tried again"}
        if job["status"] == JobState.SUCCEEDED:
            return {"status": "handled", "handled_by": "operator", "note": "succeeded by hand"}
        if job["error_code"] == CANCELLED.number:
            return {"status": "handled", "handled_by": "operator", "note": job["error_message"]}
        runs = [each.run for each in self._history.jobs.values() if each.node == job["node"]]
        again = min((run for run in runs if run > job["run"]), default=None)
        if again is not None:
            return {"status": "handled", "handled_by": "rerun", "note": f"run {again} runs it again"}
        return {}

    def _name(self, first: Entry) -> str | None:
        """Of the task as it was defined when the instance began; without one its id is there."""
        name = first.get("NAME", self._task.get("name"))
        return name if name != first.get("ID") else None

    def _definition_of(self, node: str) -> tuple[str, str]:
        """The id and the type of the job that a node (or a group's member ``report.0``) uses."""
        nodes = self._nodes
        written, (group, _, position) = nodes.get(node), node.rpartition(".")
        if node not in nodes and position.isdecimal():
            members = self._resolved(nodes.get(group))[1].get("jobs") or []
            written = members[int(position)] if int(position) < len(members) else None
        id_, content = self._resolved(written)
        return id_ or node, str(content.get("type") or "")

    @cached_property
    def _nodes(self) -> Entry:
        """The nodes of the task and its handlers, by id."""
        handlers = self._task.get("on_end") or {}
        return {
            **(self._task.get("nodes") or {}),
            **{HANDLER + name: each for name, each in handlers.items()},
        }

    def _resolved(self, written: Any) -> tuple[str | None, Entry]:
        """The id of the job that a node or member names (None: it is inline), and the job's keys."""
        if not isinstance(written, dict):
            return None, {}
        job = written.get("job")
        if isinstance(job, (str, int)):
            return str(job), (self._raw.get("jobs") or {}).get(str(job)) or {}
        return None, job if isinstance(job, dict) else written


_PAUSED = {"status": "paused", **said(Reason(Kind.PAUSED))}  # who did it and why is in the log
_ATTEMPT_STATES = {"running", "succeeded", "failed", "cancelled", "timed_out", "lost"}


def _outer(node: str, worker: str) -> str | None:
    """The node that ``report.0``, ``report.ready.0`` or, on a worker, ``report@build.1`` is a part of."""
    if node.endswith(f"{RECORD}{worker}"):
        return node.removesuffix(f"{RECORD}{worker}")
    above, _, position = node.rpartition(".")
    return above.removesuffix(".ready").removesuffix(".end") if position.isdecimal() else None


def _time_of(entry: Entry) -> str | None:
    """None where a person or a fault has changed the log."""
    try:
        return time_text(datetime.fromisoformat(str(entry.get("SCHEDULED_TIME"))))
    except ValueError:
        return None


def _settled(run: SeenRun) -> Entry:
    """What a job that was settled by hand after the run made of the instance."""
    if run.settled is None:
        return {}
    status = str(run.entry.get("STATUS"))
    bad = status != InstanceState.SUCCEEDED
    return {
        "status": status,
        "error_code": FORCED.number if bad else None,
        "error_message": run.settled if bad else None,
    }


def _common(entry: Entry) -> Entry:
    """The columns that a job and its attempts share; an error that people overruled counts no more."""
    failed = entry.get("STATUS") != JobState.SUCCEEDED
    return {
        "ended_at": entry.get("END_TIME"),
        "worker": entry.get("WORKER"),
        "exit_code": entry.get("EXIT_CODE"),
        "error_code": entry.get("ERROR_CODE") if failed else None,
        "error_message": _message(entry) if failed else None,
    }


def _message(entry: Entry) -> str | None:
    message = entry.get("ERROR_MESSAGE")
    return None if message is None else str(message)


def _job_directories(folder: Path) -> dict[int, tuple[str, str]]:
    """JobInstance -> (job id, absolute path), from ``jobs/job-{jobId}-{jobInstance}``."""
    found: dict[int, tuple[str, str]] = {}
    jobs = folder / "jobs"
    for entry in os.scandir(jobs) if jobs.is_dir() else ():
        job, _, id_ = entry.name.removeprefix("job-").rpartition("-")
        if entry.name.startswith("job-") and id_.isdecimal() and entry.is_dir(follow_symlinks=False):
            found[int(id_)] = job, os.path.abspath(entry.path)
    return found


def _written_down(entry: Entry) -> tuple[str, str] | None:
    """The same of a job under way whose directory is missing: a power cut may have taken it."""
    directory = entry.get("DIRECTORY")
    if not isinstance(directory, str) or str(entry.get("STATUS")) in JOB_ENDED:
        return None
    return Path(directory).name.removeprefix("job-").rpartition("-")[0], directory


def _pid(directory: str, attempt: int) -> int | None:
    """The process of the stage that was begun last."""
    text = _begun_last(directory, attempt).get("pid", "").strip()
    return int(text) if text.isdecimal() else None


def _begun_last(directory: str, attempt: int) -> dict[str, str]:
    """What the file of that stage says by name; nothing where it is of an earlier attempt."""
    for stage in reversed(STAGES):
        data = read_plain(f"{directory}/.skerry/{stage}")
        if data is not None:
            lines = data.decode("ascii", "replace").splitlines()
            found = dict(line.split(" ", 1) for line in lines if " " in line)
            number = found.get("mark", "").split(".")[1:-1]
            return {} if number and number[0] != str(attempt) else found
    return {}
