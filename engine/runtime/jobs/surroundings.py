"""What the programs of a job find around them, worked out before its first one starts (contract 2.3)."""

from __future__ import annotations

import os
from typing import Any

from engine.execution.environment import Surroundings
from engine.model.codes.processes import NO_WORKING_DIR
from engine.model.errors import SkerryError
from engine.runtime.fibers import Coroutine
from engine.runtime.jobs.attempt_entry import loaded, rendered
from engine.runtime.jobs.job_entry import JobEntry


def surroundings(entry: JobEntry) -> Coroutine[Surroundings]:
    """The same for all stages of an attempt; an engine that takes it up works them out again."""
    if entry.surroundings is None:
        env = {}
        for name, value in entry.job.env.items():
            env[name] = yield from rendered(entry, f"env.{name}", value)
        folder = yield from rendered(entry, "working_dir", entry.job.working_dir)
        entry.surroundings = Surroundings(
            _task_params(entry), env, folder and _checked(str(folder), here=entry.is_here)
        )
    return entry.surroundings


def _task_params(entry: JobEntry) -> dict[str, Any]:
    """The parameters of the task but its secrets."""
    run = entry.run
    secret = {name for name, spec in run.facts.plan.task.params.items() if spec.secret}
    values: dict[str, Any] = run.context.tree["TASK"]["PARAMS"]
    shown = {name: loaded(entry, name, value) for name, value in values.items() if name not in secret}
    if run.edits.paths:
        for name in shown:
            entry.read_task_param(name)
    return shown


def _checked(folder: str, *, here: bool) -> str:
    """On another machine that looks whether it is there."""
    if os.path.isabs(folder) and (not here or os.path.isdir(folder)):
        return folder
    message = "there is no folder {where} to start in; an absolute path is expected"
    raise SkerryError.at(NO_WORKING_DIR, message, folder)
